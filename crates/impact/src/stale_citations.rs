//! Citations that a change makes stale: stale in `anchor scan`, and right at the base or written since.

use windlass_base::RepoPath;
use windlass_cite::{CitationService, CitedLines, JudgedCitation, Meant};
use windlass_evidence::stood_at;
use windlass_notebook::Notebook;
use windlass_repo::{Git, Snapshot};
use windlass_site::Error;

use crate::touched_files::Change;

/// Verdicts on citations of changed files.
pub(crate) struct Cited {
    pub(crate) stale: Vec<CitedLines>,
    pub(crate) unclear: Vec<CitedLines>,
    pub(crate) stale_before: usize,
    /// Number of citations of changed files.
    pub(crate) looked_at: usize,
}

/// Searches Markdown files for citations of files that `change` touches.
pub(crate) fn look(
    citations: &CitationService,
    change: &Change,
    git: &Git,
    snapshot: &Snapshot,
    notebook: Option<&Notebook>,
) -> Result<Cited, Error> {
    let mut cited = Cited {
        stale: Vec::new(),
        unclear: Vec::new(),
        stale_before: 0,
        looked_at: 0,
    };
    let Some(base) = &change.base else {
        return Ok(cited);
    };
    if change.files.is_empty() {
        return Ok(cited);
    }
    let may_cite = |name: &RepoPath| names_one_of(change, snapshot, name);
    let touches = |file: &RepoPath| change.touches(file);
    for judged in citations.judged(snapshot, notebook, may_cite, touches)? {
        cited.looked_at += 1;
        if judged.cited.meant == Meant::Unclear {
            cited.unclear.push(judged.cited);
            continue;
        }
        // A citation without a readable history is not attributed to this change.
        if !judged.cited.is_stale() || judged.cited.is_unverified() {
            continue;
        }
        if is_of_this_change(&judged, base, git, snapshot) {
            cited.stale.push(judged.cited);
        } else {
            cited.stale_before += 1;
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

/// True if a stale citation was right at the base, or was written since.
fn is_of_this_change(judged: &JudgedCitation, base: &str, git: &Git, snapshot: &Snapshot) -> bool {
    let is_older = |commit: &String| git.revisions().comes_from(base, commit).unwrap_or(true);
    match &judged.writer {
        Some(commit) if is_older(commit) => stood_at(snapshot, base, &judged.cited.pointer),
        _ => true,
    }
}
