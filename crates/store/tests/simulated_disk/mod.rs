//! A simulated disk. It uses real files, but we can make any call fail, and a power cut loses all
//! unsynced changes.
//!
//! For each file and each name, we keep the state that processes see and the one that's on the
//! medium. A sync copies the former to the latter. After a power cut, we write what's on the medium
//! to the real files.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test program uses a part of it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use windlass_store::{Disk, DiskCall};

/// Size of the blocks written as a whole, in bytes.
const BLOCK: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails. An append still writes this many bytes.
    Error(io::ErrorKind, usize),
    /// The power fails, and all later calls fail too.
    PowerCut,
}

/// Fate of unsynced changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fates {
    Lost,
    /// The names survive, but the contents don't.
    Names,
    /// For each block and each name, a bit decides if it survives.
    Random(u64),
}

/// Creates a temporary folder, in memory if possible, where a sync takes no time.
pub(crate) fn memory_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

#[derive(Clone, Default)]
pub(crate) struct SimulatedDisk(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    calls: usize,
    syncs: usize,
    fault: Option<(usize, Fault)>,
    files: Vec<Contents>,
    /// Files by path, as processes see them.
    seen: BTreeMap<PathBuf, Option<usize>>,
    /// Files by path, as they are on the medium.
    durable: BTreeMap<PathBuf, Option<usize>>,
    /// New folders without a name on the medium yet.
    folders: BTreeSet<PathBuf>,
    /// Temporary files by their future path.
    pending: BTreeMap<PathBuf, usize>,
}

#[derive(Default, Clone)]
struct Contents {
    seen: Vec<u8>,
    durable: Vec<u8>,
}

impl SimulatedDisk {
    pub(crate) fn disk(&self) -> Disk {
        let state = Arc::clone(&self.0);
        Disk::watched(move |call| state.lock().unwrap().call(call))
    }

    /// Makes call number `at` from now on fail (0-based).
    pub(crate) fn fail_at(&self, at: usize, fault: Fault) {
        let mut state = self.0.lock().unwrap();
        (state.calls, state.fault) = (0, Some((at, fault)));
    }

    /// Ends the fault. Returns true if it has occurred.
    pub(crate) fn mend(&self) -> bool {
        let mut state = self.0.lock().unwrap();
        let calls = state.calls;
        state.fault.take().is_some_and(|(at, _)| at < calls)
    }

    pub(crate) fn syncs(&self) -> usize {
        self.0.lock().unwrap().syncs
    }

