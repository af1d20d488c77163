//! Tests that every backend of the shared log has to pass.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]
#![cfg(unix)]

#[path = "../../../tests/support/postgres.rs"]
mod postgres;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use windlass_ledger::event::MolCreated;
use windlass_ledger::{
    Append, Batch, Claim, LedgerError, LedgerService, LedgerSession, OpenShared as _, Opening,
    Position, SharedConfig, SharedError, SharedLog, Tail,
};
use windlass_share::Backends;
use windlass_site::{Environment, Seeds, Site};

const MANY: usize = 1 << 20;

/// A shared log that we open from two folders. They act as two machines.
struct Place {
    location: String,
    machines: [tempfile::TempDir; 2],
    _remote: Option<tempfile::TempDir>,
}

fn git(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(args).current_dir(folder).env_clear();
    git.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    git.env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    let done = git.output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

impl Place {
    fn folder() -> Self {
        let shared = tempfile::tempdir().unwrap();
        Self {
            location: format!("file:{}", shared.path().display()),
            machines: std::array::from_fn(|_| tempfile::tempdir().unwrap()),
            _remote: Some(shared),
        }
    }

    fn git() -> Self {
        let remote = tempfile::tempdir().unwrap();
        git(remote.path(), &["init", "--quiet", "--bare"]);
        let machines = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        for machine in &machines {
            git(machine.path(), &["init", "--quiet"]);
            let url = remote.path().to_str().unwrap();
            git(machine.path(), &["remote", "add", "origin", url]);
        }
        Self {
            location: "git:origin".to_owned(),
            machines,
            _remote: Some(remote),
        }
    }

    fn postgres(cluster: &postgres::Cluster) -> Self {
        Self {
            location: cluster.url(),
            machines: std::array::from_fn(|_| tempfile::tempdir().unwrap()),
            _remote: None,
        }
    }

    fn try_open(
        &self,
        machine: usize,
        name: &str,
        opening: Opening,
    ) -> Result<Box<dyn SharedLog>, SharedError> {
        let root = self.machines[machine].path();
        let site = Site::open(root, environment(root)).unwrap();
        Backends::new(&site).open(&SharedConfig::new(&self.location, name), opening)
    }

    fn open(&self, machine: usize, name: &str) -> Box<dyn SharedLog> {
        self.try_open(machine, name, Opening::Create).unwrap()
    }
}

fn environment(home: &Path) -> Environment {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let variables = [
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), home.as_os_str().to_owned()),
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
    ];
    Environment {
        variables: Arc::new(BTreeMap::from(variables)),
        clock: std::time::SystemTime::now,
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(|| 0),
        threads: std::num::NonZeroUsize::MIN,
        holder: "test".to_owned(),
        on_long_wait: |_| {},
        user_id: None,
    }
}

fn batch(text: &str) -> Batch {
    Batch::of(format!("{{\"text\":\"{text} ü\"}}\n").into_bytes())
}

#[track_caller]
fn done(appended: Result<Append, SharedError>) -> Position {
    match appended.unwrap() {
        Append::Done(head) => head.position,
        Append::Moved(tail) => panic!("moved: {tail:?}"),
    }
}

#[track_caller]
fn moved(appended: Result<Append, SharedError>) -> Tail {
    match appended.unwrap() {
        Append::Moved(tail) => tail,
        Append::Done(head) => panic!("done: {head:?}"),
    }
}

fn batches(tail: &Tail) -> Vec<Batch> {
    tail.batches
        .iter()
        .map(|(_, batch)| batch.clone())
        .collect()
}

fn appends_in_order(place: &Place) {
    let mut log = place.open(0, "order");
    let start = log.head().unwrap().position;
    assert_eq!(start, Position::default());
    let (one, two) = (batch("one"), batch("two"));
    let first = done(log.append(&start, &one));
    let second = done(log.append(&first, &two));
    assert!(first.at < second.at && second.batch == two.id);
    let mut other = place.open(1, "order");
    assert_eq!(other.head().unwrap().position, second);
    let all = other.read(&start, MANY).unwrap();
    assert_eq!(batches(&all), [one, two.clone()]);
    assert_eq!((all.end(&start), &all.head.position), (&second, &second));
    assert_eq!(batches(&other.read(&first, MANY).unwrap()), [two]);
    assert!(other.read(&second, MANY).unwrap().batches.is_empty());
    // Another ledger in the same place is still empty.
    assert_eq!(place.open(0, "other").head().unwrap().position, start);
}

