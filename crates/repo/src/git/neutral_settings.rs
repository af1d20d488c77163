//! Settings, options and variables that make git's answers the same for every user.
//!
//! There are three sources of differences. The settings of the user and the machine are excluded as
//! a whole: [`NO_FOREIGN_SETTINGS`] hides their files. Environment variables are excluded as well,
//! except for [`MACHINE_VARIABLES`] and [`USER_VARIABLES`]. But git has no switch that excludes the
//! settings of the repository, so each call overrides them one by one.
//!
//! We leave the settings of the repository's format and file system alone: `extensions.*`,
//! `core.repositoryFormatVersion`, `core.fileMode`, `core.symlinks`, `core.ignoreCase`,
//! `core.precomposeUnicode`, `core.checkStat`, `core.trustctime`, `core.sparseCheckout`,
//! `core.autocrlf`, `core.eol`, and `remote.*` with partial clones. The user's `safe.directory`,
//! `.gitattributes`, and the repository's `info/exclude` and `info/attributes` also stay in effect.

/// Returns the settings that every call overrides, as `name=value`.
///
/// When you add a setting, keep in mind that git refuses to run if it doesn't like a value. A list
/// of values can only be appended to but not cleared, so use [`ARGUMENTS`] for lists.
pub(super) fn settings() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("neutral_settings.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(" # ").map_or(line, |(setting, _)| setting))
}

/// Options to add to every call of a command. They disable lists that no setting can clear, and the
/// programs that `.gitattributes` may name.
pub(super) const ARGUMENTS: &[(&str, &[&str])] = &[
    // An empty `blame.ignoreRevsFile` resets the list, but ours would come before the other values.
    ("blame", &["--no-ignore-revs-file", "--no-textconv"]),
    ("diff", COMPARED),
    ("diff-tree", COMPARED),
    ("log", COMPARED),
    ("log", &["--no-notes", "--no-decorate"]),
    ("grep", &["--no-color", "--no-textconv", "--full-name"]),
];

/// Options for all comparisons. They disable programs from attributes, and settings per submodule.
const COMPARED: &[&str] = &[
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=dirty",
];

pub(super) fn arguments_of(command: &str) -> impl Iterator<Item = &'static str> {
    let of_it = ARGUMENTS.iter().filter(move |(name, _)| *name == command);
    of_it.flat_map(|(_, arguments)| arguments.iter().copied())
}

pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("TZ", "UTC"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    // `protocol.ext.allow` and the like take precedence over `protocol.allow`, so the setting alone
    // isn't enough.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ADVICE", "0"),
    ("GIT_PAGER", "cat"),
    // Grafts and replacements change what an object contains, but only in this clone. We rely on an
    // ID to stand for the same contents everywhere.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    // Git reads the trace settings of the user and the machine before anything else, so we can only
    // disable them with variables.
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
];

/// Environment variables to hide the settings files of the user and the machine.
pub(super) const NO_FOREIGN_SETTINGS: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
];

/// Variables that git needs to find programs and temporary folders. Git gets no others, in
/// particular none of the `GIT_…` variables of a git hook that may have started us.
pub(super) const MACHINE_VARIABLES: &[&str] =
    &["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP"];

/// Variables that locate the settings of the user and the machine (see
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn settings_are_unique_and_explained() {
        let name = |setting: &'static str| setting.split_once('=').unwrap().0.to_lowercase();
        let names: BTreeSet<String> = settings().map(name).collect();
        assert_eq!((names.len(), settings().count()), (51, 51));
        let reasons = include_str!("neutral_settings.txt").matches(" # ").count();
        assert_eq!(
            reasons,
            names.len() + 1,
            "the first line describes the form"
        );
    }
}
