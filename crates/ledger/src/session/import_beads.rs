//! Imports beads from other tools' files: JSON records, GitHub issues and TodoLists.
//!
//! An import can be repeated. We skip beads that are still the same as in the source, and leave
//! those alone that have been changed later here. Fields we don't know stay with the bead, so that
//! [`Beads::export_issues`] can write them again.

use crate::WorkFilter;
use crate::bead::{Bead, PEER_PRIORITY, USUAL_PRIORITY, bead_of_record, original_record};
use crate::event::{BeadImported, Fields};
use serde::Serialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_site::Error;

use super::github_issues::{self, GithubIssue};
use super::secret_fields::without_secrets;
use super::{Beads, LedgerService, backup_tables, todo_list};

/// Request to import beads.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The source's name for messages, e.g. its path.
    pub name: String,
    /// Text to import: one JSON record per line, a list of records, GitHub issues as JSON, or a
    /// TodoList in JSON or TRON.
    pub text: String,
    /// Tables that a backup has beside its records, by file name (see [`ImportRequest::TABLES`]). A
    /// table has one row per line.
    pub tables: Vec<(String, String)>,
    /// True to only report what the import would do.
    pub dry_run: bool,
    /// True to import even if `.beads` belongs to another tool, which makes the folder ours.
    pub adopt: bool,
}

impl ImportRequest {
    /// File names of the tables that a `bd` backup has beside `issues.jsonl`.
    pub const TABLES: [&str; 3] = backup_tables::TABLES;
    /// File name of a backup's records.
    pub const RECORDS: &str = "issues.jsonl";

    /// Tools disagree about the priority of a record without one, so this depends on the source.
    fn missing_priority(&self) -> u8 {
        match todo_list::is_document(&self.name, &self.text) {
            true => USUAL_PRIORITY,
            false => PEER_PRIORITY,
        }
    }

    /// True if the text is a JSON list. No vContext document has that form.
    fn is_list(&self) -> bool {
        self.text.trim_start().starts_with('[')
    }
}

/// Result of an import. After a dry run, it tells what the import would do.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ImportReport {
    /// Ids of the new beads.
    pub added: Vec<String>,
    /// Ids of the beads that differed from the source.
    pub changed: Vec<String>,
    /// Number of beads that already were as in the source.
    pub same: usize,
    /// Beads that were changed later here than in the source. We leave them alone.
    pub newer_here: Vec<String>,
    /// Lines that aren't records, and table rows whose record is missing.
    pub skipped: Vec<String>,
    /// Dependencies that we made non-blocking, since they point to the bead itself or close a
    /// cycle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub put_aside: Vec<String>,
    /// Fields in which we replaced a secret value, as `BEAD: FIELD`. Only beads in `added` and
    /// `changed` count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Prefix for new beads, if this import was the first to determine one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

impl LedgerService {
    /// Imports records from other tools with all their fields. Lines that aren't records are
    /// skipped and reported.
    ///
    /// # Errors
    /// Returns an error if the text has no records, or the beads can't be written.
    pub fn import_beads(
        &self,
        actor: Option<&str>,
        request: &ImportRequest,
    ) -> Result<ImportReport, Error> {
        // A dry run writes nothing, so it may look into another tool's folder.
        let adopt = request.adopt || request.dry_run;
        let mut session = match adopt {
            true => self.adopt(actor, "bead import")?,
            false => self.open(actor, "bead import")?,
        };
        if !adopt {
            self.places().check_own()?;
        }
        let before = session.state().prefix().map(str::to_owned);
        let mut report = session.beads().import(request)?;
        let after = session.state().prefix();
        report.prefix = after.filter(|_| before.is_none()).map(str::to_owned);
        session.finish()?;
        Ok(report)
    }
}

