//! Fixes that need no information beyond the memory itself.
//!
//! Examples are the missing half of a supersession, links to moved records, and missing
//! impressions. A fix finds problems the same way as the check does. A target we couldn't look up
//! doesn't count as missing. If a folder of the memory can't be listed, we fix nothing at all,
//! because links into it would all appear broken.

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

/// Applies all safe fixes to `draft`. Prose is never changed. The only content removed is duplicate
/// lines, repeated keywords, and list items that are nothing but a link to a missing record.
#[must_use]
pub fn fix<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    // Files in a folder that can't be listed would look like missing files.
    if memory.is_there() && memory.files.closed.is_empty() {
        fixer.lines();
        let routed = fixer.moved();
        fixer.supersession();
        fixer.impressions_of_the_inactive();
        fixer.unrouted(&routed);
        fixer.links();
        fixer.ignore();
    }
    fixer.fixes
}

/// Adds the private patterns that no ignore file covers to `.gitignore`.
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
        // Start from the draft, so that moved records are linked at their new path.
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
        // We don't know the existing patterns in an unreadable `.gitignore`, and writing would
        // overwrite them.
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

/// Returns `id`, or the first of `id-2`, `id-3`, … that isn't in `taken` yet, and adds it to
/// `taken`.
pub(crate) fn free_id(id: &str, taken: &mut BTreeSet<String>) -> String {
    let free = (2u32..).map(|number| format!("{id}-{number}"));
    let free = std::iter::once(id.to_owned())
        .chain(free)
        .find(|one| !taken.contains(one));
    let free = free.unwrap_or_else(|| id.to_owned());
    taken.insert(free.clone());
    free
}
