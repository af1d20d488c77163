//! A pack as it is kept.

use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Owner;

use crate::{Pack, StoredPack};

/// The largest pack that is kept, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// A pack as it is kept, with what its runbook says about showing it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredResult {
    /// Whose it is; anybody's where an older version kept it.
    #[serde(default)]
    pub(super) repo: Option<Owner>,
    pack: StoredPack,
    freshness: FreshnessMode,
    noise_permille: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_mode: Option<ResponseMode>,
    #[serde(default)]
    max_chars: Option<usize>,
    #[serde(default)]
    max_tokens: Option<usize>,
}

/// Why a pack that was cut is not kept, so that it has no cursors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// The name of a file in it holds a secret value.
    #[error(
        "what was cut is not kept, since the name of a file in it holds a secret value: raise the budget to see more"
    )]
    SecretName,
    /// It is larger than what is read again.
    #[error(
        "what was cut is too large to be kept (more than {} MiB): ask for less, or raise the budget to see more", MAX_BYTES >> 20
    )]
    TooLarge,
    /// It cannot be written.
    #[error(
        "what was cut could not be kept: raise the budget to see more; `windlass doctor` says why"
    )]
    Unwritable,
}

/// A pack that was kept.
#[derive(Debug)]
pub struct KeptResult {
    /// Everything that was selected.
    pub pack: Pack,
    /// What its runbook says about evidence that does not stand.
    pub freshness: FreshnessMode,
    /// How much noise its runbook lets through.
    pub noise_permille: u16,
    /// How much the runbook lets it say about itself.
    pub response_mode: Option<ResponseMode>,
    /// The budget that the runbook names.
    pub limit: Option<Limit>,
}

impl StoredResult {
    /// `None` where the name of a file in it holds a secret value.
    #[must_use]
    pub fn of(pack: &Pack, policy: &Policy) -> Option<Self> {
        let (max_chars, max_tokens) = match policy.limit {
            Some(Limit::Chars(max)) => (Some(max), None),
            Some(Limit::Tokens(max)) => (None, Some(max)),
            None => (None, None),
        };
        Some(Self {
            repo: None,
            pack: StoredPack::of(pack)?,
            freshness: policy.freshness,
            noise_permille: policy.noise_permille,
            response_mode: policy.response_mode,
            max_chars,
            max_tokens,
        })
    }

    /// The pack, if it is whole.
    #[must_use]
    pub fn open(self) -> Option<KeptResult> {
        Some(KeptResult {
            pack: self.pack.into_pack()?,
            freshness: self.freshness,
            noise_permille: self.noise_permille,
            response_mode: self.response_mode,
            limit: self
                .max_chars
                .map(Limit::Chars)
                .or(self.max_tokens.map(Limit::Tokens)),
        })
    }
}
