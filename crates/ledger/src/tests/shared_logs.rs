//! Ledgers on several machines sharing a log.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use windlass_site::Explain as _;

use crate::journal::sharing;
use crate::shared::Opening;
use crate::tests::memory_log::{Fault, MemoryBackend, MemoryLog};
use crate::tests::*;

struct Machine {
    folder: Arc<Folder>,
    log: MemoryLog,
    /// Seconds by which its clock is behind the server's.
    behind: i64,
    name: &'static str,
}

impl Machine {
    fn new(log: &MemoryLog, name: &'static str, behind: i64) -> Self {
        Self {
            folder: Arc::new(Folder::new(true)),
            log: log.clone(),
            behind,
            name,
        }
    }

    fn open(&self) -> Journal {
        let mut journal = self.folder.open();
        let backend = MemoryBackend {
            log: self.log.clone(),
            ahead: self.behind * 1_000_000,
            can_seize: self.behind == 0,
        };
        let config = SharedConfig::new("memory:", "test");
        sharing::connect_to(&mut journal, config, Some(Arc::new(backend)));
        journal
    }

    fn writer(&self, second: i64) -> Writer<'static> {
        writer(self.name, second - self.behind)
    }

    fn exchange(&self) -> Journal {
        let mut journal = self.open();
        let done = sharing::exchange(&mut journal, Opening::Write, Stamp::default(), &soon());
        done.unwrap();
        journal
    }
}

fn machines() -> (MemoryLog, Machine, Machine) {
    let log = MemoryLog::default();
    let (one, two) = (Machine::new(&log, "ann", 0), Machine::new(&log, "bob", 50));
    (log, one, two)
}

fn claim(journal: &mut Journal, writer: &Writer<'_>, bead: &str) -> Result<String, LedgerError> {
    journal.transact(writer, |draft| draft.emit(claim_of(bead, &writer.actor)))
}

fn report(journal: &Journal) -> String {
    let beads = journal.state().beads.iter();
    let beads = beads.map(|(_, found)| String::from_utf8(found.line().into_owned()).unwrap());
    let lines: Vec<String> = beads.collect();
    format!("{lines:#?}\n{:#?}", journal.state().rejected())
}

#[test]
fn write_costs_one_call_after_the_first() {
    let (log, one, _) = machines();
    let mut journal = one.open();
    create(&mut journal, "t-a", 1);
    log.take_calls();
    create(&mut journal, "t-b", 2);
    claim(&mut journal, &one.writer(3), "t-a").unwrap();
    assert_eq!(log.take_calls(), 2);
}

#[test]
fn lost_race_is_decided_again_on_the_tail() {
    let (log, one, two) = machines();
    let (mut ours, mut theirs) = (one.open(), two.open());
    create(&mut ours, "t-a", 1);
    claim(&mut theirs, &two.writer(2), "t-a").unwrap();
    log.take_calls();
    // Our replica hasn't seen the claim yet. The single append brings it, and that's enough to
    // refuse ours.
    let lost = claim(&mut ours, &one.writer(3), "t-a").unwrap_err();
    assert_eq!(log.take_calls(), 1);
    assert_eq!(lost.kind(), windlass_site::ErrorKind::Conflict, "{lost}");
    let bead = ours.state().beads.get("t-a").unwrap();
    assert_eq!(bead.assignee.as_deref(), Some("bob"));
    assert!(ours.state().rejected().is_empty());
}

#[test]
fn contending_writer_decides_once_under_the_lock() {
    let (log, one, two) = machines();
    let (mut ours, mut theirs) = (one.open(), two.open());
    for second in 1..30 {
        create(&mut ours, &format!("t-{second}"), second);
    }
    let mut claim_next = |second: i64| {
        let mut tries = 0;
        log.take_calls();
        let made = ours.transact(&one.writer(second), |draft| {
            tries += 1;
            draft.emit(claim_of(&format!("t-{}", second - 40), "ann"))
        });
        made.unwrap();
        (tries, log.take_calls())
    };
    claim(&mut theirs, &two.writer(40), "t-29").unwrap();
    // A lost race brings the tail. The next writes take the lock, which brings nothing new.
    assert_eq!(claim_next(41), (2, 2));
    let guarded = (42..).take_while(|second| claim_next(*second) == (1, 2));
    let unguarded = 42 + i64::try_from(guarded.count()).unwrap();
    assert!(unguarded > 43);
    // Nobody else has written for a while, so the next claim needs no lock.
    assert_eq!(claim_next(unguarded + 1), (1, 1));
}

