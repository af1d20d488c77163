//! The table of places that are worth an anchor.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Deserializer};

use crate::AnchorKind;

/// The table of `suggestion_rules.yaml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleTable {
    pub(super) topics: Vec<Topic>,
    pub(super) projects: Vec<ProjectName>,
    pub(super) beside: Vec<Pattern>,
    pub(super) generated: Vec<Pattern>,
    pub(super) workflows: WorkflowRules,
}

/// The table that is built in.
pub(super) static RULES: LazyLock<RuleTable> =
    LazyLock::new(|| read_table(include_str!("suggestion_rules.yaml")).unwrap_or_default());

fn read_table(text: &str) -> Result<RuleTable, serde_yaml::Error> {
    let mut table: serde_yaml::Value = serde_yaml::from_str(text)?;
    table.apply_merge()?;
    serde_yaml::from_value(table)
}

/// A subject of suggestions, and the rules that find places for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    /// The beginning of the names of its anchors.
    pub(super) prefix: String,
    pub(super) kind: AnchorKind,
    /// The most suggestions about it.
    pub(super) most: usize,
    pub(super) rules: Vec<Rule>,
}

/// A sort of place; the table says what its fields are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) files: Vec<String>,
    pub(super) search: Option<Pattern>,
    pub(super) needs: Option<Pattern>,
    pub(super) symbols: Option<SymbolRule>,
    pub(super) lines: Option<LineRule>,
    #[serde(default)]
    pub(super) least: u32,
    pub(super) most: Option<usize>,
    pub(super) places: Option<usize>,
    pub(super) alone: Option<usize>,
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    pub(super) reason: String,
}

/// Symbols of an outline that are worth an anchor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SymbolRule {
    pub(super) kinds: Vec<String>,
    pub(super) names: Vec<Pattern>,
    /// A line of its signature, attributes included.
    pub(super) has: Option<Pattern>,
    /// Not between `#if` and `#endif`, as the tests of C libraries are.
    #[serde(default)]
    pub(super) unconditional: bool,
}

/// Lines that are worth an anchor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRule {
    pub(super) starts: Vec<Pattern>,
    pub(super) within: Option<Pattern>,
    pub(super) extent: Extent,
}

/// End of a place that a line begins.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Extent {
    Brackets,
    Continued,
    Field,
    Group,
    Indented,
    Section,
    Target,
}

/// A manifest, and the line in it that names the project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectName {
    pub(super) file: String,
    pub(super) name: Pattern,
}

/// Commands and actions of workflows that judge a change.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowRules {
    pub(super) checks: Vec<Check>,
    pub(super) actions: Vec<String>,
    pub(super) prepares: Vec<Pattern>,
}

/// Commands that do the same.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) name: String,
    #[serde(deserialize_with = "commands")]
    pub(super) words: Regex,
}

/// A regular expression over a line.
pub(super) struct Pattern(pub(super) Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        regex_of::<D>(&String::deserialize(deserializer)?).map(Self)
    }
}

fn regex_of<'de, D: Deserializer<'de>>(text: &str) -> Result<Regex, D::Error> {
    Regex::new(text).map_err(serde::de::Error::custom)
}

/// Words of a command, each at the beginning of a word, and not in an option.
fn commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?.join("|");
    regex_of::<D>(&format!(r"(?:^|[\s=])(?:[^\s=-]\S*?)?\b(?:{words})\b"))
}

impl Pattern {
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_read() {
        let table = read_table(include_str!("suggestion_rules.yaml")).unwrap();
        assert!(!table.topics.is_empty());
    }

    #[test]
    fn commands_are_told_by_whole_words() {
        let check = |name: &str, command: &str| {
            let check = RULES.workflows.checks.iter().find(|one| one.name == name);
            check.unwrap().words.is_match(command)
        };
        for (name, command) in [
            ("lint", "cargo fmt --check"),
            ("lint", "npm run lint:fix"),
            ("lint", "golangci-lint run"),
            ("test", "./mvnw verify"),
            ("test", "make -j2 unit-tests"),
        ] {
            assert!(check(name, command), "{command}");
        }
        for (name, command) in [
            ("lint", "gotestsum --format testname"),
            ("lint", "x --fmt"),
            ("lint", "./reformatter"),
            ("test", "cmake --build ."),
        ] {
            assert!(!check(name, command), "{command}");
        }
    }
}