impl Beads<'_> {
    fn import(&mut self, request: &ImportRequest) -> Result<ImportReport, Error> {
        let mut report = ImportReport::default();
        let is_document = todo_list::is_document(&request.name, &request.text);
        // GitHub issues are JSON too, so try them before our own formats. Even if a file is named
        // like a document, a list can only be a list of records.
        let mut records = match github_issues::parse(&request.text) {
            Some(issues) => self.issues(&issues),
            None if is_document && !request.is_list() => self.items(request)?,
            None => records(request, &mut report)?,
        };
        backup_tables::join(&mut records, &request.tables, &mut report);
        let records: Vec<Redacted> = records.into_iter().map(Redacted::of).collect();
        let missing = request.missing_priority();
        let event = |id: String, record: Fields| {
            let lacks = record.get("priority").is_none_or(Value::is_null);
            BeadImported {
                bead_id: id,
                record,
                source: Some(request.name.clone()),
                missing_priority: (lacks && missing != USUAL_PRIORITY).then_some(missing),
            }
        };
        if request.dry_run {
            // Apply the events to a copy of the state, instead of just comparing each record with
            // its bead. If a file has two records of the same bead, the second one is then compared
            // with the first, as in a real import.
            let (mut state, now) = (self.session.state().clone(), self.session.now());
            for Redacted { id, record, fields } in records {
                let known = state.beads.get(&id);
                if classify(&mut report, &id, &record, known.as_ref(), missing) {
                    report.redacted.extend(fields);
                    let bead = state.try_import(&event(id, record), now)?;
                    report_put_aside(&mut report, bead.as_ref());
                }
            }
            return Ok(report);
        }
        // The closure may run more than once: with a shared log, we decide again if another machine
        // has written first. So each run needs a fresh report.
        let empty = report;
        self.session.decide_redacted(|draft| {
            let mut report = empty.clone();
            for Redacted { id, record, fields } in &records {
                let known = draft.state().beads.get(id);
                if classify(&mut report, id, record, known.as_ref(), missing) {
                    report.redacted.extend(fields.iter().cloned());
                    draft.emit(event(id.clone(), record.clone()))?;
                    report_put_aside(&mut report, draft.state().beads.get(id).as_ref());
                }
            }
            Ok(report)
        })
    }

    fn issues(&self, issues: &[GithubIssue]) -> Vec<(String, Fields)> {
        let state = self.session.state();
        let own = self.prefix_of_folder();
        github_issues::records(issues, state, state.prefix().unwrap_or(&own))
    }

    fn items(&self, request: &ImportRequest) -> Result<Vec<(String, Fields)>, Error> {
        let state = self.session.state();
        let own = self.prefix_of_folder();
        let prefix = state.prefix().unwrap_or(&own);
        todo_list::records(
            &request.name,
            &request.text,
            state,
            prefix,
            self.session.now(),
        )
    }

    /// Exports the beads that match `filter` as records for `bd` and `beads_rust`, one per line,
    /// sorted by id. Imported beads get back their original form, apart from later changes.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn export_issues(&self, filter: &WorkFilter) -> Result<String, Error> {
        let found = self.list(filter, None, usize::MAX)?.beads.into_iter();
        let mut beads: Vec<Bead> = found.map(|report| report.bead).collect();
        beads.sort_by(|a, b| a.id.cmp(&b.id));
        let mut text = String::new();
        for bead in &beads {
            let mut record = original_record(bead);
            let dependencies = record.get_mut("dependencies").and_then(Value::as_array_mut);
            // `beads_rust` rejects a dependency without an `issue_id`.
            for dependency in dependencies
                .into_iter()
                .flatten()
                .filter_map(Value::as_object_mut)
            {
                if dependency.contains_key("depends_on_id") && !dependency.contains_key("issue_id")
                {
                    dependency.insert("issue_id".to_owned(), bead.id.clone().into());
                }
            }
            text.push_str(&Value::Object(record).to_string());
            text.push('\n');
        }
        Ok(text)
    }
}

/// A record to import, without its secret values, since the log is permanent. If we compared the
/// original with the bead, a repeated import would find a change every time.
struct Redacted {
    id: String,
    record: Fields,
    /// Fields whose value we replaced, as `BEAD: FIELD`.
    fields: Vec<String>,
}

impl Redacted {
    fn of((id, record): (String, Fields)) -> Self {
        let (record, paths) = without_secrets(Value::Object(record));
        let fields = paths.iter().map(|path| format!("{id}: {path}")).collect();
        let record = match record {
            Value::Object(record) => record,
            _ => Fields::default(),
        };
        Self { id, record, fields }
    }
}

