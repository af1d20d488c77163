//! Tests what calls to the host cost.

use serde_json::json;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_repo::{Repo, Snapshot};

use super::{ANCHOR, CALL, ENTRY, PROGRESS_REPORT};
use crate::v1::bindings::windlass::step::{anchors, evidence, files, log, progress, search};
use crate::v1::guest_state::{Attempt, HostFault, State};
use crate::v1::limiter::Limiter;
use crate::world::Reach;

struct Files(Snapshot);

impl Reach for Files {
    fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    fn anchors(&self, _: &serde_json::Value, _: &Cancel) -> Result<serde_json::Value, StepError> {
        Ok(json!({ "anchors": [{}, {}, {}] }))
    }

    fn basis(&self) -> Basis {
        Basis::Unknown
    }
}

const ALL: u64 = 1_000_000_000;

fn state(snapshot: &Snapshot, work: u64) -> State {
    let attempt = Attempt {
        reach: Some(Box::new(Files(snapshot.clone()))),
        ..Attempt::alone(Cancel::default())
    };
    State::new(Limiter::new(0, 0), attempt, work)
}

fn cost<T>(state: &mut State, call: impl FnOnce(&mut State) -> wasmtime::Result<T>) -> u64 {
    let before = state.left();
    call(state).unwrap();
    before - state.left()
}

#[expect(clippy::disallowed_methods, reason = "a test makes the files it needs")]
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["few", "many"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    std::fs::write(dir.path().join("few/long.txt"), "words\n".repeat(200_000)).unwrap();
    for n in 0..500 {
        std::fs::write(dir.path().join(format!("many/{n}.md")), "text\n").unwrap();
    }
    dir
}

#[test]
fn call_cost_ignores_caches() {
    let dir = folder();
    let snapshot = Repo::open(dir.path()).unwrap().snapshot();
    let costs = || {
        let mut state = state(&snapshot, ALL);
        let read = |state: &mut State| evidence::Host::read(state, "few/long.txt".into(), 1, 1);
        let first = cost(&mut state, read);
        let again = cost(&mut state, read);
        let nothing = json!({ "pattern": "nowhere" }).to_string();
        let searched = cost(&mut state, |state| {
            search::Host::find(state, nothing.clone())
        });
        let none = json!({ "globs": ["*.rs"] }).to_string();
        let listed = cost(&mut state, |state| files::Host::names(state, none.clone()));
        let few = json!({ "globs": ["*.rs"], "paths": ["few"] }).to_string();
        let listed_few = cost(&mut state, |state| files::Host::names(state, few.clone()));
        let taken = cost(&mut state, |state| anchors::Host::take(state, "{}".into()));
        [first, again, searched, listed, listed_few, taken]
    };
    let [first, again, searched, listed, listed_few, taken] = costs();
    assert!(first > 2_400_000 && again < 10_000, "{first} {again}");
    assert!(searched > 500 * ENTRY + 600_000, "{searched}");
    assert!(
        listed > 500 * ENTRY && listed > 2 * listed_few,
        "{listed} {listed_few}"
    );
    assert!(taken > 3 * ANCHOR, "{taken}");
    assert_eq!(costs(), [first, again, searched, listed, listed_few, taken]);
}

#[test]
fn log_and_progress_have_costs() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = Repo::open(dir.path()).unwrap().snapshot();
    let mut state = state(&snapshot, ALL);
    let mut say = |level, length: usize| {
        cost(&mut state, |state| {
            log::Host::write(state, level, "x".repeat(length))
        })
    };
    let (aside, warned) = (say(log::Level::Debug, 1_000), say(log::Level::Warn, 1_000));
    assert_eq!((aside, warned), (2_000, 22_000));
    let mut tell = |done| cost(&mut state, |state| progress::Host::report(state, done, 100));
    assert_eq!(
        [tell(1), tell(1), tell(2)],
        [CALL + PROGRESS_REPORT, CALL, CALL + PROGRESS_REPORT]
    );
}

#[test]
fn too_many_calls_end_the_guest() {
    let dir = folder();
    let snapshot = Repo::open(dir.path()).unwrap().snapshot();
    let mut state = state(&snapshot, 20_000_000);
    let mut calls = 0;
    let ended = loop {
        let query = json!({ "pattern": format!("nowhere{calls}") }).to_string();
        match search::Host::find(&mut state, query) {
            Ok(answer) => assert!(answer.is_ok()),
            Err(error) => break error,
        }
        calls += 1;
    };
    assert!(matches!(
        ended.downcast_ref(),
        Some(HostFault::TooMuchAsked)
    ));
    assert!((5..20).contains(&calls), "{calls}");
}
