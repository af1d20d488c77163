use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Creates a disk on which step number `last` and all later steps fail.
fn ending_at(last: usize) -> (Disk, Arc<AtomicUsize>) {
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    let disk = Disk::watched(move |_| {
        if count.fetch_add(1, Ordering::Relaxed) < last {
            Ok(())
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    });
    (disk, done)
}

#[test]
fn write_crash_leaves_old_or_new_file() {
    let mut whole = 0;
    for last in 0..9 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let place = RootedPath::typed(&path);
        fs::write(&path, "old").unwrap();
        let (disk, _) = ending_at(last);
        let written = disk.write_atomic(&place, b"new one", Durability::Fsync);
        let text = fs::read_to_string(&path).unwrap();
        assert!(["old", "new one"].contains(&text.as_str()), "{text}");
        if written.is_ok() {
            assert_eq!(text, "new one");
            whole += 1;
        }
    }
    assert_eq!(whole, 4, "five steps: create, write, sync, replace, sync");
}

#[test]
fn keep_survives_replacement() {
    let dir = tempfile::tempdir().unwrap();
    let root = RootedPath::new(dir.path());
    let (place, kept) = (root.join("file"), root.join("old/1"));
    fs::write(place.path(), "one").unwrap();
    let disk = Disk::default();
    disk.keep(&place, &kept).unwrap();
    disk.write_atomic(&place, b"two", Durability::Relaxed)
        .unwrap();
    assert_eq!(fs::read_to_string(kept.path()).unwrap(), "one");
    let error = disk.keep(&place, &kept).unwrap_err();
    assert!(error.is_taken(), "{error}");
    assert_eq!(fs::read_to_string(kept.path()).unwrap(), "one");
    disk.remove(&kept).unwrap();
    disk.remove(&kept).unwrap();
    assert!(!kept.is_there());
    let error = disk.keep(&root.join("nothing"), &kept).unwrap_err();
    assert!(!error.is_taken(), "{error}");
}
