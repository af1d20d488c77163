//! Targets of the links in the index, the summary and records.

use std::collections::BTreeSet;

use windlass_base::RepoPath;

use super::memory::Memory;
use crate::markdown::{Section, comments};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;

/// Returns the files to which a record links.
pub(crate) fn targets(record: &Record) -> BTreeSet<RepoPath> {
    targets_outside(record, None)
}

/// Returns the files to which `list`, the index or the summary, links outside of its section for
/// inactive records.
pub(crate) fn listed(list: &Record) -> BTreeSet<RepoPath> {
    targets_outside(list, inactive(list))
}

/// Returns the section of the index that lists inactive records, or `None` for any other file.
pub(crate) fn inactive(list: &Record) -> Option<&Section> {
    let is_index = list.kind == RecordKind::Index;
    is_index.then(|| list.body().section(RecordKind::Index.parts()[4]))?
}

fn targets_outside(record: &Record, section: Option<&Section>) -> BTreeSet<RepoPath> {
    let counts = |at: usize| section.is_none_or(|section| !section.body.contains(&at));
    let links = record.links().iter();
    let links = links.filter(|link| counts(link.range.start));
    let links = links.filter_map(|link| record.target_of(link)?.ok());
    // A bare path such as `memory/decisions/x.md` counts as a link, even in code, but not in an
    // HTML comment.
    let text = record.source().text();
    let words = text
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '<' | '>' | '"' | ','));
    let comments = comments(text, record.body_start());
    let is_read = |word: &&str| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        counts(at) && !comments.iter().any(|comment| comment.contains(&at))
    };
    let named = words
        .filter(|word| word.starts_with("memory/"))
        .filter(is_read)
        .filter_map(|word| RepoPath::parse(word.trim_end_matches(['.', ';', ':'])).ok());
    links.chain(named).collect()
}

/// Returns the active decisions and open loops missing from `targets`.
pub(crate) fn unlinked<'a>(memory: &'a Memory, targets: &BTreeSet<RepoPath>) -> Vec<&'a RepoPath> {
    let active = memory
        .records
        .values()
        .filter(|one| one.kind.is_linked() && one.status() == Status::Active);
    active
        .map(|one| &one.path)
        .filter(|path| !targets.contains(path))
        .collect()
}
