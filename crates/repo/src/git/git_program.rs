use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of the git executable, looked up once.
///
/// Starting git by its path is faster, because this process need not fork for the lookup. Relative
/// entries of `PATH` are skipped: they lead into the current folder, where a repository could
/// provide its own `git`.
pub(super) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let found = env::var_os("PATH").and_then(|path| found_in(&path));
        // If git isn't found, let the system look for it and report that it's missing.
        found.unwrap_or_else(|| PathBuf::from("git"))
    })
}

#[cfg(unix)]
fn found_in(path: &OsStr) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |file: &PathBuf| {
        let metadata = file.metadata();
        metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join("git")).find(is_program)
}

#[cfg(not(unix))]
fn found_in(_: &OsStr) -> Option<PathBuf> {
    None
}

#[cfg(all(test, unix))]
mod tests {
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
}
