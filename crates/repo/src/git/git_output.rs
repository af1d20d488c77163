//! Parsers of git's output, exported for fuzzing.

use std::collections::BTreeMap;

use super::blame::writers;
use super::commit_steps::parse_steps;
use super::working_tree::{Found, parse_differences};
use super::{Changes, CommitStep, LineWriter};

/// Parses the output of `git diff --name-status -z`. Returns `None` if it's malformed.
#[must_use]
pub fn changes(output: &[u8]) -> Option<Changes> {
    let mut found = Found::default();
    parse_differences(fields(output), &mut found)?;
    Some(found.into_changes())
}

/// Parses the output of `git log --raw -z`. Returns `None` if it's malformed.
#[must_use]
pub fn commit_steps(output: &[u8]) -> Option<Vec<CommitStep>> {
    parse_steps(fields(output))
}

/// Parses the output of `git blame --porcelain`, skipping unknown lines.
#[must_use]
pub fn line_writers(output: &[u8]) -> BTreeMap<u32, LineWriter> {
    writers(output, false)
}

fn fields(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = output.strip_suffix(b"\0").unwrap_or(output);
    // Splitting an empty output would give one empty field.
    let count = match output.is_empty() {
        true => 0,
        false => usize::MAX,
    };
    body.split(|byte| *byte == 0).take(count)
}
