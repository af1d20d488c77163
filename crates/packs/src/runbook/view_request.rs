//! How a pack is shown: as the caller asked, else as its runbook says.

use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};

use crate::{Asked, Format, TextPolicy, ViewOptions};

/// How much is printed when neither the runbook nor the caller says.
pub const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// How a pack is shown; what is not said is taken from the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// How much is printed.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: Format,
    /// Another format in which it is printed as well, within the same limit.
    pub also: Option<Format>,
    /// How much it says about itself.
    pub mode: Option<ResponseMode>,
}

/// How a pack is shown: what the caller says, else what the runbook says.
#[must_use]
pub fn view_options(request: &ViewRequest, policy: &Policy) -> ViewOptions {
    ViewOptions {
        limit: request.limit.or(policy.limit).unwrap_or(DEFAULT_LIMIT),
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
