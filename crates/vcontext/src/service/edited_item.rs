//! Items of TodoLists and Plans.

use std::path::Path;

use windlass_site::Error;

use super::{DocumentDraft, DocumentService, refuse_invalid};
use crate::{AgentKind, Author, EditedItem, Note, Value, add_item, set_item};

/// What is to be done with an item.
#[derive(Debug, Clone)]
pub enum ItemWork {
    /// It is added, to the stage of this name if one is given.
    Add {
        /// The stage.
        into: Option<String>,
    },
    /// The item of this name is changed.
    Set {
        /// Its `id`.
        id: String,
    },
}

/// An item that is to be added or changed.
#[derive(Debug, Clone)]
pub struct ItemRequest {
    /// What is to be done.
    pub work: ItemWork,
    /// Its fields, as the specification calls them; `null` takes one out.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// The sequence that the document has to be at.
    pub expected: Option<u64>,
    /// Who is at work; whoever the environment says, if nobody is named.
    pub actor: Option<String>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

impl DocumentService {
    /// Adds or changes an item of the document in the file `name`. Of several writers at once each finds what those before
    /// it did.
    ///
    /// # Errors
    /// When the document is not valid, now or then; when the item is not there or locked; when somebody else holds the
    /// file.
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

    /// Who is at work. Agents say who they are by `BD_ACTOR`.
    #[must_use]
    pub fn author(&self, actor: Option<&str>) -> Author {
        let environment = self.site.environment();
        let named = actor.map(str::to_owned).or_else(|| environment.actor());
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
