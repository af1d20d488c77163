//! The few settings of the user and the machine we respect: line endings at checkout, trusted
//! folders, and a few that callers ask for by name.

use super::git_command::Overrides;
use super::{Git, GitError};

impl Git {
    /// Returns the overrides for a command that reads the working tree. They disable the configured
    /// filters and apply the user's settings for line endings. We let git look up the settings,
    /// because configuration files can include others.
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
                // If a setting occurs several times, the last value wins.
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

    /// Returns the folders of other users trusted by this user or the machine. The repository's own
    /// settings are not read, or else it could declare itself trusted.
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

    /// Returns the hooks folder, as written in the settings of the repository, the user or the
    /// machine. Returns `None` if git uses its default.
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
        // Our own overrides are listed as well, but they aren't settings of the user.
        let of_theirs = |pair: &&[&[u8]]| pair[0] != b"command";
        let last = parts.chunks_exact(2).rfind(of_theirs);
        Ok(last.map(|pair| String::from_utf8_lossy(pair[1]).into_owned()))
    }

    /// Returns the user name that git writes into commits, or `None` if it isn't configured.
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

/// True if git accepts `value` for `core.autocrlf` (any spelling of a boolean, or `input`).
fn is_autocrlf(value: &str) -> bool {
    let words = ["true", "yes", "on", "false", "no", "off", "input", ""];
    words.iter().any(|word| value.eq_ignore_ascii_case(word)) || value.parse::<i32>().is_ok()
}

/// True if git accepts `value` for `core.eol`.
fn is_eol(value: &str) -> bool {
    let words = ["lf", "crlf", "native"];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns the overrides that disable the filter with the setting `filter.<driver>.<key>`.
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
