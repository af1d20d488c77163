use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use windlass_base::{Diagnostic, Diagnostics, NextAction, RepoPath, Severity};
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::service::MemoryService;
use crate::service::on_disk::WrittenFile;
use crate::{Draft, FEEDBACK, Fix, IMPRESSIONS, Memory, RecordKind, check, fix, not_said};

/// How often is looked whether what was mended shows what else is to be.
const MOST_ROUNDS: usize = 4;
/// In how many records it is named what is still to be said.
const MOST_TO_SAY: usize = 5;

/// How a memory is checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryCheckRequest {
    /// Whether what is safe to mend is mended first.
    pub fix: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What is wrong with a memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryCheck {
    /// Whether nothing is an error.
    pub valid: bool,
    /// How many records there are.
    pub records: usize,
    /// How many impressions lead to them.
    pub impressions: usize,
    /// How many findings are errors.
    pub errors: usize,
    /// How many are not.
    pub warnings: usize,
    /// In how many records something is still to be said, as a template asks for it.
    pub unfinished: usize,
    /// What it is, in the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_say: Vec<PartsToSay>,
    /// What was mended, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fix>,
    /// The files that were changed for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<WrittenFile>,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
    /// What is wrong, file by file.
    #[serde(skip)]
    pub found: Diagnostics,
}

impl MemoryCheck {
    /// A page of it as data, with the findings that are on it, and the call that goes on.
    #[must_use]
    pub fn page(&self, findings: &[&Diagnostic], more: Option<&NextAction>) -> Value {
        let mut page = json!(self);
        page["findings"] = json!(findings);
        if let Some(more) = more {
            page["next_cursor"] = more.args.get("cursor").cloned().unwrap_or_default();
        }
        let actions: Vec<&NextAction> = self.next_actions.iter().chain(more).collect();
        page["next_actions"] = json!(actions);
        page
    }
}

/// What is still to be said in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartsToSay {
    /// The record.
    pub file: RepoPath,
    /// Its sections of which nobody said anything yet.
    pub parts: Vec<String>,
}

/// What `memory check` prints as data.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct MemoryCheckPage {
    #[schemars(flatten)]
    check: MemoryCheck,
    /// What is wrong, file by file; as much as fits into the budget.
    findings: Vec<MemoryFinding>,
    /// Where to go on, where the budget cut it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Something that is wrong with a memory.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct MemoryFinding {
    /// How bad it is: `error`, `warning` or less.
    severity: String,
    /// The rule it breaks: the same for the same mistake.
    rule: String,
    /// What is wrong.
    message: String,
    /// The file.
    #[schemars(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The column, from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// What to do about it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// The JSON Schema of what `memory check` prints as data: what is left out where there is nothing to say is not required.
#[must_use]
pub fn memory_check_schema() -> serde_json::Value {
    windlass_base::printed_schema::<MemoryCheckPage>()
}

/// Mends in `draft` what is safe to mend, once.
fn mend<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixed = fix(memory, draft);
    // Whoever writes removes them.
    fixed.extend(memory.leftovers().map(|path| Fix {
        rule: "leftover-file",
        file: path.clone(),
        what: "it is removed".to_owned(),
    }));
    fixed
}

/// The same for as long as what was mended shows what else is to be, as if each round had been written: all of it is
/// one change of the memory.
fn mend_in_rounds<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Result<Vec<Fix>, Error> {
    let (mut fixed, mut now) = (Vec::new(), memory.clone());
    for _ in 0..MOST_ROUNDS {
        let mut round = Draft::new(&now);
        let mended = mend(&now, &mut round);
        if mended.is_empty() {
            break;
        }
        fixed.extend(mended);
        let changes = round.changes()?;
        now = now.after(&changes);
        for change in changes {
            match change.path.as_str() {
                ".gitignore" => {
                    let before = memory.files.ignore.as_ref();
                    draft.put_other(change.path, before, change.text);
                }
                _ => draft.put(change.path, change.text),
            }
        }
    }
    Ok(fixed)
}

