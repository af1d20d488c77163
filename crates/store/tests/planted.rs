//! Plants links, pipes and folders in place of Windlass's files. Every function must refuse or
//! replace these, and never follow a link.
#![cfg(unix)]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proptest::prelude::*;
use windlass_store::{
    BlobLimits, Blobs, Durability, DurableLog, LineLog, Lock, LockRequest, RangedFile, Replacement,
    RootedPath, StoreError, Unfit, files_in, has_bytes, keep_file, list_folder, look_at,
    open_folder, other_at, read_document, read_file, read_first_line, read_log, remove_file,
    write_atomic, write_derived, write_shared,
};

const VICTIM: &str = "{\"schema_version\":1}\n";

/// A folder with a root, and a file outside of it that another user owns.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/in")).unwrap();
        fs::create_dir(dir.path().join("other")).unwrap();
        fs::write(dir.path().join("other/file"), VICTIM).unwrap();
        Self { dir }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn place(&self, name: &str) -> RootedPath {
        RootedPath::new(self.at("root")).join(name)
    }

    fn is_unharmed(&self) -> bool {
        let names = fs::read_dir(self.at("other")).unwrap().count();
        names == 1 && fs::read_to_string(self.at("other/file")).unwrap() == VICTIM
    }
}

fn at_once() -> LockRequest {
    LockRequest::new(Duration::ZERO, "a")
}

type Open = fn(&RootedPath) -> Result<(), StoreError>;

fn lock(place: &RootedPath) -> Result<(), StoreError> {
    match Lock::acquire(place, &at_once()).map(drop) {
        Err(windlass_store::LockError::Store(error)) => Err(error),
        _ => Ok(()),
    }
}

fn beside(place: &RootedPath) -> RootedPath {
    place
        .parent()
        .unwrap_or_else(|| place.clone())
        .join("beside")
}

fn append(place: &RootedPath) -> Result<(), StoreError> {
    let log = DurableLog::open(place, &beside(place))?;
    let mut writer = match log.writer(&at_once()) {
        Err(windlass_store::LockError::Store(error)) => return Err(error),
        writer => writer.unwrap(),
    };
    writer.append(b"one\ntwo\n").map(drop)
}

fn append_to_existing(place: &RootedPath) -> Result<(), StoreError> {
    match DurableLog::open_existing(place, &beside(place))? {
        Some(log) => log.append_alone(b"one\n").map(drop),
        None => Ok(()),
    }
}

/// Functions that open an existing file, either for reading or for writing in place.
const OPENING: [Open; 8] = [
    |place| read_file(place, 1 << 20).map(drop),
    |place| read_document::<serde_json::Value>(place, 1, 1 << 20).map(drop),
    |place| read_log(place, 1 << 20).map(drop),
    |place| read_first_line(place, 1 << 20).map(drop),
    |place| RangedFile::open(place).map(drop),
    lock,
    append,
    append_to_existing,
];

/// Functions that replace an entry, whatever it is.
const REPLACING: [Open; 4] = [
    |place| write_atomic(place, b"new", Durability::Fsync),
    |place| write_atomic(place, b"new", Durability::Relaxed),
    |place| write_shared(place, b"new"),
    |place| write_derived(place, b"new"),
];

fn unfit(result: Result<(), StoreError>) -> Option<Unfit> {
    match result.err()? {
        StoreError::Unfit { unfit, .. } => Some(unfit),
        _ => None,
    }
}

#[test]
fn planted_link_is_not_followed() {
    for target in ["../../other/file", "../../other/missing"] {
        for (number, open) in OPENING.iter().enumerate() {
            let world = World::new();
            symlink(target, world.at("root/in/file")).unwrap();
            let found = unfit(open(&world.place("in/file")));
            assert_eq!(found, Some(Unfit::Link), "{number}");
            assert!(world.is_unharmed(), "{number}");
        }
        for (number, write) in REPLACING.iter().enumerate() {
            let world = World::new();
            symlink(target, world.at("root/in/file")).unwrap();
            write(&world.place("in/file")).unwrap();
            assert_eq!(fs::read(world.at("root/in/file")).unwrap(), b"new");
            assert!(world.is_unharmed(), "{number}");
        }
    }
}

#[test]
fn planted_folder_link_is_not_followed() {
    for open in OPENING.iter().chain(&REPLACING) {
        for name in ["way/file", "way/deeper/file"] {
            let world = World::new();
            symlink("../other", world.at("root/way")).unwrap();
            assert_eq!(unfit(open(&world.place(name))), Some(Unfit::Link));
            assert!(world.is_unharmed());
        }
    }
    let world = World::new();
    symlink("../other", world.at("root/way")).unwrap();
    let place = world.place("way");
    assert_eq!(unfit(list_folder(&place).map(drop)), Some(Unfit::Link));
    assert!(files_in(&place, |_| true).is_err() && open_folder(&place).is_err());
    assert!(look_at(&world.place("way/file")).is_err());
    assert!(other_at(&world.place("way/file")).is_some());
    assert!(remove_file(&world.place("way/file")).is_err());
    assert!(keep_file(&world.place("way/file"), &world.place("in/kept")).is_err());
    fs::write(world.at("root/in/file"), "x").unwrap();
    assert!(keep_file(&world.place("in/file"), &world.place("way/kept")).is_err());
    let limits = BlobLimits {
        max_count: 1,
        max_bytes: 9,
    };
    let blobs = Blobs::new(world.place("way"), limits);
    assert!(blobs.put("ab", b"x").is_err() && blobs.get("ab", 9).is_none());
    assert!(LineLog::create(&world.place("way/new")).is_err());
    assert!(world.is_unharmed());
}

