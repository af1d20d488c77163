//! The same program in another process: another home, another place to stand in, another language and time zone, and as many threads
//! as the machine has. What it prints must be what this process printed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use windlass_base::Cancel;

use crate::process::{Ended, PASSED_ON, output};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is unlike here, as far as a program may notice.
const UNLIKE: [(&str, &str); 6] = [
    ("LC_ALL", "tr_TR.UTF-8"),
    ("LANG", "tr_TR.UTF-8"),
    ("TZ", "Pacific/Kiritimati"),
    ("COLUMNS", "40"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
];

/// The command `windlass` of this very build.
#[derive(Debug, Clone)]
pub struct Another {
    program: PathBuf,
}

impl Another {
    /// That in `program`.
    #[must_use]
    pub fn of(program: PathBuf) -> Self {
        Self { program }
    }

    /// What it prints of the repository in `root`, with `home` as its home; with the user's if not said.
    ///
    /// # Errors
    /// When it cannot be started, fails, or does not end.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is this program, on folders of the zoo's own"
    )]
    pub(crate) fn prints(
        &self,
        root: &Path,
        home: Option<&Path>,
        args: &[impl AsRef<OsStr>],
        cancel: &Cancel,
    ) -> Result<String, String> {
        let passed_on = PASSED_ON
            .iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let own = std::env::var_os("HOME").map(|home| ("HOME", home));
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(passed_on)
            .envs(UNLIKE)
            .envs(
                home.map(|home| ("HOME", home.as_os_str().to_owned()))
                    .or(own),
            )
            .current_dir(root)
            .args(args)
            .stdin(Stdio::null());
        let wrong = |why: String| Err(format!("another process of it {why}"));
        match output(command, cancel, PATIENCE) {
            Ok(Ended::ByItself {
                status, printed, ..
            }) if status.success() => {
                String::from_utf8(printed).or_else(|_| wrong("printed no UTF-8".to_owned()))
            }
            Ok(Ended::ByItself { status, said, .. }) => {
                let said = String::from_utf8_lossy(&said);
                let last: String = said.trim().chars().take(200).collect();
                wrong(format!("failed ({status}): {last}"))
            }
            Ok(Ended::Stopped) => wrong("was stopped".to_owned()),
            Err(error) => wrong(format!("cannot be started: {error}")),
        }
    }
}
