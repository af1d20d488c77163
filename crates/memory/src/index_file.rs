//! Keeps the lists of records in the index and in the summary up to date.
//!
//! Authors edit both files as well, so we only touch list items with links to records, and leave
//! the prose around them alone.

use std::collections::BTreeSet;

use windlass_base::{RepoPath, Source};

use crate::draft::{Draft, Words};
use crate::error::MemoryError;
use crate::records::copied::{copied_title, link_text};
use crate::records::kind::{RecordKind, Status};
use crate::records::link_paths::relative;
use crate::records::record::Record;
use crate::state::listed_links::{listed, targets, unlinked};
use crate::state::memory::Memory;
use crate::state::successors::meant;
use crate::state::templates::starting_files;
use crate::texts::layout::INDEX;

/// Updates the index and the summary from the records, and returns the files that changed. A
/// missing index is created.
///
/// # Errors
/// Returns an error if there is no memory, if its scope is unknown, or if either file has conflict
/// markers.
pub(crate) fn index_all<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    day: &str,
) -> Result<Vec<RepoPath>, MemoryError> {
    if !memory.is_there() {
        return Err(MemoryError::NotInitialized);
    }
    let scope = memory.scope().ok_or(MemoryError::NoScope)?;
    let lists = [memory.index(), memory.summary()].into_iter().flatten();
    if let Some(list) = lists.into_iter().find(|list| list.is_unmerged()) {
        // There are two versions of the list, and we can't tell which one to update.
        return Err(MemoryError::UnmergedList(list.path.clone()));
    }
    if memory.index().is_none() {
        let project = scope.trim_start_matches("project:");
        for (path, text) in starting_files(project, day)
            .into_iter()
            .filter(|(path, _)| path.as_str() == INDEX)
        {
            draft.put(path, text);
        }
    }
    let after = draft.as_memory();
    let mut changed = Vec::new();
    for record in [after.index(), after.summary()].into_iter().flatten() {
        let mut inner = Draft::new(&after);
        let is_new = memory.record(record.path.as_str()).is_none();
        if link_all(&after, &mut inner, record) || is_new {
            inner.set_field(&record.path, "updated", day);
            if let Some(text) = inner.text(&record.path) {
                draft.put(record.path.clone(), text.to_owned());
            }
            changed.push(record.path.clone());
        }
    }
    Ok(changed)
}

/// Updates the links in `record`, which is the index or the summary. Returns true if the text
/// changed.
///
/// This adds active records that are missing, moves inactive ones to a section of their own, and
/// removes bare links to files that no longer exist. A list with conflict markers is left alone.
pub(crate) fn link_all<'a>(memory: &'a Memory, draft: &mut Draft<'a>, record: &Record) -> bool {
    if record.is_unmerged() {
        return false;
    }
    let before = draft.text(&record.path).map(str::to_owned);
    let is_index = record.kind == RecordKind::Index;
    let old: Vec<&Record> = memory
        .records
        .values()
        .filter(|one| one.kind.is_linked() && one.status() != Status::Active)
        .collect();
    let targets = targets(record);
    let paths: BTreeSet<&RepoPath> = old.iter().map(|one| &one.path).collect();
    let sections = [RecordKind::Decision, RecordKind::OpenLoop];
    let sections = sections.map(|kind| section_for(record.kind, kind));
    // The index has a section for inactive records, so we can move entries there along with the
    // words that their author added. In the summary, we can't move such an entry, and leave it to
    // the author.
    let taken = sections
        .map(|names| draft.take_from_section(&record.path, names, &paths, is_index))
        .concat();
    let gone = gone(memory, &targets);
    for names in sections {
        draft.take_from_section(&record.path, names, &gone.iter().collect(), false);
    }
    // An inactive record may already be listed in the right section. Parsing a long list is slow,
    // so we only look if there are inactive records at all.
    let left = match is_index && !old.is_empty() {
        true => entries(draft.text(&record.path), record, &sections),
        false => BTreeSet::new(),
    };
    let moved = old.iter().filter(|_| is_index).flat_map(|one| {
        let words = taken.iter().filter(|item| item.path == one.path);
        let words: Vec<&Words> = words.filter_map(|item| item.words.as_ref()).collect();
        let fate = fate(memory, record, one);
        match words.is_empty() {
            true if left.contains(&one.path) => Vec::new(),
            true => vec![format!("{}, {fate}", item(&record.path, one))],
            false => words
                .into_iter()
                .map(|words| format!("{} ({fate}){}", words.lead, words.below))
                .collect(),
        }
    });
    let moved: Vec<String> = moved.collect();
    if is_index {
        list(draft, record, RecordKind::Index.parts()[4], &moved);
    }
    let missing = unlinked(memory, &listed(record));
    let missing: Vec<&Record> = missing
        .into_iter()
        .filter_map(|path| memory.records.get(path))
        .collect();
    for kind in [RecordKind::Decision, RecordKind::OpenLoop] {
        let missing = missing.iter().filter(|one| one.kind == kind);
        let items: Vec<String> = missing.map(|one| item(&record.path, one)).collect();
        list(draft, record, section_for(record.kind, kind), &items);
    }
    if is_index
        && let Some(summary) = memory
            .summary()
            .filter(|summary| !targets.contains(&summary.path))
    {
        list(
            draft,
            record,
            RecordKind::Index.parts()[1],
            &[item(&record.path, summary)],
        );
    }
    draft.text(&record.path) != before.as_deref()
}

