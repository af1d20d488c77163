//! Options for showing a pack, set by the caller, with defaults from the runbook.

use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};

use crate::{Asked, Format, TextPolicy, ViewOptions};

/// Default maximum size of the output.
pub const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// Default maximum size of a web page. It's larger, because readers can scroll.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// Options for showing a pack. The runbook supplies those that are `None`.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// Maximum size of the output.
    pub limit: Option<Limit>,
    /// Format of the output.
    pub format: Format,
    /// Second format to print the pack in, within the same limit.
    pub also: Option<Format>,
    /// Level of detail.
    pub mode: Option<ResponseMode>,
}

/// Combines the caller's options with the runbook's policy.
#[must_use]
pub fn view_options(request: &ViewRequest, policy: &Policy) -> ViewOptions {
    ViewOptions {
        limit: request
            .limit
            .or(policy.limit)
            .unwrap_or(match request.format {
                Format::Html => PAGE_LIMIT,
                _ => DEFAULT_LIMIT,
            }),
        format: request.format,
        mode: request.mode.or(policy.response_mode).unwrap_or_default(),
        text: text_policy(policy.freshness),
        noise_permille: u32::from(policy.noise_permille),
        from: None,
        asked: Asked {
            limit: request.limit.is_some(),
            mode: request.mode.is_some(),
        },
    }
}

fn text_policy(freshness: FreshnessMode) -> TextPolicy {
    match freshness {
        FreshnessMode::Repair => TextPolicy::Repaired,
        FreshnessMode::Strict | FreshnessMode::Report => TextPolicy::InPlace,
    }
}