#[test]
fn hard_link_is_never_written() {
    for open in OPENING.iter().chain(&REPLACING) {
        let world = World::new();
        fs::hard_link(world.at("other/file"), world.at("root/in/file")).unwrap();
        let found = unfit(open(&world.place("in/file")));
        // A function may also succeed if it only reads, or replaces the name.
        assert!(found.is_none() || found == Some(Unfit::Shared), "{found:?}");
        assert!(world.is_unharmed());
    }
    let world = World::new();
    fs::hard_link(world.at("other/file"), world.at("root/in/file")).unwrap();
    assert_eq!(unfit(append(&world.place("in/file"))), Some(Unfit::Shared));
    assert_eq!(unfit(lock(&world.place("in/file"))), Some(Unfit::Shared));
    assert!(has_bytes(&world.place("in/file"), VICTIM.as_bytes()));
}

#[test]
fn pipes_and_folders_do_not_block() {
    for open in OPENING {
        let world = World::new();
        let made = Command::new("mkfifo").arg(world.at("root/pipe")).status();
        assert!(made.unwrap().success());
        assert_eq!(unfit(open(&world.place("pipe"))), Some(Unfit::Special));
        assert_eq!(unfit(open(&world.place("in"))), Some(Unfit::Folder));
        fs::write(world.at("root/file"), "x").unwrap();
        assert_eq!(unfit(open(&world.place("file/x"))), Some(Unfit::NoFolder));
    }
}

#[test]
fn sparse_huge_file_is_refused() {
    for (number, open) in OPENING.iter().enumerate() {
        let world = World::new();
        let path = world.at("root/huge");
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let is_lock = number == 5;
        // There's a separate limit for the first line.
        let is_line = number == 3;
        assert_eq!(
            open(&world.place("huge")).is_ok(),
            is_lock || is_line,
            "{number}"
        );
    }
}

#[test]
fn root_may_be_a_link() {
    let world = World::new();
    symlink("root", world.at("link")).unwrap();
    let place = RootedPath::new(world.at("link")).join("in/file");
    for open in REPLACING.iter().chain(&OPENING) {
        let _ = fs::write(world.at("root/in/file"), VICTIM);
        open(&place).unwrap();
    }
}

#[test]
fn replacement_retains_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let path = world.at("root/in/file");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write_shared(&world.place("in/file"), b"new").unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    write_shared(&world.place("in/deep/er/file"), b"new").unwrap();
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!(
        (
            names(&world.at("root/in")),
            names(&world.at("root/in/deep/er"))
        ),
        (2, 1)
    );
}

#[test]
fn new_root_has_the_mode_of_its_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let mode = |path: &str| fs::metadata(world.at(path)).unwrap().permissions().mode() & 0o777;
    fs::create_dir(world.at("usual")).unwrap();
    let place = |root: &str| RootedPath::new(world.at(root)).join("in/file");
    write_shared(&place("shared/new"), b"new").unwrap();
    for folder in ["shared", "shared/new", "shared/new/in"] {
        assert_eq!(mode(folder), mode("usual"), "{folder}");
    }
    write_atomic(&place("own/new"), b"new", Durability::Fsync).unwrap();
    for folder in ["own", "own/new", "own/new/in"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
}

#[test]
fn dropped_replacement_leaves_nothing() {
    let world = World::new();
    let prepared = Replacement::prepare(&world.place("in/file"), b"new").unwrap();
    let names = || {
        fs::read_dir(world.at("root/in"))
            .unwrap()
            .map(|entry| entry.unwrap())
    };
    // On file systems without nameless files, a temporary name looks like this.
    assert!(names().all(|entry| entry.file_name().to_string_lossy().starts_with(".tmp-")));
    drop(prepared);
    assert_eq!(names().count(), 0);
    fs::write(world.at("root/in/file"), "old").unwrap();
    let prepared = Replacement::prepare(&world.place("in/file"), b"new").unwrap();
    // If a writer was killed, its file must not get in the way of the next write.
    let digest = blake3::hash(b"file").to_hex();
    fs::write(
        world.at("root/in").join(format!(".tmp-{}", &digest[..16])),
        "x",
    )
    .unwrap();
    prepared.finish().unwrap();
    assert_eq!(fs::read(world.at("root/in/file")).unwrap(), b"new");
}

proptest! {
    #[test]
    fn no_name_leaves_the_root(
        parts in prop::collection::vec(
            prop_oneof![Just(".."), Just("."), Just("in"), Just("way"), Just("other"), Just("/"), Just("file")],
            1..6,
        ),
        which in 0..OPENING.len() + REPLACING.len(),
    ) {
        let world = World::new();
        symlink("../other", world.at("root/way")).unwrap();
        let place = world.place(&parts.join("/"));
        let all: Vec<Open> = OPENING.iter().chain(&REPLACING).copied().collect();
        let _ = all[which](&place);
        prop_assert!(world.is_unharmed());
        prop_assert_eq!(fs::read_dir(world.dir.path()).unwrap().count(), 2);
    }
}