/// Links to decisions and open loops that do not exist. If we have not looked up a target, its file
/// may well exist, so it does not count.
fn gone(memory: &Memory, targets: &BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
    let is_gone = |path: &&RepoPath| {
        RecordKind::of_path(path.as_str()).is_some_and(RecordKind::is_linked)
            && memory.files.outside.get(*path) == Some(&false)
    };
    targets.iter().filter(is_gone).cloned().collect()
}

/// The files with an entry in `text`, the present text of `list`, outside of the `active` sections.
///
/// We only consider the first link on each line, since an entry such as "[a](a.md), superseded by
/// [b](b.md)" is about `a`.
fn entries(text: Option<&str>, list: &Record, active: &[&[&str]]) -> BTreeSet<RepoPath> {
    let source = Source::new(list.path.as_str(), text.unwrap_or_default());
    let Some(now) = Record::of(&list.path, &source) else {
        return BTreeSet::new();
    };
    let active: Vec<_> = active
        .iter()
        .filter_map(|names| now.body().section(names))
        .collect();
    let mut lines = BTreeSet::new();
    let links = now.links().iter().filter(|link| {
        let is_first = lines.insert(now.source().position(link.range.start).line);
        let mut active = active.iter();
        is_first && !active.any(|section| section.body.contains(&link.range.start))
    });
    links.filter_map(|link| now.target_of(link)?.ok()).collect()
}

/// Adds list items with links to a section. If the parser does not find the new links afterwards,
/// e.g. because they are in a code block that was never closed, we undo the edit.
fn list(draft: &mut Draft<'_>, record: &Record, names: &[&str], items: &[String]) {
    if items.is_empty() {
        return;
    }
    let path = &record.path;
    let read = |draft: &Draft<'_>| {
        let source = Source::new(path.as_str(), draft.text(path).unwrap_or_default());
        Record::of(path, &source)
    };
    // Parsing a long list is slow. Usually the draft has the same text as the record, so we can use
    // that.
    let is_same = draft.text(path) == Some(record.source().text());
    let before = is_same.then(|| record.clone()).or_else(|| read(draft));
    let Some(before) = before else {
        return;
    };
    draft.add_to_section_of(&before, names, items);
    let links = |record: &Record| record.links().len();
    if read(draft).is_none_or(|after| links(&after) < links(&before) + items.len()) {
        draft.put(path.clone(), before.source().text().to_owned());
    }
}

/// Returns the names of the section in `list` for active records of `kind`.
pub(crate) fn section_for(list: RecordKind, kind: RecordKind) -> &'static [&'static str] {
    let parts = list.parts();
    match (list, kind) {
        (RecordKind::Index, RecordKind::Decision) => parts[2],
        (RecordKind::Index, _) => parts[3],
        (_, RecordKind::Decision) => RecordKind::Summary.parts()[3],
        (_, _) => RecordKind::Summary.parts()[4],
    }
}

/// Formats a list item with a link from the file `from` to the record `to`.
pub(crate) fn item(from: &RepoPath, to: &Record) -> String {
    format!(
        "- [{}]({})",
        link_text(&copied_title(to)),
        relative(from, &to.path)
    )
}

