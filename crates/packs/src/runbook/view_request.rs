//! Options for showing a pack. The caller sets them, and the runbook sets the defaults.

use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};

use crate::{Asked, Format, TextPolicy, ViewOptions};

/// Maximum size of the output by default.
pub const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// Maximum size of a web page by default. It is larger, because readers can scroll.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// Options for showing a pack. Options that are `None` are taken from the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// Maximum size of the output.
    pub limit: Option<Limit>,
    /// Format of the output.
    pub format: Format,
    /// Second format in which the pack is printed, within the same limit.
    pub also: Option<Format>,
    /// Level of detail.
    pub mode: Option<ResponseMode>,
}

/// Combines the options of the caller with the policy of the runbook.
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