#[test]
fn refused_writer_stops_blocking_others() {
    let (log, one, two) = machines();
    let (mut ours, mut theirs) = (one.open(), two.open());
    create(&mut ours, "t-a", 1);
    create(&mut ours, "t-b", 1);
    claim(&mut theirs, &two.writer(2), "t-a").unwrap();
    for second in 3..40 {
        claim(&mut ours, &one.writer(second), "t-a").unwrap_err();
    }
    log.take_calls();
    claim(&mut ours, &one.writer(40), "t-b").unwrap();
    assert_eq!(log.take_calls(), 1);
}

#[test]
fn refusal_is_final_only_after_a_pull() {
    let (_, one, two) = machines();
    let (mut ours, mut theirs) = (one.open(), two.open());
    create(&mut ours, "t-a", 1);
    claim(&mut theirs, &two.writer(2), "t-a").unwrap();
    claim(&mut ours, &one.writer(3), "t-a").unwrap_err();
    let closed = BeadClosed {
        bead_id: "t-a".to_owned(),
        ..BeadClosed::default()
    };
    theirs
        .transact(&two.writer(4), |draft| draft.emit(closed.clone()))
        .unwrap();
    // In the state that the replica has, the bead is still open, so there's nothing to reopen.
    let reopened = BeadReopened {
        bead_id: "t-a".to_owned(),
        ..BeadReopened::default()
    };
    ours.transact(&one.writer(5), |draft| draft.emit(reopened.clone()))
        .unwrap();
}

#[test]
fn lost_answer_is_settled_by_the_batch() {
    for fault in [Fault::CutBefore, Fault::CutAfter, Fault::Twice] {
        let (log, one, two) = machines();
        let mut ours = one.open();
        create(&mut ours, "t-a", 1);
        log.fail_next(fault);
        let id = claim(&mut ours, &one.writer(2), "t-a").unwrap();
        let lines = String::from_utf8(log.lines()).unwrap();
        // Whatever happened to the connection, the event is in the log exactly once.
        assert_eq!(lines.matches(&id).count(), 1, "{lines}");
        let bead = two.exchange().state().beads.get("t-a").unwrap();
        assert_eq!(bead.assignee.as_deref(), Some("ann"));
    }
}

#[test]
fn failure_here_after_shared_append_is_warning() {
    for is_full in [true, false] {
        let (log, one, two) = machines();
        let mut ours = one.open();
        create(&mut ours, "t-a", 1);
        let events = one.folder.places().journal().path().to_owned();
        let note = one.folder.path(".git/windlass/ledger/replica");
        let file = std::fs::File::options().write(true).open(events).unwrap();
        let before = file.metadata().unwrap().len();
        let other = file.try_clone().unwrap();
        log.fail_next(Fault::Overtaken(Box::new(move || {
            if is_full {
                other.set_len(windlass_store::MAX_LOG_BYTES).unwrap();
            } else {
                std::fs::remove_file(&note).unwrap();
                std::fs::create_dir(&note).unwrap();
            }
        })));
        let id = claim(&mut ours, &one.writer(2), "t-a").unwrap();
        let [warning] = ours.warnings()[..] else {
            panic!("{:?}", ours.warnings())
        };
        assert!(warning.contains("not yet recorded here"), "{warning}");
        if is_full {
            file.set_len(before).unwrap();
        } else {
            std::fs::remove_dir(one.folder.path(".git/windlass/ledger/replica")).unwrap();
        }
        // The next write brings the events here, without appending them a second time.
        create(&mut ours, "t-b", 3);
        let lines = String::from_utf8(log.lines()).unwrap();
        assert_eq!(lines.matches(&id).count(), 1, "{lines}");
        for journal in [ours, one.folder.open(), two.exchange()] {
            let bead = journal.state().beads.get("t-a").unwrap();
            assert_eq!(bead.assignee.as_deref(), Some("ann"));
            assert!(journal.state().beads.contains("t-b"));
        }
    }
}

