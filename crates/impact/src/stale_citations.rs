//! Finds citations that a change has made stale, and new citations that have never been right.

use windlass_base::RepoPath;
use windlass_cite::{CitationService, CitedLines, JudgedCitation, Meant};
use windlass_evidence::stood_at;
use windlass_notebook::Notebook;
use windlass_repo::{Git, Snapshot};
use windlass_site::Error;

use crate::touched_files::Change;

#[derive(Default)]
pub(crate) struct Cited {
    pub(crate) stale: Vec<CitedLines>,
    pub(crate) valid: usize,
    /// New citations that have never been right.
    pub(crate) wrong: Vec<CitedLines>,
    pub(crate) unclear: Vec<CitedLines>,
    pub(crate) stale_before: usize,
    pub(crate) looked_at: usize,
}

/// Finds the citations in Markdown files that `change` may have affected, and judges them.
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
        // If we can't read the history of the cited lines, it's not fair to blame this change.
        if !one.is_stale() || one.is_unverified() {
            cited.valid += usize::from(one.judgement.is_fresh());
            continue;
        }
        match is_new {
            true if one.is_wrong_from_the_start() => cited.wrong.push(one),
            false if !stood_at(snapshot, base, &one.pointer) => cited.stale_before += 1,
            // The lines are right, but is the text about them? Only a reader can tell. Even a
            // change to the document wouldn't prove that somebody has checked it.
            _ if one.edited_in_place => cited.unclear.push(one),
            _ => cited.stale.push(one),
        }
    }
    Ok(cited)
}

/// A cheap test that rules out most documents. Only those that contain a part of a changed file's
/// name may cite the file.
fn names_one_of(change: &Change, snapshot: &Snapshot, document: &RepoPath) -> bool {
    let Ok(source) = snapshot.read(document) else {
        // The actual scan will report why we can't read it.
        return true;
    };
    let bytes = source.bytes();
    change.files.iter().any(|file| {
        // In a link, any other character may be percent-encoded, so look for the longest run
        // without one.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let runs = file.file_name().split(|c| !is_plain(c));
        let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
        memchr::memmem::find(bytes, longest.as_bytes()).is_some()
    })
}

/// True if the citation is not committed, or was committed after `base`. If git cannot tell, we
/// take it for an old one.
fn is_written_since(judged: &JudgedCitation, base: &str, git: &Git) -> bool {
    let is_older = |commit: &String| git.revisions().comes_from(base, commit).unwrap_or(true);
    !judged.writer.as_ref().is_some_and(is_older)
}
