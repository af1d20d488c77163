//! Keeping the index and the summary in step with the records: links are added and moved, nobody's words are changed.

use std::collections::BTreeSet;

use windlass_base::{RepoPath, Source};

use crate::check::{links, meant};
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::kind::{RecordKind, Status};
use crate::layout::INDEX;
use crate::memory::Memory;
use crate::record::{Record, relative};
use crate::templates::starting_files;

/// Brings the index and the summary in step with the records; begins an index where there is none. Says which files change.
///
/// # Errors
/// When there is no memory, or nobody can say whose it is.
pub fn index_all<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    day: &str,
) -> Result<Vec<RepoPath>, MemoryError> {
    if !memory.is_there() {
        return Err(MemoryError::NotInitialized);
    }
    let scope = memory.scope().ok_or(MemoryError::NoScope)?;
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

/// Leads from `record`, the index or the summary, to all that is active, and moves what is not to its own section.
/// Says whether that changes anything.
pub(crate) fn link_all<'a>(memory: &'a Memory, draft: &mut Draft<'a>, record: &Record) -> bool {
    let before = draft.text(&record.path).map(str::to_owned);
    let is_index = record.kind == RecordKind::Index;
    let old: Vec<&Record> = memory
        .records
        .values()
        .filter(|one| one.kind.is_linked() && one.status() != Status::Active)
        .collect();
    let targets = links::targets(record);
    let paths: BTreeSet<&RepoPath> = old.iter().map(|one| &one.path).collect();
    let taken = [RecordKind::Decision, RecordKind::OpenLoop]
        .map(|kind| draft.take_from_section(&record.path, section_for(record.kind, kind), &paths));
    let is_listed =
        |path: &RepoPath| targets.contains(path) && !taken.iter().any(|taken| taken.contains(path));
    let moved = old.iter().filter(|one| is_index && !is_listed(&one.path));
    let moved: Vec<String> = moved.map(|one| old_item(memory, record, one)).collect();
    if is_index {
        list(draft, &record.path, RecordKind::Index.parts()[4], &moved);
    }
    let missing = links::unlinked(memory, &targets);
    let missing: Vec<&Record> = missing
        .into_iter()
        .filter_map(|path| memory.records.get(path))
        .collect();
    for kind in [RecordKind::Decision, RecordKind::OpenLoop] {
        let missing = missing.iter().filter(|one| one.kind == kind);
        let items: Vec<String> = missing.map(|one| item(&record.path, one)).collect();
        list(draft, &record.path, section_for(record.kind, kind), &items);
    }
    if is_index
        && let Some(summary) = memory
            .summary()
            .filter(|summary| !targets.contains(&summary.path))
    {
        list(
            draft,
            &record.path,
            RecordKind::Index.parts()[1],
            &[item(&record.path, summary)],
        );
    }
    draft.text(&record.path) != before.as_deref()
}

/// Adds items that lead somewhere to a section. Where they would not be read as links, as behind a block of code that is never
/// closed, the file stays as it is: nobody's words are changed to make room.
fn list(draft: &mut Draft<'_>, path: &RepoPath, names: &[&str], items: &[String]) {
    if items.is_empty() {
        return;
    }
    let links = |draft: &Draft<'_>| {
        let source = Source::new(path.as_str(), draft.text(path).unwrap_or_default());
        Record::of(path, &source).map_or(0, |record| record.links().len())
    };
    let (text, before) = (
        draft.text(path).unwrap_or_default().to_owned(),
        links(draft),
    );
    draft.add_to_section(path, names, items);
    if links(draft) < before + items.len() {
        draft.put(path.clone(), text);
    }
}

/// The names of the section that lists what is active of `kind`.
pub(crate) fn section_for(list: RecordKind, kind: RecordKind) -> &'static [&'static str] {
    let parts = list.parts();
    match (list, kind) {
        (RecordKind::Index, RecordKind::Decision) => parts[2],
        (RecordKind::Index, _) => parts[3],
        (_, RecordKind::Decision) => RecordKind::Summary.parts()[3],
        (_, _) => RecordKind::Summary.parts()[4],
    }
}

/// A line of a list that leads from the file `from` to `to`.
pub(crate) fn item(from: &RepoPath, to: &Record) -> String {
    format!("- [{}]({})", escaped(to.title()), relative(from, &to.path))
}

fn old_item(memory: &Memory, from: &Record, old: &Record) -> String {
    let newer = old
        .text("superseded_by")
        .and_then(|name| meant(memory, old, name));
    match newer {
        Some(newer) => format!(
            "{}, superseded by [{}]({})",
            item(&from.path, old),
            escaped(newer.title()),
            relative(&from.path, &newer.path)
        ),
        None => format!("{}, {}", item(&from.path, old), old.status().as_str()),
    }
}

/// A title as the text of a link.
pub(crate) fn escaped(title: &str) -> String {
    let mut text = String::new();
    for c in title.chars() {
        if matches!(c, '[' | ']' | '\\') {
            text.push('\\');
        }
        text.push(if c.is_control() { ' ' } else { c });
    }
    text
}
