//! When results were measured, and by what: the same report may show some that were kept from earlier.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::CaseResult;

/// When what is shown of an archetype was measured, and by what. No part of digests or baselines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The version of Windlass.
    pub version: String,
    /// The first twelve digits of the digest of the program; nothing where it could not be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// When the first of it was, as `2026-01-31T12:00:00Z`.
    pub first: String,
    /// When the last of it was.
    pub last: String,
}

impl Measured {
    /// By the program of this digest, `at` that time.
    pub(super) fn of(program: &str, at: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: program.chars().take(12).collect(),
            first: at.to_owned(),
            last: at.to_owned(),
        }
    }

    /// Some of it was measured `at` that time.
    pub(super) fn add(&mut self, at: &str) {
        if at < self.first.as_str() {
            at.clone_into(&mut self.first);
        }
        if at > self.last.as_str() {
            at.clone_into(&mut self.last);
        }
    }

    /// Of this and of `other`, which the same program measured: from the first of both to the last.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        self.add(&other.first);
        self.add(&other.last);
        self
    }

    /// The version, with the program where that is known.
    pub(crate) fn by(&self) -> String {
        match self.program.is_empty() {
            true => self.version.clone(),
            false => format!("{} ({})", self.version, self.program),
        }
    }

    /// When and by what, in words.
    #[must_use]
    pub fn told(&self) -> String {
        let until = match self.first == self.last {
            true => String::new(),
            false => format!(" to {}", self.last),
        };
        format!("{}{until}, by windlass {}", self.first, self.by())
    }
}

/// What was measured at one time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// When.
    pub(crate) at: String,
    pub(crate) cases: Vec<CaseResult>,
}

/// A time as it is told: in UTC, to the second, so that the order of texts is that of times.
pub(crate) fn stamp(at: SystemTime) -> String {
    let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
