use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};

/// What stale evidence means for a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreshnessMode {
    /// The run fails.
    Strict,
    /// Evidence that moved is shown at its new place, with the repair.
    Repair,
    /// It is shown as stale.
    #[default]
    Report,
}

impl FreshnessMode {
    /// The word as it stands in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Repair => "repair",
            Self::Report => "report",
        }
    }
}

/// How much is shown, and what stale evidence means, with all references resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How much may be printed; without it the caller's default holds.
    pub limit: Option<Limit>,
    /// What stale evidence means.
    pub freshness: FreshnessMode,
    /// The share of the budget, in thousandths, that may be context beyond the evidence itself.
    pub noise_permille: u16,
    /// The most items a section shows.
    pub max_items_per_section: u32,
    /// How much the pack says about itself; without it the caller's default holds.
    pub response_mode: Option<ResponseMode>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            limit: None,
            freshness: FreshnessMode::default(),
            noise_permille: 200,
            max_items_per_section: 10,
            response_mode: None,
        }
    }
}

/// A policy whose references led to something it cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{field}`: {why}")]
pub struct PolicyError {
    /// Which part of the policy.
    pub field: &'static str,
    /// What is wrong with it.
    pub why: String,
}
