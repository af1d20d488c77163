use super::*;

#[test]
fn folder_lock_is_exclusive() {
    let dir = tempfile::tempdir().unwrap();
    let root = RootedPath::new(dir.path());
    let at_once = LockRequest::new(Duration::ZERO, "test");
    let held = lock_folder(&root, &at_once).unwrap();
    assert!(held.is_some());
    assert!(lock_folder(&root, &at_once).unwrap().is_none());
    drop(held);
    assert!(lock_folder(&root, &at_once).unwrap().is_some());
    assert!(lock_folder(&root.join("none"), &at_once).is_err());
}
