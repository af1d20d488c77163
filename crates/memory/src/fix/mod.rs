//! Fixes problems for which the memory itself has all the information, such as the missing half of
//! a supersession, links to a record that has moved, or a missing impression.
//!
//! As in the check, a target that we can't read doesn't count as missing. If there's an unreadable
//! folder, we fix nothing at all, because every link into that folder would look broken.

mod mended_lines;
mod mended_routes;
mod mended_supersession;

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_base::RepoPath;

use crate::check::missing_patterns;
use crate::draft::{Draft, line_end};
use crate::state::memory::Memory;

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fix {
    /// Rule of the finding.
    pub rule: &'static str,
    /// Changed file.
    pub file: RepoPath,
    /// Description of the change.
    pub what: String,
}

/// Applies all safe fixes to `draft`.
///
/// A fix never touches prose. All that we ever remove are duplicate lines, repeated keywords, and
/// list items with just a link to a missing record.
#[must_use]
pub fn fix<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    // With an unreadable folder, we'd take its files for missing.
    if memory.is_there() && memory.files.closed.is_empty() {
        fixer.lines();
        // Records that have moved come before missing impressions. Otherwise, we'd add a second
        // impression for a record instead of updating the path in the first one.
        let routed = fixer.moved();
        fixer.supersession();
        fixer.impressions_of_the_inactive();
        fixer.unrouted(&routed);
        fixer.links();
        fixer.ignore();
    }
    fixer.fixes
}

/// Adds the patterns of private folders to `.gitignore`, unless they're already excluded.
pub(crate) fn fix_ignore<'a>(memory: &'a Memory, draft: &mut Draft<'a>) {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    fixer.ignore();
}

struct Fixer<'a, 'b> {
    memory: &'a Memory,
    draft: &'b mut Draft<'a>,
    fixes: Vec<Fix>,
}

impl Fixer<'_, '_> {
    fn note(&mut self, rule: &'static str, file: &RepoPath, what: impl Into<String>) {
        self.fixes.push(Fix {
            rule,
            file: file.clone(),
            what: what.into(),
        });
    }

    fn links(&mut self) {
        // Use the records in the draft, in which links to moved records have already been updated.
        let after = self.draft.as_memory();
        for (record, rule) in [
            (after.index(), "index-link"),
            (after.summary(), "summary-link"),
        ] {
            let Some(record) = record else {
                continue;
            };
            let mut inner = Draft::new(&after);
            if crate::index_file::link_all(&after, &mut inner, record) {
                if let Some(text) = inner.text(&record.path) {
                    self.draft.put(record.path.clone(), text.to_owned());
                }
                self.note(
                    rule,
                    &record.path,
                    "updated links to active records, and moved inactive ones",
                );
            }
        }
    }

    fn ignore(&mut self) {
        let missing = missing_patterns(self.memory);
        let Ok(path) = RepoPath::parse(".gitignore") else {
            return;
        };
        // We don't know the patterns in an unreadable `.gitignore`, and would overwrite them.
        if missing.is_empty() || self.memory.files.has_odd_ignore {
            return;
        }
        let before = self
            .memory
            .files
            .ignore
            .as_ref()
            .map_or("", |source| source.text());
        let eol = line_end(before);
        let gap = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            eol
        };
        let lines: String = missing.iter().map(|one| format!("{one}{eol}")).collect();
        let ignore = self.memory.files.ignore.as_ref();
        self.draft
            .put_other(path.clone(), ignore, format!("{before}{gap}{lines}"));
        self.note(
            "missing-ignore",
            &path,
            format!("added {}", missing.join(", ")),
        );
    }
}

/// Finds the first of `id`, `id-2`, `id-3`, … that isn't `taken`, and takes it.
pub(crate) fn free_id(id: &str, taken: &mut BTreeSet<String>) -> String {
    let free = (2u32..).map(|number| format!("{id}-{number}"));
    let free = std::iter::once(id.to_owned())
        .chain(free)
        .find(|one| !taken.contains(one));
    let free = free.unwrap_or_else(|| id.to_owned());
    taken.insert(free.clone());
    free
}
