//! Packs that are kept: whole, under the digest of what they say.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Diagnostic;
use windlass_packs::context::{ContextPack, NotSealed, PackId, read_pack};
use windlass_packs::redacted_json;
use windlass_plan::Document;
use windlass_repo::{Owner, Snapshot};
use windlass_store::{BlobLimits, Blobs, RootedPath, files_in};

use windlass_site::{Error, Site, SiteError};

use crate::checked_pack::check_pack;
use crate::context_error::ContextError;

/// The largest pack that is kept, in bytes.
const MAX_BYTES: u64 = 4 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 1_000,
    max_bytes: 256 << 20,
};
/// The fewest digits that a pack is named by.
const FEWEST_DIGITS: usize = 6;

/// A pack as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    repo: Owner,
    pack: ContextPack,
    /// Where what lies outside of the repository was read.
    #[serde(default, skip_serializing_if = "Outside::is_empty")]
    outside: Outside,
}

/// Where results lie that are outside of the repository, by the name and the hash that a pack has of them. It is known on this machine
/// alone, and no part of the pack, which names no folders of whoever made it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outside(BTreeSet<(String, String, String)>);

impl Outside {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes that the results which a pack has by `name` and `hash` are those at `place`, an absolute path.
    pub(crate) fn note(&mut self, (name, hash): (&str, &str), place: &Path) {
        // Another path has no form in JSON; those results cannot be found again.
        if let Some(place) = place.to_str() {
            let own = (name.to_owned(), hash.to_owned(), place.to_owned());
            self.0.insert(own);
        }
    }

    /// With all that `other` knows.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Where the results were read: anywhere they were, if they were in several places.
    pub(crate) fn places_of(&self, name: &str, hash: &str) -> impl Iterator<Item = &Path> {
        let own = self.0.iter();
        let own = own.filter(move |it| it.0 == name && it.1 == hash);
        own.map(|(_, _, place)| Path::new(place))
    }
}

/// The packs that are kept of one repository.
#[derive(Debug, Clone)]
pub struct PackShelf {
    site: Site,
}

impl PackShelf {
    /// Those of the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// The repository.
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Where packs are kept.
    fn folder(&self) -> Result<RootedPath, Error> {
        let own = self.site.dirs()?.state.join("repos");
        Ok(own
            .join(&self.site.repo().identity().repo_id)
            .join("context"))
    }

    /// Keeps `pack`, which is sealed, under its name. The newest thousand are kept.
    ///
    /// # Errors
    /// When it is too large, or cannot be written.
    pub fn keep(&self, pack: &ContextPack) -> Result<(), Error> {
        self.keep_with(pack, Outside::default())
    }

