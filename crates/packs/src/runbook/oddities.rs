//! Notes differences between the shown text and the file, apart from redactions and cuts.
//!
//! An agent that edits a file needs to know about these. For example, it might replace CRLF line
//! ends by accident.

use std::collections::BTreeSet;

use windlass_base::{Entry, Evidence, LineEnding, LineSpan, RepoPath, first_names};
use windlass_repo::{Encoding, Snapshot, SourceFile};

use crate::PackSection;

const NAMED: usize = 5;

/// The notes, one for each kind of difference.
const NOTES: [&str; 4] = [
    "not UTF-8: invalid bytes are shown as U+FFFD",
    "carriage returns within lines are not treated as line ends",
    "the byte order mark is not shown",
    "CR LF line ends are shown and hashed as LF",
];

/// For each of the [`NOTES`], true if it applies to the lines `span`.
fn are_odd(source: &SourceFile, span: LineSpan) -> [bool; 4] {
    if source.is_binary() {
        return [false; 4];
    }
    [
        has_other_encoding(source, span),
        has_lone_cr(source, span),
        span.start() == 1 && source.bytes().starts_with(b"\xEF\xBB\xBF"),
        has_crlf(source, span),
    ]
}

/// The notes that apply to the lines `span`.
#[must_use]
pub fn oddities_of(source: &SourceFile, span: LineSpan) -> Vec<&'static str> {
    let words = NOTES.into_iter().zip(are_odd(source, span));
    words
        .filter_map(|(words, odd)| odd.then_some(words))
        .collect()
}

/// The notes that apply to the evidence in `sections`, each with its files.
#[must_use]
pub fn oddities(snapshot: &Snapshot, sections: &[PackSection]) -> Vec<String> {
    let mut files: [BTreeSet<&RepoPath>; 4] = Default::default();
    let entries = sections.iter().flat_map(|section| &section.entries);
    for evidence in entries.flat_map(evidence_of) {
        // Text that has moved is shown at its current location.
        let repair = evidence.judgement.repair.as_ref();
        let found = repair.and_then(|repair| repair.evidence.as_ref());
        let place = found.unwrap_or(&evidence.pointer);
        let Ok(source) = snapshot.read(&place.file) else {
            continue;
        };
        for (files, odd) in files.iter_mut().zip(are_odd(&source, place.span)) {
            if odd {
                files.insert(&place.file);
            }
        }
    }
    let notes = NOTES.iter().zip(&files);
    notes
        .filter(|(_, files)| !files.is_empty())
        .map(|(words, files)| format!("{words}: {}", first_names(files.iter(), NAMED, ", ")))
        .collect()
}

fn evidence_of(entry: &Entry) -> &[Evidence] {
    match entry {
        Entry::Item(item) => &item.evidence,
        Entry::Observation(_) => &[],
    }
}

fn lines(source: &SourceFile, span: LineSpan) -> impl Iterator<Item = &[u8]> {
    (span.start()..=span.end()).map_while(|number| source.line(number))
}

fn has_other_encoding(source: &SourceFile, span: LineSpan) -> bool {
    source.encoding() == Encoding::Other
        && lines(source, span).any(|line| std::str::from_utf8(line).is_err())
}

fn has_lone_cr(source: &SourceFile, span: LineSpan) -> bool {
    lines(source, span).any(|line| line.contains(&b'\r'))
}

fn has_crlf(source: &SourceFile, span: LineSpan) -> bool {
    matches!(source.line_ending(), LineEnding::CrLf | LineEnding::Mixed)
        && (span.start()..=span.end().min(source.line_count()))
            .any(|number| source.ends_in_crlf(number))
}
