use serde_json::Value;
use windlass_step::host::{self, Level};

use crate::FoundLine;

/// Locations of the file. The first one that exists counts.
const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The rules of one file, in order.
#[derive(Debug)]
pub(crate) struct Rules(Vec<Rule>);

/// A pattern with its owners.
#[derive(Debug)]
pub(crate) struct Rule {
    pattern: owners::Pattern,
    /// The owners. Empty if the files have none.
    pub(crate) owners: Vec<String>,
    /// The rule's location.
    pub(crate) evidence: Vec<Value>,
}

impl Rules {
    /// Parses `lines`. As on GitHub, invalid lines are ignored, but each gets a warning in the log.
    pub(crate) fn of(lines: Vec<FoundLine>) -> Self {
        let is_there = |place: &&&str| lines.iter().any(|line| line.file == ***place);
        let Some(place) = PLACES.iter().find(is_there).copied() else {
            return Self(Vec::new());
        };
        let mut own: Vec<FoundLine> = lines
            .into_iter()
            .filter(|line| line.file == place)
            .collect();
        own.sort_by_key(number);
        let rules = own.into_iter().filter_map(|line| {
            let number = number(&line);
            match rule(line.text.as_deref()?, line.evidence)? {
                Ok(rule) => Some(rule),
                Err(why) => {
                    let message = format!("{place}:{number}: {why}, so the line does not count");
                    host::log(Level::Warn, &message);
                    None
                }
            }
        });
        Self(rules.collect())
    }

    /// Returns the last rule that matches a file.
    pub(crate) fn of_file(&self, path: &str) -> Option<&Rule> {
        self.0.iter().rev().find(|rule| rule.pattern.matches(path))
    }
}

fn number(line: &FoundLine) -> u64 {
    let first = line.evidence.first();
    first
        .and_then(|place| place.get("start_line")?.as_u64())
        .unwrap_or_default()
}

/// Parses a line. Returns `None` for a comment, an empty line, or the heading of a section.
fn rule(line: &str, evidence: Vec<Value>) -> Option<Result<Rule, String>> {
    let rule = owners::Rule::parse(line)?;
    Some(rule.map(|rule| Rule {
        pattern: rule.pattern,
        owners: rule.owners,
        evidence,
    }))
}
