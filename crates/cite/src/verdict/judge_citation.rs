//! What became of the lines that a document cites.
//!
//! Which text is meant is asked of witnesses, in this order, and the first that knows it is believed: what a block of code
//! shows; the commit that wrote the citation; where there is none, an anchor that was saved for it; and the citation that it
//! was written in place of, where that confirms it.

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

/// Why a block of code is not written anew where the lines that it cites were edited.
const OWN_TEXT: &str = "the block shows another text than those lines had, so change it by hand";

/// The same of one of which the lines changed since.
const CUT_OFF_BEFORE: &str =
    "history is cut off before it was written, so look whether it was right before";

/// A citation, judged, with what writing it anew needs.
#[derive(Debug)]
pub struct JudgedCitation {
    /// What became of it.
    pub cited: CitedLines,
    /// Which of the document's citations it is.
    pub(crate) index: usize,
    pub(crate) from: From,
    /// Whether its block of code shows the lines word for word, as they were meant.
    pub(crate) is_verbatim: bool,
    /// The commit that wrote it.
    pub writer: Option<String>,
}

/// Judges what documents cite, in one state of the files.
pub(crate) struct Judge<'a>(KnownFiles<'a>);

impl<'a> Judge<'a> {
    /// One that knows the files of `snapshot`, and the anchors of `notebook`.
    pub(crate) fn new(snapshot: &'a Snapshot, notebook: Option<&'a Notebook>) -> Self {
        Self(KnownFiles::new(snapshot, notebook))
    }

    /// How many of the places that were left out so far may be citations: what they name is not there, and history is cut off.
    pub(crate) fn untold(&self) -> usize {
        self.0.untold()
    }

    /// Judges what `document` cites of files that are wanted. What names no file that is or was there is no citation, but
    /// in a link.
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
        self.0.leave_out_what_names_no_file(document, &mut wanted);
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
            let told = Witnesses(&self.0).told(&asked, index, &mut before)?;
            let is_in_place = is_edited_in_place(&told);
            let shows_other = !told.is_verbatim && document.shown(citation).is_some();
            let mut cited = CitedLines {
                document: document.name.clone(),
                document_line: citation.line,
                citation: citation.as_written(&document.text),
                pointer: told.pointer,
                judgement: told.judgement,
                meant: told.meant,
                edited_in_place: is_in_place && !told.is_verbatim && !shows_other,
                rewritten: None,
                rewritten_lines: 0,
                by_hand: None,
                is_writer_unknown: writers.failed.contains_key(&index)
                    || writer.is_some_and(|writer| writer.is_cut_off),
            };
            if is_in_place && shows_other {
                cited.leave_to_a_person(OWN_TEXT);
            }
            let is_cut_off = writer.is_some_and(|writer| writer.is_cut_off);
            if is_cut_off && matches!(cited.meant, Meant::Commit(_)) && !told.is_verbatim {
                cited.leave_to_a_person(CUT_OFF_BEFORE);
            }
            Some(JudgedCitation {
                cited,
                index,
                from,
                is_verbatim: told.is_verbatim,
                writer: writer.map(|writer| writer.commit.clone()),
            })
        });
        judged.collect()
    }
}

/// Whether the text was edited, and stands where it stood.
fn is_edited_in_place(told: &CitationVerdict) -> bool {
    let repair = told.judgement.repair.as_ref();
    let repair = repair.filter(|repair| repair.outcome == RepairOutcome::Edited);
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    place.is_some_and(|place| place.file == told.pointer.file && place.span == told.pointer.span)
}
