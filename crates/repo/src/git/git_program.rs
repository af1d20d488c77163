use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns the path of the git executable, which is only looked up once.
///
/// A program starts faster by its path than by its name. We also skip relative entries of `PATH`:
/// they lead into the current folder, where a repository could plant a `git` of its own.
pub(super) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let found = env::var_os("PATH").and_then(|path| found_in(&path));
        // If we find nothing, let the system look for git and report the failure.
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
mod tests;
