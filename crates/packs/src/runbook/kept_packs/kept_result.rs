//! The form in which packs are stored.

use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Owner;

use crate::{Pack, StoredPack};

/// Maximum size of a stored pack, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// A stored pack, with the runbook's options for showing it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredResult {
    /// The repository it belongs to. `None` in packs stored by older versions, which any repository
    /// may read.
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

/// Reason why a cut pack couldn't be stored. Its output has no cursors in that case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// A file name in the pack contains a secret value. Replacing it would point to another file.
    #[error(
        "the rest of the pack is not stored, because a file name in it contains a secret value: raise the budget to see more"
    )]
    SecretName,
    /// The pack exceeds the maximum size.
    #[error(
        "the rest of the pack is too large to be stored (more than {} MiB): request less, or raise the budget to see more", MAX_BYTES >> 20
    )]
    TooLarge,
    /// The pack couldn't be written.
    #[error(
        "the rest of the pack cannot be stored: raise the budget to see more; `windlass doctor` shows the cause"
    )]
    Unwritable,
}

/// A pack read back from the store.
#[derive(Debug)]
pub struct KeptResult {
    /// The complete pack.
    pub pack: Pack,
    /// The runbook's freshness policy.
    pub freshness: FreshnessMode,
    /// Share of the budget reserved for surrounding lines, in thousandths, as set by the runbook.
    pub noise_permille: u16,
    /// The response mode set by the runbook.
    pub response_mode: Option<ResponseMode>,
    /// The budget set by the runbook.
    pub limit: Option<Limit>,
}

impl StoredResult {
    /// Creates the stored form of `pack`, or returns `None` if one of its file names contains a
    /// secret value.
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

    /// Returns the pack, or `None` if it doesn't match its digest.
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
