//! Stores whole context packs under the digests of their contents.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_repo::Owner;
use windlass_site::{Error, ErrorKind, Explain, Site};
use windlass_store::{BlobLimits, files_in};

use super::{ContextPack, PackId};
use crate::pack_folder::PackFolder;

/// Maximum size of a pack in bytes. Storing a larger one is an error ([`LargePack`]).
const MAX_BYTES: u64 = 4 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 1_000,
    max_bytes: 256 << 20,
};
/// Minimum number of digits of an abbreviated pack ID. With fewer, a typo could easily hit another
/// pack.
const MIN_DIGITS: usize = 6;

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

#[derive(Serialize, Deserialize)]
struct StoredContextPack {
    repo: Owner,
    pack: ContextPack,
    /// The locations of results from outside the repository. This is `None` if the pack was built
    /// on another machine and only read here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outside: Option<OutsideResults>,
}

/// The locations of results outside the repository, by name and hash in a pack.
///
/// These aren't part of the pack, because sharing it would reveal the author's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideResults(BTreeSet<(String, String, String)>);

impl OutsideResults {
    /// Remembers that results were read from `place`, which is absolute.
    pub fn note(&mut self, (name, hash): (&str, &str), place: &Path) {
        // JSON can't represent a path that isn't UTF-8. We just won't find these results again.
        if let Some(place) = place.to_str() {
            let own = (name.to_owned(), hash.to_owned(), place.to_owned());
            self.0.insert(own);
        }
    }

    /// Adds the locations of `other`.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The locations at which these results were read. There may be several, if the same results
    /// were copied.
    pub fn places_of(&self, name: &str, hash: &str) -> impl Iterator<Item = &Path> {
        let own = self.0.iter();
        let own = own.filter(move |it| it.0 == name && it.1 == hash);
        own.map(|(_, _, place)| Path::new(place))
    }
}

/// A store for a repository's context packs. It keeps the newest thousand.
#[derive(Debug, Clone)]
pub struct KeptContextPacks {
    folder: PackFolder,
}

impl KeptContextPacks {
    /// Prepares access to the store. Its folder is only created when we store the first pack.
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

    /// Stores a sealed pack under its ID, and drops old packs. If the pack was built here,
    /// `outside` has the locations of its results outside the repository.
    ///
    /// # Errors
    /// Returns an error if the pack is too large, or can't be written.
    pub fn keep(&self, pack: &ContextPack, outside: Option<OutsideResults>) -> Result<(), Error> {
        // If this pack has been stored before, the results may have been at other locations. Keep
        // these as well.
        let known = [outside, self.outside_of(pack.pack_id)];
        let outside = known.into_iter().flatten().reduce(OutsideResults::join);
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

    /// Reads a pack. Returns `None` if it's missing, damaged, or belongs to another repository.
    ///
    /// # Errors
    /// Returns an error if there's no state folder.
    pub fn pack(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        Ok(self.kept(id)?.map(|kept| kept.pack))
    }

    /// The locations of a pack's results from outside the repository. Returns `None` if the pack
    /// was not built here.
    #[must_use]
    pub fn outside_of(&self, id: PackId) -> Option<OutsideResults> {
        self.kept(id).ok().flatten()?.outside
    }

    fn kept(&self, id: PackId) -> Result<Option<StoredContextPack>, Error> {
        let kept = self
            .folder
            .read(&id.hex(), |kept: &StoredContextPack| Some(&kept.repo))?;
        Ok(kept.filter(|kept| kept.pack.pack_id == id && kept.pack.check_seal().is_ok()))
    }

    /// The newest `limit` packs of this repository, newest first. Unreadable ones are skipped.
    ///
    /// # Errors
    /// Returns an error if the folder can't be listed.
    pub fn newest(&self, limit: usize) -> Result<Vec<ContextPack>, Error> {
        let mut files = files_in(&self.folder.place()?, is_pack_name)?;
        files.sort_by(|a, b| (b.modified, &b.name).cmp(&(a.modified, &a.name)));
        let ids = files.iter().filter_map(|file| id_of(&file.name));
        let packs = ids.filter_map(|id| self.pack(id).ok().flatten());
        Ok(packs.take(limit).collect())
    }

    /// Finds a pack by the first digits of its ID. `last` stands for the newest one.
    ///
    /// If several packs match, this returns `None`, just as if there were none.
    ///
    /// # Errors
    /// Returns an error if the folder can't be listed.
    pub fn id_beginning(&self, digits: &str) -> Result<Option<PackId>, Error> {
        let files = files_in(&self.folder.place()?, is_pack_name)?;
        if digits == "last" {
            let newest = files.iter().max_by_key(|file| (file.modified, &file.name));
            return Ok(newest.and_then(|file| id_of(&file.name)));
        }
        // IDs are printed as UUIDs, while the files don't have dashes in their names.
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

fn is_pack_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

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
