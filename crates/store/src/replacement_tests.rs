use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::{Disk, write_atomic};

#[test]
fn write_crash_leaves_old_or_new_file() {
    let mut whole = 0;
    for last in 0..9 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "old").unwrap();
        let done = Arc::new(AtomicUsize::new(0));
        let disk = Disk::watched(move |_| match done.fetch_add(1, Ordering::Relaxed) < last {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        });
        let place = RootedPath::typed(&path).on(&disk);
        let written = write_atomic(&place, b"new one", Durability::Fsync);
        let text = fs::read_to_string(&path).unwrap();
        assert!(["old", "new one"].contains(&text.as_str()), "{text}");
        if written.is_ok() {
            assert_eq!(text, "new one");
            whole += 1;
        }
    }
    assert_eq!(whole, 4, "five calls: begin, write, sync, replace, sync");
}

#[test]
fn keep_survives_replacement() {
    let dir = tempfile::tempdir().unwrap();
    let root = RootedPath::new(dir.path());
    let (place, kept) = (root.join("file"), root.join("old/1"));
    fs::write(place.path(), "one").unwrap();
    keep_file(&place, &kept).unwrap();
    write_atomic(&place, b"two", Durability::Relaxed).unwrap();
    assert_eq!(fs::read_to_string(kept.path()).unwrap(), "one");
    let error = keep_file(&place, &kept).unwrap_err();
    assert!(error.is_taken(), "{error}");
    assert_eq!(fs::read_to_string(kept.path()).unwrap(), "one");
    remove_file(&kept).unwrap();
    remove_file(&kept).unwrap();
    assert!(!kept.is_there());
    let error = keep_file(&root.join("nothing"), &kept).unwrap_err();
    assert!(!error.is_taken(), "{error}");
}
