//! Creates new documents.

use std::path::Path;

use serde_json::json;
use windlass_site::Error;
use windlass_store::write_shared;

use super::{DocumentError, DocumentService};
use crate::{Container, Encoding, Layout, Value, Version, write};

impl DocumentService {
    /// Returns the text of a new document of `version`. Its container has all required fields, and
    /// `title` as its title.
    ///
    /// # Errors
    /// Returns an error if that version has no such container, or the document can't be encoded.
    pub fn new_vcontext(
        &self,
        version: &'static Version,
        container: Container,
        title: &str,
        encoding: Encoding,
    ) -> Result<String, Error> {
        if !version.containers().any(|own| own == container) {
            let number = version.number().to_owned();
            return Err(DocumentError::NoContainer(number, container).into());
        }
        let now = self.site.environment().timestamp().unwrap_or_default();
        let inner = match container {
            Container::TodoList => json!({ "title": title, "items": [] }),
            Container::Plan => json!({
                "title": title, "status": "draft", "narratives": { version.proposal(): title }, "items": []
            }),
            Container::Playbook => json!({
                "title": title, "version": 1, "created": now, "updated": now, "items": []
            }),
        };
        let document = json!({
            version.header(): { "version": version.number(), "created": now, "updated": now },
            container.field(): inner,
        });
        let document: Value<'static> = crate::exact(&document).map_err(Error::internal)?;
        Ok(write(&document, encoding, &Layout::pretty()))
    }

    /// Writes `text` to the file `name`, which must not exist yet.
    ///
    /// # Errors
    /// Returns the errors of [`DocumentService::write_document`], and another one if the file
    /// exists.
    pub fn begin_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        let file = self.lock_for(name, start, text)?;
        if file.place.is_there() {
            return Err(DocumentError::Exists(name.to_owned()).into());
        }
        Ok(write_shared(&file.place, text.as_bytes())?)
    }
}
