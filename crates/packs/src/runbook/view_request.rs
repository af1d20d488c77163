//! Presentation of a pack: the options of the caller, with defaults from its runbook.

use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};

use crate::{Asked, Format, TextPolicy, ViewOptions};

/// Default output limit.
pub const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// Default limit of a web page, which is larger because readers scroll.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// Presentation of a pack; missing options are taken from the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// Maximum size of the output.
    pub limit: Option<Limit>,
    /// Format of the output.
    pub format: Format,
    /// Second format to print within the same limit.
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