#[test]
fn unreachable_log_refuses_writes_and_is_readable() {
    let (log, one, two) = machines();
    create(&mut one.open(), "t-a", 1);
    two.exchange();
    log.set_down(true);
    let mut journal = two.open();
    let refused = claim(&mut journal, &two.writer(2), "t-a").unwrap_err();
    assert_eq!(refused.kind(), windlass_site::ErrorKind::Conflict);
    assert!(refused.help().unwrap().contains("--offline"));
    let contact = sharing::replica(&mut journal).unwrap().contact();
    assert!(contact.problem.is_some(), "{contact:?}");
    let now = two.writer(400).now;
    sharing::refresh(&mut journal, now, 10, &soon()).unwrap();
    assert!(journal.state().beads.contains("t-a"));
    let [warning] = journal.warnings()[..] else {
        panic!("{:?}", journal.warnings())
    };
    assert!(warning.contains("cannot be reached"), "{warning}");
}

#[test]
fn reader_retries_after_growing_pauses() {
    let (log, one, _) = machines();
    create(&mut one.open(), "t-a", 1);
    log.set_down(true);
    let asked = |second: i64| {
        let mut journal = one.open();
        let now = one.writer(second).now;
        let is_due = sharing::is_due(&journal, now, 0);
        sharing::refresh(&mut journal, now, 0, &soon()).unwrap();
        assert_eq!(journal.warnings().len(), 1, "{second}");
        is_due
    };
    let seconds = (100..140).filter(|second| asked(*second));
    // The pauses double up to eight seconds.
    assert_eq!(
        seconds.collect::<Vec<_>>(),
        [100, 101, 103, 107, 115, 123, 131, 139]
    );
    log.set_down(false);
    let mut journal = one.open();
    claim(&mut journal, &one.writer(141), "t-a").unwrap();
    sharing::refresh(&mut journal, one.writer(141).now, 10, &soon()).unwrap();
    assert!(journal.warnings().is_empty());
}

#[test]
fn events_are_dated_by_the_server() {
    let (_, one, two) = machines();
    create(&mut one.open(), "t-a", 100);
    // The machine's own clock shows second 60 at this point.
    let mut journal = two.open();
    claim(&mut journal, &two.writer(110), "t-a").unwrap();
    let last = journal.state().last().unwrap().timestamp();
    assert_eq!(last, one.writer(110).now);
}

#[test]
fn lost_tail_of_the_log_is_given_back() {
    let (log, one, two) = machines();
    let mut journal = one.open();
    for (second, id) in (1..).zip(["t-a", "t-b", "t-c", "t-d", "t-e"]) {
        create(&mut journal, id, second);
    }
    // The server has lost events that both machines may have seen.
    log.lose(3);
    create(&mut two.open(), "t-f", 7);
    create(&mut journal, "t-g", 8);
    let theirs = two.exchange();
    assert_eq!(theirs.state().beads.count(), 7);
    assert_eq!(report(&one.exchange()), report(&theirs));
}

#[test]
fn offline_claims_merge_and_loser_gets_mail() {
    let (_, one, two) = machines();
    create(&mut one.open(), "t-a", 1);
    two.exchange();
    let won = claim(&mut two.folder.open(), &writer("bob", 10), "t-a").unwrap();
    claim(&mut one.open(), &one.writer(20), "t-a").unwrap();
    two.exchange();
    for journal in [one.exchange(), two.exchange()] {
        let bead = journal.state().beads.get("t-a").unwrap();
        assert_eq!(bead.assignee.as_deref(), Some("bob"));
        let rejected = journal.state().rejected();
        assert_eq!(rejected[0].won.as_ref(), Some(&won));
        let messages: Vec<_> = journal.state().messages.iter().collect();
        assert_eq!(messages.len(), 1);
    }
}

#[derive(Debug, Clone)]
struct Act {
    machine: usize,
    bead: usize,
    kind: Kind,
    trouble: Trouble,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Create,
    Claim,
    Close,
    /// Deletes the replica's note, which may get lost in a power cut.
    Forget,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    None,
    CutBefore,
    CutAfter,
    Twice,
    /// The other machine claims the same bead first.
    Overtaken,
    Down,
    /// The machine works without the shared log.
    Offline,
}

fn act() -> impl Strategy<Value = Act> {
    let kind = prop_oneof![
        3 => Just(Kind::Create),
        4 => Just(Kind::Claim),
        2 => Just(Kind::Close),
        1 => Just(Kind::Forget)
    ];
    let trouble = prop_oneof![
        4 => Just(Trouble::None),
        1 => Just(Trouble::CutBefore),
        1 => Just(Trouble::CutAfter),
        1 => Just(Trouble::Twice),
        3 => Just(Trouble::Overtaken),
        1 => Just(Trouble::Down),
        1 => Just(Trouble::Offline),
    ];
    (0..2_usize, 0..4_usize, kind, trouble).prop_map(|(machine, bead, kind, trouble)| Act {
        machine,
        bead,
        kind,
        trouble,
    })
}

