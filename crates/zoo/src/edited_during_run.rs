//! Measures the pack of a run during which somebody edits the anchored files.
//!
//! An agent may well edit files while a runbook is running. To imitate that, we edit files between
//! the steps. In the end, each claim in the pack must be true for the files as they are by then. If
//! evidence cannot be proven anymore, the pack must not claim it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use windlass::engine::{Observer, RunEvent};
use windlass::packs::Format;
use windlass::repo::Snapshot;
use windlass::{Environment, ViewRequest, Workspace};
use windlass_base::{Freshness, Judgement, Limit, Pointer, RepairOutcome};

use crate::edits::write;
use crate::metric::{Claim, Claims, Said, Verdict};
use crate::recipe::Sample;
use crate::refresh::{anchors, each_pointer, refresh};
use crate::results::CaseResult;
use crate::run_plan::Doing;
use crate::{Metric, OURS, ZooError};

pub(crate) const CASE: &str = "edited-while-read";
/// Enough tokens to show everything. Evidence that is cut makes no claims, so there'd be nothing to
/// check.
const ROOM: usize = 1_000_000;
/// Lines that we insert at the start of a file.
const LINES: [&str; 3] = ["// while", "// it was", "// read"];

/// Runs the runbook in `root`, and edits files meanwhile.
///
/// # Errors
///
/// Returns an error if the run is stopped. Whatever else goes wrong is a failed case with the worst
/// values.
pub(crate) fn run(
    sample: &Sample,
    root: &Path,
    environment: &dyn Fn() -> Environment,
    doing: &Doing<'_>,
) -> Result<CaseResult, ZooError> {
    let files: BTreeSet<&str> = sample.planted.iter().map(|(_, gold)| &*gold.file).collect();
    let files = Vec::from_iter(files);
    let when = |at: usize| format!("after `{}`", STEPS[at % STEPS.len()]);
    let mut case = CaseResult {
        asked: "windlass run zoo, while its files are edited".to_owned(),
        expected: files
            .iter()
            .enumerate()
            .map(|(at, file)| format!("{file} is edited {}", when(at)))
            .collect(),
        ..CaseResult::new(&sample.recipe.id, CASE, OURS)
    };
    let claims = claimed(sample, &files, root, environment, &mut case.shown);
    doing.go_on()?;
    case.values = match claims {
        Ok(claims) => BTreeMap::from([(Metric::FalseClaimRate, claims.false_claim_rate())]),
        Err(error) => {
            case.failure = Some(error.to_string());
            let worst = |metric: Metric| (metric, metric.definition().worst());
            [Metric::FalseClaimRate].map(worst).into()
        }
    };
    Ok(case)
}

/// The steps after which we edit files. The first one ends before the search reads the files, and
/// the second one after that.
const STEPS: [&str; 2] = ["noted", "named"];

