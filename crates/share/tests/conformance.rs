//! One suite for all backends of the shared log.
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

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use windlass_ledger::{
    Append, Batch, OpenShared as _, Opening, Position, SharedConfig, SharedError, SharedLog, Tail,
};
use windlass_share::Backends;
use windlass_site::{Environment, Seeds, Site};

const MANY: usize = 1 << 20;

/// Location of a shared log, opened from two folders as if from two machines.
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
    // Another ledger at the same place is still empty.
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
        // Try again on a new connection, as after a lost answer.
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
        // The append had to wait and then lost.
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

fn conforms(place: &Place) {
    appends_in_order(place);
    lost_race_brings_the_tail(place);
    repeated_append_takes_place_once(place);
    long_tail_is_cut(place);
    unknown_position_is_reported(place);
    seizure_ends_with_append_or_release(place);
    wait_ends_with_an_append(place);
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
