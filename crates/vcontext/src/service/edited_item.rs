//! Adds and changes items of TodoLists and Plans.

use std::path::Path;

use windlass_site::Error;

use super::{DocumentDraft, DocumentService, refuse_invalid};
use crate::{AgentKind, Author, EditedItem, Note, Value, add_item, set_item};

/// An operation on an item.
#[derive(Debug, Clone)]
pub enum ItemWork {
    /// Adds an item.
    Add {
        /// The stage to add the item to. Without one, it is added to the list itself.
        into: Option<String>,
    },
    /// Changes an item.
    Set {
        /// The item's `id` or, without one, its title.
        id: String,
    },
}

/// A request to add or change an item.
#[derive(Debug, Clone)]
pub struct ItemRequest {
    /// The operation and its target.
    pub work: ItemWork,
    /// The new fields, with names from the specification. `null` removes a field.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// The sequence that the caller has seen. If the document is at another one, the request fails.
    pub expected: Option<u64>,
    /// The actor. Without one, we use the actor from the environment.
    pub actor: Option<String>,
    /// If true, we check everything but write nothing.
    pub dry_run: bool,
}

impl DocumentService {
    /// Adds or changes an item in the document in the file `name`. Processes that do this at the
    /// same time take turns.
    ///
    /// # Errors
    /// Returns an error if the document is invalid before or after the change, the item is missing
    /// or locked, or another process holds the file for too long.
    pub fn edit_item(
        &self,
        name: &str,
        start: &Path,
        request: &ItemRequest,
    ) -> Result<EditedItem, Error> {
        let fields = serde_json::Value::Object(request.fields.clone());
        let fields: Value<'static> = serde::Deserialize::deserialize(fields)
            .map_err(|error: serde_json::Error| Error::internal(error))?;
        let fields = fields.as_object().cloned().unwrap_or_default();
        let author = self.author(request.actor.as_deref());
        self.change_vcontext(name, start, |document| {
            refuse_invalid(document)?;
            let edited = match &request.work {
                ItemWork::Add { into } => add_item(
                    document,
                    into.as_deref(),
                    &fields,
                    &author,
                    request.expected,
                ),
                ItemWork::Set { id } => set_item(document, id, &fields, &author, request.expected),
            }?;
            let draft = DocumentDraft {
                value: edited.value.clone(),
                author: author.clone(),
                note: Some(Note::update("items")),
                dry_run: request.dry_run,
            };
            Ok((Some(draft), edited))
        })
    }

    /// The author of a change.
    ///
    /// We take the actor for an agent if `BD_ACTOR` is set, since people usually do not set it.
    #[must_use]
    pub fn author(&self, actor: Option<&str>) -> Author {
        let environment = self.site.environment();
        let named = actor.map(str::to_owned).or_else(|| self.site.actor());
        let kind = match environment.get("BD_ACTOR") {
            Some(_) => AgentKind::AiAgent,
            None => AgentKind::Human,
        };
        Author {
            id: named.unwrap_or_else(|| "unknown".to_owned()),
            kind,
            now: environment.timestamp().unwrap_or_default(),
        }
    }
}
