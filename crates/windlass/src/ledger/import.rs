//! Records of other tools, taken over.

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_ledger::Secrets;
use windlass_ledger::bead::{bead_of_record, original_record};
use windlass_ledger::event::{BeadImported, Fields};

use super::{LedgerDesk, todo_list};
use crate::{Error, Workspace};

/// What is to be taken over.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// What the records are from, for messages.
    pub name: String,
    /// A record a line; or a TodoList, in JSON or TRON.
    pub text: String,
    /// Only say what would be taken over.
    pub dry_run: bool,
    /// Whether a folder of another tool is to be taken over with it.
    pub adopt: bool,
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
    /// Lines that are no records.
    pub skipped: Vec<String>,
    /// What new beads are called by from now on, where nothing said so before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

impl Workspace {
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
        let mut desk = self.open_ledger(actor, "bead import", adopt)?;
        if !adopt {
            self.ledger_places().check_own()?;
        }
        let before = desk.ledger.state().prefix().map(str::to_owned);
        let mut report = desk.import(request)?;
        let after = desk.ledger.state().prefix();
        report.prefix = after.filter(|_| before.is_none()).map(str::to_owned);
        desk.finish()?;
        Ok(report)
    }
}

impl LedgerDesk {
    fn import(&mut self, request: &ImportRequest) -> Result<ImportReport, Error> {
        let mut report = ImportReport::default();
        let records = match todo_list::is_document(&request.name, &request.text) {
            true => self.items(request)?,
            false => records(request, &mut report)?,
        };
        if request.dry_run {
            let state = self.ledger.state();
            for (id, record) in &records {
                sort(&mut report, id, record, state.beads.get(id).as_ref());
            }
            return Ok(report);
        }
        // Others wrote them into files that are shared already, and no field is to be lost.
        self.decide_with(Secrets::Keep, |draft| {
            for (id, record) in records {
                let known = draft.state().beads.get(&id);
                if sort(&mut report, &id, &record, known.as_ref()) {
                    draft.emit(BeadImported {
                        bead_id: id,
                        record,
                        source: Some(request.name.clone()),
                    })?;
                }
            }
            Ok(())
        })?;
        Ok(report)
    }
}

impl LedgerDesk {
    /// The items of a TodoList, as records.
    fn items(&self, request: &ImportRequest) -> Result<Vec<(String, Fields)>, Error> {
        let state = self.ledger.state();
        let own = self.prefix_of_folder();
        let prefix = state.prefix().unwrap_or(&own);
        todo_list::records(&request.name, &request.text, state, prefix, self.now())
    }
}

/// Says what becomes of a record; whether it is to be taken over.
fn sort(
    report: &mut ImportReport,
    id: &str,
    record: &Fields,
    known: Option<&windlass_ledger::bead::Bead>,
) -> bool {
    let Some(known) = known else {
        report.added.push(id.to_owned());
        return true;
    };
    // What it lacks is not what it had here.
    let fresh = bead_of_record(record, known.created_at);
    let Ok(fresh) = fresh else {
        return false;
    };
    if original_record(&fresh) == original_record(known) {
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
        let record = parsed.and_then(|value| match value {
            Value::Object(record) => Ok(record),
            _ => Err("a record is an object".to_owned()),
        });
        let bead = record.and_then(|record| {
            let bead = bead_of_record(&record, windlass_ledger::Stamp::default());
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
        true => Err(Error::Document(wrong)),
        false => Ok(found),
    }
}
