//! Verifies the citations of a document.

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

/// Reason for not rewriting a code block that differs from the cited lines, which were edited in
/// place.
const OWN_TEXT: &str = "the code block differs from those lines; change it by hand";

/// Reason for not rewriting a citation if the history is truncated.
const CUT_OFF_BEFORE: &str =
    "the history is truncated before it was written; check that it was right before";

/// A verified citation, with the facts needed for a rewrite.
#[derive(Debug)]
pub struct JudgedCitation {
    /// The cited lines and the verdict on them.
    pub cited: CitedLines,
    pub(crate) index: usize,
    pub(crate) from: From,
    /// True if the code block shows exactly the cited lines.
    pub(crate) is_verbatim: bool,
    /// Full id of the commit that wrote the citation. `None` if it is uncommitted or git cannot
    /// tell.
    pub writer: Option<String>,
}

/// Verifies citations against one snapshot of the files. Documents share the gathered facts.
pub(crate) struct Judge<'a>(KnownFiles<'a>);

impl<'a> Judge<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, notebook: Option<&'a Notebook>) -> Self {
        Self(KnownFiles::new(snapshot, notebook))
    }

    /// Number of skipped strings, possibly citations of deleted files, because of a truncated
    /// history.
    pub(crate) fn untold(&self) -> usize {
        self.0.untold()
    }

    /// Learns all facts about former files needed for the wanted citations in `documents`, with a
    /// single question to git.
    pub(crate) fn prepare<'d>(
        &self,
        documents: impl Iterator<Item = &'d Document>,
        is_wanted: &dyn Fn(&RepoPath, &RepoPath) -> bool,
    ) {
        let citations = documents.flat_map(|document| {
            let citations = document.citations.iter();
            citations.map(move |citation| (document, citation))
        });
        let may_be = |(document, citation): &(&Document, &Citation)| {
            let all = candidates(&document.name, citation);
            all.iter().any(|(_, file)| is_wanted(&document.name, file))
        };
        self.0.learn_former_files(citations.filter(may_be));
    }

    /// Verifies the citations of wanted files in `document`.
    ///
    /// A link always counts as a citation. Any other string must name a present or past file, or a
    /// file in an existing folder.
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

fn is_edited_in_place(verdict: &CitationVerdict) -> bool {
    let repair = verdict.judgement.repair.as_ref();
    let repair = repair.filter(|repair| repair.outcome == RepairOutcome::Edited);
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    place.is_some_and(|place| {
        place.file == verdict.pointer.file && place.span == verdict.pointer.span
    })
}
