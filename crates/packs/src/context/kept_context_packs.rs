//! Context packs that are kept: whole, under the digest of what they say.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_repo::Owner;
use windlass_site::{Error, ErrorKind, Explain, Site};
use windlass_store::{BlobLimits, files_in};

use super::{ContextPack, PackId};
use crate::pack_folder::PackFolder;

/// The largest pack that is kept, in bytes.
const MAX_BYTES: u64 = 4 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 1_000,
    max_bytes: 256 << 20,
};
/// The fewest digits that a pack is named by.
const FEWEST_DIGITS: usize = 6;

/// A context pack is larger than any that is kept.
#[derive(Debug, thiserror::Error)]
#[error("the context pack has {bytes} bytes, and none of more than {MAX_BYTES} is kept")]
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

/// A pack as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    repo: Owner,
    pack: ContextPack,
    /// Where what lies outside of the repository was read.
    #[serde(default, skip_serializing_if = "OutsideResults::is_empty")]
    outside: OutsideResults,
}

/// Where results lie that are outside of the repository, by the name and the hash that a pack has of them. It is known on this machine
/// alone, and no part of the pack, which names no folders of whoever made it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideResults(BTreeSet<(String, String, String)>);

impl OutsideResults {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes that the results which a pack has by `name` and `hash` are those at `place`, an absolute path.
    pub fn note(&mut self, (name, hash): (&str, &str), place: &Path) {
        // Another path has no form in JSON; those results cannot be found again.
        if let Some(place) = place.to_str() {
            let own = (name.to_owned(), hash.to_owned(), place.to_owned());
            self.0.insert(own);
        }
    }

    /// With all that `other` knows.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The places where the results were read: anywhere they were, if they were in several places.
    pub fn places_of(&self, name: &str, hash: &str) -> impl Iterator<Item = &Path> {
        let own = self.0.iter();
        let own = own.filter(move |it| it.0 == name && it.1 == hash);
        own.map(|(_, _, place)| Path::new(place))
    }
}

/// The context packs that are kept of one repository.
#[derive(Debug, Clone)]
pub struct KeptContextPacks {
    folder: PackFolder,
}

impl KeptContextPacks {
    /// Those of the repository of `site`.
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

    /// Keeps `pack`, which is sealed, under its name, with the places of what it has of elsewhere. The newest thousand are kept.
    ///
    /// # Errors
    /// When it is too large, or cannot be written.
    pub fn keep(&self, pack: &ContextPack, mut outside: OutsideResults) -> Result<(), Error> {
        // What is known of the same pack stays known.
        outside.join(self.outside_of(pack.pack_id));
        let kept = Kept {
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

    /// The pack that is kept under `id`, if it is there, whole, and of this repository.
    ///
    /// # Errors
    /// When there is no folder to keep things in.
    pub fn pack(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        Ok(self.kept(id)?.map(|kept| kept.pack))
    }

    /// The places of what the pack under `id` has of elsewhere, as far as they are known here.
    #[must_use]
    pub fn outside_of(&self, id: PackId) -> OutsideResults {
        let kept = self.kept(id).ok().flatten();
        kept.map(|kept| kept.outside).unwrap_or_default()
    }

    fn kept(&self, id: PackId) -> Result<Option<Kept>, Error> {
        let kept = self
            .folder
            .read(&id.hex(), |kept: &Kept| Some(&kept.repo))?;
        Ok(kept.filter(|kept| kept.pack.pack_id == id && kept.pack.check_seal().is_ok()))
    }

    /// The id that begins with these digits; the one that was kept last for `last`.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn id_beginning(&self, digits: &str) -> Result<Option<PackId>, Error> {
        let is_key = |name: &str| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let files = files_in(&self.folder.place()?, is_key)?;
        if digits == "last" {
            let newest = files.iter().max_by_key(|file| (file.modified, &file.name));
            return Ok(newest.and_then(|file| id_of(&file.name)));
        }
        let wanted: String = digits.chars().filter(|c| *c != '-').collect();
        let wanted = wanted.to_ascii_lowercase();
        let is_short = wanted.len() < FEWEST_DIGITS;
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

/// The id whose digits are the name of a file.
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
