//! History of runs: the means of Windlass, with the time and version of each measurement. Neither is part of
//! a digest, baseline, Markdown or JUnit report.

use serde::{Deserialize, Serialize};

use crate::results::{Baseline, Measured, Results};

/// What earlier runs found, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
}

/// What is remembered of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Run {
    /// The digest of all that was found, but for times.
    pub digest: String,
    /// The means of ours.
    pub means: Baseline,
    /// When it was measured, and by what; nothing of runs that a version remembered which did not note it.
    pub measured: Option<Measured>,
}

/// A run as it is written: a list, as it was when runs were two of these things.
#[derive(Serialize, Deserialize)]
struct Written(String, Baseline, #[serde(default)] Option<Measured>);

impl From<Written> for Run {
    fn from(Written(digest, means, measured): Written) -> Self {
        Self {
            digest,
            means,
            measured,
        }
    }
}

impl From<Run> for Written {
    fn from(run: Run) -> Self {
        Self(run.digest, run.means, run.measured)
    }
}

/// How many runs are remembered.
const REMEMBERED: usize = 50;

impl History {
    /// Remembers `results`, unless the last run of the same archetypes, asked the same, found just the same: then nothing was measured
    /// anew, or nothing changed.
    pub fn add(&mut self, results: &Results) {
        let (digest, means) = (results.digest().hex(), results.baseline());
        let mut before = self.runs.iter().rev().filter(|run| {
            run.means.asked() == means.asked() && run.means.means.keys().eq(means.means.keys())
        });
        if before.next().is_some_and(|run| run.digest == digest) {
            return;
        }
        self.runs.push(Run {
            digest,
            means,
            measured: results.run.clone(),
        });
        let surplus = self.runs.len().saturating_sub(REMEMBERED);
        self.runs.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_that_were_remembered_without_their_time() {
        let text = r#"{"runs": [["4f", {"schema_version": 1, "means": {}}]]}"#;
        let read: History = serde_json::from_str(text).unwrap();
        assert_eq!(
            (&*read.runs[0].digest, &read.runs[0].measured),
            ("4f", &None)
        );
        let mut history = read;
        history.runs[0].measured = Some(Measured {
            at: "2026-01-31T12:00:00Z".to_owned(),
            ..Measured::default()
        });
        let text = serde_json::to_string(&history).unwrap();
        assert_eq!(serde_json::from_str::<History>(&text).unwrap(), history);
    }
}
