use serde_json::json;

use super::cue::lines_file;
use super::{Remembered, known, link, scope_of, secretless_on_line};
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::records::copied::copied_name;
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::memory::Memory;

/// Notes that `newer` supersedes `old`, in both records, their impressions, the index and the
/// summary.
///
/// # Errors
/// Returns an error if either record does not exist, if they are the same or would form a cycle, if
/// `old` is archived or has another successor, or if `newer` is not active.
pub(crate) fn supersede<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    old: &str,
    newer: &str,
    day: &str,
) -> Result<Remembered, MemoryError> {
    scope_of(memory)?;
    let (old, newer) = (known(memory, old)?, known(memory, newer)?);
    if old.path == newer.path {
        return Err(MemoryError::Itself(name_of(old).to_owned()));
    }
    // Follow the successors of `newer`. There may already be a cycle among them, so don't take more
    // steps than there are records.
    let mut at = Some(newer);
    for _ in 0..memory.records.len().saturating_add(1) {
        let Some(record) = at else {
            break;
        };
        if record.path == old.path {
            let names = (
                old.id().unwrap_or(old.path.as_str()),
                newer.id().unwrap_or(newer.path.as_str()),
            );
            return Err(MemoryError::Circle(names.0.to_owned(), names.1.to_owned()));
        }
        at = record
            .text("superseded_by")
            .and_then(|name| crate::state::successors::meant(memory, record, name));
    }
    replaceable(memory, old, Some(newer))?;
    replacing(newer)?;
    let id = copied_name(newer).to_owned();
    let cue = memory
        .impressions_of(&newer.path)
        .next()
        .map(|one| one.id.clone());
    let cue = cue.as_deref().unwrap_or(&id);
    secretless_on_line("id", cue)?;
    mark_superseded(memory, draft, old, &id, cue, day);
    draft.add_to_field(&newer.path, "supersedes", copied_name(old));
    draft.set_field(&newer.path, "updated", day);
    if let Ok(file) = lines_file() {
        for line in memory.lines_to(&newer.path) {
            draft.set_on_line(&file, line, "updated", json!(day));
        }
    }
    link(draft, day);
    Ok(Remembered {
        action: "supersede_old_record",
        id,
        file: newer.path.clone(),
        keywords: Vec::new(),
        replaced: Vec::new(),
        to_say: Vec::new(),
        warnings: Vec::new(),
    })
}

/// Checks that `newer` may supersede another record: it must be active, and neither the summary nor
/// the index.
fn replacing(newer: &Record) -> Result<(), MemoryError> {
    let what = match (newer.kind, newer.status()) {
        (RecordKind::Summary | RecordKind::Index, _) => format!("the {}", newer.kind.as_str()),
        (_, Status::Active) => return Ok(()),
        (_, status) => format!("`{}`, which is {},", name_of(newer), status.as_str()),
    };
    Err(MemoryError::NotReplaced {
        what,
        part: "supersede another record",
    })
}

fn name_of(record: &Record) -> &str {
    record.id().unwrap_or(record.path.as_str())
}

/// Checks that `old` may be superseded: it must be neither archived, nor the summary or the index,
/// nor have a successor other than `newer`.
pub(super) fn replaceable<'a>(
    memory: &Memory,
    old: &'a Record,
    newer: Option<&Record>,
) -> Result<&'a Record, MemoryError> {
    let what = match (old.kind, old.status()) {
        (RecordKind::Summary | RecordKind::Index, _) => Some(format!("the {}", old.kind.as_str())),
        (_, Status::Archived) => Some(format!("`{}`, which is archived,", name_of(old))),
        _ => None,
    };
    if let Some(what) = what {
        let part = "be superseded by another record";
        return Err(MemoryError::NotReplaced { what, part });
    }
    let by = old.text("superseded_by");
    let by = by.and_then(|name| crate::state::successors::meant(memory, old, name));
    match by {
        Some(by) if by.path != old.path && newer.is_none_or(|newer| newer.path != by.path) => {
            Err(MemoryError::Superseded {
                old: name_of(old).to_owned(),
                by: name_of(by).to_owned(),
            })
        }
        _ => Ok(old),
    }
}

pub(super) fn mark_superseded<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    old: &Record,
    newer: &str,
    newer_cue: &str,
    day: &str,
) {
    draft.set_field(&old.path, "status", Status::Superseded.as_str());
    draft.set_field(&old.path, "superseded_by", newer);
    draft.set_field(&old.path, "updated", day);
    let Ok(file) = lines_file() else {
        return;
    };
    for line in memory.lines_to(&old.path) {
        // Both records may share an impression, which must not supersede itself.
        if line.text("id") == Some(newer_cue) {
            continue;
        }
        draft.set_on_line(&file, line, "status", json!(Status::Superseded.as_str()));
        draft.set_on_line(&file, line, "superseded_by", json!(newer_cue));
        draft.set_on_line(&file, line, "updated", json!(day));
    }
}
