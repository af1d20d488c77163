//! Scripted histories: evidence is captured, texts are edited, moved, renamed, split, merged, deleted and copied, and what is
//! said of the evidence then is held against what is known by construction.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::{Capture, Freshness, Judgement, Pointer, RepairOutcome, RepoPath};
use windlass_evidence::capture;
use windlass_repo::{Repo, Snapshot};

use crate::drift::score::{Label, Score, score};
use crate::drift::scripted::case::{Case, Files as CaseFiles};
use crate::drift::scripted::kinds::{KINDS, SECRET};
use crate::drift::scripted::{commit, target, write};
use crate::drift::{git, sample};
use crate::metric::{Claim, Claims, Said, Verdict};
use crate::plan::Doing;
use crate::recipe::Sample;
use crate::results::CaseResult;
use crate::stats::Draw;
use crate::{Metric, OURS, ZooError};

/// What says what became of a piece of evidence.
pub type Judge = fn(&Snapshot, &Pointer, &Capture) -> Judgement;

/// How often each kind of edit is done.
const TIMES: usize = 2;
/// How many files each edit has to itself.
const FILES: usize = 4;

/// Windlass's own.
pub fn judged(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> Judgement {
    windlass_evidence::judge(snapshot, pointer, Some(capture))
}

/// An edit, with its kind.
struct Edit {
    kind: &'static str,
    case: Case,
}

/// What was found of one kind of edits.
#[derive(Default)]
struct Tally {
    verdicts: Vec<Verdict>,
    expected: Vec<String>,
    shown: Vec<String>,
    leaks: usize,
}

/// Does the edits to the sample in `folder`, which holds its files, and measures `judge`: a case for each kind.
///
/// # Errors
/// When git or the file system cannot do what it takes.
pub(crate) fn run(
    sample: &Sample,
    folder: &Path,
    judge: Judge,
    doing: &Doing<'_>,
) -> Result<Vec<CaseResult>, ZooError> {
    let told = |error: Box<dyn std::error::Error>| ZooError::Drift(error.to_string());
    let edits = edits(sample);
    git(folder, &["init", "-q"]).map_err(told)?;
    for edit in &edits {
        write(folder, &edit.case.before, "\n").map_err(told)?;
        doing.go_on()?;
    }
    commit(folder).map_err(told)?;
    let snapshot = Repo::open(folder)?.snapshot();
    let mut captured = Vec::new();
    for edit in &edits {
        let file =
            RepoPath::parse(&edit.case.file).map_err(|error| ZooError::Drift(error.to_string()))?;
        let one = capture(&snapshot, &file, edit.case.span)
            .map_err(|error| ZooError::Drift(error.to_string()))?;
        captured.push(one);
    }
    for edit in &edits {
        write(folder, &edit.case.edit, edit.case.line_end).map_err(told)?;
        if sample.recipe.committed {
            commit(folder).map_err(told)?;
        }
        doing.go_on()?;
    }
    let snapshot = Repo::open(folder)?.snapshot();
    let mut cases: BTreeMap<&str, Tally> = BTreeMap::new();
    for (at, (edit, captured)) in edits.iter().zip(captured).enumerate() {
        doing.go_on()?;
        (doing.progress)(at as u64, edits.len() as u64);
        let judgement = judge(&snapshot, &captured.pointer, &captured.capture);
        let place = (edit.case.file.as_str(), edit.case.span);
        let verdict = verdict(edit, &judgement, score(&edit.case.truth, &judgement, place));
        let truth = &edit.case.truth;
        let said = serde_json::to_string(&judgement).unwrap_or_default();
        let case = cases.entry(edit.kind).or_default();
        case.verdicts.push(verdict);
        case.expected.push(format!(
            "{}:{} is {} {}:{:?}",
            place.0,
            place.1,
            truth.label.word(),
            truth.file,
            truth.inner
        ));
        let outcome = judgement.outcome().map_or("", RepairOutcome::as_str);
        let now = judgement
            .repair
            .as_ref()
            .and_then(|repair| repair.evidence.as_ref());
        case.shown.push(format!(
            "{} {outcome} {}",
            judgement.status.as_str(),
            now.map(ToString::to_string).unwrap_or_default()
        ));
        case.leaks += usize::from(said.contains(SECRET));
    }
    let results = cases.into_iter().map(|(kind, tally)| {
        let claims = Claims::of(tally.verdicts);
        CaseResult {
            archetype: sample.recipe.id.clone(),
            case: format!("history-{}", slug(kind)),
            system: OURS.to_owned(),
            kind: None,
            values: BTreeMap::from([
                (Metric::StalenessRate, claims.staleness_rate()),
                (Metric::RepairRate, claims.repair_rate()),
                (Metric::UnrepairableRate, claims.unrepairable_rate()),
                (Metric::FalseClaimRate, claims.false_claim_rate()),
                (Metric::CalibrationError, claims.calibration_error()),
                (Metric::SecretLeaks, Some(tally.leaks as f64)),
            ]),
            asked: kind.to_owned(),
            expected: tally.expected,
            shown: tally.shown,
            failure: None,
        }
    });
    Ok(results.collect())
}

fn slug(kind: &str) -> String {
    let plain = kind
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
        .replace("--", "-");
    plain.to_lowercase()
}

/// Edits that have nothing to do with each other: each has files of its own.
fn edits(sample: &Sample) -> Vec<Edit> {
    let mut draw = Draw::new(sample.recipe.seed ^ 0x7a00);
    let mut by_ending: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for path in sample.files.keys().filter(|path| sample::is_source(path)) {
        if let Some((_, ending)) = path.rsplit_once('.') {
            by_ending.entry(ending).or_default().push(path);
        }
    }
    let mut chunks: Vec<CaseFiles> = Vec::new();
    for paths in by_ending.values() {
        for chunk in paths.chunks_exact(FILES) {
            let files = chunk
                .iter()
                .filter_map(|path| Some(((*path).clone(), sample.files.get(*path)?.clone())));
            chunks.push(files.collect());
        }
    }
    let mut edits = Vec::new();
    for (kind, make) in KINDS.iter().cycle().take(KINDS.len() * TIMES) {
        if chunks.is_empty() {
            break;
        }
        let files = chunks.swap_remove(draw.below(chunks.len()));
        let case = (0..60).find_map(|_| make(&target(&files, &mut draw)?, &mut draw));
        edits.extend(case.map(|case| Edit { kind, case }));
    }
    edits
}

/// Whether half of the lines are left: what is left of one whose text was replaced is no text to be found again.
fn has_half_of_it(edit: &Edit) -> bool {
    let (first, last) = edit.case.truth.inner;
    (last - first + 1) * 2 >= edit.case.span.count()
}

fn verdict(edit: &Edit, judgement: &Judgement, score: Score) -> Verdict {
    let label = edit.case.truth.label;
    let claim = match score {
        Score::Correct | Score::Near => Claim::True,
        _ => Claim::False,
    };
    let repair = judgement.repair.as_ref();
    let has_new = repair.is_some_and(|repair| repair.evidence.is_some());
    let said = match () {
        () if judgement.status == Freshness::Fresh => Said::Fresh(claim),
        () if has_new => Said::Place(claim),
        () if judgement.outcome() == Some(RepairOutcome::Gone) => Said::Gone(claim),
        () => Said::Nothing,
    };
    Verdict {
        stands: label == Label::Unchanged,
        has_place: label != Label::Deleted && has_half_of_it(edit),
        said,
        // Of an edited text it says how much was kept, which is no certainty.
        confidence: repair
            .filter(|repair| matches!(repair.outcome, RepairOutcome::Moved | RepairOutcome::Gone))
            .map(|repair| f64::from(repair.confidence) / 100.0),
    }
}
