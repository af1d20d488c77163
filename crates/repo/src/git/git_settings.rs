//! The few settings of the user and the machine that still apply: line endings at checkout, trusted
//! folders, and those that callers ask for by name.
//!
//! All of them are looked up with `git config`, since settings files can include other files under
//! conditions that we do not want to reimplement.

use super::git_command::Overrides;
use super::{Git, GitError};

impl Git {
    /// Returns the overrides for reading the working tree, which disable all configured filters and
    /// apply the user's line endings. Without the latter, every file with CR LF would seem changed
    /// on a machine with `core.autocrlf`.
    pub(super) fn working_tree_overrides(&self) -> Result<Overrides, GitError> {
        if let Some(known) = self.overrides.get() {
            return Ok(known.clone());
        }
        let overrides = self.ask_working_tree_overrides()?;
        Ok(self.overrides.get_or_init(|| overrides).clone())
    }

    fn ask_working_tree_overrides(&self) -> Result<Overrides, GitError> {
        let settings = self
            .command("config")
            .args(["--includes", "--null", "--get-regexp"])
            .arg(r"^(filter\..*|core\.autocrlf|core\.eol)$")
            .with_foreign_settings()
            .accept(1)
            .run()?;
        let mut overrides = Overrides::new();
        let (mut autocrlf, mut eol) = (None, None);
        for setting in settings.parts() {
            let setting = String::from_utf8_lossy(setting);
            let (name, value) = setting.split_once('\n').unwrap_or((&setting, "true"));
            match name {
                "core.autocrlf" => autocrlf = Some(value.to_owned()),
                "core.eol" => eol = Some(value.to_owned()),
                _ => overrides.extend(without_filter(name)),
            }
        }
        let line_ends = [
            ("core.autocrlf", autocrlf.filter(|value| is_autocrlf(value))),
            ("core.eol", eol.filter(|value| is_eol(value))),
        ];
        overrides.extend(
            line_ends
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?))),
        );
        overrides.sort();
        overrides.dedup();
        Ok(overrides)
    }

    /// Returns the folders of other users that this user or the machine trusts. The repository's
    /// own settings do not count, because a repository could declare itself trusted.
    pub(super) fn safe_directories(&self) -> Result<Overrides, GitError> {
        let settings = self
            .command("config")
            .args(["--show-scope", "--null", "--get-all", "safe.directory"])
            .with_foreign_settings()
            .accept(1)
            .run()?;
        let parts: Vec<&[u8]> = settings.parts().collect();
        let of_theirs = |pair: &&[&[u8]]| matches!(pair[0], b"system" | b"global");
        let folders = parts.chunks_exact(2).filter(of_theirs).map(|pair| {
            let folder = String::from_utf8_lossy(pair[1]).into_owned();
            ("safe.directory".to_owned(), folder)
        });
        Ok(folders.collect())
    }

    /// Returns the hooks folder as it is written in the settings of the repository, the user or the
    /// machine, or `None` for git's default.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn hooks_setting(&self) -> Result<Option<String>, GitError> {
        let settings = self
            .command("config")
            .args([
                "--includes",
                "--show-scope",
                "--null",
                "--get-all",
                "core.hooksPath",
            ])
            .with_foreign_settings()
            .accept(1)
            .run()?;
        let parts: Vec<&[u8]> = settings.parts().collect();
        // The list contains our own override as well, which the user didn't set.
        let of_theirs = |pair: &&[&[u8]]| pair[0] != b"command";
        let last = parts.chunks_exact(2).rfind(of_theirs);
        Ok(last.map(|pair| String::from_utf8_lossy(pair[1]).into_owned()))
    }

    /// Returns the user name for commits, or `None` if none is configured.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn user_name(&self) -> Result<Option<String>, GitError> {
        let settings = self
            .command("config")
            .args(["--includes", "--null", "--get", "user.name"])
            .with_foreign_settings()
            .accept(1)
            .run()?;
        let name = settings.parts().next().map(String::from_utf8_lossy);
        Ok(name
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty()))
    }
}

fn is_autocrlf(value: &str) -> bool {
    // Git refuses to run with any other value, and the user's typo shouldn't break our calls.
    let words = ["true", "yes", "on", "false", "no", "off", "input", ""];
    words.iter().any(|word| value.eq_ignore_ascii_case(word)) || value.parse::<i32>().is_ok()
}

fn is_eol(value: &str) -> bool {
    let words = ["lf", "crlf", "native"];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns the overrides that disable a filter, given the name of one of its settings
/// (`filter.<driver>.<key>`). The names of drivers are arbitrary, so we cannot have these overrides
/// in our fixed list.
fn without_filter(name: &str) -> Overrides {
    let Some((driver, _)) = name
        .rsplit_once('.')
        .filter(|_| name.starts_with("filter."))
    else {
        return Overrides::new();
    };
    let off = [
        ("clean", ""),
        ("smudge", ""),
        ("process", ""),
        ("required", "false"),
    ];
    let setting = |(key, value): (&str, &str)| (format!("{driver}.{key}"), value.to_owned());
    off.into_iter().map(setting).collect()
}
