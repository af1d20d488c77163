//! Finds packs by name, in our store or in files.

use std::path::Path;

use serde_json::Value;
use windlass_base::Diagnostic;
use windlass_packs::context::{
    ContextPack, KeptContextPacks, NotSealed, OutsideResults, PackId, read_pack,
};
use windlass_packs::redacted_json;
use windlass_plan::Document;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::checked_pack::check_pack;
use crate::context_error::ContextError;

#[derive(Debug, Clone)]
pub(crate) struct NamedPacks {
    site: Site,
    kept: KeptContextPacks,
}

impl NamedPacks {
    pub(crate) fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            kept: KeptContextPacks::new(site),
        }
    }

    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    pub(crate) fn kept(&self) -> &KeptContextPacks {
        &self.kept
    }

    /// Returns the locations of the pack's results outside of the repository, or `None` if the pack
    /// was built elsewhere. Confined callers get an empty list, since they must not learn about
    /// anything outside.
    pub(crate) fn outside_of(&self, id: PackId) -> Option<OutsideResults> {
        let outside = self.kept.outside_of(id)?;
        Some(match self.site.is_confined() {
            true => OutsideResults::default(),
            false => outside,
        })
    }

    /// Finds a pack by its ID, `pack:ID`, the beginning of its ID, `last`, or as a JSON or TRON
    /// file. Relative paths start from `start`. The result may be a shortened view.
    ///
    /// # Errors
    /// Returns an error if there's no such pack, if it can't be read, or if the file isn't a pack.
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
            // It looks like an ID, but it may be the name of a file without an extension.
            None if start.join(name).is_file() => self.pack_in(name, start, snapshot),
            None => Err(missing()),
        }
    }

    /// Like [`Self::find`], but never returns a shortened view. If that's what's in the file, we
    /// return the whole pack from our store, with the creation time in the file (which isn't part
    /// of the ID).
    ///
    /// # Errors
    /// Returns an error in the same cases as [`NamedPacks::find`], and also if the pack was
    /// altered, or if it's a view and we don't have the whole pack.
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
            // Only our own packs have a schema version. We compute their IDs from the contents, so
            // somebody has altered this one.
            (Err(error @ NotSealed::OtherContents { .. }), Some(_)) => {
                return Err(Error::unusable(name, error));
            }
            _ if is_kept_here => return Ok(pack),
            // The pack in our store has more names of tests than a printed one.
            (Ok(()), _) => match self.kept.pack(pack.pack_id)? {
                Some(kept) => return Ok(made_at(kept, pack.created_at)),
                None => return without_secrets(pack),
            },
            // The pack may come from a machine with other redaction rules, so redact it again.
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

/// True if the name may be an ID, possibly abbreviated. A path isn't.
fn is_id(name: &str) -> bool {
    let id = name.strip_prefix("pack:").unwrap_or(name);
    !id.contains(['/', '\\', '.'])
}

/// Redacts a pack. If that makes a difference, the pack gets a new ID.
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

/// Parses the JSON or TRON in a file.
pub(crate) fn pack_value(file: &str, bytes: &[u8]) -> Result<Value, Error> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    if file.ends_with(".tron") {
        // The parser for TRON knows the location of an error.
        let document = windlass_vcontext::Document::parse(file, bytes).map_err(Error::document)?;
        let value = serde_json::to_value(document.value());
        return value.map_err(Error::internal);
    }
    // There's an error, since we got here. This parser knows its location.
    let document = Document::parse(file, bytes).map_err(Error::document)?;
    Ok(document.value().clone())
}
