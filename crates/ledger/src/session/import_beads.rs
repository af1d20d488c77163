//! Records of other tools, taken over.

use crate::WorkFilter;
use crate::bead::{Bead, PEER_PRIORITY, USUAL_PRIORITY, bead_of_record, original_record};
use crate::draft::Secrets;
use crate::event::{BeadImported, Fields};
use serde::Serialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_site::Error;

use super::secret_fields::field_with_secret;
use super::{Beads, LedgerService, backup_tables, todo_list};

/// What is to be taken over.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// What the records are from, for messages.
    pub name: String,
    /// A record a line; or a TodoList, in JSON or TRON.
    pub text: String,
    /// Tables of a backup beside the records, by their names ([`ImportRequest::TABLES`]), a row a line.
    pub tables: Vec<(String, String)>,
    /// Only say what would be taken over.
    pub dry_run: bool,
    /// Whether a folder of another tool is to be taken over with it.
    pub adopt: bool,
}

impl ImportRequest {
    /// Names of the tables that a backup of `bd` has beside its `issues.jsonl`.
    pub const TABLES: [&str; 3] = backup_tables::TABLES;
    /// Name of the records of a backup.
    pub const RECORDS: &str = "issues.jsonl";

    /// Priority of a record that gives none.
    fn missing_priority(&self) -> u8 {
        match todo_list::is_document(&self.name, &self.text) {
            true => USUAL_PRIORITY,
            false => PEER_PRIORITY,
        }
    }
}

/// What was taken over.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ImportReport {
    /// Beads that are new.
    pub added: Vec<String>,
    /// Beads that were changed by it.
    pub changed: Vec<String>,
    /// Beads that were the same already.
    pub same: usize,
    /// Beads that were changed here since, which stay as they are.
    pub newer_here: Vec<String>,
    /// Lines that are no records, and rows that belong to none.
    pub skipped: Vec<String>,
    /// Dependencies that nothing waits for, since nothing of it could ever begin: on a bead itself, or around a circle; and
    /// fields with secret values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub put_aside: Vec<String>,
    /// What new beads are called by from now on, where nothing said so before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

impl LedgerService {
    /// Takes over records of other tools, without losing a field; lines that are none are named, and the others taken.
    ///
    /// # Errors
    /// When nothing in the text is a record, or they cannot be written.
    pub fn import_beads(
        &self,
        actor: Option<&str>,
        request: &ImportRequest,
    ) -> Result<ImportReport, Error> {
        // Where nothing is written, nobody's folder is taken over.
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
        let mut records = match todo_list::is_document(&request.name, &request.text) {
            true => self.items(request)?,
            false => records(request, &mut report)?,
        };
        backup_tables::join(&mut records, &request.tables, &mut report);
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
            let (mut state, now) = (self.session.state().clone(), self.session.now());
            for (id, record) in records {
                let known = state.beads.get(&id);
                if sort(&mut report, &id, &record, known.as_ref(), missing) {
                    tell_secret(&mut report, &id, &record);
                    let bead = state.try_import(&event(id, record), now)?;
                    tell_put_aside(&mut report, bead.as_ref());
                }
            }
            return Ok(report);
        }
        // Others wrote them into files that are shared already, and no field is to be lost.
        self.session.decide_with(Secrets::Keep, |draft| {
            for (id, record) in records {
                let known = draft.state().beads.get(&id);
                if sort(&mut report, &id, &record, known.as_ref(), missing) {
                    tell_secret(&mut report, &id, &record);
                    draft.emit(event(id.clone(), record))?;
                    tell_put_aside(&mut report, draft.state().beads.get(&id).as_ref());
                }
            }
            Ok(())
        })?;
        Ok(report)
    }
}

impl Beads<'_> {
    /// The items of a TodoList, as records.
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
}

impl Beads<'_> {
    /// The beads that `filter` lets through as records of `bd` and `beads_rust`, a line each, by id: those that were
    /// imported as they came in, with what changed since.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn export_issues(&self, filter: &WorkFilter) -> Result<String, Error> {
        let found = self.list(filter, None, usize::MAX)?.beads.into_iter();
        let mut beads: Vec<Bead> = found.map(|report| report.bead).collect();
        beads.sort_by(|a, b| a.id.cmp(&b.id));
        let mut text = String::new();
        for bead in &beads {
            let mut record = original_record(bead);
            let dependencies = record.get_mut("dependencies").and_then(Value::as_array_mut);
            // `beads_rust` refuses one without.
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

/// Names the field of an imported record that holds a secret value: the log keeps it for good.
fn tell_secret(report: &mut ImportReport, id: &str, record: &Fields) {
    let record = Value::Object(record.clone());
    if let Some(field) = field_with_secret(&record) {
        report.put_aside.push(format!(
            "`{id}` has a secret value in `{field}`: the log keeps it for good, so revoke it"
        ));
    }
}

/// Names the dependencies of an imported bead that nothing waits for.
fn tell_put_aside(report: &mut ImportReport, bead: Option<&Bead>) {
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
            false => "it closes a circle, of which nothing could ever begin",
        };
        report.put_aside.push(format!(
            "`{id}` {} `{on}`: {why}; kept as `related`",
            kind.in_words()
        ));
    }
}

/// Says what becomes of a record; whether it is to be taken over.
fn sort(
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
    // What it lacks is not what it had here.
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

/// The records, each with its id.
fn records(
    request: &ImportRequest,
    report: &mut ImportReport,
) -> Result<Vec<(String, Fields)>, Error> {
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
        // The first line of an export may say what it is.
        if matches!(&parsed, Ok(Value::Object(head)) if head.contains_key("_schema")) {
            continue;
        }
        let record = parsed.and_then(|value| match value {
            Value::Object(record) => Ok(record),
            _ => Err("a record is an object".to_owned()),
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
                    Diagnostic::error(
                        "no-record",
                        format!("this line is no record of a bead: {why}"),
                    )
                    .at(place),
                );
            }
        }
    }
    match found.is_empty() && !report.skipped.is_empty() {
        true => Err(Error::document(wrong)),
        false => Ok(found),
    }
}
