use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use windlass_base::{Diagnostic, Diagnostics, NextAction, RepoPath, Severity};
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::service::MemoryService;
use crate::service::on_disk::WrittenFile;
use crate::{Draft, FEEDBACK, Fix, IMPRESSIONS, Memory, RecordKind, check, fix, not_said};

/// Maximum number of rounds. A fix may cause another finding, and two fixes could in theory undo
/// each other forever. Whatever is left after these rounds is reported as usual.
const MOST_ROUNDS: usize = 4;
/// Maximum number of records for which we list the unfilled parts.
const MOST_TO_SAY: usize = 5;

/// Options for [`MemoryService::check_memory`].
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryCheckRequest {
    /// True to apply safe fixes before the check.
    pub fix: bool,
    /// True to report fixes without writing them.
    pub dry_run: bool,
}

/// The result of a check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryCheck {
    /// True if no finding is an error.
    pub valid: bool,
    /// Number of records.
    pub records: usize,
    /// Number of impressions.
    pub impressions: usize,
    /// Number of errors.
    pub errors: usize,
    /// Number of other findings.
    pub warnings: usize,
    /// Number of records with unfilled template parts.
    pub unfinished: usize,
    /// Unfilled parts of the first of these records.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_say: Vec<PartsToSay>,
    /// Fixes that were applied, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fix>,
    /// Files changed by the fixes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<WrittenFile>,
    /// Suggested next calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
    /// Findings by file.
    #[serde(skip)]
    pub found: Diagnostics,
}

impl MemoryCheck {
    /// The check as data, with one page of the findings. `more` is the call for the next page.
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

/// Unfilled parts of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartsToSay {
    /// Path of the record.
    pub file: RepoPath,
    /// Titles of its unfilled sections.
    pub parts: Vec<String>,
}

/// Output of `memory check` as data.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct MemoryCheckPage {
    #[schemars(flatten)]
    check: MemoryCheck,
    /// Findings by file, as many as fit the budget.
    findings: Vec<MemoryFinding>,
    /// Cursor of the next page, if the budget cut the list.
    #[schemars(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Finding about a memory.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct MemoryFinding {
    /// Severity: `error`, `warning` or lower.
    severity: String,
    /// Stable name of the rule.
    rule: String,
    /// Description of the problem.
    message: String,
    /// Path of the file.
    #[schemars(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Line number, from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Column, from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Suggested remedy.
    #[schemars(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// The JSON Schema for the output of `memory check`. Optional fields aren't required.
#[must_use]
pub fn memory_check_schema() -> serde_json::Value {
    windlass_base::printed_schema::<MemoryCheckPage>()
}

fn mend<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixed = fix(memory, draft);
    // Every write removes leftover files anyway, so just report them.
    fixed.extend(memory.leftovers().map(|path| Fix {
        rule: "leftover-file",
        file: path.clone(),
        what: "removed".to_owned(),
    }));
    fixed
}

/// Applies safe fixes, round after round, until none are left. Each round starts from the results
/// of the previous one, and all of them together become a single change.
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
    /// Checks the memory, after applying safe fixes if the request asks for that.
    ///
    /// # Errors
    /// Returns an error if reading the memory or writing the fixes fails.
    pub fn check_memory(&self, request: MemoryCheckRequest) -> Result<MemoryCheck, Error> {
        let (fixed, written) = match request.fix {
            true => self.folder.change_whole(request.dry_run, mend_in_rounds)?,
            false => Default::default(),
        };
        let mut memory = self.memory_to_check()?;
        let may_pass = memory.leftovers().next().is_some() || !memory.files.ignored.is_empty();
        // Another process may be writing just now. Check again under the lock before reporting
        // these findings.
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

    /// Checks a single file, such as the one open in an editor, in the context of the whole memory.
    /// This returns `None` for files that the check isn't about.
    ///
    /// # Errors
    /// Returns an error if the file doesn't exist, or if the memory is unreadable.
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
        // If a link leads to a pipe or the like, the finding is located at the target rather than
        // in the file with the link. We want both.
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
            next_actions.push(NextAction::new("memory init", "create a memory"));
        } else if mendable > 0 {
            let fix = NextAction::new("memory check", "apply safe fixes").option("fix", true);
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
