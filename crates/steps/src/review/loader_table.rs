//! A table of what programs load by themselves, and which of their arguments are just data.
//!
//! For example, `cargo` loads `Cargo.toml` and `build.rs` without being told, so these files are
//! part of the user's trust. `cat`, on the other hand, only reads its files, so it would be a
//! nuisance to end trust if one of them changes.
//!
//! To add a program, edit `loads.json`. If a program is in none of the lists, the review assumes
//! that it may load anything.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// The contents of `loads.json`. "Data" are files that a program reads, but neither runs nor takes
/// settings from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Programs that run the text after `-c`.
    shells: Vec<String>,
    /// Programs for which every file in the arguments is data.
    data: Vec<String>,
    /// Programs that load the files in their arguments and their implicit files, and nothing else.
    closed: Vec<String>,
    /// Programs whose plain arguments are names of tasks instead of files, like `make`.
    tasks: Vec<String>,
    /// Files that a program loads implicitly. The review looks for them in its folder, in the
    /// folders above, and in folders that its arguments name.
    implicit: BTreeMap<String, Vec<String>>,
    /// JSON pointers to the fields of implicit files that in turn name files.
    pub(super) named_within: BTreeMap<String, Vec<String>>,
    /// Files that are loaded if only their folder is named, e.g. `__init__.py`.
    pub(super) entries: Vec<String>,
    /// File extensions that may be left out when loading a file by name.
    pub(super) endings: Vec<String>,
}

pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("loads.json")).unwrap_or_default());

impl Table {
    /// Returns true if `program` treats all files in its arguments as data. A path never does:
    /// `./cat` is the repository's own program, and may do anything.
    pub(super) fn only_takes_data(&self, program: &str) -> bool {
        self.data.iter().any(|word| word == program)
    }

    pub(super) fn is_shell(&self, program: &str) -> bool {
        self.shells
            .iter()
            .any(|shell| shell == program_name(program))
    }

    pub(super) fn is_closed(&self, program: &str) -> bool {
        let name = program_name(program);
        self.is_shell(program) || self.closed.iter().any(|closed| closed == name)
    }

    pub(super) fn runs_tasks(&self, program: &str) -> bool {
        let name = program_name(program);
        self.tasks.iter().any(|task| task == name)
    }

    pub(super) fn implicit(&self, program: &str) -> &[String] {
        self.implicit
            .get(program_name(program))
            .map_or(&[], Vec::as_slice)
    }
}

fn program_name(program: &str) -> &str {
    let name = Path::new(program)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // The version doesn't matter: `python3.12` is `python`.
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
    fn program_with_path_is_no_data_program() {
        for (program, is_data) in [
            ("cat", true),
            ("./cat", false),
            ("find", false),
            ("git", false),
        ] {
            assert_eq!(TABLE.only_takes_data(program), is_data, "{program}");
        }
    }
}
