//! Table of programs, with the files they load implicitly and the arguments they treat as data.
//!
//! For example, `cargo` loads `Cargo.toml` and `build.rs` by itself, so they're part of what the
//! user trusts. `cat` only reads its files, so they aren't.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// Contents of `loads.json`. "Data" means files a program reads without running them or loading
/// settings from them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Programs that run the text after `-c`.
    shells: Vec<String>,
    /// Programs that treat all files in their arguments as data.
    data: Vec<String>,
    /// Programs that treat files as data, each with the exceptions: texts at the start of an
    /// argument, or letters of short options. Long options are listed in their shortest
    /// abbreviation.
    data_without: BTreeMap<String, Vec<String>>,
    /// Programs that treat files as data if the first argument is one of these.
    data_commands: BTreeMap<String, Vec<String>>,
    /// Programs that load nothing except for the files in their arguments and their implicit files.
    closed: Vec<String>,
    /// Programs whose plain arguments are names of tasks instead of files.
    tasks: Vec<String>,
    /// Files loaded implicitly by a program. We look for them in its folder, in the folders above,
    /// and in the folders named by its arguments.
    implicit: BTreeMap<String, Vec<String>>,
    /// Fields in implicit files that name further files, as JSON pointers.
    pub(super) named_within: BTreeMap<String, Vec<String>>,
    /// Files loaded when the name of their folder is given.
    pub(super) entries: Vec<String>,
    /// File extensions that can be omitted when a file is loaded by name.
    pub(super) endings: Vec<String>,
}

/// The built-in table, compiled into the binary.
pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("loads.json")).unwrap_or_default());

impl Table {
    /// True if the command `argv` treats all its files as data.
    pub(super) fn only_takes_data(&self, argv: &[&str]) -> bool {
        let Some((program, arguments)) = argv.split_first() else {
            return false;
        };
        let is = |word: &String| word == program;
        if self.data.iter().any(is) {
            return true;
        }
        if let Some(without) = self.data_without.get(*program) {
            return !has_one_of(arguments, without);
        }
        let commands = self.data_commands.get(*program);
        let Some((first, arguments)) = commands.and_then(|commands| {
            let (first, arguments) = arguments.split_first()?;
            let is_known = commands.iter().any(|command| command == first);
            is_known.then_some((first, arguments))
        }) else {
            return false;
        };
        let without = self.data_without.get(&format!("{program} {first}"));
        without.is_none_or(|without| !has_one_of(arguments, without))
    }

    /// True if `program` is a shell.
    pub(super) fn is_shell(&self, program: &str) -> bool {
        self.shells
            .iter()
            .any(|shell| shell == program_name(program))
    }

    /// True if the program loads nothing except for the files in its arguments and its implicit
    /// files.
    pub(super) fn is_closed(&self, program: &str) -> bool {
        let name = program_name(program);
        self.is_shell(program) || self.closed.iter().any(|closed| closed == name)
    }

    /// True if plain arguments of the program are task names.
    pub(super) fn runs_tasks(&self, program: &str) -> bool {
        let name = program_name(program);
        self.tasks.iter().any(|task| task == name)
    }

    /// Returns the files loaded implicitly by the program.
    pub(super) fn implicit(&self, program: &str) -> &[String] {
        self.implicit
            .get(program_name(program))
            .map_or(&[], Vec::as_slice)
    }
}

/// True if an argument starts with one of `words`, or is a cluster of short options that contains
/// one of them, such as `-lO`.
fn has_one_of(arguments: &[&str], words: &[String]) -> bool {
    let is = |argument: &str, word: &str| {
        let letter = word.strip_prefix('-').filter(|letter| letter.len() == 1);
        let cluster = argument
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'));
        argument.trim_start().starts_with(word)
            || letter
                .zip(cluster)
                .is_some_and(|(letter, cluster)| cluster.contains(letter))
    };
    arguments
        .iter()
        .any(|argument| words.iter().any(|word| is(argument, word)))
}

/// Returns the name of a program without its folder and version, so `python3.12` becomes `python`.
fn program_name(program: &str) -> &str {
    let name = Path::new(program)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loader_table_parsed() {
        let table: Table = serde_json::from_str(include_str!("loads.json")).unwrap();
        assert!(table.is_shell("/bin/bash5.2") && table.is_closed("python3.12"));
        assert_eq!(table.implicit("make").len(), 3);
    }

    #[test]
    fn argument_running_programs_not_data() {
        for (argv, is_data) in [
            (&["cat", "x.sh"][..], true),
            (&["./cat", "x.sh"], false),
            (&["find", ".", "-name", "x"], true),
            (&["find", ".", "-execdir", "./x", ";"], false),
            (&["git", "log"], true),
            (&["git", "-c", "alias.log=!./x", "log"], false),
            (&["git", "deploy"], false),
            (&["git", "grep", "x"], true),
            (&["git", "grep", "-O./x", "x"], false),
            (&["git", "grep", "-lO./x", "x"], false),
            (&["git", "grep", "--open-files-in-pager=./x", "x"], false),
            (&["git", "log", "-O./x"], true),
            (&["jq", "-r", ".a", "x.json"], true),
            (&["jq", "-f", "policy.jq"], false),
            (&["jq", "-nfpolicy.jq"], false),
            (&["jq", "--from-file", "policy.jq"], false),
            (&["jq", "-L", "lib", "."], false),
            (&["jq", "include \"policy\"; ."], false),
            (&["sort", "--compress-prog=./x"], false),
            (&["make"], false),
            (&[], false),
        ] {
            assert_eq!(TABLE.only_takes_data(argv), is_data, "{argv:?}");
        }
    }
}