fn payload(kind: Kind, bead: &str, actor: &str) -> Payload {
    match kind {
        Kind::Create => made(bead).into(),
        Kind::Claim => claim_of(bead, actor).into(),
        Kind::Close | Kind::Forget => BeadClosed {
            bead_id: bead.to_owned(),
            ..BeadClosed::default()
        }
        .into(),
    }
}

#[derive(Debug, Clone)]
struct Acknowledged {
    kind: Kind,
    bead: String,
    actor: &'static str,
    is_offline: bool,
}

fn run(acts: &[Act], log: &MemoryLog, machines: &[Machine; 2]) -> BTreeMap<String, Acknowledged> {
    let acknowledged = Arc::new(std::sync::Mutex::new(BTreeMap::new()));
    for (second, act) in (1..).zip(acts) {
        let (machine, other) = (&machines[act.machine], &machines[1 - act.machine]);
        let bead = format!("t-{}", act.bead);
        if act.kind == Kind::Forget {
            let note = machine.folder.path(".git/windlass/ledger/replica");
            let _ = std::fs::remove_file(note);
            continue;
        }
        let is_offline = act.trouble == Trouble::Offline;
        match act.trouble {
            Trouble::CutBefore => log.fail_next(Fault::CutBefore),
            Trouble::CutAfter => log.fail_next(Fault::CutAfter),
            Trouble::Twice => log.fail_next(Fault::Twice),
            Trouble::Down => log.set_down(true),
            Trouble::Overtaken => {
                let their = Machine {
                    folder: Arc::clone(&other.folder),
                    log: log.clone(),
                    ..*other
                };
                let (bead, acknowledged) = (bead.clone(), Arc::clone(&acknowledged));
                let drawn = 1_000_000 + u64::try_from(second).unwrap() * 1_000;
                log.fail_next(Fault::Overtaken(Box::new(move || {
                    draw_from(drawn);
                    let done = claim(&mut their.open(), &their.writer(second), &bead);
                    if let Ok(id) = done {
                        let claimed = Acknowledged {
                            kind: Kind::Claim,
                            bead,
                            actor: their.name,
                            is_offline: false,
                        };
                        acknowledged.lock().unwrap().insert(id, claimed);
                    }
                })));
            }
            Trouble::None | Trouble::Offline => {}
        }
        let mut journal = if is_offline {
            machine.folder.open()
        } else {
            machine.open()
        };
        let payload = payload(act.kind, &bead, machine.name);
        let done = journal.transact(&machine.writer(second), |draft| draft.emit(payload.clone()));
        if let Ok(id) = done {
            let written = Acknowledged {
                kind: act.kind,
                bead,
                actor: machine.name,
                is_offline,
            };
            acknowledged.lock().unwrap().insert(id, written);
        }
        log.set_down(false);
        log.forget_faults();
    }
    let acknowledged = acknowledged.lock().unwrap();
    acknowledged.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn histories_lose_and_repeat_nothing(acts in prop::collection::vec(act(), 1..24)) {
        draw_from(0);
        let (log, one, two) = machines();
        let machines = [one, two];
        let acknowledged = run(&acts, &log, &machines);
        let journals = machines.each_ref().map(Machine::exchange);
        let again = machines[0].exchange();
        let reference = fold::fold(&log.lines(), None);
        let text = String::from_utf8(log.lines()).unwrap();
        for (id, written) in &acknowledged {
            let needle = format!("\"event_id\":\"{id}\"");
            prop_assert_eq!(text.matches(&needle).count(), 1, "{:?} {}", written, id);
        }
        let is_merged = acknowledged.values().any(|written| written.is_offline);
        for journal in [&again, &journals[1]] {
            prop_assert_eq!(journal.state().events(), reference.events());
            prop_assert_eq!(journal.state().rejected(), reference.rejected());
            prop_assert!(is_merged || reference.rejected().is_empty());
        }
        prop_assert_eq!(report(&again), report(&journals[1]));
        if !is_merged {
            // Each bead has exactly one winner.
            for claimed in acknowledged.values().filter(|written| written.kind == Kind::Claim) {
                let bead = reference.beads.get(&claimed.bead).unwrap();
                prop_assert_eq!(bead.assignee.as_deref(), Some(claimed.actor));
            }
        }
    }
}
