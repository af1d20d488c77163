//! Looks up program names on `PATH`, once per run.

use std::io;
#[cfg(unix)]
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tokio::process::Command;

use super::ProcessSpec;

/// Programs found on the `PATH` of started processes, cached for one run.
///
/// We could leave this to the standard library. But if a child's environment differs from ours, the
/// library has to copy this process (`fork`) and look up the program in the child. If it is given
/// the program's path, it uses `posix_spawn`, which takes a tenth of the time.
#[derive(Debug, Default)]
pub struct ProgramPaths {
    #[cfg(unix)]
    found: Mutex<BTreeMap<Asked, PathBuf>>,
}

/// A program name, the `PATH`, and the folder from which relative entries of the `PATH` start.
#[cfg(unix)]
type Asked = (OsString, Option<OsString>, PathBuf);

#[cfg(unix)]
impl ProgramPaths {
    /// Creates the command for the program. This fails with `NotFound` if the program is not on the
    /// `PATH`.
    pub(crate) fn command(&self, spec: &ProcessSpec) -> io::Result<Command> {
        if spec.program.as_encoded_bytes().contains(&b'/') {
            return Ok(start_with(&spec.program));
        }
        let path = spec.environment.get("PATH").cloned();
        let asked = (spec.program.clone(), path, spec.folder.clone());
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match known.get(&asked) {
            Some(file) => file.clone(),
            None => {
                let file = look_for(&asked).ok_or(io::ErrorKind::NotFound)?;
                known.insert(asked, file.clone());
                file
            }
        };
        let mut command = start_with(&file);
        // Programs such as `busybox` look at their own name, so they should get the one from the
        // runbook.
        command.arg0(&spec.program);
        Ok(command)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what a `command` step may start was decided before"
)]
fn start_with(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

#[cfg(unix)]
fn look_for((program, path, folder): &Asked) -> Option<PathBuf> {
    const DEFAULT_PATH: &str = "/bin:/usr/bin";
    let path = path.as_deref().unwrap_or(OsStr::new(DEFAULT_PATH));
    std::env::split_paths(path)
        .map(|place| folder.join(place).join(program))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
impl ProgramPaths {
    /// Creates the command for the program. The system looks up its path when starting it.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as on other systems"
    )]
    pub(crate) fn command(&self, spec: &ProcessSpec) -> io::Result<Command> {
        Ok(start_with(&spec.program))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::process::Process;

    fn spec(program: &str, arguments: &[&str], path: Option<&Path>) -> ProcessSpec {
        let path = path.map(|path| ("PATH".to_owned(), path.as_os_str().to_owned()));
        ProcessSpec {
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            folder: std::env::temp_dir(),
            environment: path.into_iter().collect(),
            max_output_bytes: 1000,
        }
    }

    async fn said(spec: &ProcessSpec) -> String {
        let mut process = Process::start(spec, &ProgramPaths::default()).unwrap();
        process.finish().await.unwrap();
        let printed = process.into_printed();
        printed.stdout.finish().text().as_str().to_owned()
    }

    #[tokio::test]
    async fn program_argv0_is_given_name() {
        let name = ["-c", "echo $0"];
        assert_eq!(said(&spec("sh", &name, None)).await, "sh\n");
        let path = Path::new("/nowhere:/bin:/usr/bin");
        assert_eq!(said(&spec("sh", &name, Some(path))).await, "sh\n");
        assert_eq!(said(&spec("/bin/sh", &name, None)).await, "/bin/sh\n");
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    async fn program_not_executable_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        for (at, mode) in [(&first, 0o644), (&second, 0o755)] {
            let file = at.join("tool");
            std::fs::create_dir(at).unwrap();
            std::fs::write(&file, "#!/bin/sh\necho second\n").unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        }
        let both = std::env::join_paths([&first, &second]).unwrap();
        let tool = spec("tool", &[], Some(Path::new(&both)));
        assert_eq!(said(&tool).await, "second\n");
        let error =
            Process::start(&spec("tool", &[], Some(&first)), &ProgramPaths::default()).map(|_| ());
        let error = error.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
