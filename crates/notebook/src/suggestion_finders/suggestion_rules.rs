//! The table of rules for finding locations worth an anchor.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Deserializer};

use crate::AnchorKind;

/// The contents of `suggestion_rules.yaml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleTable {
    pub(super) topics: Vec<Topic>,
    pub(super) projects: Vec<ProjectName>,
    pub(super) beside: Vec<Pattern>,
    pub(super) generated: Vec<Pattern>,
    pub(super) workflows: WorkflowRules,
}

/// Built-in rules, compiled into the binary.
pub(super) static RULES: LazyLock<RuleTable> =
    LazyLock::new(|| read_table(include_str!("suggestion_rules.yaml")).unwrap_or_default());

fn read_table(text: &str) -> Result<RuleTable, serde_yaml::Error> {
    let mut table: serde_yaml::Value = serde_yaml::from_str(text)?;
    table.apply_merge()?;
    serde_yaml::from_value(table)
}

/// A topic of suggestions, with the rules for finding its locations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    /// Start of its anchors' names.
    pub(super) prefix: String,
    pub(super) kind: AnchorKind,
    /// Maximum number of suggestions for this topic.
    pub(super) most: usize,
    /// True to add the definitions of names used in the documentation.
    #[serde(default)]
    pub(super) used: bool,
    pub(super) rules: Vec<Rule>,
}

/// A rule for finding one type of location. The table documents the fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) files: Vec<String>,
    pub(super) search: Option<Pattern>,
    pub(super) needs: Option<Pattern>,
    pub(super) lacks: Option<Pattern>,
    pub(super) symbols: Option<SymbolRule>,
    pub(super) lines: Option<LineRule>,
    #[serde(default)]
    pub(super) least: u32,
    pub(super) most: Option<usize>,
    pub(super) places: Option<usize>,
    pub(super) alone: Option<usize>,
    #[serde(default)]
    pub(super) nearest: bool,
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    pub(super) reason: String,
}

/// Selects symbols of an outline.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SymbolRule {
    pub(super) kinds: Vec<String>,
    pub(super) names: Vec<Pattern>,
    /// Pattern that some line of the signature must match. The signature includes attributes.
    pub(super) has: Option<Pattern>,
    /// Pattern for the paths of symbols to skip.
    pub(super) not: Option<Pattern>,
    /// Pattern for `#if` conditions. We skip symbols in such a block, which contains the tests of C
    /// libraries, for example.
    pub(super) unless: Option<Pattern>,
}

/// Selects lines of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRule {
    pub(super) starts: Vec<Pattern>,
    pub(super) within: Option<Pattern>,
    /// Pattern for attributes. We skip lines below such an attribute.
    pub(super) unless: Option<Pattern>,
    pub(super) extent: Extent,
}

/// Rules for a location's end.
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

/// A manifest containing the project's name. A `file` starting with `*` matches any file with that
/// ending.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectName {
    pub(super) file: String,
    pub(super) name: Pattern,
}

/// Workflow commands and actions that check a change.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowRules {
    pub(super) checks: Vec<Check>,
    /// Pattern for the names of steps that run tests.
    pub(super) named: Option<Pattern>,
    pub(super) actions: Vec<String>,
    pub(super) prepares: Vec<Pattern>,
}

/// Commands of different tools that perform the same check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) name: String,
    #[serde(deserialize_with = "commands")]
    pub(super) words: Regex,
}

/// A regular expression matched against a line.
pub(super) struct Pattern(pub(super) Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        regex_of::<D>(&String::deserialize(deserializer)?).map(Self)
    }
}

fn regex_of<'de, D: Deserializer<'de>>(text: &str) -> Result<Regex, D::Error> {
    Regex::new(text).map_err(serde::de::Error::custom)
}

/// Creates a pattern for command words. A word matches at the start of an argument or within one,
/// but not in an option.
fn commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?.join("|");
    regex_of::<D>(&format!(r"(?:^|\s)(?:[^\s-]\S*?)?(?:\b(?:{words})\b)"))
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
    fn rule_table_parsed() {
        let table = read_table(include_str!("suggestion_rules.yaml")).unwrap();
        assert!(!table.topics.is_empty());
    }

    #[test]
    fn check_command_matches_whole_words() {
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
