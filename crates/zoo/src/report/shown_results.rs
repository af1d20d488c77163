//! What is printed of a run, or written to a file, in each format.

use serde::Serialize;
use windlass::Error;
use windlass::packs::{harmless, redacted_json};

use super::{History, html, junit, markdown};
use crate::gate::Checked;
use crate::results::{Baseline, Results, Summaries};

/// The results of a run as they are shown.
#[derive(Debug, Serialize)]
pub struct ShownResults<'a> {
    #[serde(flatten)]
    results: &'a Results,
    /// Mean, median, tail and ends of each metric.
    summaries: Summaries<'a>,
    /// What holds and what does not, where gates were held against the results.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    checked: Option<&'a Checked>,
    /// The archetypes that no gate was held against, where gates were held against others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_gates: Vec<&'a str>,
    /// The archetypes of which not the same was found as the baseline was written of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differing: Vec<String>,
    #[serde(skip)]
    history: &'a History,
    #[serde(skip)]
    baseline: Option<&'a Baseline>,
}

impl<'a> ShownResults<'a> {
    /// `results`, after the runs in `history`.
    #[must_use]
    pub fn of(results: &'a Results, history: &'a History) -> Self {
        Self {
            results,
            history,
            summaries: results.summaries(),
            checked: None,
            without_gates: Vec::new(),
            differing: Vec::new(),
            baseline: None,
        }
    }

    /// The same, with what gates say of them.
    #[must_use]
    pub fn held_against(self, checked: Option<&'a Checked>) -> Self {
        let without = checked.map(|checked| checked.not_held_against(self.results));
        Self {
            checked,
            without_gates: without.unwrap_or_default(),
            ..self
        }
    }

    /// The same, compared with `baseline`; not where that is of something else, as the gates tell.
    #[must_use]
    pub fn compared_with(self, baseline: Option<&'a Baseline>) -> Self {
        let baseline = baseline.filter(|baseline| self.results.unlike(baseline).is_none());
        Self {
            differing: baseline
                .map(|baseline| self.results.differing(baseline))
                .unwrap_or_default(),
            baseline,
            ..self
        }
    }

    /// They as JSON.
    ///
    /// # Errors
    /// When they have no form in JSON.
    pub fn json(&self) -> Result<String, Error> {
        Ok(redacted_json(self).map_err(Error::internal)? + "\n")
    }

    /// They as Markdown, for a proposed change.
    #[must_use]
    pub fn markdown(&self) -> String {
        harmless(&markdown(self.results, self.checked, self.baseline))
    }

    /// They as a web page.
    #[must_use]
    pub fn html(&self) -> String {
        html(self.results, self.checked, self.baseline, self.history)
    }

    /// They as JUnit, for build servers.
    #[must_use]
    pub fn junit(&self) -> String {
        junit(self.results, self.checked)
    }
}
