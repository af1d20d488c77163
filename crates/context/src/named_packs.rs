//! Looks up packs by name, both stored packs and packs in files.

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

/// A repository's packs, by name.
#[derive(Debug, Clone)]
pub(crate) struct NamedPacks {
    site: Site,
    kept: KeptContextPacks,
}

impl NamedPacks {
    /// Opens the packs of the repository of `site`.
    pub(crate) fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            kept: KeptContextPacks::new(site),
        }
    }

    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the store of packs.
    pub(crate) fn kept(&self) -> &KeptContextPacks {
        &self.kept
    }

    /// Returns the known locations of results outside of the repository that are used by the pack
    /// `id`. For a confined caller, there are none, since it may only see the repository.
    pub(crate) fn outside_of(&self, id: PackId) -> OutsideResults {
        match self.site.is_confined() {
            true => OutsideResults::default(),
            false => self.kept.outside_of(id),
        }
    }

    /// Returns the pack called `name`. The name is an id, `pack:ID`, the beginning of an id,
    /// `last`, or a JSON or TRON file. Relative paths start at `start`.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, if it cannot be read, or if the file is not a
    /// pack.
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
            // A file name without an extension looks like an id, so try the file as well.
            None if start.join(name).is_file() => self.pack_in(name, start, snapshot),
            None => Err(missing()),
        }
    }

    /// Returns the whole pack, where [`Self::find`] may return a shortened view. If a file only has
    /// a view, this is the stored pack with the file's creation time, which isn't part of the id.
    ///
    /// # Errors
    /// Returns the same errors as [`NamedPacks::find`]. Also returns an error if the pack was
    /// altered, or if it's a view and the whole pack isn't stored.
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
            // Our packs have a schema version and an id computed from their contents, so this one
            // was altered.
            (Err(error @ NotSealed::OtherContents { .. }), Some(_)) => {
                return Err(unusable(name, &error));
            }
            _ if is_kept_here => return Ok(pack),
            // Prefer the stored pack, because it has more test names than the printed one.
            (Ok(()), _) => match self.kept.pack(pack.pack_id)? {
                Some(kept) => return Ok(made_at(kept, pack.created_at)),
                None => return without_secrets(pack),
            },
            // The redaction rules may have been different where the pack was made, so redact it
            // again.
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

/// Returns true if `name` is an id or the beginning of one, and not a path.
fn is_id(name: &str) -> bool {
    let id = name.strip_prefix("pack:").unwrap_or(name);
    !id.contains(['/', '\\', '.'])
}

/// Replaces secret values in the pack. If there are any, the pack gets a new id.
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

/// Returns the error for an unusable file called `name`.
pub(crate) fn unusable(name: &str, why: &dyn std::fmt::Display) -> Error {
    SiteError::Unreadable {
        file: name.to_owned(),
        why: why.to_string(),
        missing: false,
        secret: false,
    }
    .into()
}

/// Parses a file with a pack or payload, in JSON or TRON.
pub(crate) fn pack_value(file: &str, bytes: &[u8]) -> Result<Value, Error> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    if file.ends_with(".tron") {
        // The TRON reader reports errors with their location.
        let document = windlass_vcontext::Document::parse(file, bytes).map_err(Error::document)?;
        let value = serde_json::to_value(document.value());
        return value.map_err(Error::internal);
    }
    // Parse the text again to report the error with its location.
    let document = Document::parse(file, bytes).map_err(Error::document)?;
    Ok(document.value().clone())
}
