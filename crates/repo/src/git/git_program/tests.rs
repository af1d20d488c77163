use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn path_first_absolute_executable_wins() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str, mode: u32| {
        let folder = dir.path().join(name);
        let file = folder.join("git");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        folder
    };
    let (text, first, second) = (
        folder("text", 0o644),
        folder("first", 0o755),
        folder("second", 0o755),
    );
    std::fs::create_dir_all(dir.path().join("none/git")).unwrap();
    let none = dir.path().join("none");
    let path = |folders: &[&Path]| env::join_paths(folders).unwrap();
    // The first entries are relative, a folder called `git`, and a file that can't be executed.
    let found = found_in(&path(&[
        Path::new("."),
        Path::new(""),
        &none,
        &text,
        &first,
        &second,
    ]));
    assert_eq!(found, Some(first.join("git")));
    assert_eq!(found_in(&path(&[Path::new("."), &text])), None);
    assert_eq!(found_in(OsStr::new("")), None);
}
