//! New documents.

use std::path::Path;

use windlass_site::{DocumentLock, Error};
use windlass_store::write_shared;

use super::{DocumentError, DocumentService};
use crate::{Container, Encoding, Layout, VERSION, Value, write};

impl DocumentService {
    /// Returns the text of a new document with a container named `title` and all required fields.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn new_vcontext(
        &self,
        container: Container,
        title: &str,
        encoding: Encoding,
    ) -> Result<String, Error> {
        let now = self.site.environment().timestamp().unwrap_or_default();
        let inner = match container {
            Container::TodoList => serde_json::json!({ "title": title, "items": [] }),
            Container::Plan => serde_json::json!({
                "title": title, "status": "draft", "narratives": { "proposal": title }, "items": []
            }),
            Container::Playbook => serde_json::json!({
                "title": title, "version": 1, "created": now, "updated": now, "items": []
            }),
        };
        let document = serde_json::json!({
            "vContextInfo": { "version": VERSION, "created": now, "updated": now },
            container.field(): inner,
        });
        let document: Value<'static> = crate::exact(&document).map_err(Error::internal)?;
        Ok(write(&document, encoding, &Layout::pretty()))
    }

    /// Writes `text` into the file `name`, which must not exist.
    ///
    /// # Errors
    /// Like [`DocumentService::write_document`]; and when the file exists.
    pub fn begin_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        let place = self.writable(name, start, text)?;
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        if place.is_there() {
            return Err(DocumentError::Exists(name.to_owned()).into());
        }
        Ok(write_shared(&place, text.as_bytes())?)
    }
}
