//! Crash tests of the durable log, on a disk that retains only synced bytes.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use windlass_store::{DurableLog, LogDisk, RootedPath};

/// Block size of the simulated disk.
const BLOCK: usize = 16;

/// Simulated disk. A crash retains synced bytes, and any part of the others.
#[derive(Default)]
struct Frail(Mutex<State>);

#[derive(Default, Clone)]
struct State {
    bytes: Vec<u8>,
    durable: usize,
    mark: u64,
    /// Remaining space, in bytes.
    room: Option<usize>,
    /// True if the disk can reserve space.
    promises: bool,
    sync_fails: bool,
    syncs: usize,
}

impl LogDisk for Frail {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().bytes.len() as u64)
    }

    fn read(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        let (from, to) = (from as usize, to.min(state.bytes.len() as u64) as usize);
        bytes.clear();
        bytes.extend(&state.bytes[from..to]);
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        match state.promises && state.room.is_some_and(|room| (room as u64) < bytes) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let fits = state.room.map_or(bytes.len(), |room| room.min(bytes.len()));
        state.bytes.extend(&bytes[..fits]);
        if let Some(room) = &mut state.room {
            *room -= fits;
        }
        match fits == bytes.len() {
            true => Ok(()),
            false => {
                // Another process syncs the current contents.
                state.durable = state.bytes.len();
                state.mark = state.durable as u64;
                Err(io::ErrorKind::StorageFull.into())
            }
        }
    }

    fn take_back(&self, end: u64) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let back = state.bytes.len() - end as usize;
        state.bytes.truncate(end as usize);
        state.durable = state.durable.min(end as usize);
        if let Some(room) = &mut state.room {
            *room += back;
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        if state.sync_fails {
            return Err(io::ErrorKind::Other.into());
        }
        state.durable = state.bytes.len();
        state.syncs += 1;
        Ok(())
    }

    fn synced(&self) -> u64 {
        self.0.lock().unwrap().mark
    }

    fn note_synced(&self, end: u64) {
        self.0.lock().unwrap().mark = end;
    }
}

impl Frail {
    /// Simulates a power failure. Among the blocks not synced yet, those in `survivors` remain and
    /// the others become zeros, up to some length. The record of the durable size is possibly lost.
    fn crash(&self, survivors: u64, cut: usize, loses_mark: bool) {
        let mut state = self.0.lock().unwrap();
        let durable = state.durable;
        let tail = state.bytes.split_off(durable);
        let mut left: Vec<u8> = Vec::new();
        for (at, block) in tail.chunks(BLOCK).enumerate() {
            let is_kept = survivors >> (at % 64) & 1 == 1;
            left.extend(block.iter().map(|byte| if is_kept { *byte } else { 0 }));
        }
        left.truncate(left.len().saturating_sub(cut));
        state.bytes.extend(left);
        state.room = None;
        state.sync_fails = false;
        if loses_mark {
            state.mark = 0;
        }
    }
}

#[derive(Debug, Clone)]
enum Act {
    Append {
        lines: u8,
        width: u8,
    },
    Commit,
    Crash {
        survivors: u64,
        cut: usize,
        loses_mark: bool,
    },
    FillUp {
        room: usize,
    },
    BreakSync,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (1..4_u8, 0..40_u8).prop_map(|(lines, width)| Act::Append { lines, width }),
        4 => Just(Act::Commit),
        2 => (any::<u64>(), 0..40_usize, any::<bool>())
            .prop_map(|(survivors, cut, loses_mark)| Act::Crash { survivors, cut, loses_mark }),
        1 => (0..60_usize).prop_map(|room| Act::FillUp { room }),
        1 => Just(Act::BreakSync),
    ]
}

const SOON: Duration = Duration::from_secs(5);

proptest! {
    #[test]
    fn acknowledged_lines_survive_crashes(acts in prop::collection::vec(act(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(Frail::default());
        let log = DurableLog::on(Arc::clone(&disk) as _, &RootedPath::new("log"), &RootedPath::new(dir.path()));
        let mut written = 0;
        // Lines appended but not committed, and acknowledged lines.
        let (mut waiting, mut acknowledged) = (Vec::new(), Vec::<String>::new());
        for act in acts {
            match act {
                Act::Append { lines, width } => {
                    let batch: Vec<String> = (0..lines)
                        .map(|_| {
                            written += 1;
                            format!("event {written} {}", "x".repeat(width.into()))
                        })
                        .collect();
                    let text: String = batch.iter().map(|line| format!("{line}\n")).collect();
                    let appended = log.writer(SOON, "test").unwrap().append(text.as_bytes());
                    if let Ok(appended) = appended {
                        waiting.push((appended, batch));
                    }
                }
                Act::Commit => {
                    // Each thread commits its own lines. The first commit usually covers lines
                    // appended later as well.
                    for (appended, batch) in std::mem::take(&mut waiting) {
                        if log.commit(appended, SOON, "test").is_ok() {
                            acknowledged.extend(batch);
                        }
                    }
                }
                Act::Crash { survivors, cut, loses_mark } => {
                    waiting.clear();
                    disk.crash(survivors, cut, loses_mark);
                }
                Act::FillUp { room } => disk.0.lock().unwrap().room = Some(room),
                Act::BreakSync => disk.0.lock().unwrap().sync_fails = true,
            }
            let bytes = log.whole_lines(0).unwrap();
            let there: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            let mut there = there.iter();
            for line in &acknowledged {
                // Lines must be found in the order in which they were appended.
                prop_assert!(there.any(|found| *found == line.as_bytes()), "`{}` is lost", line);
            }
        }
    }
}

#[test]
fn failed_append_can_be_retried() {
    let batch = "one\ntwo\nthree\n";
    // The same goes for a batch that fits except for its last terminator. The next append must not
    // complete that line.
    for (room, promises) in (0..batch.len()).flat_map(|room| [(room, false), (room, true)]) {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(Frail::default());
        let log = DurableLog::on(
            Arc::clone(&disk) as _,
            &RootedPath::new("log"),
            &RootedPath::new(dir.path()),
        );
        let append = |lines: &str| {
            let appended = log.writer(SOON, "test").unwrap().append(lines.as_bytes())?;
            log.commit(appended, SOON, "test").unwrap();
            Ok::<_, windlass_store::StoreError>(appended)
        };
        let _ = append("before\n").unwrap();
        {
            let mut state = disk.0.lock().unwrap();
            (state.room, state.promises) = (Some(room), promises);
        }
        assert!(append(batch).unwrap_err().is_full());
        assert_eq!(
            disk.0.lock().unwrap().bytes,
            b"before\n",
            "with room for {room}"
        );
        disk.0.lock().unwrap().room = None;
        assert_eq!(append(batch).unwrap().start, 7);
        assert_eq!(log.whole_lines(0).unwrap(), b"before\none\ntwo\nthree\n");
        let state = disk.0.lock().unwrap();
        assert_eq!(state.durable, state.bytes.len(), "acknowledged and durable");
    }
}

#[test]
fn concurrent_writers_share_a_sync() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(Frail::default());
    let log = DurableLog::on(
        Arc::clone(&disk) as _,
        &RootedPath::new("log"),
        &RootedPath::new(dir.path()),
    );
    let appended: Vec<_> = (0..8)
        .map(|at| {
            let line = format!("{at}\n");
            log.writer(SOON, "test")
                .unwrap()
                .append(line.as_bytes())
                .unwrap()
        })
        .collect();
    for appended in appended {
        log.commit(appended, SOON, "test").unwrap();
    }
    assert_eq!(disk.0.lock().unwrap().syncs, 1);
}
