//! The rules for finding suggested locations, parsed from `suggestion_rules.yaml`.

use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};
use serde::{Deserialize, Deserializer};

use crate::AnchorKind;

/// The contents of `suggestion_rules.yaml`. Most fields are documented there, next to their values.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleTable {
    pub(super) topics: Vec<Topic>,
    pub(super) projects: Vec<ProjectName>,
    pub(super) beside: Vec<Pattern>,
    pub(super) generated: Vec<Pattern>,
    pub(super) workflows: WorkflowRules,
}

/// The table. It's part of the binary, so a parse error is a bug of ours: we then suggest nothing,
/// and the test below fails.
pub(super) static RULES: LazyLock<RuleTable> =
    LazyLock::new(|| read_table(include_str!("suggestion_rules.yaml")).unwrap_or_default());

fn read_table(text: &str) -> Result<RuleTable, serde_yaml::Error> {
    let mut table: serde_yaml::Value = serde_yaml::from_str(text)?;
    // The table uses YAML's merge keys (`<<`) to avoid repetition.
    table.apply_merge()?;
    serde_yaml::from_value(table)
}

/// A topic of suggestions, and the rules for its locations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    pub(super) prefix: String,
    pub(super) kind: AnchorKind,
    pub(super) most: usize,
    /// True to add the definitions of names used in the documentation.
    #[serde(default)]
    pub(super) used: bool,
    pub(super) rules: Vec<Rule>,
}

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SymbolRule {
    pub(super) kinds: Vec<String>,
    pub(super) names: Vec<Pattern>,
    /// Pattern for some line of the signature, including attributes.
    pub(super) has: Option<Pattern>,
    pub(super) not: Option<Pattern>,
    /// Pattern for the conditions of `#if` blocks to skip. C libraries often have their tests in
    /// such blocks, for example.
    pub(super) unless: Option<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRule {
    pub(super) starts: Vec<Pattern>,
    pub(super) within: Option<Pattern>,
    /// Pattern for attributes. Lines below a match are skipped.
    pub(super) unless: Option<Pattern>,
    pub(super) extent: Extent,
}

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

/// A manifest with the project's name. If `file` starts with a `*`, any file with that ending will
/// do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectName {
    pub(super) file: String,
    pub(super) name: Pattern,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowRules {
    pub(super) checks: Vec<Check>,
    pub(super) named: Option<Pattern>,
    pub(super) actions: Vec<String>,
    pub(super) prepares: Vec<Pattern>,
}

/// One check, and the different tools' commands for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) name: String,
    #[serde(deserialize_with = "commands")]
    pub(super) words: Pattern,
}

/// A regular expression that is compiled at its first use. Most runs need only a few of them.
pub(super) struct Pattern {
    pub(super) text: String,
    regex: OnceLock<Option<Regex>>,
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// A pattern for the words of commands. A word may be at the start of an argument or further
/// inside, e.g. `lint` in `npm run lint:fix`. It never matches in an option.
fn commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?.join("|");
    let text = format!(r"(?:^|\s)(?:[^\s-]\S*?)?(?:\b(?:{words})\b)");
    Ok(Pattern::new(text))
}

impl Pattern {
    fn new(text: String) -> Self {
        let regex = OnceLock::new();
        let pattern = Self { text, regex };
        // An invalid pattern is a bug of ours, so tests compile all of them.
        assert!(!cfg!(test) || pattern.regex().is_some(), "{}", pattern.text);
        pattern
    }

    fn regex(&self) -> Option<&Regex> {
        let compiled = || Regex::new(&self.text).ok();
        self.regex.get_or_init(compiled).as_ref()
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
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
            check.unwrap().words.is_in(command)
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
