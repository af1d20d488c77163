//! Citations that a change makes stale, and new citations that are wrong from the start.

use windlass_base::RepoPath;
use windlass_cite::{CitationService, CitedLines, JudgedCitation, Meant};
use windlass_evidence::stood_at;
use windlass_notebook::Notebook;
use windlass_repo::{Git, Snapshot};
use windlass_site::Error;

use crate::touched_files::Change;

/// Verdicts on the citations that a change concerns: those of changed files, and those that it writes.
#[derive(Default)]
pub(crate) struct Cited {
    pub(crate) stale: Vec<CitedLines>,
    /// Citations that still refer to the right lines.
    pub(crate) valid: usize,
    /// Citations that the change writes, and that never were right.
    pub(crate) wrong: Vec<CitedLines>,
    pub(crate) unclear: Vec<CitedLines>,
    pub(crate) stale_before: usize,
    /// Number of judged citations.
    pub(crate) looked_at: usize,
}

/// Searches Markdown files for citations that `change` concerns.
pub(crate) fn look(
    citations: &CitationService,
    change: &Change,
    git: &Git,
    snapshot: &Snapshot,
    notebook: Option<&Notebook>,
) -> Result<Cited, Error> {
    let mut cited = Cited::default();
    let Some(base) = &change.base else {
        return Ok(cited);
    };
    if change.files.is_empty() {
        return Ok(cited);
    }
    let may_cite = |name: &RepoPath| change.touches(name) || names_one_of(change, snapshot, name);
    let is_wanted =
        |document: &RepoPath, file: &RepoPath| change.touches(file) || change.touches(document);
    for judged in citations.judged(snapshot, notebook, may_cite, is_wanted)? {
        let is_new = is_written_since(&judged, base, git);
        let one = judged.cited;
        if !is_new && !change.touches(&one.pointer.file) {
            continue;
        }
        cited.looked_at += 1;
        if one.meant == Meant::Unclear {
            cited.unclear.push(one);
            continue;
        }
        // A citation without a readable history is not attributed to this change.
        if !one.is_stale() || one.is_unverified() {
            cited.valid += usize::from(one.judgement.is_fresh());
            continue;
        }
        match is_new {
            true if one.is_wrong_from_the_start() => cited.wrong.push(one),
            false if !stood_at(snapshot, base, &one.pointer) => cited.stale_before += 1,
            // The lines are right. Only a reader can tell if the text about them still is, and a change of the
            // document would not show that somebody did.
            _ if one.edited_in_place => cited.unclear.push(one),
            _ => cited.stale.push(one),
        }
    }
    Ok(cited)
}

/// True if the document may cite a changed file; a quick filter.
fn names_one_of(change: &Change, snapshot: &Snapshot, document: &RepoPath) -> bool {
    let Ok(source) = snapshot.read(document) else {
        // The full scan reports the reason.
        return true;
    };
    let bytes = source.bytes();
    change.files.iter().any(|file| {
        // A name may be percent-encoded, so only its plain part is searched.
        let part = file.file_name().split([' ', '%', '(', ')', '#']).next();
        part.is_none_or(|part| memchr::memmem::find(bytes, part.as_bytes()).is_some())
    })
}

/// True if a citation was written after `base`, or is not committed.
fn is_written_since(judged: &JudgedCitation, base: &str, git: &Git) -> bool {
    let is_older = |commit: &String| git.revisions().comes_from(base, commit).unwrap_or(true);
    !judged.writer.as_ref().is_some_and(is_older)
}