fn report_put_aside(report: &mut ImportReport, bead: Option<&Bead>) {
    for (bead, dependency) in bead
        .into_iter()
        .flat_map(|bead| bead.dependencies.iter().map(move |one| (bead, one)))
    {
        let Some(kind) = dependency.put_aside_kind() else {
            continue;
        };
        let (id, on) = (&bead.id, &dependency.depends_on_id);
        let why = match on == id {
            true => "a bead cannot wait for itself",
            false => "it would close a dependency cycle",
        };
        report.put_aside.push(format!(
            "`{id}` {} `{on}`: {why}; kept as `related`",
            kind.in_words()
        ));
    }
}

/// Adds the record's id to one of the lists in `report`. Returns true if we have to import the
/// record.
fn classify(
    report: &mut ImportReport,
    id: &str,
    record: &Fields,
    known: Option<&Bead>,
    missing_priority: u8,
) -> bool {
    let Some(known) = known else {
        report.added.push(id.to_owned());
        return true;
    };
    // If a record has no time, that shouldn't count as a difference, so give it the bead's.
    let fresh = bead_of_record(record, known.created_at, missing_priority);
    let Ok(fresh) = fresh else {
        return false;
    };
    let is_same = original_record(&fresh) == original_record(known);
    if is_same && fresh.priority == known.priority {
        report.same += 1;
        return false;
    }
    let is_newer = fresh.updated_at >= known.updated_at;
    let list = if is_newer {
        &mut report.changed
    } else {
        &mut report.newer_here
    };
    list.push(id.to_owned());
    is_newer
}

fn other_kind(record: &Fields) -> Option<&str> {
    let kind = record.get("_type")?.as_str()?;
    (kind != "issue").then_some(kind)
}

fn listed(name: &str, records: Vec<Fields>, report: &mut ImportReport) -> Vec<(String, Fields)> {
    let mut found = Vec::new();
    for (number, record) in (1..).zip(records) {
        match bead_of_record(&record, crate::Stamp::default(), USUAL_PRIORITY) {
            Ok(bead) => found.push((bead.id, record)),
            Err(why) => report.skipped.push(format!("{name}, item {number}: {why}")),
        }
    }
    found
}

fn records(
    request: &ImportRequest,
    report: &mut ImportReport,
) -> Result<Vec<(String, Fields)>, Error> {
    // If the text starts like a list but isn't valid JSON, parse it by lines below, which tells the
    // user the location of the mistake.
    if request.is_list()
        && let Ok(records) = serde_json::from_str::<Vec<Fields>>(&request.text)
    {
        return Ok(listed(&request.name, records, report));
    }
    let source = Source::new(&request.name, request.text.clone());
    let mut found = Vec::new();
    let mut wrong = Diagnostics::default();
    let mut at = 0;
    for (number, line) in (1..).zip(request.text.split('\n')) {
        let start = at;
        at += line.len() + 1;
        if line.trim().is_empty() {
            continue;
        }
        let parsed = serde_json::from_str::<Value>(line).map_err(|error| error.to_string());
        // The first line of an export may be a header.
        if matches!(&parsed, Ok(Value::Object(head)) if head.contains_key("_schema")) {
            continue;
        }
        // Exports may have other kinds of records as well, e.g. memories.
        if let Ok(Value::Object(record)) = &parsed
            && let Some(kind) = other_kind(record)
        {
            let skipped = format!("{}:{number}: a `{kind}`, not an issue", request.name);
            report.skipped.push(skipped);
            continue;
        }
        let record = parsed.and_then(|value| match value {
            Value::Object(record) => Ok(record),
            _ => Err("expected a JSON object".to_owned()),
        });
        let bead = record.and_then(|record| {
            let bead = bead_of_record(&record, crate::Stamp::default(), USUAL_PRIORITY);
            bead.map(|bead| (bead.id, record))
                .map_err(|error| error.to_string())
        });
        match bead {
            Ok(record) => found.push(record),
            Err(why) => {
                report
                    .skipped
                    .push(format!("{}:{number}: {why}", request.name));
                let place = Place::new(&source, start..start + line.trim_end().len());
                wrong.push(
                    Diagnostic::error("no-record", format!("not a bead record: {why}")).at(place),
                );
            }
        }
    }
    // Wrong lines are only an error if nothing is left to import.
    match found.is_empty() && !wrong.is_empty() {
        true => Err(Error::document(wrong)),
        false => Ok(found),
    }
}