/// Collects what the pack claims about the evidence that it shows.
fn claimed(
    sample: &Sample,
    files: &[&str],
    root: &Path,
    environment: &dyn Fn() -> Environment,
    shown: &mut Vec<String>,
) -> Result<Claims, ZooError> {
    let open = || Workspace::open(root, environment());
    open()?
        .notebook()
        .add_anchors("anchors", &anchors(sample), true)?;
    let editor = Arc::new(Editor {
        sample: sample.clone(),
        root: root.to_path_buf(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        went_wrong: Mutex::default(),
    });
    let view = ViewRequest {
        limit: Some(Limit::Tokens(ROOM)),
        format: Format::Json,
        mode: None,
        also: None,
    };
    let done = refresh(
        &open()?,
        root,
        1,
        view,
        Arc::clone(&editor) as Arc<dyn Observer>,
    )?;
    if let Some(why) = editor.went_wrong().take() {
        return Err(ZooError::Edits(why));
    }
    let pack: Value = serde_json::from_str(&done.printed.plain()).unwrap_or_default();
    let snapshot = open()?.site().snapshot();
    let mut verdicts = Vec::new();
    each_pointer(&pack, &mut |evidence, pointer| {
        let Ok(judgement) = serde_json::from_value::<Judgement>(evidence.clone()) else {
            return false;
        };
        verdicts.push(verdict(&snapshot, files, &pointer, &judgement));
        shown.push(format!("{pointer} {}", judgement.status.as_str()));
        true
    });
    shown.sort();
    let is_of_edited = verdicts.iter().any(|verdict| !verdict.stands);
    match is_of_edited {
        true => Ok(Claims::of(verdicts)),
        // If the pack doesn't show any file that was edited, it can't be wrong. That mustn't count
        // as a success.
        false => Err(ZooError::Edits(
            "the pack shows none of the edited files".to_owned(),
        )),
    }
}

/// Edits files whenever one of the steps ends.
struct Editor {
    sample: Sample,
    root: std::path::PathBuf,
    files: Vec<String>,
    went_wrong: Mutex<Option<String>>,
}

impl Editor {
    fn went_wrong(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.went_wrong
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Editor {
    fn event(&self, event: &RunEvent) {
        let RunEvent::StepEnded { step, .. } = event else {
            return;
        };
        let Some(turn) = STEPS.iter().position(|name| name == step) else {
            return;
        };
        for file in self.files.iter().skip(turn).step_by(STEPS.len()) {
            let own = self.sample.files.get(file).cloned().unwrap_or_default();
            let lines = LINES.iter().map(|line| (*line).to_owned()).chain(own);
            let change = vec![(file.clone(), Some(lines.collect()))];
            if let Err(error) = write(&self.root, &change, "\n") {
                self.went_wrong().get_or_insert(error.to_string());
            }
        }
    }
}

/// Compares a judgement with the present files. `edited` are the files that we have changed during
/// the run.
fn verdict(now: &Snapshot, edited: &[&str], pointer: &Pointer, judgement: &Judgement) -> Verdict {
    let holds = |pointer: &Pointer| {
        let source = now.read(&pointer.file).ok();
        let hash = source.and_then(|source| source.span_hash(pointer.span));
        match hash.is_some() && hash == pointer.source_hash {
            true => Claim::True,
            false => Claim::False,
        }
    };
    let repair = judgement.repair.as_ref();
    let new = repair.and_then(|repair| repair.evidence.as_ref());
    let said = match (judgement.status == Freshness::Fresh, new) {
        (true, _) => Said::Fresh(holds(pointer)),
        (false, Some(new)) => Said::Place(holds(new)),
        // We never remove any text, so it's wrong to say that something is gone.
        (false, None) if judgement.outcome() == Some(RepairOutcome::Gone) => {
            Said::Gone(Claim::False)
        }
        (false, None) => Said::Nothing,
    };
    Verdict {
        stands: !edited.contains(&pointer.file.as_str()),
        has_place: true,
        said,
        confidence: None,
    }
}

#[cfg(test)]
mod tests {
    use windlass::repo::Repo;
    use windlass_base::{LineSpan, RepoPath};

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a file of the test")]
    fn outdated_claim_is_false_silence_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = RepoPath::parse("a.txt").unwrap();
        std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
        let snapshot = || Repo::open(folder.path()).unwrap().snapshot();
        let span = LineSpan::single(1);
        let pointer = Pointer {
            source_hash: snapshot().read(&path).unwrap().span_hash(span),
            file: path,
            span,
        };
        let said = |status| {
            let judgement = Judgement::new(status, None);
            let verdict = verdict(&snapshot(), &["a.txt"], &pointer, &judgement);
            Claims::of(vec![verdict]).false_claim_rate()
        };
        assert_eq!(said(Freshness::Fresh), Some(0.0));
        std::fs::write(folder.path().join("a.txt"), "new\none\ntwo\n").unwrap();
        assert_eq!(said(Freshness::Fresh), Some(1.0));
        assert_eq!(said(Freshness::Unknown), Some(0.0));
    }
}
