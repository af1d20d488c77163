//! Failures reported by test runners, compilers and other programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A failed test, or an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Name of the test, or code and location of the error.
    pub id: String,
    /// The kind of failure.
    pub kind: FailureKind,
    /// First line of the message.
    pub summary: String,
    /// The message, possibly shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Places of the failure: `src/main.rs:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// True if it did not fail before; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<bool>,
    /// The test's program while results are read, since tests of several programs may have the same
    /// name.
    #[serde(skip)]
    pub suite: String,
    /// The location in its report while results are read: the suite, the package, the file, and the
    /// enclosing suites.
    #[serde(skip)]
    pub within: Vec<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Failure {
    /// Returns the place of the failure, chosen among the places with a line.
    ///
    /// Python prints the innermost frame last, and all other programs print it first. If a report
    /// gives the place of a test itself, a place in the same file from its message is more precise.
    #[must_use]
    pub fn innermost(&self) -> Option<&str> {
        let mut places = self.places.iter().filter_map(|place| parted(place));
        let first = places.next()?;
        let last = places.clone().next_back().unwrap_or(first);
        let said = [Some(&self.summary), self.detail.as_ref()];
        let is_said = |place: &str| said.iter().flatten().any(|text| text.contains(place));
        let place = match first {
            _ if last.file.ends_with(".py") => last,
            Place { whole, file } if !is_said(whole) => {
                let nearer = places.find(|other| are_of_one_file(file, other.file));
                nearer.unwrap_or(first)
            }
            first => first,
        };
        Some(place.whole)
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    whole: &'a str,
    file: &'a str,
}

/// Parses a location with a line, such as `src/main.rs:12`.
fn parted(whole: &str) -> Option<Place<'_>> {
    let (file, line) = whole.rsplit_once(':')?;
    let is_line = !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    is_line.then_some(Place { whole, file })
}

/// Returns true if both names may mean the same file: one is the end of the other, in whole parts.
fn are_of_one_file(one: &str, other: &str) -> bool {
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let rest = long.strip_suffix(short);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Kinds of failures.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test.
    #[default]
    Test,
    /// An error of a compiler or another program.
    Error,
}
