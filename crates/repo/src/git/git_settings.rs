//! Settings of the user and the machine that count: how line ends are written, and folders that are trusted.

use super::git_command::Overrides;
use super::{Git, GitError};

impl Git {
    /// What a command needs that reads files of the working tree: it would run the filters that
    /// configurations name, and it must know how line ends were written at check-out, which people say in
    /// settings of their own. Looked up by git itself, since configurations include others.
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
                // The last one counts.
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

    /// The folders that the user or the machine's owner trusts although they belong to somebody else. Only
    /// they are asked, never the repository.
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

    /// The folder that settings name for hooks, as it is written there: the repository's own, the user's and the
    /// machine's; `None` where git uses its own folder.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
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
        // What this program itself overrides is no setting of anybody's.
        let of_theirs = |pair: &&[&[u8]]| pair[0] != b"command";
        let last = parts.chunks_exact(2).rfind(of_theirs);
        Ok(last.map(|pair| String::from_utf8_lossy(pair[1]).into_owned()))
    }
}

/// True if git takes `value` for one of `core.autocrlf`: any spelling of a truth value, or `input`.
fn is_autocrlf(value: &str) -> bool {
    let words = ["true", "yes", "on", "false", "no", "off", "input", ""];
    words.iter().any(|word| value.eq_ignore_ascii_case(word)) || value.parse::<i32>().is_ok()
}

/// True if git takes `value` for one of `core.eol`.
fn is_eol(value: &str) -> bool {
    let words = ["lf", "crlf", "native"];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Switches off the filter that the setting `filter.<driver>.<what>` belongs to.
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
