//! Settings, options and variables that make git's answers the same for every user.
//!
//! Settings of the user and the machine are excluded as a whole: [`NO_FOREIGN_SETTINGS`] hides
//! their files, and we pass on no variables except for [`MACHINE_VARIABLES`] and
//! [`USER_VARIABLES`]. Settings of the repository can't be excluded like that, so each call
//! overrides them one by one.
//!
//! We leave alone the settings that describe the repository and its file system: `extensions.*`,
//! `core.repositoryFormatVersion`, `core.fileMode`, `core.symlinks`, `core.ignoreCase`,
//! `core.precomposeUnicode`, `core.checkStat`, `core.trustctime`, `core.sparseCheckout`,
//! `core.autocrlf`, `core.eol`, and `remote.*` with partial clones. The user's `safe.directory`,
//! `.gitattributes`, and the repository's `info/exclude` and `info/attributes` stay in effect as
//! well.

/// A setting overridden in every call, with its value and the reason.
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers, and a test"))]
    pub(super) why: &'static str,
}

const fn set(name: &'static str, value: &'static str, why: &'static str) -> Setting {
    Setting { name, value, why }
}

/// The settings overridden in every call. A setting with a list of values can't be emptied like
/// that, only appended to, so [`ARGUMENTS`] takes care of those.
pub(super) const SETTINGS: &[Setting] = &[
    // Settings that run other programs.
    set("core.hooksPath", "/dev/null", "runs programs"),
    set(
        "core.fsmonitor",
        "false",
        "runs a program, and hides changed files",
    ),
    set("core.pager", "cat", "runs a program"),
    set("core.editor", "false", "runs a program"),
    set("core.askPass", "", "runs a program"),
    set("core.sshCommand", "false", "runs a program"),
    set("core.gitProxy", "", "runs a program"),
    set("credential.helper", "", "runs a program"),
    set("diff.external", "", "runs a program instead of comparing"),
    set(
        "log.showSignature",
        "false",
        "runs `gpg`, and prints its output between commits",
    ),
    set("gc.auto", "0", "starts maintenance in the background"),
    set(
        "maintenance.auto",
        "false",
        "starts maintenance in the background",
    ),
    // Settings that lead to other repositories or the network.
    set("submodule.recurse", "false", "adds matches in submodules"),
    set("protocol.allow", "never", "uses the network"),
    set(
        "safe.bareRepository",
        "explicit",
        "reads a repository that merely lies in the working tree",
    ),
    // Settings that change which files are reported as different.
    set(
        "core.untrackedCache",
        "false",
        "lists new files as they were",
    ),
    set(
        "core.excludesFile",
        "/dev/null",
        "hides new files for one user",
    ),
    set(
        "core.attributesFile",
        "/dev/null",
        "converts files for one user",
    ),
    set("attr.tree", "", "reads attributes of another commit"),
    set("core.safecrlf", "false", "warns of line ends"),
    set(
        "diff.autoRefreshIndex",
        "true",
        "names files that were touched and not changed",
    ),
    set("diff.ignoreSubmodules", "dirty", "hides submodules"),
    set(
        "diff.relative",
        "false",
        "leaves out files and shortens names",
    ),
    set("diff.orderFile", "/dev/null", "orders files"),
    set(
        "diff.renames",
        "true",
        "finds no renames, or copies besides",
    ),
    set("diff.renameLimit", "1000", "finds fewer renames"),
    set(
        "core.bigFileThreshold",
        "512m",
        "takes large files for binary ones",
    ),
    // Settings that change which lines are reported as different. They affect blame as well.
    set("diff.algorithm", "default", "pairs other lines"),
    set("diff.indentHeuristic", "true", "pairs other lines"),
    set(
        "blame.showRoot",
        "false",
        "does not tell where a shallow history ends",
    ),
    set("blame.markIgnoredLines", "false", "puts marks before ids"),
    set(
        "blame.markUnblamableLines",
        "false",
        "puts marks before ids",
    ),
    // Settings that change how commits are read.
    set(
        "core.useReplaceRefs",
        "false",
        "shows other contents and parents than ids name",
    ),
    set(
        "core.disambiguate",
        "none",
        "takes a short id for another object",
    ),
    set(
        "log.follow",
        "false",
        "goes on under the former name of a file",
    ),
    set("log.showRoot", "true", "hides the files of a first commit"),
    set(
        "log.diffMerges",
        "separate",
        "shows other changes of merges",
    ),
    set("log.mailmap", "false", "names other authors"),
    set("log.abbrevCommit", "false", "shortens ids"),
    // Settings that change the output format.
    set("core.quotePath", "false", "escapes names"),
    set("i18n.logOutputEncoding", "UTF-8", "prints other bytes"),
    set("color.ui", "false", "prints escape sequences"),
    set("color.diff", "false", "prints escape sequences"),
    set("color.grep", "false", "prints escape sequences"),
    set("column.ui", "never", "prints names side by side"),
    set("diff.noprefix", "false", "prints other names"),
    set("diff.mnemonicPrefix", "false", "prints other names"),
    set("grep.lineNumber", "false", "prints numbers"),
    set("grep.column", "false", "prints numbers"),
    set(
        "grep.fullName",
        "true",
        "prints names as seen from a folder",
    ),
    set(
        "grep.fallbackToNoIndex",
        "false",
        "searches files that are in no commit",
    ),
];

/// Options added to every call of a command. They disable lists that no setting can empty, and
/// drivers named by attributes.
pub(super) const ARGUMENTS: &[(&str, &[&str])] = &[
    // An empty `blame.ignoreRevsFile` would come before the other values, so it wouldn't reset
    // them.
    ("blame", &["--no-ignore-revs-file", "--no-textconv"]),
    ("diff", COMPARED),
    ("diff-tree", COMPARED),
    ("log", COMPARED),
    ("log", &["--no-notes", "--no-decorate"]),
    ("grep", &["--no-color", "--no-textconv", "--full-name"]),
];

/// Options for all comparisons, which disable drivers from attributes and per-submodule settings.
const COMPARED: &[&str] = &[
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=dirty",
];

/// Returns the options added to every call of `command`.
pub(super) fn arguments_of(command: &str) -> impl Iterator<Item = &'static str> {
    let of_it = ARGUMENTS.iter().filter(move |(name, _)| *name == command);
    of_it.flat_map(|(_, arguments)| arguments.iter().copied())
}

/// Environment variables set in every git call.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("TZ", "UTC"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    // `protocol.allow` isn't enough, because `protocol.ext.allow` and similar settings override it.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ADVICE", "0"),
    ("GIT_PAGER", "cat"),
    // Object contents must match their ids. Grafts and replacements would change them, and only in
    // this clone.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    // Git reads the trace settings of the user and the machine before all others, so only variables
    // can disable them.
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
];

/// Environment variables that hide the settings of the user and the machine.
pub(super) const NO_FOREIGN_SETTINGS: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
];

/// Variables git needs to find programs and temporary folders. We pass on no others, especially not
/// the `GIT_…` variables of a git hook that may have started us.
pub(super) const MACHINE_VARIABLES: &[&str] =
    &["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP"];

/// Variables with the location of the user's and the machine's settings (see
/// [`crate::RepoOptions::environment`]).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_unique_and_explained() {
        let mut names: Vec<String> = SETTINGS.iter().map(|one| one.name.to_lowercase()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(SETTINGS.iter().all(|one| !one.why.is_empty()));
    }
}
