//! Which citations of documents a change makes stale.

use windlass_base::Cancel;
use windlass_evidence::capture_at;
use windlass_repo::{Git, Snapshot};

use super::Change;
use crate::citations::{Document, all_documents, stale_since, writers};
use crate::{CitedLines, Error, Meant};

/// What was found out about citations of files that changed.
pub(super) struct Cited {
    pub(super) stale: Vec<CitedLines>,
    pub(super) stale_before: usize,
}

/// Looks through the Markdown files for citations of what `change` touches.
pub(super) fn look(
    change: &Change,
    git: &Git,
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<Cited, Error> {
    let mut cited = Cited {
        stale: Vec::new(),
        stale_before: 0,
    };
    let Some(base) = &change.base else {
        return Ok(cited);
    };
    if change.files.is_empty() {
        return Ok(cited);
    }
    for name in all_documents(snapshot)? {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        // What cannot be read cites nothing that anybody could follow.
        let Ok(source) = snapshot.read(&name) else {
            continue;
        };
        let bytes = source.bytes();
        let names_one = |file: &windlass_base::RepoPath| {
            // A name may be percent-encoded; its plain part tells.
            let part = file.file_name().split([' ', '%', '(', ')', '#']).next();
            part.is_none_or(|part| memchr::memmem::find(bytes, part.as_bytes()).is_some())
        };
        if !change.files.iter().any(names_one) {
            continue;
        }
        let Ok(document) = Document::read(snapshot, &name) else {
            continue;
        };
        let stale = stale_since(&document, snapshot, base, &|file| change.touches(file));
        if stale.is_empty() {
            continue;
        }
        let writers = writers(git, snapshot, &document);
        for (index, one) in stale {
            let writer = writers.get(&index);
            let was_right = |commit: &String| {
                let place = &one.pointer;
                let then = capture_at(snapshot, commit, &place.file, place.span);
                then.is_ok_and(|then| then.pointer.source_hash == place.source_hash)
            };
            // Who wrote it meant another text, which had gone before this change.
            if one.meant != Meant::Nothing && !writer.is_none_or(was_right) {
                cited.stale_before += 1;
            } else {
                cited.stale.push(one);
            }
        }
    }
    Ok(cited)
}
