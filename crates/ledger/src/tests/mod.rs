//! Helpers that create whole ledgers in temporary folders.
#![expect(clippy::disallowed_methods, reason = "tests make the files they need")]

mod checkpoints;
mod imported_records;
mod log_copies;
pub(crate) mod memory_log;
mod shared_logs;
mod whole_ledgers;
mod work_order;

use std::cell::Cell;
use std::time::Duration;

use windlass_store::LockRequest;

use crate::event::*;
use crate::*;

/// A temporary folder with a ledger, whose log may be in the working tree or in a separate place.
pub(crate) struct Folder {
    pub(crate) dir: tempfile::TempDir,
    has_git: bool,
}

pub(crate) fn soon() -> LockRequest {
    LockRequest::new(Duration::from_secs(20), "test")
}

thread_local! {
    static DRAWN: Cell<u64> = const { Cell::new(0) };
}

/// Makes this thread draw ids from `number` on, so that they differ from those of other threads.
pub(crate) fn draw_from(number: u64) {
    DRAWN.set(number);
}

fn random() -> u64 {
    DRAWN.set(DRAWN.get() + 1);
    DRAWN.get()
}

pub(crate) fn writer(actor: &str, second: i64) -> Writer<'static> {
    let base: Stamp = "2026-01-01T00:00:00Z".parse().unwrap();
    Writer {
        actor: actor.to_owned(),
        now: Stamp::from_micros(base.micros() + second * 1_000_000),
        random: &random,
        lock: soon(),
        correlation_id: None,
        secrets: Secrets::Keep,
    }
}

impl Folder {
    pub(crate) fn new(has_git: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir, has_git }
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn places(&self) -> Places {
        let git = windlass_store::RootedPath::new(self.path(".git"));
        let shared = self.has_git.then(|| git.join("windlass/ledger"));
        Places::new(self.dir.path(), shared)
    }

    pub(crate) fn open(&self) -> Journal {
        Journal::open(self.places()).unwrap()
    }

    pub(crate) fn sync(&self) {
        self.open().sync(Stamp::default(), &soon()).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn rebuild(ledger: &mut Journal) {
    ledger.rebuild(Stamp::default(), &soon()).unwrap();
}

pub(crate) fn create(ledger: &mut Journal, id: &str, second: i64) {
    emit(ledger, second, made(id)).unwrap();
}

pub(crate) fn made(id: &str) -> BeadCreated {
    BeadCreated {
        bead_id: id.to_owned(),
        title: format!("the bead {id}"),
        issue_type: "task".to_owned(),
        ..BeadCreated::default()
    }
}

pub(crate) fn emit(
    ledger: &mut Journal,
    second: i64,
    payload: impl Into<Payload>,
) -> Result<String, LedgerError> {
    let payload = payload.into();
    ledger.transact(&writer("ann", second), |draft| draft.emit(payload.clone()))
}

pub(crate) fn depend(
    ledger: &mut Journal,
    from: &str,
    kind: &str,
    to: &str,
) -> Result<String, LedgerError> {
    let payload = BeadDependencyAdded {
        bead_id: from.to_owned(),
        depends_on_id: to.to_owned(),
        kind: kind.to_owned(),
        gate: None,
    };
    emit(ledger, 5, payload)
}

pub(crate) fn close(ledger: &mut Journal, id: &str, outcome: Outcome) {
    let payload = BeadClosed {
        bead_id: id.to_owned(),
        reason: "it is".to_owned(),
        outcome: Some(outcome),
    };
    emit(ledger, 6, payload).unwrap();
}

pub(crate) fn ready(ledger: &Journal) -> String {
    ledger
        .state()
        .work()
        .ready(
            &WorkFilter::default(),
            Stamp::default(),
            &Elsewhere::default(),
            usize::MAX,
        )
        .ids
        .join(" ")
}

pub(crate) fn reasons(ledger: &Journal, id: &str) -> String {
    let reasons = ledger
        .state()
        .work()
        .reasons(id, Stamp::default(), &Elsewhere::default());
    serde_json::to_string(&reasons).unwrap().replace('"', "")
}

pub(crate) fn with(ids: &[&str]) -> (Folder, Journal) {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for (at, id) in (0..).zip(ids) {
        create(&mut ledger, id, at);
    }
    (folder, ledger)
}

pub(crate) fn claim_of(bead: &str, actor: &str) -> BeadStatusChanged {
    BeadStatusChanged {
        bead_id: bead.to_owned(),
        from_status: "open".to_owned(),
        to_status: "in_progress".to_owned(),
        assignee: Some(actor.to_owned()),
        claim: true,
        reason: None,
    }
}
