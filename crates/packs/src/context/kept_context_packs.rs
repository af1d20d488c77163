//! Stores whole context packs under the digest of their contents.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_repo::Owner;
use windlass_site::{Error, ErrorKind, Explain, Site};
use windlass_store::{BlobLimits, files_in};

use super::{ContextPack, PackId};
use crate::pack_folder::PackFolder;

/// Maximum size of a stored pack, in bytes.
const MAX_BYTES: u64 = 4 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 1_000,
    max_bytes: 256 << 20,
};
/// Minimum number of digits accepted as an abbreviated pack id.
const MIN_DIGITS: usize = 6;

/// Error for a context pack too large to store.
#[derive(Debug, thiserror::Error)]
#[error("the context pack has {bytes} bytes, more than the maximum of {MAX_BYTES}")]
struct LargePack {
    bytes: usize,
}

impl Explain for LargePack {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        Some("name fewer documents and files".to_owned())
    }
}

/// A pack as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredContextPack {
    repo: Owner,
    pack: ContextPack,
    /// Locations of results read from outside the repository.
    #[serde(default, skip_serializing_if = "OutsideResults::is_empty")]
    outside: OutsideResults,
}

/// Locations of results outside the repository, keyed by their name and hash in a pack. We keep
/// them on this machine instead of in the pack, so that a shared pack doesn't reveal its author's
/// folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideResults(BTreeSet<(String, String, String)>);

impl OutsideResults {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records the absolute path `place` for the results with `name` and `hash`.
    pub fn note(&mut self, (name, hash): (&str, &str), place: &Path) {
        // JSON can't hold a path that isn't UTF-8. We skip it, so these results can't be found
        // again.
        if let Some(place) = place.to_str() {
            let own = (name.to_owned(), hash.to_owned(), place.to_owned());
            self.0.insert(own);
        }
    }

    /// Adds all locations in `other`.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns every location at which the results were read.
    pub fn places_of(&self, name: &str, hash: &str) -> impl Iterator<Item = &Path> {
        let own = self.0.iter();
        let own = own.filter(move |it| it.0 == name && it.1 == hash);
        own.map(|(_, _, place)| Path::new(place))
    }
}

/// A repository's stored context packs.
#[derive(Debug, Clone)]
pub struct KeptContextPacks {
    folder: PackFolder,
}

impl KeptContextPacks {
    /// Returns the pack store for the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        let folder = PackFolder {
            site: site.clone(),
            name: "context",
            limits: LIMITS,
            max_bytes: MAX_BYTES,
        };
        Self { folder }
    }

    /// Stores the sealed `pack` under its id, with the locations of its results outside the
    /// repository. Only the newest thousand packs are retained.
    ///
    /// # Errors
    /// Returns an error if the pack is too large or cannot be written.
    pub fn keep(&self, pack: &ContextPack, mut outside: OutsideResults) -> Result<(), Error> {
        // The same pack may have been stored before with other locations. Don't lose them.
        outside.join(self.outside_of(pack.pack_id));
        let kept = StoredContextPack {
            repo: Owner::without_lineage(self.folder.site.repo()),
            pack: pack.clone(),
            outside,
        };
        let text = serde_json::to_vec(&kept).map_err(Error::internal)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(LargePack { bytes: text.len() }.into());
        }
        Ok(self.folder.blobs()?.put(&pack.pack_id.hex(), &text)?)
    }

    /// Returns the stored pack `id`, or `None` if it doesn't exist, is damaged, or belongs to
    /// another repository.
    ///
    /// # Errors
    /// Returns an error if there is no state folder.
    pub fn pack(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        Ok(self.kept(id)?.map(|kept| kept.pack))
    }

    /// Returns the known locations of results outside the repository for the pack `id`.
    #[must_use]
    pub fn outside_of(&self, id: PackId) -> OutsideResults {
        let kept = self.kept(id).ok().flatten();
        kept.map(|kept| kept.outside).unwrap_or_default()
    }

    fn kept(&self, id: PackId) -> Result<Option<StoredContextPack>, Error> {
        let kept = self
            .folder
            .read(&id.hex(), |kept: &StoredContextPack| Some(&kept.repo))?;
        Ok(kept.filter(|kept| kept.pack.pack_id == id && kept.pack.check_seal().is_ok()))
    }

    /// Returns up to `limit` packs of this repository, newest first. Unreadable packs are skipped.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn newest(&self, limit: usize) -> Result<Vec<ContextPack>, Error> {
        let mut files = files_in(&self.folder.place()?, is_pack_name)?;
        files.sort_by(|a, b| (b.modified, &b.name).cmp(&(a.modified, &a.name)));
        let ids = files.iter().filter_map(|file| id_of(&file.name));
        let packs = ids.filter_map(|id| self.pack(id).ok().flatten());
        Ok(packs.take(limit).collect())
    }

    /// Returns the pack id starting with `digits`, or the newest id for `last`. Returns `None`
    /// unless exactly one pack matches.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn id_beginning(&self, digits: &str) -> Result<Option<PackId>, Error> {
        let files = files_in(&self.folder.place()?, is_pack_name)?;
        if digits == "last" {
            let newest = files.iter().max_by_key(|file| (file.modified, &file.name));
            return Ok(newest.and_then(|file| id_of(&file.name)));
        }
        let wanted: String = digits.chars().filter(|c| *c != '-').collect();
        let wanted = wanted.to_ascii_lowercase();
        let is_short = wanted.len() < MIN_DIGITS;
        if is_short || !wanted.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut fitting = files.iter().filter(|file| file.name.starts_with(&wanted));
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Ok(id_of(&one.name)),
            _ => Ok(None),
        }
    }
}

/// Returns true if `name` is a pack's file name.
fn is_pack_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Converts a file name to a pack id.
fn id_of(hex: &str) -> Option<PackId> {
    let parts = [
        hex.get(..8)?,
        hex.get(8..12)?,
        hex.get(12..16)?,
        hex.get(16..20)?,
        hex.get(20..)?,
    ];
    parts.join("-").parse().ok()
}
