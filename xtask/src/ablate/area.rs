//! Areas whose heuristics can be measured. Each has a measuring program and a list of its
//! heuristics.
//!
//! When you add a heuristic to the code, list it in the file of its area as well. A test checks
//! that none is missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::Error;

const AREAS: [(&str, &str); 5] = [
    ("context", include_str!("context.toml")),
    ("evidence", include_str!("evidence.toml")),
    ("find", include_str!("find.toml")),
    ("recall", include_str!("recall.toml")),
    ("redact", include_str!("redact.toml")),
];

/// An area, read from a file that lists its heuristics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Area {
    /// The package with the measuring program, and the program's name.
    package: String,
    bench: String,
    /// The program's arguments, in which `{set}` stands for the name of the set. `each` is the
    /// option to put before each repository.
    pub(super) args: Vec<String>,
    pub(super) each: String,
    /// Description of the cases, used in the table.
    pub(super) cases: String,
    /// The class of cases that no heuristic can change. We leave it out of all shares, where it
    /// would only hide differences. Empty if there is none.
    pub(super) constant: String,
    /// The file with the table, and the folder with the code.
    pub(super) table: PathBuf,
    source: PathBuf,
    /// Minimum share of right results by class, in percent.
    pub(super) floors: BTreeMap<String, f64>,
    /// The code of each heuristic: files, or items of a file, written as `file#item`.
    pub(super) heuristics: BTreeMap<String, Vec<String>>,
}

pub(super) fn names() -> String {
    AREAS.map(|(name, _)| name).join(", ")
}

impl Area {
    pub(super) fn named(name: &str) -> Result<Self, Error> {
        let known = AREAS.iter().find(|(known, _)| *known == name);
        let (_, text) = known.ok_or(format!("unknown area `{name}`; known: {}", names()))?;
        Ok(toml::from_str(text)?)
    }

    /// Builds the measuring program with switches for the heuristics, and returns its path. The
    /// build has a target folder of its own, because the feature changes every crate.
    pub(super) fn build(&self) -> Result<PathBuf, Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["bench", "--no-run", "--locked", "--message-format=json"]);
        build.args(["--package", &self.package, "--bench", &self.bench]);
        build.args(["--features", "windlass-base/ablate"]);
        if std::env::var_os("CARGO_TARGET_DIR").is_none() {
            build.env("CARGO_TARGET_DIR", "target/ablate");
        }
        let built = build.stderr(std::process::Stdio::inherit()).output()?;
        let messages = String::from_utf8(built.stdout)?;
        let program = messages.lines().rev().find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let is_it = message["target"]["name"] == *self.bench;
            Some(PathBuf::from(message["executable"].as_str()?)).filter(|_| is_it)
        });
        program.ok_or_else(|| "the measuring program cannot be built".into())
    }

    /// Returns the number of lines that we could delete along with the heuristic `name`, without
    /// tests.
    pub(super) fn lines(&self, name: &str) -> Result<usize, Error> {
        let parts = self.heuristics.get(name).into_iter().flatten();
        let counts = parts.map(|part| lines_of(&self.source, part));
        counts.sum()
    }
}

fn lines_of(folder: &Path, part: &str) -> Result<usize, Error> {
    let (file, item) = match part.split_once('#') {
        Some((file, item)) => (file, Some(item)),
        None => (part, None),
    };
    let path = folder.join(file);
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let code: Vec<&str> = text
        .lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .collect();
    let Some(item) = item else {
        return Ok(code.len());
    };
    let missing = || format!("{} has no item `{item}`", path.display());
    Ok(item_lines(&code, item).ok_or_else(missing)?)
}

/// Returns the number of lines of an item, with its comments and attributes. We find the end of the
/// item by its indentation, so this only works on formatted code.
fn item_lines(code: &[&str], item: &str) -> Option<usize> {
    const KINDS: [&str; 5] = ["fn ", "struct ", "enum ", "const ", "impl "];
    let is_it = |line: &&str| {
        let mut rest = KINDS
            .iter()
            .filter_map(|kind| Some(line.split_once(kind)?.1));
        let begins = |rest: &str| {
            let rest = rest.strip_prefix(item);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        !line.trim_start().starts_with("//") && rest.any(begins)
    };
    let at = code.iter().position(is_it)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let before = code[..at].iter().rev();
    let above = before.take_while(|line| line.trim_start().starts_with(['/', '#']));
    let is_end =
        |line: &&&str| indent(line) == indent(code[at]) && line.trim_end().ends_with(['}', ';']);
    let after = code[at..].iter().take_while(|line| !is_end(line));
    Some(above.count() + after.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_lines_include_its_comments() {
        let code = "/// A.\nconst A: u8 = 1;\n\n/// B.\n#[must_use]\nfn b(\n    c: u8,\n) -> u8 {\n    c\n}\n";
        let code: Vec<&str> = code.lines().collect();
        assert_eq!(item_lines(&code, "A"), Some(2));
        assert_eq!(item_lines(&code, "b"), Some(7));
        assert_eq!(item_lines(&code, "c"), None);
    }

    #[test]
    fn heuristics_of_the_code_are_all_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (name, _) in AREAS {
            let mut area = Area::named(name).unwrap();
            area.source = root.join(&area.source);
            let mut switches = Vec::new();
            switches_below(&area.source, &mut switches);
            switches.sort();
            switches.dedup();
            assert_eq!(
                area.heuristics.keys().cloned().collect::<Vec<_>>(),
                switches
            );
            for heuristic in switches {
                assert!(area.lines(&heuristic).unwrap() > 0, "{heuristic}");
            }
        }
    }

    /// Collects the names in calls of `is_on` below `folder`.
    fn switches_below(folder: &Path, switches: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                switches_below(&path, switches);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.split("is_on(\"").skip(1);
            switches.extend(names.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
}
