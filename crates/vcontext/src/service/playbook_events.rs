//! Operations on the playbook of a document: recording an event, merging the events of another
//! copy, and deprecating duplicates.
//!
//! All of them refuse a document that's invalid to begin with. They use
//! [`DocumentService::change_vcontext`], which holds the file's lock while reading, changing and
//! writing, and which also checks the result.

use std::path::Path;

use serde::Serialize;
use windlass_base::Diagnostic;
use windlass_site::Error;

use super::{DocumentDraft, DocumentService, refuse_invalid};
use crate::{
    Deduplicated, Document, MergedPlaybook, NewEvent, Note, Operation, Value, append_event,
    deduplicate, merge_playbooks,
};

/// A request to record an event.
#[derive(Debug, Clone)]
pub struct EventRequest {
    /// The kind of event. Determines the required fields.
    pub operation: Operation,
    /// The name of the event's entry.
    pub target: String,
    /// The event that the caller takes for the entry's current one. If it isn't, the request fails.
    pub after: Option<String>,
    /// The other heads to resolve, for an entry with concurrent changes. An empty list resolves all
    /// of them.
    pub resolves: Option<Vec<String>>,
    /// The contents, as fields of the specification.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// The actor. Defaults to the one from the environment.
    pub actor: Option<String>,
    /// If true, everything is checked but nothing written.
    pub dry_run: bool,
}

/// A recorded playbook event.
#[derive(Debug, Clone, Serialize)]
pub struct Recorded {
    /// The appended event.
    pub event: Value<'static>,
    /// If true, nothing was written.
    pub dry_run: bool,
}

impl DocumentService {
    /// Appends an event to the playbook in the file `name`. Processes that do this at the same time
    /// take turns.
    ///
    /// # Errors
    /// Returns an error if the document is invalid before or after the change, another process
    /// holds the file for too long, the entry is missing, or its current event isn't the expected
    /// one.
    pub fn record_event(
        &self,
        name: &str,
        start: &Path,
        request: &EventRequest,
    ) -> Result<Recorded, Error> {
        let fields: Value<'static> =
            serde::Deserialize::deserialize(serde_json::Value::Object(request.fields.clone()))
                .map_err(|error: serde_json::Error| Error::internal(error))?;
        let new = NewEvent {
            operation: request.operation,
            target: request.target.clone(),
            after: request.after.clone(),
            resolves: request.resolves.clone(),
            fields: fields.as_object().cloned().unwrap_or_default(),
            event_id: self.event_id(),
            now: self.site.environment().timestamp().unwrap_or_default(),
        };
        let author = self.author(request.actor.as_deref());
        self.change_vcontext(name, start, |document| {
            refuse_invalid(document)?;
            let appended = append_event(document, &new)?;
            let what = format!("event `{}`", new.event_id);
            // The caller's fields may not fit the operation. We don't check them here, because the
            // whole draft is checked before it's written.
            let draft = DocumentDraft {
                value: appended.value,
                author,
                note: Some(Note::update(what)),
                dry_run: request.dry_run,
            };
            let recorded = Recorded {
                event: appended.event,
                dry_run: request.dry_run,
            };
            Ok((Some(draft), recorded))
        })
    }

    /// Adds the events of `other`, another copy of the playbook, to the file `name`.
    ///
    /// # Errors
    /// Returns an error if one of them lacks a playbook or is invalid, or if the result is invalid.
    /// Nothing is written then.
    pub fn merge_playbook(
        &self,
        name: &str,
        other: &Document,
        start: &Path,
        actor: Option<&str>,
        dry_run: bool,
    ) -> Result<MergedPlaybook, Error> {
        refuse_no_playbook(other)?;
        refuse_invalid(other)?;
        let author = self.author(actor);
        self.change_vcontext(name, start, |document| {
            refuse_no_playbook(document)?;
            refuse_invalid(document)?;
            let merged = merge_playbooks(document, other, &author)?;
            // The other copy has no events that we lack. Without a draft, the file stays as it is.
            if merged.value == *document.value() {
                return Ok((None, merged));
            }
            let draft = DocumentDraft {
                value: merged.value.clone(),
                author,
                note: Some(Note::update("merged events of another copy")),
                dry_run,
            };
            Ok((Some(draft), merged))
        })
    }

    /// Deprecates every duplicate of an older entry in the playbook in the file `name`. See
    /// [`deduplicate`].
    ///
    /// # Errors
    /// Returns an error if the document is invalid or lacks a playbook.
    pub fn deduplicate_playbook(
        &self,
        name: &str,
        start: &Path,
        only_exact: bool,
        actor: Option<&str>,
        dry_run: bool,
    ) -> Result<Deduplicated, Error> {
        let author = self.author(actor);
        self.change_vcontext(name, start, |document| {
            refuse_no_playbook(document)?;
            refuse_invalid(document)?;
            let done = deduplicate(document, only_exact)?;
            if done.events.is_empty() {
                return Ok((None, done));
            }
            let draft = DocumentDraft {
                value: done.value.clone(),
                author,
                note: Some(Note::update("deprecated duplicate entries")),
                dry_run,
            };
            Ok((Some(draft), done))
        })
    }

    /// Creates a name for an event from the time in microseconds and a random number. The time
    /// alone isn't enough: two copies may each get an event in the same microsecond and be merged
    /// later.
    fn event_id(&self) -> String {
        let time = self
            .site
            .environment()
            .precise_timestamp()
            .unwrap_or_default();
        let digits: String = time.chars().filter(char::is_ascii_digit).collect();
        format!("evt-{digits}-{:04x}", self.site.environment().seeds.next())
    }
}

fn refuse_no_playbook(document: &Document) -> Result<(), Error> {
    if document.playbook().is_some() {
        return Ok(());
    }
    let found = Diagnostic::error("no-playbook", "the document has no playbook")
        .at(document.root().place())
        .help("use a Playbook, or a TodoList or Plan with a `playbook`");
    Err(Error::document(found.into()))
}
