//! Keeps a history of runs: the means of Windlass, and when and by which version they were
//! measured.
//!
//! Digests, baselines, and the reports as Markdown and JUnit have nothing of this in them, because
//! they must be the same for the same results.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::OURS;
use crate::results::{Baseline, Choice, Measured, Results};

/// The stored runs, from which we show trends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The runs, oldest first.
    pub runs: Vec<Run>,
}

/// A run in a few numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The digest of the results, without latencies.
    pub digest: String,
    /// The means of Windlass.
    pub means: Baseline,
    /// Time and version of the measurement. `None` if an older version has recorded the run.
    pub measured: Option<Measured>,
    /// The digest of the questions. Means of other questions cannot be compared with these.
    pub questions: String,
}

/// Maximum number of runs. Older ones are dropped.
const MAX_RUNS: usize = 50;

impl History {
    /// Adds a run, unless the previous run with the same questions has the same digest.
    pub fn add(&mut self, results: &Results) {
        let (digest, questions) = (results.digest().hex(), questions(results));
        let mut before = self.runs.iter().rev();
        let before = before.find(|run| run.questions == questions);
        if before.is_some_and(|run| run.digest == digest) {
            return;
        }
        self.runs.push(Run {
            digest,
            means: results.baseline(),
            measured: results.run.clone(),
            questions,
        });
        let surplus = self.runs.len().saturating_sub(MAX_RUNS);
        self.runs.drain(..surplus);
    }
}

/// Returns a digest of all questions and actions that were measured.
fn questions(results: &Results) -> String {
    let cases = results.chosen(Choice::of(OURS));
    let asked = cases.map(|case| format!("{}\0{}\0{}\0", case.archetype, case.case, case.asked));
    Digest::of_bytes(asked.collect::<String>().as_bytes()).hex()
}
