use std::path::{Path, PathBuf};

use crate::Environment;

/// Returns the file that a shell would start for the command `name`.
///
/// In contrast to a shell, this skips relative folders in `PATH`, since it would depend on the
/// current folder what's in there.
#[must_use]
pub fn program_on_path(environment: &Environment, name: &str) -> Option<PathBuf> {
    let path = environment.get("PATH")?;
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let files = folders.flat_map(|folder| {
        let file = folder.join(name);
        let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        [file, program]
    });
    files.into_iter().find(|file| is_program(file))
}

/// True for a regular file that is executable. (Only Unix has a permission for that.)
#[must_use]
pub fn is_program(file: &Path) -> bool {
    let found = file.metadata();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    found.is_ok_and(|found| found.is_file())
}
