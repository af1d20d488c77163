//! Measures repair on scripted histories, in which we know what's right for each piece of evidence.
//!
//! We capture evidence and then edit its files: we move text, rename, split or merge files, and
//! delete or copy text. Since we know where the text really is afterwards, we can tell if the
//! judgement is right.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_base::{Capture, Freshness, Judgement, Pointer, RepairOutcome, RepoPath};
use windlass_evidence::{Captured, capture};
use windlass_repo::{Repo, Snapshot};

use crate::edits::{
    Case, Draw, Files as CaseFiles, KINDS, Label, SECRET, Score, commit, commit_each, commit_first,
    git, is_written, score, target, write,
};
use crate::metric::{Claim, Claims, Said, Verdict};
use crate::recipe::{Sample, is_of_memory};
use crate::results::CaseResult;
use crate::run_plan::Doing;
use crate::{Metric, OURS, ZooError};

/// Judges a piece of evidence by the present files.
pub type Judge = fn(&Snapshot, &Pointer, &Capture) -> Judgement;

/// Number of edits of each kind.
const TIMES: usize = 2;
/// Number of files that an edit gets for itself.
const FILES: usize = 4;
/// Not every edit is possible in every file, so we try this many groups of files.
const TRIES: usize = 8;

/// Judges evidence in the way Windlass does.
pub fn judged(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> Judgement {
    windlass_evidence::judge(snapshot, pointer, Some(capture))
}

struct Edit {
    kind: &'static str,
    case: Case,
}

impl Edit {
    /// True if the edit adds a secret to a file.
    fn has_secret(&self) -> bool {
        let changes = self.case.before.iter().chain(&self.case.edit);
        let lines = changes.flat_map(|(_, lines)| lines.iter().flatten());
        lines.into_iter().any(|line| line.contains(SECRET))
    }
}

/// The results for one kind of edit.
#[derive(Default)]
struct Tally {
    verdicts: Vec<Verdict>,
    expected: Vec<String>,
    shown: Vec<String>,
    /// The number of edits that added a secret, and of judgements that leaked it.
    secrets: usize,
    leaks: usize,
    /// The reason if we could not measure an edit.
    failure: Option<String>,
}

/// Edits the sample, and measures `judge`. There is a case for each kind of edit. `new_folder`
/// creates another folder with the files of the sample, since edits must not get in each other's
/// way.
///
/// # Errors
///
/// Returns an error if git or the file system fails, or if the run is stopped. If an edit cannot be
/// made, that is a failed case.
pub(crate) fn run(
    sample: &Sample,
    new_folder: &dyn Fn(usize) -> Result<PathBuf, ZooError>,
    judge: Judge,
    doing: &Doing<'_>,
) -> Result<Vec<CaseResult>, ZooError> {
    let mut tallies: BTreeMap<&str, Tally> = KINDS
        .iter()
        .map(|(kind, _)| (*kind, Tally::default()))
        .collect();
    let rounds = edits(sample);
    let all: usize = rounds.iter().map(Vec::len).sum();
    let mut done = 0;
    for (at, edits) in rounds.iter().enumerate() {
        let folder = new_folder(at)?;
        done_in(
            &folder,
            edits,
            sample.recipe.committed,
            doing,
            &mut |edit, judged| {
                (doing.progress)(done, all as u64);
                done += 1;
                let tally = tallies.entry(edit.kind).or_default();
                match judged {
                    Ok((snapshot, captured)) => {
                        let judgement = judge(snapshot, &captured.pointer, &captured.capture);
                        tally.add(edit, &judgement);
                    }
                    Err(why) => tally.failure = Some(why.clone()),
                }
            },
        )?;
    }
    let case = |(kind, tally): (&str, Tally)| tally.into_case(kind, &sample.recipe.id);
    Ok(tallies.into_iter().map(case).collect())
}

/// Evidence and the snapshot to judge it by, or the reason why we could not capture it.
type Judged<'a> = Result<(&'a Snapshot, &'a Captured), &'a String>;

/// Makes all edits in `folder`, and then calls `then` for each of them.
fn done_in(
    folder: &Path,
    edits: &[Edit],
    is_committed: bool,
    doing: &Doing<'_>,
    then: &mut dyn FnMut(&Edit, Judged<'_>),
) -> Result<(), ZooError> {
    let failed = |error: Box<dyn std::error::Error>| ZooError::Edits(error.to_string());
    // A sample with worktrees is already a repository with a commit.
    let is_new = !folder.join(".git").exists();
    git(folder, &["init", "-q"]).map_err(failed)?;
    for edit in edits {
        write(folder, &edit.case.before, "\n").map_err(failed)?;
        doing.go_on()?;
    }
    match is_new {
        true => commit_first(folder),
        false => commit(folder),
    }
    .map_err(failed)?;
    let snapshot = Repo::open(folder)?.snapshot();
    let captured: Vec<Result<Captured, String>> = edits
        .iter()
        .map(|edit| {
            let file = RepoPath::parse(&edit.case.file).map_err(|error| error.to_string())?;
            capture(&snapshot, &file, edit.case.span)
                .map_err(|error| format!("`{file}` cannot be captured: {error}"))
        })
        .collect();
    for edit in edits {
        write(folder, &edit.case.edit, edit.case.line_end).map_err(failed)?;
        doing.go_on()?;
    }
    if is_committed {
        // As in a real history, each edit is a commit of its own.
        let all = edits.iter();
        let all: Vec<_> = all
            .map(|edit| (&edit.case.edit, edit.case.line_end))
            .collect();
        commit_each(folder, &all).map_err(failed)?;
    }
    let snapshot = Repo::open(folder)?.snapshot();
    for (edit, captured) in edits.iter().zip(&captured) {
        doing.go_on()?;
        then(
            edit,
            captured.as_ref().map(|captured| (&snapshot, captured)),
        );
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, edit: &Edit, judgement: &Judgement) {
        let place = (edit.case.file.as_str(), edit.case.span);
        let truth = &edit.case.truth;
        self.verdicts
            .push(verdict(edit, judgement, score(truth, judgement, place)));
        self.expected
            .push(format!("{}:{} is {}", place.0, place.1, truth.told()));
        let outcome = judgement.outcome().map_or("", RepairOutcome::as_str);
        let repair = judgement.repair.as_ref();
        let now = repair.and_then(|repair| repair.evidence.as_ref());
        self.shown.push(format!(
            "{} {outcome} {}",
            judgement.status.as_str(),
            now.map(ToString::to_string).unwrap_or_default()
        ));
        let said = serde_json::to_string(judgement).unwrap_or_default();
        self.secrets += usize::from(edit.has_secret());
        self.leaks += usize::from(said.contains(SECRET));
    }

    fn into_case(self, kind: &str, archetype: &str) -> CaseResult {
        let failure = self.failure.or_else(|| {
            let is_missing = self.verdicts.is_empty();
            is_missing.then(|| "no text of the sample allows this edit".to_owned())
        });
        let claims = Claims::of(self.verdicts);
        let mut values = BTreeMap::from([
            (Metric::StalenessRate, claims.staleness_rate()),
            (Metric::RepairRate, claims.repair_rate()),
            (Metric::UnrepairableRate, claims.unrepairable_rate()),
            (Metric::FalseClaimRate, claims.false_claim_rate()),
            (Metric::FalseWhenSure, claims.false_when_sure()),
            (
                Metric::SecretLeaks,
                (self.secrets > 0).then_some(self.leaks as f64),
            ),
        ]);
        if failure.is_some() {
            for (metric, value) in &mut values {
                *value = metric.definition().worst();
            }
        }
        CaseResult {
            values,
            asked: kind.to_owned(),
            expected: self.expected,
            shown: self.shown,
            failure,
            ..CaseResult::new(archetype, &case_name(kind), OURS)
        }
    }
}

/// Lists the names of all cases, one for each kind of edit.
pub(crate) fn cases() -> impl Iterator<Item = String> {
    KINDS.iter().map(|(kind, _)| case_name(kind))
}

fn case_name(kind: &str) -> String {
    let plain = kind
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
        .replace("--", "-");
    format!("history-{}", plain.to_lowercase())
}

/// Plans the edits in rounds. Within a round, each edit has files of its own, so edits do not
/// affect each other. There are [`TIMES`] edits of each kind, or fewer if there is not enough
/// suitable text.
fn edits(sample: &Sample) -> Vec<Vec<Edit>> {
    let mut draw = Draw::new(sample.recipe.seed ^ 0x7a00);
    let all = chunks(sample);
    let (mut chunks, mut rounds) = (Vec::new(), Vec::<Vec<Edit>>::new());
    for (kind, make) in KINDS.iter().cycle().take(KINDS.len() * TIMES) {
        // This kind of edit may not be possible at all, so don't try forever.
        for _ in 0..all.len().min(TRIES) {
            if chunks.is_empty() {
                chunks = all.clone();
                rounds.push(Vec::new());
            }
            let files = chunks.swap_remove(draw.below(chunks.len()));
            let case = (0..60).find_map(|_| make(&target(&files, &mut draw)?, &mut draw));
            if let (Some(case), Some(round)) = (case, rounds.last_mut()) {
                round.push(Edit { kind, case });
                break;
            }
        }
    }
    rounds
}

/// Groups hand-written files of the same language, with [`FILES`] in each group.
fn chunks(sample: &Sample) -> Vec<CaseFiles> {
    let mut by_ending: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    // Leave out the memory. Its records are only supposed to change by commands, and an edit by
    // hand would break the index.
    let files = sample.files.iter().filter(|(path, _)| !is_of_memory(path));
    let written = files.filter(|(path, lines)| is_written(path, lines));
    for (path, _) in written {
        if let Some((_, ending)) = path.rsplit_once('.') {
            by_ending.entry(ending).or_default().push(path);
        }
    }
    let chunks = by_ending
        .values()
        .flat_map(|paths| paths.chunks_exact(FILES));
    chunks
        .map(|chunk| {
            let files = chunk.iter();
            let files =
                files.filter_map(|path| Some(((*path).clone(), sample.files.get(*path)?.clone())));
            files.collect()
        })
        .collect()
}

/// True if at least half of the lines are still there. With less than that, we do not expect a
/// system to find them.
fn has_half_of_it(edit: &Edit) -> bool {
    let (first, last) = edit.case.truth.inner;
    (last - first + 1) * 2 >= edit.case.span.count()
}

/// True if the outcome is of the right kind. If text was edited, it is wrong to say that it has
/// just moved, and vice versa.
fn is_status(label: Label, judgement: &Judgement) -> bool {
    match (label, judgement.outcome()) {
        (Label::MovedSameFile | Label::MovedOtherFile, Some(outcome)) => {
            outcome != RepairOutcome::Edited
        }
        (Label::Edited | Label::Unchanged, Some(outcome)) => outcome != RepairOutcome::Moved,
        _ => true,
    }
}

fn verdict(edit: &Edit, judgement: &Judgement, score: Score) -> Verdict {
    let label = edit.case.truth.label;
    let truth = &edit.case.truth;
    // We know the exact lines, but a system may well leave out changed lines at the start or end of
    // an edited text. So in this case, it's enough to come close. The same applies if it isn't
    // clear where the rest of the text ends.
    let is_place = match score {
        Score::Correct => true,
        Score::Near => label == Label::Edited || truth.inner != truth.outer,
        _ => false,
    };
    let claim = match is_place && is_status(label, judgement) {
        true => Claim::True,
        false => Claim::False,
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
        has_place: !label.is_gone() && has_half_of_it(edit),
        said,
        // For edited text, the confidence is the share of the text that's left. That isn't a
        // probability, so we can't use it here.
        confidence: repair
            .filter(|repair| matches!(repair.outcome, RepairOutcome::Moved | RepairOutcome::Gone))
            .map(|repair| f64::from(repair.confidence) / 100.0),
    }
}
