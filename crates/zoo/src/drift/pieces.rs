//! The plan of it: what is done by itself, and what needs what.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use windlass::engine::{Observer, Stop};

use super::DriftRequest;
use super::between::{BLAMES, Between};
use super::found_places::Told;
use super::scripted::Scripted;
use super::scripted::kinds::KINDS;
use crate::ZooError;
use crate::measured_cache::MeasuredCache;
use crate::run_plan::{self, Doing};

/// How many commits lie between the states that are judged.
const APART: u32 = 97;
/// How much is kept of what was found.
const KEPT: (usize, u64) = (4_000, 256 << 20);

/// Something that was asked for, of one repository.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) repo: PathBuf,
    /// What it is called where something is found, and where it is not.
    pub(super) title: String,
    pub(super) missing: String,
    /// Whether a repository may be without it.
    pub(super) may_be_missing: bool,
}

/// What answers it.
#[derive(Clone)]
enum Job {
    Between(Arc<Between>),
    Scripted(Arc<Scripted>),
}

/// What there is to do.
#[derive(Clone, Copy)]
enum Work {
    Prepare,
    Replay,
    Blame(usize),
    Judge(usize),
    Score,
    Edits(usize),
}

struct Piece {
    /// Which of those that were asked for it belongs to.
    of: usize,
    job: Job,
    work: Work,
    needs: Vec<usize>,
}

/// Does all that is asked for.
///
/// # Errors
/// When it was stopped.
pub(super) async fn done(
    request: &Arc<DriftRequest>,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Vec<(Asked, Told)>, ZooError> {
    let jobs = jobs(request);
    let mut pieces = Vec::new();
    for (of, (_, job)) in jobs.iter().enumerate() {
        add(&mut pieces, of, job);
    }
    let owners: Vec<usize> = pieces.iter().map(|piece| piece.of).collect();
    let told = run_plan::done(pieces, request.jobs, observer, stop).await?;
    let mut found: Vec<(Asked, Told)> = jobs
        .into_iter()
        .map(|(asked, _)| (asked, Told::default()))
        .collect();
    for (of, told) in owners.into_iter().zip(told) {
        found[of].1.add(told);
    }
    Ok(found)
}

fn jobs(request: &Arc<DriftRequest>) -> Vec<(Asked, Job)> {
    let tracked = MeasuredCache::within(request.cache.as_deref(), KEPT.0, KEPT.1, &request.saved);
    let kept = match request.program {
        Some(_) => tracked.clone(),
        None => MeasuredCache::default(),
    };
    let mut jobs = Vec::new();
    for repo in &request.repos {
        let shown = repo.display();
        let asked = |what: String, missing: String, may_be_missing| Asked {
            repo: repo.clone(),
            title: format!("{shown}{what}"),
            missing: format!("{shown}{missing}"),
            may_be_missing,
        };
        let between = |from: &str, to: &str| {
            let between = Between::new(request, repo, (from, to), (&tracked, &kept));
            Job::Between(Arc::new(between))
        };
        if request.scripted {
            let scripted = Scripted::new(request, repo, &kept);
            let job = Job::Scripted(Arc::new(scripted));
            jobs.push((asked(String::new(), String::new(), false), job));
        }
        if let Some((from, to)) = &request.between {
            let asked = asked(format!(" {from} to {to}"), String::new(), false);
            jobs.push((asked, between(from, to)));
        }
        // Who asks twice for one distance has measured it once.
        let mut seen = BTreeSet::new();
        let distances = request.commits.iter();
        for commits in distances.filter(|commits| seen.insert(**commits)) {
            for end in 0..request.ends {
                let before = |commits: u32| match commits {
                    0 => "HEAD".to_owned(),
                    commits => format!("HEAD~{commits}"),
                };
                let to = before(end * APART);
                let what = format!(" {commits} commits to {to}");
                let job = between(&before((end * APART).saturating_add(*commits)), &to);
                jobs.push((asked(what, format!(" {commits}"), true), job));
            }
        }
    }
    jobs
}

/// Adds what there is to do for `job`: first what all else of it needs, last what needs all else.
fn add(pieces: &mut Vec<Piece>, of: usize, job: &Job) {
    let first = pieces.len();
    let mut push = |work, needs| {
        pieces.push(Piece {
            of,
            job: job.clone(),
            work,
            needs,
        });
        pieces.len()
    };
    let mut next = push(Work::Prepare, Vec::new());
    match job {
        Job::Between(between) => {
            // What takes longest comes first.
            let blames = (0..BLAMES).map(Work::Blame);
            let judges = (0..between.judges()).map(Work::Judge);
            for work in std::iter::once(Work::Replay).chain(blames).chain(judges) {
                next = push(work, vec![first]);
            }
            push(Work::Score, (first..next).collect());
        }
        Job::Scripted(_) => {
            for kind in 0..KINDS.len() {
                push(Work::Edits(kind), vec![first]);
            }
        }
    }
}

impl run_plan::Piece for Piece {
    type Found = Told;

    fn name(&self) -> String {
        let word = match self.work {
            Work::Prepare => "clone".to_owned(),
            Work::Replay => "replay".to_owned(),
            Work::Blame(part) => format!("blame-{part}"),
            Work::Judge(part) => format!("judge-{part}"),
            Work::Score => "score".to_owned(),
            Work::Edits(kind) => format!("edits-{kind}"),
        };
        match self.of {
            0 => word,
            of => format!("{word}-of-{}", of + 1),
        }
    }

    fn needs(&self) -> Vec<usize> {
        self.needs.clone()
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Told, ZooError> {
        let nothing = |()| Told::default();
        match (&self.job, self.work) {
            (Job::Between(job), Work::Prepare) => job.prepare(doing).map(nothing),
            (Job::Between(job), Work::Replay) => job.replay(doing).map(nothing),
            (Job::Between(job), Work::Blame(part)) => job.blame(part, doing).map(nothing),
            (Job::Between(job), Work::Judge(part)) => job.judge(part, doing).map(nothing),
            (Job::Between(job), _) => job.score(doing),
            (Job::Scripted(job), Work::Edits(kind)) => job.edits(kind, doing),
            (Job::Scripted(job), _) => job.prepare(doing),
        }
    }
}
