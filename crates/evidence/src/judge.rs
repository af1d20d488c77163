//! Judges whether the text of a pointer is still at its location and, if it is not, what happened
//! to it.
//!
//! Most pointers are settled by comparing a hash. We only start a search if the lines differ or if
//! they may be a copy of the text. Searches are expensive, so their results are cached (see
//! `verdicts`).

use std::sync::Arc;

use windlass_base::{
    Capture, Freshness, Judgement, LineEnding, LineSpan, Pointer, Repair, RepairOutcome,
    SourceHash, counted,
};
use windlass_repo::{LeftOut, Refusal, Snapshot, SourceFile};

use crate::capture::shift::copies;
use crate::explain::{Step, Trace};
use crate::reanchor::{Found, Search, is_quotation, unless_quoted};
use crate::verdicts::{Looked, verdict};

/// Determines the state and the current location of the text of `pointer` in the files of
/// `snapshot`.
///
/// The status is that of the captured location. If it is not fresh, `repair` says what became of
/// the text. Without a `capture`, nothing can be proven about that.
#[must_use]
pub fn judge(snapshot: &Snapshot, pointer: &Pointer, capture: Option<&Capture>) -> Judgement {
    judge_with(snapshot, pointer, capture, &mut Trace::default())
}

/// Judges `pointer` like [`judge`] and also returns the steps of the search. This is slower,
/// because no stored verdict is used.
#[must_use]
pub fn explain(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: Option<&Capture>,
) -> (Judgement, Vec<Step>) {
    let mut trace = Trace::kept();
    let judgement = judge_with(snapshot, pointer, capture, &mut trace);
    (judgement, trace.into_steps())
}

/// Returns true if the text of `pointer` was at its location in the commit with the full id
/// `commit`, and false if it was not or git cannot tell.
#[must_use]
pub fn stood_at(snapshot: &Snapshot, commit: &str, pointer: &Pointer) -> bool {
    let (Some(hash), Ok(source)) = (
        pointer.source_hash,
        snapshot.history().file(commit, None, &pointer.file),
    ) else {
        return false;
    };
    !tells_of_secrets(&source, pointer.span, hash) && span_is_fresh(&source, pointer.span, hash)
}

/// Returns true if the lines at `pointer` have its hash.
///
/// Unlike [`judge`], this does not check whether a copy has taken their place.
pub(crate) fn stands(snapshot: &Snapshot, pointer: &Pointer) -> bool {
    let Some(hash) = pointer.source_hash else {
        return false;
    };
    snapshot.read(&pointer.file).is_ok_and(|source| {
        !tells_of_secrets(&source, pointer.span, hash) && span_is_fresh(&source, pointer.span, hash)
    })
}

fn judge_with(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: Option<&Capture>,
    trace: &mut Trace,
) -> Judgement {
    let (there, source) = there(snapshot, pointer, capture);
    let is_clear = match (&source, capture) {
        (Some(source), Some(capture)) if there.is_fresh() => {
            !may_be_a_twin(source, pointer, capture)
        }
        _ => !may_be_elsewhere(&there, pointer),
    };
    if is_clear {
        trace.place(&there);
        return there;
    }
    // We want the steps of a real search, so a stored verdict is useless.
    if trace.is_kept() {
        return look_for(snapshot, pointer, capture, &Looked::default(), trace);
    }
    verdict(snapshot, pointer, capture, |own, looked| {
        look_for(own, pointer, capture, looked, trace)
    })
}

/// Compares the lines at `pointer` with its hash. The file is returned as well if it is readable
/// text.
fn there(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: Option<&Capture>,
) -> (Judgement, Option<Arc<SourceFile>>) {
    match snapshot.read(&pointer.file) {
        Ok(source) => match source.why_no_text() {
            None => (at_the_place(&source, pointer, capture), Some(source)),
            Some(why) => {
                let why = format!("the file is {why}");
                (Judgement::new(Freshness::Unknown, Some(why)), None)
            }
        },
        Err(Refusal::Missing) if LeftOut::of(snapshot).contains(&pointer.file) => {
            let why = "a sparse checkout leaves the file out (`git sparse-checkout add FOLDER` brings a folder back)";
            (
                Judgement::new(Freshness::Unknown, Some(why.to_owned())),
                None,
            )
        }
        Err(refusal) => (refused(&refusal), None),
    }
}

/// Judges a text that is not at its location, or whose place a copy may have taken.
fn look_for(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: Option<&Capture>,
    looked: &Looked,
    trace: &mut Trace,
) -> Judgement {
    let (there, source) = there(snapshot, pointer, capture);
    let search = Search {
        snapshot,
        pointer,
        capture,
        source,
        looked,
    };
    if there.is_fresh() {
        // The lines have the right hash, but may be a copy. That's impossible if the file hasn't
        // changed since the capture.
        let twin = search.is_file_changed().then(|| twin(&search, trace));
        let is_quoted = |twin: &Judgement| {
            let repair = twin.repair.as_ref();
            let claimed = repair.and_then(|repair| repair.evidence.as_ref());
            claimed.is_some_and(|claimed| is_quotation(&search, &claimed.file))
        };
        let twin = twin.flatten().filter(|twin| !is_quoted(twin));
        return twin.unwrap_or_else(|| {
            trace.place(&there);
            there
        });
    }
    trace.place(&there);
    let found = search.run(trace);
    with_repair(there, unless_quoted(&search, found, trace))
}

