//! The table of printed lines, `programs.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern::Pattern;

#[derive(Default, Deserialize)]
pub(super) struct Table {
    /// The programs, in the order in which their rules are tried.
    #[serde(rename = "program")]
    pub(super) programs: Vec<Program>,
    /// Words after numbers, by outcome.
    pub(super) words: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct Program {
    /// The program's name in results, or empty for lines printed by several programs.
    pub(super) name: String,
    /// Name of the failure to report if the output is cut.
    #[serde(default)]
    pub(super) end: String,
    /// A prefix of lines that says nothing about results.
    pub(super) strip: Option<Pattern>,
    until: Option<Pattern>,
    #[serde(rename = "while")]
    only: Option<Pattern>,
    pub(super) rules: Vec<Rule>,
}

impl Program {
    /// Returns the patterns that end or continue the block below a line.
    pub(super) fn extent<'p>(&'p self, rule: &'p Rule) -> Extent<'p> {
        match (&rule.until, &rule.only) {
            // A pattern of the rule replaces both patterns of its program.
            (None, None) => (self.until.as_ref(), self.only.as_ref()),
            (until, only) => (until.as_ref(), only.as_ref()),
        }
    }
}

/// Patterns that end or continue a block of lines.
pub(super) type Extent<'p> = (Option<&'p Pattern>, Option<&'p Pattern>);

/// A line of a program and the step to take for it.
#[derive(Deserialize)]
pub(super) struct Rule {
    #[serde(default, rename = "in")]
    pub(super) sections: Vec<String>,
    #[serde(default, rename = "if")]
    pub(super) conditions: Vec<Condition>,
    pub(super) next: Option<Pattern>,
    pub(super) line: Pattern,
    until: Option<Pattern>,
    #[serde(rename = "while")]
    only: Option<Pattern>,
    pub(super) says: Option<Pattern>,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) said: String,
    #[serde(rename = "do")]
    pub(super) verbs: Vec<Verb>,
    pub(super) to: Option<String>,
    #[serde(default)]
    pub(super) pass: bool,
}

#[cfg(test)]
impl Rule {
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let others = [&self.next, &self.until, &self.only, &self.says];
        [&self.line].into_iter().chain(others.into_iter().flatten())
    }
}

/// Condition on the reader's state under which a rule is tried.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Condition {
    /// A run has begun but not ended.
    Open,
    File,
    /// Failures were announced that have not been reported yet.
    Due,
    /// No failure has been found.
    Well,
    /// Another line follows. The last line may be cut, so it proves nothing.
    Followed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verb {
    Recognise,
    Open,
    Close,
    Cut,
    Uncounted,
    /// The run was broken off.
    Break,
    /// An open run was broken off.
    Interrupt,
    /// A test has the outcome of the matching group.
    Went,
    /// A failed test is named.
    Name,
    /// A test failed, with its message.
    Fail,
    /// A test failed, unless that is already known.
    FailNew,
    /// A compiler or linter found something.
    Error,
    /// Something else is wrong, with a message.
    ErrorSaid,
    Count,
    /// Counts a part of the tests.
    Tally,
    /// Number of tests run, reported before their outcomes.
    Total,
    CountTally,
    DropTally,
    /// Counts the tests of a file.
    CountFile,
    Suite,
    Place,
    File,
    /// A test is named that may have failed.
    Unsure,
    Forget,
    /// Number of failures to follow.
    Due,
    /// A failure, unless another line has more detail.
    Owe,
    Settle,
    // Steps taken by one program, each with a file beside this one.
    At,
    Began,
    BeginTests,
    Begun,
    Dots,
    Ended,
    Failed,
    FailedTests,
    List,
    Listed,
    Named,
    Note,
    PackageFailed,
    PackagePassed,
    Panicked,
    Passed,
    ProgramEnded,
    Ran,
    Run,
    SessionEnded,
    SettleTries,
    Status,
    SuiteBegan,
    Told,
    ToldInALine,
    WentNested,
}

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let json = include_str!(concat!(env!("OUT_DIR"), "/programs.json"));
    serde_json::from_str(json).unwrap_or_default()
});

/// Returns the rule of the program `name` with the step `verb` that matches `line` by itself.
pub(super) fn rule_of(name: &str, verb: Verb, line: &str) -> Option<&'static Rule> {
    let programs = TABLE.programs.iter().filter(|it| it.name == name);
    let mut rules = programs.flat_map(|program| &program.rules);
    rules.find(|rule| rule.verbs.contains(&verb) && rule.line.is_match(line))
}
