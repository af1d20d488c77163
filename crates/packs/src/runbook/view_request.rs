//! Options for showing a pack. The caller can set them, and the runbook provides the defaults.

use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};

use crate::{Asked, Format, TextPolicy, ViewOptions};

/// The limit if neither the caller nor the runbook sets one.
pub const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// The default limit for a web page. Readers can scroll, so it's larger.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// The caller's options for showing a pack. If one of them is `None`, it's up to the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// The limit on the size of the output.
    pub limit: Option<Limit>,
    /// The format to print the pack in.
    pub format: Format,
    /// A second format to print the pack in. The limit is the same.
    pub also: Option<Format>,
    /// The level of detail.
    pub mode: Option<ResponseMode>,
}

/// Combines the caller's options with the runbook's policy. The caller takes precedence.
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
    // Only the policy `repair` shows text at another location than the captured one.
    match freshness {
        FreshnessMode::Repair => TextPolicy::Repaired,
        FreshnessMode::Strict | FreshnessMode::Report => TextPolicy::InPlace,
    }
}
