//! Replaces output that differs between two runs of the same build: times, random names and
//! durations.
//!
//! If a comparison shows a difference where nothing has changed, a rule is missing here.

use regex::Regex;

use crate::Error;

/// Patterns of varying output with their replacements. Times before 2026 come from the samples, so
/// we leave them alone.
const RULES: [(&str, &str); 9] = [
    (
        r"20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
        "<time>",
    ),
    // Events of the memory are kept in a file per month.
    (r"\b20(?:2[6-9]|[3-9]\d)-\d\d(?:-\d\d)?\b", "<date>"),
    // Runs, and events of playbooks.
    (r"\b20\d{6}-\d{6}-[0-9a-f]{4}\b", "<run>"),
    (r"\bevt-\d{20}-[0-9a-f]{4}\b", "evt-<drawn>"),
    (r"\b(evt|msg)-[0-9a-z]{12}\b", "$1-<drawn>"),
    // Molecules, and beads that were created without a name. Their prefix is that of an earlier
    // bead or the name of the folder.
    (r"\b(mol|repo|zd|zq)-[0-9a-z]{6,8}\b", "$1-<drawn>"),
    (r"\b(\d+)-[0-9a-z]{6}\b", "$1-<token>"),
    (r#""(began|took)_us":\d+"#, r#""${1}_us":<took>"#),
    (r" +\d+(?:\.\d+)? m?s\b", " <took>"),
];

pub(super) struct Normal(Vec<(Regex, &'static str)>);

impl Normal {
    pub(super) fn new() -> Result<Self, Error> {
        let rules = RULES
            .iter()
            .map(|(pattern, put)| Ok::<_, Error>((Regex::new(pattern)?, *put)));
        rules.collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn of(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (pattern, put) in &self.0 {
            text = pattern.replace_all(&text, *put).into_owned();
        }
        text
    }
}