/// Returns true if the lines at `pointer` have the right hash but may be a copy.
///
/// The text has or had copies, and a commit is known from which its lines can be followed.
fn may_be_a_twin(source: &SourceFile, pointer: &Pointer, capture: &Capture) -> bool {
    let had_copies =
        capture.copies_in_file > 1 || capture.copies_elsewhere.is_some_and(|copies| copies > 0);
    capture.commit.is_some() && (had_copies || copies(source, pointer.span) > 1)
}

/// Returns a verdict if a copy has taken the place of the text.
///
/// The lines of the text were then followed to another location or to their removal. The lines
/// around the text are no evidence here, because copies often have more in common than the text
/// itself.
fn twin(search: &Search<'_>, trace: &mut Trace) -> Option<Judgement> {
    let (what, repair) = search.instead_of_a_twin(trace)?;
    let why = format!("a copy stands there now; the text itself {what}");
    let mut judgement = Judgement::new(Freshness::StaleHashMismatch, Some(why));
    judgement.repair = Some(repair);
    Some(judgement)
}

/// Reason given when other lines are at the location and nothing is known about the text.
const CHANGED: &str = "the lines changed";

fn at_the_place(source: &SourceFile, pointer: &Pointer, capture: Option<&Capture>) -> Judgement {
    let Some(hash) = pointer.source_hash else {
        return unverifiable(source, pointer.span);
    };
    if tells_of_secrets(source, pointer.span, hash) {
        let why =
            "the hash is of the whole file, which holds a secret value, so it is not compared";
        return Judgement::new(Freshness::Unknown, Some(why.to_owned()));
    }
    if span_is_fresh(source, pointer.span, hash) {
        return Judgement::new(Freshness::Fresh, remark_on_fresh(source, pointer, capture));
    }
    if source.is_lfs_pointer() {
        let why = "the file is a Git LFS pointer, and what it stands for is not here (`git lfs pull` fetches it)";
        return Judgement::new(Freshness::Unknown, Some(why.to_owned()));
    }
    stale(source, pointer.span, hash, CHANGED)
}

/// Returns true if the text is worth searching for: it has a hash and is not at its location.
fn may_be_elsewhere(there: &Judgement, pointer: &Pointer) -> bool {
    pointer.source_hash.is_some()
        && matches!(
            there.status,
            Freshness::StaleHashMismatch | Freshness::SpanInvalid | Freshness::MissingFile
        )
}

/// Completes `there`, the comparison with the captured location, with the result of the search.
fn with_repair(mut there: Judgement, found: Found) -> Judgement {
    if there.reason.as_deref() == Some(CHANGED) {
        if found.repair.outcome == RepairOutcome::Moved {
            there.reason = Some("the lines moved".to_owned());
        } else if found.why.is_some() {
            // We know that the text still exists, so its lines didn't change; other lines took
            // their place.
            there.reason = Some("other lines stand there now".to_owned());
        }
    }
    let reasons: Vec<String> = there.reason.into_iter().chain(found.why).collect();
    Judgement {
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        repair: Some(found.repair),
        ..there
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

/// Returns the verdict on a pointer without a hash. All that can be verified is that the lines do
/// not exist.
fn unverifiable(source: &SourceFile, span: LineSpan) -> Judgement {
    if span.end() > source.line_count() {
        return Judgement::new(Freshness::SpanInvalid, Some(too_short(source, span)));
    }
    Judgement::new(Freshness::Unknown, Some("no hash was recorded".to_owned()))
}

/// Returns true if comparing `hash` could confirm a guess of a secret value, because a hash of the
/// whole file covers the secrets in it.
fn tells_of_secrets(source: &SourceFile, span: LineSpan, hash: SourceHash) -> bool {
    let whole = matches!(hash, SourceHash::File(_));
    whole && span.end() <= source.line_count() && source.shown().has_secrets()
}

fn span_is_fresh(source: &SourceFile, span: LineSpan, hash: SourceHash) -> bool {
    match hash {
        SourceHash::Span(_) => source.has_span_hash(span, hash),
        SourceHash::File(bytes) => span.end() <= source.line_count() && source.sha256() == bytes,
    }
}

/// Returns the verdict that the lines in `span` do not have the hash. `what` is the reason to give
/// if the lines exist.
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

/// Returns a remark about what the comparison of fresh lines ignores: their line ends, and secret
/// values, which someone could guess from a hash.
fn remark_on_fresh(
    source: &SourceFile,
    pointer: &Pointer,
    capture: Option<&Capture>,
) -> Option<String> {
    let has_secret = source.shown().has_secret_in(pointer.span);
    let secret = has_secret.then(|| "secret values in the lines are not compared".to_owned());
    let parts = changed_line_ends(source, capture).into_iter().chain(secret);
    parts.reduce(|all, part| format!("{all}; {part}"))
}

fn changed_line_ends(source: &SourceFile, capture: Option<&Capture>) -> Option<String> {
    let (then, now) = (capture?.line_ending, source.line_ending());
    let both_known = then != LineEnding::None && now != LineEnding::None;
    (both_known && then != now)
        .then(|| format!("the file's line ends changed from {then} to {now}, its text did not"))
}
