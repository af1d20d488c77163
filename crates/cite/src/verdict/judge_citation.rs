//! Verifies citations.
//!
//! We go by the first source that knows what a citation means. That's its code block, the commit
//! that wrote it, or an anchor saved for it if no commit has it. Failing that, the citation it
//! replaced may confirm it.

use windlass_base::{RepairOutcome, RepoPath};
use windlass_notebook::Notebook;
use windlass_repo::Snapshot;

use super::citation_verdict::{AskedCitation, CitationVerdict};
use super::known_files::KnownFiles;
use super::predecessors::Before;
use super::witnesses::Witnesses;
use crate::cited_document::Document;
use crate::cited_lines::{CitedLines, Meant};
use crate::cited_path::{From, candidates};
use crate::scanner::Citation;

/// Reason for leaving a code block whose text differs from the cited lines, which were edited.
const OWN_TEXT: &str = "the code block differs from those lines; change it by hand";

/// Added to a verdict's reason if the history is truncated.
const CUT_OFF_BEFORE: &str =
    "the history is truncated before it was written; check that it was right before";

/// A verified citation, with the data needed to rewrite it.
#[derive(Debug)]
pub struct JudgedCitation {
    /// The cited lines and the verdict on them.
    pub cited: CitedLines,
    /// The citation's index in its document.
    pub(crate) index: usize,
    pub(crate) from: From,
    /// True if the code block shows the cited lines word for word.
    pub(crate) is_verbatim: bool,
    /// The commit that wrote the citation, or `None` if it's uncommitted or unknown.
    pub writer: Option<String>,
}

/// Verifies citations against one state of the files.
pub(crate) struct Judge<'a>(KnownFiles<'a>);

impl<'a> Judge<'a> {
    /// Creates a verifier for the files of `snapshot` and the anchors of `notebook`.
    pub(crate) fn new(snapshot: &'a Snapshot, notebook: Option<&'a Notebook>) -> Self {
        Self(KnownFiles::new(snapshot, notebook))
    }

    /// Returns the number of skipped texts that may be citations. They name no existing file. Since
    /// the history is truncated, we don't know if there was one.
    pub(crate) fn untold(&self) -> usize {
        self.0.untold()
    }

    /// Verifies the citations in `document` whose files are wanted. Outside a link, a text only
    /// counts as a citation if it names an existing or former file, or an existing folder.
    pub(crate) fn judge(
        &self,
        document: &Document,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Vec<JudgedCitation> {
        let may_be = |(_, citation): &(usize, &Citation)| {
            let all = candidates(&document.name, citation);
            all.iter().any(|(_, file)| is_wanted(file))
        };
        let citations = document.citations.iter().enumerate();
        let mut wanted: Vec<(usize, &Citation)> = citations.filter(may_be).collect();
        self.0.retain_possible_citations(document, &mut wanted);
        self.0.ask_filters(document, &wanted);
        let indices: Vec<usize> = wanted.iter().map(|(index, _)| *index).collect();
        let writers = self.0.writers(document, None, &indices);
        let mut before = Before::default();
        let judged = wanted.into_iter().filter_map(|(index, citation)| {
            let writer = writers.known.get(&index);
            let (from, file) = self.0.file(document, citation, writer)?;
            if !is_wanted(&file) {
                return None;
            }
            let asked = AskedCitation {
                document,
                citation,
                file: &file,
                writer,
                failed: writers.failed.get(&index).map(String::as_str),
            };
            let verdict = Witnesses(&self.0).verdict(&asked, index, &mut before)?;
            let is_in_place = is_edited_in_place(&verdict);
            let shows_other = !verdict.is_verbatim && document.shown(citation).is_some();
            let mut cited = CitedLines {
                document: document.name.clone(),
                document_line: citation.line,
                citation: citation.as_written(&document.text),
                pointer: verdict.pointer,
                judgement: verdict.judgement,
                meant: verdict.meant,
                edited_in_place: is_in_place && !verdict.is_verbatim && !shows_other,
                rewritten: None,
                rewritten_lines: 0,
                by_hand: None,
                is_writer_unknown: writers.failed.contains_key(&index)
                    || writer.is_some_and(|writer| writer.is_cut_off),
            };
            if is_in_place && shows_other {
                cited.mark_by_hand(OWN_TEXT);
            }
            let is_cut_off = writer.is_some_and(|writer| writer.is_cut_off);
            if is_cut_off && matches!(cited.meant, Meant::Commit(_)) && !verdict.is_verbatim {
                cited.mark_by_hand(CUT_OFF_BEFORE);
            }
            Some(JudgedCitation {
                cited,
                index,
                from,
                is_verbatim: verdict.is_verbatim,
                writer: writer.map(|writer| writer.commit.clone()),
            })
        });
        judged.collect()
    }
}

/// True if the text has been edited but hasn't moved.
fn is_edited_in_place(verdict: &CitationVerdict) -> bool {
    let repair = verdict.judgement.repair.as_ref();
    let repair = repair.filter(|repair| repair.outcome == RepairOutcome::Edited);
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    place.is_some_and(|place| {
        place.file == verdict.pointer.file && place.span == verdict.pointer.span
    })
}