    /// The same, with where what it has of elsewhere was read.
    pub(crate) fn keep_with(&self, pack: &ContextPack, mut outside: Outside) -> Result<(), Error> {
        // What is known of the same pack stays known.
        outside.join(self.known_outside(pack.pack_id));
        let kept = Kept {
            repo: self.site.repo().owner_without_lineage(),
            pack: pack.clone(),
            outside,
        };
        let text = serde_json::to_vec(&kept).map_err(Error::internal)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(ContextError::LargePack {
                bytes: text.len(),
                max: MAX_BYTES,
            }
            .into());
        }
        let blobs = Blobs::new(self.folder()?, LIMITS);
        Ok(blobs.put(&pack.pack_id.hex(), &text)?)
    }

    /// The pack that is kept under `id`, if it is there, whole, and of this repository.
    ///
    /// # Errors
    /// When there is no folder to keep things in.
    pub fn kept_pack(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        Ok(self.kept(id)?.map(|kept| kept.pack))
    }

    /// Where what the pack under `id` has of elsewhere was read, as far as that is known here, and may be read again.
    pub(crate) fn outside_of(&self, id: PackId) -> Outside {
        match self.site.is_confined() {
            true => Outside::default(),
            false => self.known_outside(id),
        }
    }

    fn known_outside(&self, id: PackId) -> Outside {
        let kept = self.kept(id).ok().flatten();
        kept.map(|kept| kept.outside).unwrap_or_default()
    }

    fn kept(&self, id: PackId) -> Result<Option<Kept>, Error> {
        let blobs = Blobs::new(self.folder()?, LIMITS);
        let Some(text) = blobs.get(&id.hex(), MAX_BYTES) else {
            return Ok(None);
        };
        let kept: Option<Kept> = serde_json::from_slice(&text).ok();
        Ok(kept
            .filter(|kept| self.site.repo().check_owner(&kept.repo).is_ok())
            .filter(|kept| kept.pack.pack_id == id && kept.pack.check_seal().is_ok()))
    }

    /// The pack called `name`: one that is kept, by its id, `pack:` and its id, or the beginning of its id; `last`; or one in a file, in
    /// JSON. `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or is none.
    pub fn find(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<ContextPack, Error> {
        let id = name.strip_prefix("pack:").unwrap_or(name);
        if !is_id(name) {
            return self.pack_in(name, start, snapshot);
        }
        let missing = || -> Error {
            ContextError::NoSuchPack {
                name: name.to_owned(),
            }
            .into()
        };
        let kept = match id.parse() {
            Ok(id) => self.kept_pack(id)?,
            Err(_) => match self.id_beginning(id)? {
                Some(id) => self.kept_pack(id)?,
                None => None,
            },
        };
        match kept {
            Some(pack) => Ok(pack),
            // A file without an ending looks like an id.
            None if start.join(name).is_file() => self.pack_in(name, start, snapshot),
            None => Err(missing()),
        }
    }

    /// The same, and all of it: where a file has only what was shown of a pack, the whole one that is kept. When it was made is what the
    /// file says: that is no part of what names it, and another may have been kept here.
    ///
    /// # Errors
    /// As [`PackShelf::find`]; when it is not all of it, and that is not kept here; when it was changed.
    pub fn find_whole(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<ContextPack, Error> {
        let pack = self.find(name, start, snapshot)?;
        let is_kept_here = is_id(name);
        let id = match (pack.check_seal(), pack.schema_version) {
            (Err(NotSealed::View { id }), _) => id,
            // A pack of another tool is named by it.
            (Err(error @ NotSealed::OtherContents { .. }), Some(_)) => {
                return Err(unusable(name, &error));
            }
            _ if is_kept_here => return Ok(pack),
            // What is kept of it says more of its tests than what is shown.
            (Ok(()), _) => match self.kept_pack(pack.pack_id)? {
                Some(kept) => return Ok(made_at(kept, pack.created_at)),
                None => return without_secrets(pack),
            },
            // Whoever made it may not know what is a secret here.
            _ => return without_secrets(pack),
        };
        let kept = self
            .kept_pack(id)?
            .ok_or_else(|| ContextError::PackNotWhole {
                name: name.to_owned(),
                id,
            })?;
        Ok(match is_kept_here {
            true => kept,
            false => made_at(kept, pack.created_at),
        })
    }

    fn pack_in(&self, name: &str, start: &Path, snapshot: &Snapshot) -> Result<ContextPack, Error> {
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        let value = pack_value(&file, &bytes)?;
        read_pack(value).map_err(|error| {
            let told = || {
                Error::document(Diagnostic::error("not-a-pack", format!("{file}: {error}")).into())
            };
            if file.ends_with(".tron") {
                return told();
            }
            let found = match Document::parse(&file, &bytes) {
                Ok(document) => check_pack(&document),
                Err(found) => found,
            };
            if found.has_errors() {
                return Error::document(found);
            }
            told()
        })
    }

    /// The id that begins with these digits; the one that was kept last for `last`.
    fn id_beginning(&self, digits: &str) -> Result<Option<PackId>, Error> {
        let is_key = |name: &str| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let files = files_in(&self.folder()?, is_key)?;
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

fn made_at(pack: ContextPack, created_at: Option<String>) -> ContextPack {
    ContextPack { created_at, ..pack }
}

/// Whether `name` is an id, or the beginning of one, and no file.
fn is_id(name: &str) -> bool {
    let id = name.strip_prefix("pack:").unwrap_or(name);
    !id.contains(['/', '\\', '.'])
}

/// The pack with secret values replaced, where it has any; then it is another pack.
fn without_secrets(pack: ContextPack) -> Result<ContextPack, Error> {
    let internal = |error: &dyn std::fmt::Display| Error::internal(error);
    let text = serde_json::to_string(&pack).map_err(|error| internal(&error))?;
    let shown = redacted_json(&pack).map_err(|error| internal(&error))?;
    if shown == text {
        return Ok(pack);
    }
    let value = serde_json::from_str(&shown).map_err(|error| internal(&error))?;
    let pack = read_pack(value).map_err(|error| internal(&error))?;
    Ok(pack.seal())
}

/// Why what `name` stands for cannot be used.
pub(crate) fn unusable(name: &str, why: &dyn std::fmt::Display) -> Error {
    SiteError::Unreadable {
        file: name.to_owned(),
        why: why.to_string(),
        missing: false,
        secret: false,
    }
    .into()
}

/// What a file with a pack or payload says, in JSON or TRON.
pub(crate) fn pack_value(file: &str, bytes: &[u8]) -> Result<Value, Error> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    if file.ends_with(".tron") {
        // Its own reader tells what is wrong with it, with the place.
        let document = windlass_vcontext::Document::parse(file, bytes).map_err(Error::document)?;
        let value = serde_json::to_value(document.value());
        return value.map_err(Error::internal);
    }
    // What is wrong with it is told with its place.
    let document = Document::parse(file, bytes).map_err(Error::document)?;
    Ok(document.value().clone())
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
