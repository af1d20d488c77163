//! Crash tests of the durable log, on a disk that loses whatever wasn't synced.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod simulated_disk;

use std::io::{self, Write as _};
use std::time::Duration;

use proptest::prelude::*;
use simulated_disk::{Fates, Fault, SimulatedDisk, memory_folder};
use windlass_store::{Appended, Disk, DiskCall, DurableLog, LockError, LockRequest, RootedPath};

#[derive(Debug, Clone)]
enum Act {
    Append {
        lines: u8,
        width: u8,
    },
    Commit,
    /// Call number `at` from now on fails.
    Fail {
        at: usize,
        part: usize,
    },
    /// The power fails at call number `at` of an append and its commit.
    Cut {
        at: usize,
        bits: u64,
    },
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (1..4_u8, 0..40_u8).prop_map(|(lines, width)| Act::Append { lines, width }),
        4 => Just(Act::Commit),
        2 => (0..12_usize, 0..60_usize).prop_map(|(at, part)| Act::Fail { at, part }),
        2 => (0..12_usize, any::<u64>()).prop_map(|(at, bits)| Act::Cut { at, bits }),
    ]
}

fn soon() -> LockRequest {
    LockRequest::new(Duration::from_secs(5), "test")
}

/// A log, with lines that are waiting for their commit and lines that were acknowledged.
struct World {
    dir: tempfile::TempDir,
    simulated: SimulatedDisk,
    written: usize,
    waiting: Vec<(Appended, Vec<String>)>,
    acknowledged: Vec<String>,
}

impl World {
    fn log(&self, disk: &Disk) -> DurableLog {
        let root = RootedPath::new(self.dir.path()).on(disk);
        DurableLog::open(&root.join("in/log"), &root.join("beside")).unwrap()
    }

    fn append(&mut self, log: &DurableLog, lines: u8, width: u8) {
        let line = |at: usize| format!("event {} {}", self.written + at, "x".repeat(width.into()));
        let batch: Vec<String> = (0..usize::from(lines)).map(line).collect();
        self.written += batch.len();
        let text: String = batch.iter().map(|line| format!("{line}\n")).collect();
        let appended = log.writer(&soon());
        let appended = appended.map(|mut writer| writer.append(text.as_bytes()));
        if let Ok(Ok(appended)) = appended {
            self.waiting.push((appended, batch));
        }
    }

    fn commit(&mut self, log: &DurableLog) {
        // Each process commits its own lines. The first commit usually covers lines that were
        // appended later as well.
        for (appended, batch) in std::mem::take(&mut self.waiting) {
            if log.commit(appended, &soon()).is_ok() {
                self.acknowledged.extend(batch);
            }
        }
    }
}

proptest! {
    #[test]
    fn acknowledged_lines_survive_crashes(acts in prop::collection::vec(act(), 1..60)) {
        let mut world = World {
            dir: memory_folder(),
            simulated: SimulatedDisk::default(),
            written: 0,
            waiting: Vec::new(),
            acknowledged: Vec::new(),
        };
        let mut log = world.log(&world.simulated.disk());
        for act in acts {
            match act {
                Act::Append { lines, width } => world.append(&log, lines, width),
                Act::Commit => world.commit(&log),
                Act::Fail { at, part } => {
                    let fault = Fault::Error(io::ErrorKind::StorageFull, part);
                    world.simulated.fail_at(at, fault);
                }
                Act::Cut { at, bits } => {
                    world.simulated.fail_at(at, Fault::PowerCut);
                    world.append(&log, 2, 20);
                    world.commit(&log);
                    // The process is gone, so nobody commits these lines anymore.
                    world.waiting.clear();
                    world.simulated.cut_power(Fates::Random(bits));
                    log = world.log(&world.simulated.disk());
                }
            // Read the real files, as a process after the crash would.
            }
            let bytes = world.log(&Disk::default()).whole_lines(0).unwrap();
            let there: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            let mut there = there.iter();
            for line in &world.acknowledged {
                // They have to be in the order in which they were appended.
                prop_assert!(there.any(|found| *found == line.as_bytes()), "`{}` is lost", line);
            }
        }
    }
}

#[test]
fn failed_append_can_be_retried() {
    let batch = "one\ntwo\nthree\n";
    // This includes a batch that fits except for its last terminator. The next append must not
    // complete that line.
    for room in 0..batch.len() {
        let dir = memory_folder();
        let root = RootedPath::new(dir.path());
        let open = |root: &RootedPath| DurableLog::open(&root.join("log"), root).unwrap();
        let append = |log: &DurableLog, lines: &str| {
            let appended = log.writer(&soon()).unwrap().append(lines.as_bytes())?;
            log.commit(appended, &soon()).unwrap();
            Ok::<_, windlass_store::StoreError>(appended)
        };
        let log = open(&root);
        let _ = append(&log, "before\n").unwrap();
        let other = open(&root);
        let full = Disk::watched(move |call| match call {
            DiskCall::Append(path, bytes) => {
                let mut file = std::fs::OpenOptions::new().append(true).open(path)?;
                file.write_all(&bytes[..room])?;
                // Another process syncs whatever is there by now.
                let end = file.metadata()?.len();
                let synced = other.commit(Appended { start: end, end }, &soon());
                synced.map_err(|error: LockError| io::Error::other(error.to_string()))?;
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        });
        let failed = append(&open(&root.clone().on(&full)), batch);
        assert!(failed.unwrap_err().is_full());
        assert_eq!(
            log.read(0, 99).unwrap(),
            b"before\n",
            "with room for {room}"
        );
        assert_eq!(append(&log, batch).unwrap().start, 7);
        assert_eq!(log.whole_lines(0).unwrap(), b"before\none\ntwo\nthree\n");
        assert_eq!(log.synced_bytes(), log.bytes().unwrap());
    }
}

#[test]
fn concurrent_writers_share_a_sync() {
    let dir = memory_folder();
    let simulated = SimulatedDisk::default();
    let root = RootedPath::new(dir.path()).on(&simulated.disk());
    let log = DurableLog::open(&root.join("log"), &root).unwrap();
    let append = |at: u8| {
        let mut writer = log.writer(&soon()).unwrap();
        writer.append(format!("{at}\n").as_bytes()).unwrap()
    };
    let appended: Vec<_> = (0..8).map(append).collect();
    for appended in appended {
        log.commit(appended, &soon()).unwrap();
    }
    assert_eq!(simulated.syncs(), 1);
}