fn lost_race_brings_the_tail(place: &Place) {
    let (mut ours, mut theirs) = (place.open(0, "race"), place.open(1, "race"));
    let start = Position::default();
    let (one, two) = (batch("one"), batch("two"));
    let first = done(theirs.append(&start, &one));
    let tail = moved(ours.append(&start, &two));
    assert_eq!(batches(&tail), [one]);
    assert_eq!(tail.end(&start), &first);
    done(ours.append(&first, &two));
}

fn repeated_append_takes_place_once(place: &Place) {
    let mut log = place.open(0, "again");
    let start = Position::default();
    let one = batch("one");
    let first = done(log.append(&start, &one));
    for _ in 0..2 {
        // Try again on a new connection, as if the answer was lost.
        let mut log = place.open(0, "again");
        let tail = moved(log.append(&start, &one));
        assert_eq!(tail.batches[0], (first.clone(), one.clone()));
    }
    assert_eq!(log.read(&start, MANY).unwrap().batches.len(), 1);
}

fn long_tail_is_cut(place: &Place) {
    let mut log = place.open(0, "long");
    let mut at = Position::default();
    let all: Vec<Batch> = (0..7).map(|number| batch(&number.to_string())).collect();
    for batch in &all {
        at = done(log.append(&at, batch));
    }
    let (mut found, mut from) = (Vec::new(), Position::default());
    let mut reader = place.open(1, "long");
    while from != at {
        let tail = reader.read(&from, 40).unwrap();
        assert!((1..=3).contains(&tail.batches.len()), "{tail:?}");
        assert_eq!(tail.head.position, at);
        found.extend(batches(&tail));
        from = tail.end(&from).clone();
    }
    assert_eq!(found, all);
}

fn unknown_position_is_reported(place: &Place) {
    let mut log = place.open(0, "lost");
    let first = done(log.append(&Position::default(), &batch("one")));
    let wrong = [
        Position {
            batch: "0".repeat(32),
            ..first.clone()
        },
        Position {
            at: first.at + 9,
            ..first
        },
    ];
    for wrong in wrong {
        assert_eq!(
            log.read(&wrong, MANY),
            Err(SharedError::Diverged(wrong.clone()))
        );
        assert_eq!(
            log.append(&wrong, &batch("x")),
            Err(SharedError::Diverged(wrong.clone()))
        );
    }
}

fn seizure_ends_with_append_or_release(place: &Place) {
    let (mut ours, mut theirs) = (place.open(0, "seized"), place.open(1, "seized"));
    let start = Position::default();
    let first = done(theirs.append(&start, &batch("one")));
    let Some(tail) = ours.seize(&start, MANY).unwrap() else {
        return;
    };
    assert_eq!(tail.end(&start), &first);
    ours.release().unwrap();
    let second = done(theirs.append(&first, &batch("two")));
    let tail = ours.seize(&first, MANY).unwrap().unwrap();
    assert_eq!(tail.end(&first), &second);
    std::thread::scope(|threads| {
        let blocked = threads.spawn(|| theirs.append(&second, &batch("four")));
        let third = done(ours.append(&second, &batch("three")));
        // This append had to wait, and then lost the race.
        let tail = moved(blocked.join().unwrap());
        assert_eq!(tail.end(&second), &third);
    });
}

fn wait_ends_with_an_append(place: &Place) {
    let mut ours = place.open(0, "wait");
    let start = Position::default();
    let same = ours.wait(&start, Duration::from_millis(1)).unwrap();
    assert_eq!(same.position, start);
    let mut theirs = place.open(1, "wait");
    let long = Duration::from_secs(60);
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| ours.wait(&start, long).unwrap());
        let first = done(theirs.append(&start, &batch("one")));
        assert_eq!(waiting.join().unwrap().position, first);
    });
}

