//! Packs by what they are called: kept ones, and those in files.

use std::path::Path;

use serde_json::Value;
use windlass_base::Diagnostic;
use windlass_packs::context::{
    ContextPack, KeptContextPacks, NotSealed, OutsideResults, PackId, read_pack,
};
use windlass_packs::redacted_json;
use windlass_plan::Document;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site, SiteError};

use crate::checked_pack::check_pack;
use crate::context_error::ContextError;

/// The packs of one repository, by what they are called.
#[derive(Debug, Clone)]
pub(crate) struct NamedPacks {
    site: Site,
    kept: KeptContextPacks,
}

impl NamedPacks {
    /// Those of the repository of `site`.
    pub(crate) fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            kept: KeptContextPacks::new(site),
        }
    }

    /// The repository.
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Those that are kept.
    pub(crate) fn kept(&self) -> &KeptContextPacks {
        &self.kept
    }

    /// The places of what the pack under `id` has of elsewhere, as far as they are known here, and may be read again.
    pub(crate) fn outside_of(&self, id: PackId) -> OutsideResults {
        match self.site.is_confined() {
            true => OutsideResults::default(),
            false => self.kept.outside_of(id),
        }
    }

    /// The pack called `name`: one that is kept, by its id, `pack:` and its id, or the beginning of its id; `last`; or one in a file, in
    /// JSON. `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or is none.
    pub(crate) fn find(
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
            Ok(id) => self.kept.pack(id)?,
            Err(_) => match self.kept.id_beginning(id)? {
                Some(id) => self.kept.pack(id)?,
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
    /// As [`NamedPacks::find`]; when it is not all of it, and that is not kept here; when it was changed.
    pub(crate) fn find_whole(
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
            (Ok(()), _) => match self.kept.pack(pack.pack_id)? {
                Some(kept) => return Ok(made_at(kept, pack.created_at)),
                None => return without_secrets(pack),
            },
            // Whoever made it may not know what is a secret here.
            _ => return without_secrets(pack),
        };
        let kept = self
            .kept
            .pack(id)?
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
