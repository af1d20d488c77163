//! Stored form of a pack.

use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Owner;

use crate::{Pack, StoredPack};

/// Maximum size of a stored pack, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// Stored pack with the presentation settings of its runbook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredResult {
    /// Owner; absent in packs of older versions, which any repository may read.
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

/// Reason why a cut pack is not stored, and has no cursors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// A file name in it contains a secret value.
    #[error(
        "the rest of the pack is not stored, because a file name in it contains a secret value: raise the budget to see more"
    )]
    SecretName,
    /// It exceeds the maximum size.
    #[error(
        "the rest of the pack is too large to be stored (more than {} MiB): request less, or raise the budget to see more", MAX_BYTES >> 20
    )]
    TooLarge,
    /// It cannot be written.
    #[error(
        "the rest of the pack cannot be stored: raise the budget to see more; `windlass doctor` shows the cause"
    )]
    Unwritable,
}

/// Pack read from the store.
#[derive(Debug)]
pub struct KeptResult {
    /// The complete selection, as stored.
    pub pack: Pack,
    /// Freshness policy of its runbook.
    pub freshness: FreshnessMode,
    /// Noise budget of its runbook, in thousandths.
    pub noise_permille: u16,
    /// Response mode of its runbook.
    pub response_mode: Option<ResponseMode>,
    /// Budget of its runbook.
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
