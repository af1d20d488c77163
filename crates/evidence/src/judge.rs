use windlass_base::{
    Capture, Freshness, Judgement, LineEnding, LineSpan, Pointer, Repair, RepairMethod,
    RepairOutcome, SourceHash, counted,
};
use windlass_repo::{Refusal, Snapshot, SourceFile};

use crate::information::proves_a_move;
use crate::shift::find_unique;

/// Says what became of `pointer`, in the state of the files that `snapshot` holds.
///
/// The status is about the place itself. Where it is not fresh, `repair` says what became of the text, as
/// far as `capture` lets it be proven.
#[must_use]
pub fn judge(snapshot: &Snapshot, pointer: &Pointer, capture: Option<&Capture>) -> Judgement {
    let source = match snapshot.read(&pointer.file) {
        Ok(source) => source,
        Err(refusal) => return refused(&refusal),
    };
    if source.is_binary() {
        return Judgement::new(Freshness::Unknown, Some("the file is binary".to_owned()));
    }
    let Some(hash) = pointer.source_hash else {
        return unverifiable(&source, pointer.span);
    };
    if span_is_fresh(&source, pointer.span, hash) {
        return Judgement::new(Freshness::Fresh, changed_line_ends(&source, capture));
    }
    let stale = |what| stale(&source, pointer.span, hash, what);
    match capture.and_then(|capture| find_unique(&source, hash, capture)) {
        Some(span) if proves_a_move(&source, span) => Judgement {
            repair: Some(moved(pointer, span)),
            ..stale("the lines moved")
        },
        found => unproven(stale("the lines changed"), found.map(says_too_little)),
    }
}

/// `stale`, with nothing claimed of what became of the text, and perhaps one reason more.
fn unproven(stale: Judgement, why: Option<String>) -> Judgement {
    let reasons: Vec<String> = stale.reason.into_iter().chain(why).collect();
    Judgement {
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        repair: Some(Repair::unproven()),
        ..stale
    }
}

fn refused(refusal: &Refusal) -> Judgement {
    let status = match refusal {
        Refusal::Missing | Refusal::Directory => Freshness::MissingFile,
        Refusal::Secret { .. } => Freshness::BlockedSecret,
        _ => Freshness::Unknown,
    };
    let mut judgement = Judgement::new(status, Some(refusal.to_string()));
    if status == Freshness::MissingFile {
        judgement.repair = Some(Repair::unproven());
    }
    judgement
}

/// Without a hash nothing can be verified; that the lines are not even there can be said.
fn unverifiable(source: &SourceFile, span: LineSpan) -> Judgement {
    if span.end() > source.line_count() {
        return Judgement::new(Freshness::SpanInvalid, Some(too_short(source, span)));
    }
    Judgement::new(Freshness::Unknown, Some("no hash was recorded".to_owned()))
}

fn span_is_fresh(source: &SourceFile, span: LineSpan, hash: SourceHash) -> bool {
    match hash {
        SourceHash::Span(_) => source.has_span_hash(span, hash),
        SourceHash::File(bytes) => span.end() <= source.line_count() && source.sha256() == bytes,
    }
}

/// Other text stands at `span`; `what` says what became of the lines.
fn stale(source: &SourceFile, span: LineSpan, hash: SourceHash, what: &str) -> Judgement {
    if span.end() > source.line_count() {
        return Judgement::new(Freshness::SpanInvalid, Some(too_short(source, span)));
    }
    let reason = match hash {
        SourceHash::Span(_) => Some(what.to_owned()),
        SourceHash::File(_) => {
            Some("the hash is of the whole file, which changed somewhere".to_owned())
        }
    };
    Judgement::new(Freshness::StaleHashMismatch, reason)
}

fn too_short(source: &SourceFile, span: LineSpan) -> String {
    match source.line_count() {
        0 => "the file is empty".to_owned(),
        lines => format!(
            "the file has {}, so lines {span} are not in it",
            counted(lines, "line")
        ),
    }
}

fn changed_line_ends(source: &SourceFile, capture: Option<&Capture>) -> Option<String> {
    let (then, now) = (capture?.line_ending, source.line_ending());
    let both_known = then != LineEnding::None && now != LineEnding::None;
    (both_known && then != now)
        .then(|| format!("the file's line ends changed from {then} to {now}, its text did not"))
}

fn says_too_little(span: LineSpan) -> String {
    let lines = if span.count() == 1 { "line" } else { "lines" };
    format!(
        "the same text stands at {lines} {span}, but has too few letters and digits to prove that it moved"
    )
}

/// The text of `pointer` stands at `span` now.
fn moved(pointer: &Pointer, span: LineSpan) -> Repair {
    Repair {
        outcome: RepairOutcome::Moved,
        evidence: Some(Pointer {
            span,
            ..pointer.clone()
        }),
        method: Some(RepairMethod::UniqueInFile),
        confidence: 100,
        candidates: Vec::new(),
    }
}
