use std::collections::BTreeSet;

use windlass_base::RepoPath;

use super::memory::Memory;
use crate::markdown::{Section, comments};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;

/// The files that a record links to.
pub(crate) fn targets(record: &Record) -> BTreeSet<RepoPath> {
    targets_outside(record, None)
}

/// Like [`targets`], for the index or the summary, but without the section for inactive records.
pub(crate) fn listed(list: &Record) -> BTreeSet<RepoPath> {
    targets_outside(list, inactive(list))
}

/// The section for inactive records, which only the index has.
pub(crate) fn inactive(list: &Record) -> Option<&Section> {
    let is_index = list.kind == RecordKind::Index;
    is_index.then(|| list.body().section(RecordKind::Index.parts()[4]))?
}

fn targets_outside(record: &Record, section: Option<&Section>) -> BTreeSet<RepoPath> {
    let counts = |at: usize| section.is_none_or(|section| !section.body.contains(&at));
    let links = record.links().iter();
    let links = links.filter(|link| counts(link.range.start));
    let links = links.filter_map(|link| record.target_of(link)?.ok());
    // Authors also list records as bare paths such as `memory/decisions/x.md`, and we accept that,
    // even in code. But nobody sees a path in an HTML comment.
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

/// The active decisions and open loops that are not among `targets`.
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
