use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn cache_writable_by_others_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let cache = RootedPath::new(dir.path()).join("a/plugins");
    let limits = BlobLimits {
        max_count: 1,
        max_bytes: 1,
    };
    let opens = || PrivateCache::open(&cache).and_then(|cache| cache.blobs("cards", limits));
    assert!(opens().is_some());
    for (folder, mode, is_kept) in [
        ("a/plugins/cards", 0o777, false),
        ("a/plugins", 0o770, false),
        ("a", 0o777, false),
        ("a", 0o770, false),
        ("a", 0o1777, true),
        ("a", 0o1770, true),
    ] {
        let set = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.path().join(folder), mode).unwrap();
        };
        set(mode);
        assert_eq!(opens().is_some(), is_kept, "{folder} {mode:o}");
        set(0o700);
    }
    assert!(opens().is_some());
}