    /// Undoes all unsynced changes to the real files, except for surviving ones.
    pub(crate) fn cut_power(&self, fates: Fates) {
        let mut state = std::mem::take(&mut *self.0.lock().unwrap());
        let mut dice = Dice(match fates {
            Fates::Random(seed) => seed,
            _ => 0,
        });
        let mut name_survives = || match fates {
            Fates::Lost => false,
            Fates::Names => true,
            Fates::Random(_) => dice.flip(),
        };
        state.folders.retain(|_| !name_survives());
        let mut left = Vec::new();
        for (path, seen) in &state.seen {
            let durable = state.durable[path];
            let is_new = *seen != durable && name_survives();
            let file = if is_new { *seen } else { durable };
            left.push((path, file, file == *seen));
        }
        for (path, file, is_seen) in left {
            let file = file.map(|at| state.files[at].after_cut(fates, &mut dice));
            match file {
                Some(bytes) if is_seen => fs::write(path, bytes).unwrap(),
                file => {
                    let _ = fs::remove_file(path);
                    if let Some(bytes) = file {
                        fs::write(path, bytes).unwrap();
                    }
                }
            }
        }
        for folder in &state.folders {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Contents {
    fn after_cut(&self, fates: Fates, dice: &mut Dice) -> Vec<u8> {
        if self.seen == self.durable || !matches!(fates, Fates::Random(_)) {
            return self.durable.clone();
        }
        let length = match dice.flip() {
            true => self.seen.len(),
            false => self.durable.len() + dice.below(self.seen.len().max(1)),
        };
        let mut left = self.durable.clone();
        // Blocks allocated but not written contain zeros.
        left.resize(length.min(self.seen.len()), 0);
        for (old, new) in left.chunks_mut(BLOCK).zip(self.seen.chunks(BLOCK)) {
            let length = old.len().min(new.len());
            if dice.flip() {
                old[..length].copy_from_slice(&new[..length]);
            }
        }
        left
    }
}

impl State {
    fn call(&mut self, call: DiskCall<'_>) -> io::Result<()> {
        let at = self.calls;
        self.calls += 1;
        let Some((_, fault)) = self
            .fault
            .filter(|(first, fault)| at == *first || *fault == Fault::PowerCut && at > *first)
        else {
            self.apply(call);
            return Ok(());
        };
        match (fault, call) {
            (Fault::Error(kind, part), DiskCall::Append(path, bytes)) => {
                let part = &bytes[..part.min(bytes.len())];
                self.apply(DiskCall::Append(path, part));
                let mut file = fs::OpenOptions::new().append(true).open(path)?;
                io::Write::write_all(&mut file, part)?;
                Err(kind.into())
            }
            (Fault::Error(kind, _), _) => Err(kind.into()),
            (Fault::PowerCut, _) => Err(io::Error::other("the power failed")),
        }
    }

    fn apply(&mut self, call: DiskCall<'_>) {
        match call {
            DiskCall::CreateFolder(folder) => {
                let missing = folder.ancestors().take_while(|folder| !folder.exists());
                self.folders.extend(missing.map(Path::to_owned));
            }
            // Without the folder, the call fails.
            DiskCall::CreateFile(path)
                if path.parent().is_some_and(Path::exists) && self.file(path).is_none() =>
            {
                let new = self.add();
                self.seen.insert(path.to_owned(), Some(new));
            }
            DiskCall::Begin(path) => {
                let new = self.add();
                self.pending.insert(path.to_owned(), new);
            }
            DiskCall::Write(path, bytes) => self.files[self.pending[path]].seen = bytes.to_vec(),
            DiskCall::Sync(path) => self.files[self.pending[path]].sync(),
            DiskCall::Replace(path) => {
                self.file(path);
                let new = self.pending.remove(path);
                self.seen.insert(path.to_owned(), new);
            }
            DiskCall::Link(from, to) => {
                let (from, to_there) = (self.file(from), self.file(to));
                self.seen.insert(to.to_owned(), to_there.or(from));
            }
            DiskCall::Remove(path) => {
                self.file(path);
                self.seen.insert(path.to_owned(), None);
            }
            DiskCall::Append(path, bytes) => self.change(path, |seen| seen.extend(bytes)),
            DiskCall::Overwrite(path, bytes) => self.change(path, |seen| {
                seen.resize(seen.len().max(bytes.len()), 0);
                seen[..bytes.len()].copy_from_slice(bytes);
            }),
            DiskCall::Truncate(path, length) => {
                self.change(path, |seen| seen.truncate(length as usize));
            }
            DiskCall::SyncFile(path) => {
                self.syncs += 1;
                if let Some(file) = self.file(path) {
                    self.files[file].sync();
                }
            }
            DiskCall::SyncFolder(folder) => {
                let is_inside = |path: &Path| path.parent() == Some(folder);
                self.folders.retain(|path| !is_inside(path));
                let names = self.seen.iter().filter(|(path, _)| is_inside(path));
                self.durable
                    .extend(names.map(|(path, file)| (path.clone(), *file)));
            }
            _ => {}
        }
    }

    /// Returns the file at `path`. The first call reads it from the real disk.
    fn file(&mut self, path: &Path) -> Option<usize> {
        if let Some(file) = self.seen.get(path) {
            return *file;
        }
        let file = fs::read(path).ok().map(|bytes| {
            let new = self.add();
            self.files[new] = Contents {
                seen: bytes.clone(),
                durable: bytes,
            };
            new
        });
        self.durable.insert(path.to_owned(), file);
        self.seen.insert(path.to_owned(), file);
        file
    }

    fn add(&mut self) -> usize {
        self.files.push(Contents::default());
        self.files.len() - 1
    }

    fn change(&mut self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        if let Some(file) = self.file(path) {
            change(&mut self.files[file].seen);
        }
    }
}

impl Contents {
    fn sync(&mut self) {
        self.durable.clone_from(&self.seen);
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64, by Steele and Vigna.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
}