fn races_have_one_winner_each(place: &Place) {
    place.open(0, "many");
    let writers = 4;
    std::thread::scope(|threads| {
        for writer in 0..writers {
            threads.spawn(move || {
                let mut log = place.open(writer % 2, "many");
                let mut at = log.head().unwrap().position;
                for number in 0..4 {
                    let own = batch(&format!("{writer}-{number}"));
                    at = loop {
                        match log.append(&at, &own).unwrap() {
                            Append::Done(head) => break head.position,
                            Append::Moved(tail) => at = tail.end(&at).clone(),
                        }
                    };
                }
            });
        }
    });
    let tail = place
        .open(0, "many")
        .read(&Position::default(), MANY)
        .unwrap();
    let mut ids: Vec<String> = batches(&tail).into_iter().map(|batch| batch.id).collect();
    assert_eq!(ids.len(), writers * 4);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), writers * 4);
}

fn blob_is_read_elsewhere(place: &Place) {
    let mut log = place.open(0, "blobs");
    let bytes: Vec<u8> = (0..200_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let id = "ab".repeat(32);
    assert_eq!(log.blob(&id).unwrap(), None);
    log.put_blob(&id, &bytes).unwrap();
    // If a writer didn't get the answer, it stores the blob again.
    log.put_blob(&id, &bytes).unwrap();
    done(log.append(&Position::default(), &batch("one")));
    let mut reader = place.try_open(1, "blobs", Opening::Read).unwrap();
    assert!(reader.blob(&id).unwrap() == Some(bytes));
    assert_eq!(reader.blob(&"cd".repeat(32)).unwrap(), None);
    assert_eq!(place.open(1, "other").blob(&id).unwrap(), None);
}

fn blob_under_seizure_comes_with_the_append(place: &Place) {
    let (mut ours, mut theirs) = (place.open(0, "kept"), place.open(1, "kept"));
    let (start, id) = (Position::default(), "ef".repeat(32));
    let seized = ours.seize(&start, MANY).unwrap();
    ours.put_blob(&id, b"\"large\"").unwrap();
    if seized.is_some() {
        assert_eq!(theirs.blob(&id).unwrap(), None);
    }
    done(ours.append(&start, &batch("one")));
    assert_eq!(theirs.blob(&id).unwrap().unwrap(), b"\"large\"");
}

fn session(place: &Place, machine: usize) -> LedgerSession {
    let root = place.machines[machine].path();
    let site = Site::open(root, environment(root)).unwrap();
    let service = LedgerService::new(&site).sharing(Arc::new(Backends::new(&site)));
    service.open(Some("ann"), "test").unwrap()
}

fn output_in(session: &LedgerSession) -> Result<Value, LedgerError> {
    let molecule = session.state().molecule("mol-a").unwrap();
    let world = session.world();
    molecule.steps[0].output.load(&world).map(Cow::into_owned)
}

/// Completes a step that has a large output on the first machine, and joins from the second one.
fn completed_elsewhere(place: &Place, name: &str, output: &Value) -> LedgerSession {
    let mut ours = session(place, 0);
    ours.sharing().share(&place.location, name).unwrap();
    let step = json!({ "id": "a", "title": "A", "origin": { "source": 0, "line": 1 } });
    let poured = MolCreated {
        mol_id: "mol-a".to_owned(),
        formula: "test".to_owned(),
        cooked: json!({ "schema_version": 1, "formula": "test", "kind": "workflow", "dialect": "beads", "version": 1,
            "title": "A test", "steps": [step], "sources": [], "digest": format!("blake3:{}", "0".repeat(64)) }),
        ..MolCreated::default()
    };
    let world = ours.world();
    let claim = Claim::default();
    ours.decide(|draft| draft.emit(poured.clone())).unwrap();
    let claimed = ours.decide(|draft| draft.claim(&claim, &world)).unwrap();
    ours.decide(|draft| draft.complete(&claimed.proof, output.clone(), Vec::new(), &world))
        .unwrap();
    let mut theirs = session(place, 1);
    theirs.sharing().share(&place.location, name).unwrap();
    theirs
}

fn large_output_follows_its_event(place: &Place) {
    let output = json!({ "text": "x".repeat(100_000) });
    let mut theirs = completed_elsewhere(place, "outputs", &output);
    assert_eq!(output_in(&theirs).unwrap(), output);
    // When detaching, this machine fetches the blobs that it doesn't have yet.
    let root = place.machines[1].path();
    let folders = [".git/windlass/ledger/outputs", ".beads/.windlass/outputs"];
    let own = folders.map(|folder| root.join(folder));
    let own = own.iter().find(|folder| folder.exists()).unwrap();
    std::fs::remove_dir_all(own).unwrap();
    theirs.sharing().detach(false).unwrap();
    assert_eq!(output_in(&theirs).unwrap(), output);
    std::fs::remove_dir_all(own).unwrap();
    let error = output_in(&theirs).unwrap_err();
    assert!(matches!(error, LedgerError::NoOutput { .. }), "{error}");
}

#[test]
fn detach_fails_if_outputs_cannot_be_fetched() {
    let place = Place::folder();
    let output = json!({ "text": "x".repeat(100_000) });
    let mut theirs = completed_elsewhere(&place, "outputs", &output);
    let shared = Path::new(place.location.trim_start_matches("file:"));
    let (blobs, aside) = (shared.join("outputs.blobs"), shared.join("aside"));
    std::fs::rename(&blobs, &aside).unwrap();
    std::fs::write(&blobs, "in the way").unwrap();
    let error = theirs.sharing().detach(false).unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    assert!(theirs.sharing().contact().is_some());
    std::fs::remove_file(&blobs).unwrap();
    std::fs::rename(&aside, &blobs).unwrap();
    theirs.sharing().detach(false).unwrap();
    assert_eq!(output_in(&theirs).unwrap(), output);
}

fn conforms(place: &Place) {
    appends_in_order(place);
    lost_race_brings_the_tail(place);
    repeated_append_takes_place_once(place);
    long_tail_is_cut(place);
    unknown_position_is_reported(place);
    seizure_ends_with_append_or_release(place);
    wait_ends_with_an_append(place);
    blob_is_read_elsewhere(place);
    blob_under_seizure_comes_with_the_append(place);
    large_output_follows_its_event(place);
}

#[test]
fn folder_conforms() {
    let place = Place::folder();
    conforms(&place);
    races_have_one_winner_each(&place);
}

#[test]
fn git_ref_conforms() {
    conforms(&Place::git());
}

#[test]
#[cfg(feature = "postgres")]
fn postgres_conforms() {
    let Some(cluster) = postgres::Cluster::start() else {
        return;
    };
    let place = Place::postgres(&cluster);
    conforms(&place);
    races_have_one_winner_each(&place);
    let mut log = place.open(0, "order");
    let findings = log.inspect().unwrap();
    assert!(
        findings.iter().all(|(is_problem, _)| !is_problem),
        "{findings:?}"
    );
    let clock_ahead = log.head().unwrap().clock_ahead.unwrap();
    assert!(clock_ahead.abs() < 5_000_000, "{clock_ahead}");
}

#[test]
#[cfg(feature = "postgres")]
fn worker_role_appends_and_cannot_delete() {
    let Some(cluster) = postgres::Cluster::start() else {
        return;
    };
    let mut place = Place::postgres(&cluster);
    place.open(0, "team");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/postgres/worker-role.sql");
    cluster.sql_file(&script, &["role=worker"]);
    cluster.sql("create role machine login in role worker");
    place.location = place.location.replace("windlass@", "machine@");
    let mut log = place.try_open(1, "team", Opening::Write).unwrap();
    done(log.append(&Position::default(), &batch("one")));
    for sql in [
        "delete from windlass.batch",
        "update windlass.ledger set head = 0",
        "select * from windlass.batch",
    ] {
        let refused = cluster.try_sql_as("machine", sql).unwrap_err();
        assert!(refused.contains("permission denied"), "{refused}");
    }
    let unknown = place.try_open(1, "none", Opening::Write).unwrap_err();
    assert!(matches!(&unknown, SharedError::Refused(why) if why.contains("no ledger `none`")));
}
