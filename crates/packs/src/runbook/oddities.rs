//! What of the shown text is not as it stands in its file, beyond what is replaced and cut, which is said where it is.

use std::collections::BTreeSet;

use windlass_base::{Entry, Evidence, LineEnding, LineSpan, RepoPath};
use windlass_repo::{Encoding, Snapshot, SourceFile};

use crate::PackSection;

/// How many files a note names.
const NAMED: usize = 5;

/// What can be said of lines that are not shown as they stand in their file.
const WORDS: [&str; 4] = [
    "not UTF-8, so bytes that are none are shown as U+FFFD",
    "lines have carriage returns in them, which are no line ends here",
    "begins with a byte order mark, which is not shown",
    "line ends are CR LF, shown and hashed as LF",
];

/// What is true of lines `span` of `source`, of [`WORDS`].
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

/// How lines `span` of `source`, when they are shown, differ from the file.
#[must_use]
pub fn oddities_of(source: &SourceFile, span: LineSpan) -> Vec<&'static str> {
    let words = WORDS.into_iter().zip(are_odd(source, span));
    words
        .filter_map(|(words, odd)| odd.then_some(words))
        .collect()
}

/// One note for each way in which lines of the entries of `sections` differ from their files.
#[must_use]
pub fn oddities(snapshot: &Snapshot, sections: &[PackSection]) -> Vec<String> {
    let mut files: [BTreeSet<&RepoPath>; 4] = Default::default();
    let entries = sections.iter().flat_map(|section| &section.entries);
    for evidence in entries.flat_map(evidence_of) {
        // The text that is shown stands where it was found again, if it was.
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
    let notes = WORDS.iter().zip(&files);
    notes
        .filter(|(_, files)| !files.is_empty())
        .map(|(words, files)| format!("{words}: {}", named(files)))
        .collect()
}

fn named(files: &BTreeSet<&RepoPath>) -> String {
    let mut names: Vec<String> = files.iter().take(NAMED).map(ToString::to_string).collect();
    if let Some(more) = files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        names.push(format!("{more} more"));
    }
    names.join(", ")
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
