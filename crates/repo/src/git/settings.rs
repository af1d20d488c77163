//! Which settings count when git is asked: those of the repository that say what it is, none that name a
//! program, and none of the user's or the machine's, but for two exceptions that are looked up here.

use super::{Git, GitError};

/// Settings for one call, as `key` and `value`.
pub(super) type Overrides = Vec<(String, String)>;

/// Settings that no configuration of the repository overrides.
pub(super) const SETTINGS: &[&str] = &[
    // No program but git itself.
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "credential.helper=",
    "diff.external=",
    "log.showSignature=false",
    "submodule.recurse=false",
    // No network.
    "protocol.allow=never",
    // No repository that merely lies in the working tree.
    "safe.bareRepository=explicit",
    // The same answer for everybody.
    "core.quotePath=false",
    "core.untrackedCache=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.follow=false",
    "diff.noprefix=false",
    "diff.orderFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
];

/// What git is told by its environment.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("TZ", "UTC"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    // Settings like `protocol.ext.allow` are stronger than `protocol.allow`; this is stronger than both.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ADVICE", "0"),
    ("GIT_PAGER", "cat"),
];

/// What keeps the user's and the machine's settings out.
pub(super) const NO_FOREIGN_SETTINGS: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
];

/// Variables of this process that git needs to find programs and temporary folders. Nothing else is passed on,
/// least of all the `GIT_…` variables of a hook that may have started this process.
pub(super) const MACHINE_VARIABLES: &[&str] =
    &["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP"];

/// Variables that lead git to settings of the user and the machine ([`crate::RepoOptions::environment`]).
pub(super) const USER_VARIABLES: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];

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
            match (name, value) {
                // The last one counts.
                ("core.autocrlf", "true" | "false" | "input") => autocrlf = Some(value.to_owned()),
                ("core.eol", "lf" | "crlf" | "native") => eol = Some(value.to_owned()),
                _ => overrides.extend(without_filter(name)),
            }
        }
        let line_ends = [("core.autocrlf", autocrlf), ("core.eol", eol)];
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
}

impl Git {
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