impl MemoryService {
    /// Checks the memory of this repository; mends first what is safe to mend, if asked.
    ///
    /// # Errors
    /// When it cannot be read, or what is mended cannot be written.
    pub fn check_memory(&self, request: MemoryCheckRequest) -> Result<MemoryCheck, Error> {
        let (fixed, written) = match request.fix {
            true => self.folder.change_whole(request.dry_run, mend_in_rounds)?,
            false => Default::default(),
        };
        let mut memory = self.memory_to_check()?;
        let may_pass = memory.leftovers().next().is_some() || !memory.files.ignored.is_empty();
        // Somebody may be writing: what is there while nobody is stays.
        if may_pass && let Some(still) = self.folder.while_nobody_writes(|| self.memory_to_check())
        {
            memory = still?;
        }
        let found = check(&memory);
        let mendable = match request.fix {
            true => 0,
            false => fix(&memory, &mut Draft::new(&memory)).len() + memory.leftovers().count(),
        };
        Ok(self.memory_check(&memory, found, mendable, fixed, written))
    }

    fn memory_to_check(&self) -> Result<Memory, Error> {
        let snapshot = self.site.snapshot();
        let mut memory = self.read_memory(&snapshot)?;
        memory.files.tracked = self.folder.tracked_private(&snapshot);
        memory.files.ignored = self.folder.ignored_files(&memory);
        memory.files.odd.extend(self.folder.odd_files());
        Ok(memory)
    }

    /// What is wrong with the file `path` of the memory, which is looked at as a whole; nothing for files that are not
    /// checked with it.
    ///
    /// # Errors
    /// When there is no such file, or the memory cannot be read.
    pub fn check_memory_file(
        &self,
        path: &RepoPath,
        snapshot: &Snapshot,
    ) -> Result<Option<Diagnostics>, Error> {
        let is_lines = matches!(path.as_str(), IMPRESSIONS | FEEDBACK);
        if RecordKind::of_path(path.as_str()).is_none() && !is_lines {
            return Ok(None);
        }
        let mut memory = self.read_memory(snapshot)?;
        if !memory.files.has(path) {
            return Err(Error::missing(path.as_str()));
        }
        memory.files.odd.extend(self.folder.odd_files());
        // What it leads to, and is none, is a finding of its own.
        let odd = memory.odd_behind(path);
        let mut of_file = Diagnostics::default();
        let found = check(&memory).into_iter();
        of_file.extend(found.filter(|one| {
            one.place.as_ref().is_some_and(|place| {
                let name = place.source.name();
                name == path.as_str() || odd.iter().any(|odd| odd.as_str() == name)
            })
        }));
        Ok(Some(of_file))
    }

    fn memory_check(
        &self,
        memory: &Memory,
        found: Diagnostics,
        mendable: usize,
        fixed: Vec<Fix>,
        written: Vec<WrittenFile>,
    ) -> MemoryCheck {
        let errors = found
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .count();
        let mut next_actions = Vec::new();
        if !memory.is_there() {
            next_actions.push(NextAction::new("memory init", "begin a memory"));
        } else if mendable > 0 {
            let fix =
                NextAction::new("memory check", "mend what is safe to mend").option("fix", true);
            next_actions.push(fix);
        }
        let next_actions = next_actions
            .into_iter()
            .filter_map(|action| action.for_caller(self.site.caller()));
        let open = not_said(memory);
        MemoryCheck {
            valid: errors == 0,
            records: memory
                .records
                .values()
                .filter(|record| record.is_record())
                .count(),
            impressions: memory.impressions.len(),
            errors,
            warnings: found.iter().len() - errors,
            unfinished: open.len(),
            to_say: open
                .into_iter()
                .take(MOST_TO_SAY)
                .map(|(file, parts)| PartsToSay {
                    file: file.clone(),
                    parts: parts.into_iter().map(str::to_owned).collect(),
                })
                .collect(),
            fixed,
            written,
            next_actions: next_actions.collect(),
            found,
        }
    }
}
