//! Code blocks as evidence for the meaning of their citation.

use windlass_base::{
    Freshness, Judgement, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath,
};
use windlass_repo::SourceFile;

use super::citation_verdict::{CitationVerdict, pointer};
use crate::cited_lines::Meant;
use crate::params::MAX_CANDIDATES;

/// Finds the lines `shown` in `source`: only at `at`, or anywhere for `None`.
pub(super) fn shown_at(source: &SourceFile, shown: &[&str], at: Option<LineSpan>) -> Vec<LineSpan> {
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    if shown.is_empty() || count > source.line_count() || source.why_no_text().is_some() {
        return Vec::new();
    }
    let is_at = |span: &LineSpan| {
        let mut lines = (span.start()..=span.end()).zip(shown);
        span.count() == count
            && span.end() <= source.line_count()
            && lines.all(|(number, shown)| {
                let line = source.line(number).unwrap_or_default();
                line.strip_suffix(b"\r").unwrap_or(line) == shown.as_bytes()
            })
    };
    match at {
        Some(span) => Some(span).filter(is_at).into_iter().collect(),
        None => (1..=source.line_count() - count + 1)
            .filter_map(|start| LineSpan::new(start, start + count - 1).ok())
            .filter(is_at)
            .collect(),
    }
}

/// Finds the only location of the lines `shown` in `source`. Returns `None` for a block of only
/// some of `lines`, or of nothing but punctuation, since neither identifies them.
pub(super) fn shown_once(
    source: &SourceFile,
    shown: &[&str],
    lines: Option<LineSpan>,
) -> Option<LineSpan> {
    match shown_anywhere(source, shown, lines)[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn shown_anywhere(source: &SourceFile, shown: &[&str], lines: Option<LineSpan>) -> Vec<LineSpan> {
    let is_whole = lines.is_none_or(|lines| lines.count() as usize == shown.len());
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    match is_whole && shown.iter().any(says_something) {
        true => shown_at(source, shown, None),
        false => Vec::new(),
    }
}

/// Looks for the block's text anywhere in the current file. This is the last resort for text never
/// committed at the cited `lines`.
pub(super) fn verdict_from_text(
    file: &RepoPath,
    lines: LineSpan,
    source: &SourceFile,
    shown: &[&str],
) -> Option<CitationVerdict> {
    let places = shown_anywhere(source, shown, Some(lines));
    let at = |span: &LineSpan| pointer(file, *span, Some(source));
    let first = places.first().map(at)?;
    let mut repair = Repair::unproven();
    if places.len() == 1 {
        repair.outcome = RepairOutcome::Moved;
        repair.method = Some(RepairMethod::UniqueInFile);
        repair.confidence = 100;
        repair.evidence = Some(first.clone());
    } else {
        repair.outcome = RepairOutcome::Ambiguous;
        repair.candidates = places.iter().take(MAX_CANDIDATES).map(at).collect();
    }
    Some(CitationVerdict {
        pointer: Pointer {
            file: file.clone(),
            span: lines,
            source_hash: first.source_hash,
        },
        judgement: elsewhere("the text of the code block is elsewhere", repair),
        meant: Meant::Excerpt,
        is_verbatim: true,
    })
}

pub(super) fn elsewhere(why: impl Into<String>, repair: Repair) -> Judgement {
    let mut judgement = Judgement::new(Freshness::StaleHashMismatch, Some(why.into()));
    judgement.repair = Some(repair);
    judgement
}
