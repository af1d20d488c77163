//! Mending what the memory itself says how to mend.

mod mended_lines;
mod mended_routes;
mod mended_supersession;

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_base::RepoPath;

use crate::check::missing_patterns;
use crate::draft::{Draft, line_end};
use crate::state::memory::Memory;

/// Something that was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fix {
    /// The rule it was a finding of.
    pub rule: &'static str,
    /// The file that is changed.
    pub file: RepoPath,
    /// What is done.
    pub what: String,
}

/// Mends in `draft` what can be mended without knowing more than the memory says itself: nobody's words are changed, nothing
/// but lines that are there twice is taken out.
#[must_use]
pub fn fix<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    // Links to what nobody can look at would be taken for links to what is gone.
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

/// Leaves out of the repository what is never to be shared.
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
        // As they are to be: what was moved is linked where it lies now.
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
                    "it leads to what is active, and tells apart what is not",
                );
            }
        }
    }

    fn ignore(&mut self) {
        let missing = missing_patterns(self.memory);
        let Ok(path) = RepoPath::parse(".gitignore") else {
            return;
        };
        // What it says would be lost.
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
            format!("it leaves out {}", missing.join(", ")),
        );
    }
}

/// `id`, or one like it that nothing has yet.
pub(crate) fn free_id(id: &str, taken: &mut BTreeSet<String>) -> String {
    let free = (2u32..).map(|number| format!("{id}-{number}"));
    let free = std::iter::once(id.to_owned())
        .chain(free)
        .find(|one| !taken.contains(one));
    let free = free.unwrap_or_else(|| id.to_owned());
    taken.insert(free.clone());
    free
}
