//! Packs that were cut are kept for a while, so that a cursor can go on in them.

use serde::{Deserialize, Serialize};
use windlass_base::{Limit, ResponseMode};
use windlass_pack::{Cursor, Format, Pack, StoredPack, Styled, ViewOptions, view};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::{Owner, Snapshot};
use windlass_store::{BlobLimits, Blobs, RootedPath};

use crate::{Error, Workspace};

const MAX_BYTES: u64 = 64 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 100,
    max_bytes: 256 << 20,
};

/// A pack as it is kept, with what its runbook says about showing it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredResult {
    /// Whose it is; anybody's where an older version kept it.
    #[serde(default)]
    repo: Option<Owner>,
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
pub(crate) struct KeptResult {
    pub(crate) pack: Pack,
    pub(crate) freshness: FreshnessMode,
    pub(crate) noise_permille: u16,
    /// How much the runbook lets it say about itself.
    pub(crate) response_mode: Option<ResponseMode>,
    /// The budget that the runbook names.
    pub(crate) limit: Option<Limit>,
}

impl Workspace {
    /// Where packs are kept; `None` where there is no folder for what is kept at all.
    pub(crate) fn results_folder(&self) -> Option<RootedPath> {
        let state = self.dirs().ok()?.state;
        let own = state.join("repos").join(&self.repo().identity().repo_id);
        Some(own.join("packs"))
    }

    fn results(&self) -> Option<Blobs> {
        Some(Blobs::new(self.results_folder()?, LIMITS))
    }

    /// Keeps `pack`.
    fn keep_result(&self, pack: &Pack, policy: &Policy) -> Result<(), NotKept> {
        let stored = StoredResult {
            repo: Some(self.repo().owner_without_lineage()),
            ..StoredResult::of(pack, policy).ok_or(NotKept::SecretName)?
        };
        let results = self.results().ok_or(NotKept::Unwritable)?;
        let text = serde_json::to_vec(&stored).map_err(|_| NotKept::Unwritable)?;
        // What could not be read again is not kept.
        if text.len() as u64 > MAX_BYTES {
            return Err(NotKept::TooLarge);
        }
        let put = results.put(&Cursor::key_of(&pack.key), &text);
        put.map_err(|_| NotKept::Unwritable)
    }

    /// Prints what fits of `pack`, and keeps it for the cursors where it is cut. Where that is not possible, it has
    /// none, and says so.
    pub(crate) fn print(
        &self,
        pack: &mut Pack,
        snapshot: &Snapshot,
        options: &ViewOptions,
        policy: &Policy,
        also: Option<Format>,
    ) -> Result<Printed, Error> {
        pack.calls.caller = self.caller().cloned();
        let printed = Printed::of(pack, snapshot, options, also)?;
        let lost = printed.cut.then(|| self.keep_result(pack, policy).err());
        let Some(why) = lost.flatten() else {
            return Ok(printed);
        };
        pack.calls.kept = false;
        pack.notes.push(why.to_string());
        Ok(Printed {
            cursors_lost: Some(why),
            ..Printed::of(pack, snapshot, options, also)?
        })
    }

    /// The pack that `cursor` belongs to, if it is still kept and whole.
    pub(crate) fn kept_result(&self, cursor: &Cursor) -> Option<KeptResult> {
        let text = self.results()?.get(&cursor.key(), MAX_BYTES)?;
        let stored: StoredResult = serde_json::from_slice(&text).ok()?;
        if let Some(owner) = &stored.repo {
            self.repo().check_owner(owner).ok()?;
        }
        stored.open()
    }
}

/// A pack as it is printed.
pub(crate) struct Printed {
    pub(crate) main: Styled,
    /// In another format as well, within the same limit.
    pub(crate) also: Option<Styled>,
    /// Whether one of them is not all of it.
    cut: bool,
    /// Why there are no cursors.
    pub(crate) cursors_lost: Option<NotKept>,
}

impl Printed {
    pub(crate) fn of(
        pack: &Pack,
        snapshot: &Snapshot,
        options: &ViewOptions,
        also: Option<Format>,
    ) -> Result<Self, Error> {
        let called = pack.as_called();
        let (shown, main) = view(&called, snapshot, options)?;
        let mut cut = shown.is_truncated();
        let also = match also {
            Some(format) => {
                let options = ViewOptions { format, ..*options };
                let (shown, also) = view(&called, snapshot, &options)?;
                cut |= shown.is_truncated();
                Some(also)
            }
            None => None,
        };
        Ok(Self {
            main,
            also,
            cut,
            cursors_lost: None,
        })
    }
}

impl StoredResult {
    /// `None` where the name of a file in it holds a secret value.
    pub(crate) fn of(pack: &Pack, policy: &Policy) -> Option<Self> {
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
    pub(crate) fn open(self) -> Option<KeptResult> {
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
