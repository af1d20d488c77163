//! The stored form of a pack.

use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Owner;

use crate::{Pack, StoredPack};

/// Maximum size of a stored pack in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// A pack as we store it, with the runbook's options for showing it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredResult {
    /// The repository that the pack belongs to. Older versions did not store it, so any repository
    /// may read their packs.
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

/// The reason why we could not store a pack. The output does not have cursors in this case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// A file name contains a secret value. We cannot replace it, because the result would be the
    /// name of another file.
    #[error(
        "the rest of the pack is not stored, because a file name in it contains a secret value: raise the budget to see more"
    )]
    SecretName,
    /// The pack exceeds the maximum size.
    #[error(
        "the rest of the pack is too large to be stored (more than {} MiB): request less, or raise the budget to see more", MAX_BYTES >> 20
    )]
    TooLarge,
    /// Writing failed.
    #[error(
        "the rest of the pack cannot be stored: raise the budget to see more; `windlass doctor` shows the cause"
    )]
    Unwritable,
}

/// A pack that was read from the store.
#[derive(Debug)]
pub struct KeptResult {
    /// The whole pack.
    pub pack: Pack,
    /// The runbook's policy on stale evidence.
    pub freshness: FreshnessMode,
    /// The share of the budget for the lines around evidence, in thousandths.
    pub noise_permille: u16,
    /// The level of detail that the runbook asks for.
    pub response_mode: Option<ResponseMode>,
    /// The budget that the runbook asks for.
    pub limit: Option<Limit>,
}

impl StoredResult {
    /// Prepares a pack for storing. Returns `None` if a file name contains a secret value.
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

    /// Restores the pack. Returns `None` if it does not match its digest.
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