/// The end of a list item that tells what became of `old`, with a link to its successor if there is
/// one.
fn fate(memory: &Memory, from: &Record, old: &Record) -> String {
    let newer = old
        .text("superseded_by")
        .and_then(|name| meant(memory, old, name));
    match newer {
        Some(newer) => format!(
            "superseded by [{}]({})",
            link_text(&copied_title(newer)),
            relative(&from.path, &newer.path)
        ),
        None => old.status().as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sample;

    const LINKED: &str = "- [One store owns the settings](decisions/settings-store.md)";

    fn indexed(sample: &Sample) -> String {
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        index_all(&memory, &mut draft, "2026-03-01").unwrap();
        let path = RepoPath::parse(INDEX).unwrap();
        draft.text(&path).unwrap_or_default().to_owned()
    }

    #[test]
    fn unmerged_list_unchanged() {
        let open = format!("<<<<<<< HEAD\n{LINKED}\n=======\n>>>>>>> other");
        let sample = Sample::new().with(INDEX, LINKED, &open);
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let path = RepoPath::parse(INDEX).unwrap();
        let refused = index_all(&memory, &mut draft, "2026-03-01").unwrap_err();
        assert_eq!(refused, MemoryError::UnmergedList(path));
        let mut other = sample;
        other.0.remove("memory/decisions/settings-store.md");
        let memory = other.memory();
        let mut draft = Draft::new(&memory);
        assert!(!link_all(&memory, &mut draft, memory.index().unwrap()));
    }

    #[test]
    fn inactive_entry_moved_with_text() {
        let old = "memory/decisions/settings-store.md";
        let sample = Sample::new().with(
            INDEX,
            LINKED,
            &format!("{LINKED}: read this first\n  - it is the one that counts"),
        );
        let unchanged = indexed(&sample);
        assert!(unchanged.contains("## Active decisions\n\n- [One store"));
        let newer = "---\nid: cloud\ntitle: Cloud\nstatus: active\nscope: project:demo\nsupersedes: settings-store\n---\nx\n";
        let sample = sample.with("memory/decisions/cloud.md", "", newer).with(
            old,
            "status: active",
            "status: superseded\nsuperseded_by: cloud",
        );
        let index = indexed(&sample);
        assert!(
            index.contains("## Active decisions\n\n- [Cloud](decisions/cloud.md)\n\n##"),
            "{index}"
        );
        let moved = format!(
            "## Superseded or archived records\n\n{LINKED}: read this first (superseded by [Cloud](decisions/cloud.md))\n  - it is the one that counts\n"
        );
        assert!(index.contains(&moved), "{index}");
        // A second update has nothing left to do.
        let before = sample.0[INDEX].clone();
        let again = sample.with(INDEX, &before, &index);
        assert_eq!(indexed(&again), index);
    }

    #[test]
    fn chain_records_each_listed() {
        let record = |id: &str, rest: &str| {
            format!("---\nid: {id}\ntitle: {id}\nscope: project:demo\n{rest}\n---\nx\n")
        };
        let old = "status: superseded\nsuperseded_by: ";
        let sample = Sample::new()
            .with(
                "memory/decisions/a.md",
                "",
                &record("a", &format!("{old}b")),
            )
            .with(
                "memory/decisions/b.md",
                "",
                &record("b", &format!("{old}c")),
            )
            .with("memory/decisions/c.md", "", &record("c", "status: active"))
            .with(
                INDEX,
                LINKED,
                &format!("{LINKED}\n1. **[a](decisions/a.md)**, [b](decisions/b.md)"),
            );
        let index = indexed(&sample);
        for entry in [
            "- [a](decisions/a.md), superseded by [b](decisions/b.md)\n",
            "- [b](decisions/b.md), superseded by [c](decisions/c.md)\n",
        ] {
            assert!(index.contains(entry), "{index}");
        }
        let again = sample.0[INDEX].clone();
        assert_eq!(indexed(&sample.with(INDEX, &again, &index)), index);
    }

    #[test]
    fn bare_link_to_missing_removed() {
        let mut sample = Sample::new();
        sample.0.remove("memory/decisions/settings-store.md");
        let gone = RepoPath::parse("memory/decisions/settings-store.md").unwrap();
        let mut memory = sample.memory();
        // We haven't looked up the target. It may exist, so its link must stay.
        let mut draft = Draft::new(&memory);
        link_all(&memory, &mut draft, memory.index().unwrap());
        assert_eq!(draft.changes().unwrap(), []);
        memory.files.outside.insert(gone, false);
        let mut draft = Draft::new(&memory);
        link_all(&memory, &mut draft, memory.index().unwrap());
        let index = draft.text(&RepoPath::parse(INDEX).unwrap()).unwrap();
        assert!(index.contains("## Active decisions\n\nNone.\n"), "{index}");
        let words = sample.with(INDEX, LINKED, &format!("{LINKED}, mine"));
        let mut memory = words.memory();
        let gone = RepoPath::parse("memory/decisions/settings-store.md").unwrap();
        memory.files.outside.insert(gone, false);
        let mut draft = Draft::new(&memory);
        link_all(&memory, &mut draft, memory.index().unwrap());
        assert_eq!(draft.changes().unwrap(), [], "somebody's words");
    }
}
