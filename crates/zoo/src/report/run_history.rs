//! The history of runs. It keeps the Windlass means, and the time and version of each measurement.
//! We leave the history out of digests, baselines, Markdown reports and JUnit reports, so that
//! equal results look the same there.

use serde::{Deserialize, Serialize};

use crate::results::{Baseline, Measured, Results};

/// Earlier runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The recorded runs, oldest first.
    pub runs: Vec<Run>,
}

/// A run in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Run {
    /// Digest of the results, without latencies.
    pub digest: String,
    /// The Windlass means.
    pub means: Baseline,
    /// Time and version of the measurement, or `None` if an older version recorded the run.
    pub measured: Option<Measured>,
}

/// The serialised form of a run. It's a list, because older versions wrote pairs.
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

/// Maximum number of recorded runs.
const REMEMBERED: usize = 50;

impl History {
    /// Adds `results`. Does nothing if the last run with the same archetypes and questions had the same digest.
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
    fn runs_without_time_are_read() {
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
