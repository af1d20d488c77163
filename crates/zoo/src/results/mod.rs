//! The results of a run: cases, summaries, and comparisons of systems.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

mod baseline;
mod case;
mod measured;
mod origin;

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, shell_word};
use windlass_redact::redact_text;

pub use baseline::Baseline;
pub use case::{CaseResult, Ranks};
pub use measured::Measured;
pub use origin::Origin;

use crate::stats::{Comparison, Pair, Summary, compare_groups};
use crate::system::System;
use crate::{Kind, Metric, OURS, ZooError};

/// Version of the file format for results and baselines. Raise it if an older version would misread
/// them.
pub const SCHEMA_VERSION: u32 = 1;

/// The results of a zoo run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of the format.
    pub schema_version: u32,
    /// The user's repository that was measured, and its questions. `None` for the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The `--system` options of the programs that were measured, by name and without secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// True for a quick run, which only measures some of the cases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// Time and version of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Measured>,
    /// All cases, sorted by archetype, name and system.
    pub cases: Vec<CaseResult>,
}

/// Summaries by archetype, system and metric.
pub type Summaries<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<Metric, Summary>>>;

/// Selects cases by archetype, system, kind and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The archetype, or `None` for all of them.
    pub archetype: Option<&'a str>,
    /// The system.
    pub system: &'a str,
    /// Kinds of questions. If there are none, all cases are selected.
    pub kinds: &'a [Kind],
    /// The name of the case, or `None` for all of them.
    pub case: Option<&'a str>,
}

impl<'a> Choice<'a> {
    /// Selects all cases of a system.
    #[must_use]
    pub fn of(system: &'a str) -> Self {
        Self {
            archetype: None,
            system,
            kinds: &[],
            case: None,
        }
    }

    /// Limits the selection to an archetype.
    #[must_use]
    pub fn within(self, archetype: &'a str) -> Self {
        Self {
            archetype: Some(archetype),
            ..self
        }
    }

    fn means(&self, case: &CaseResult) -> bool {
        case.system == self.system
            && self.archetype.is_none_or(|wanted| case.archetype == wanted)
            && self.case.is_none_or(|wanted| case.case == wanted)
            && (self.kinds.is_empty() || case.kind.is_some_and(|kind| self.kinds.contains(&kind)))
    }
}

impl Results {
    /// Creates results from cases that were measured together. This adds the values that can be
    /// derived, sorts the cases, and redacts secrets, since some texts come from commit messages or
    /// programs.
    #[must_use]
    pub fn of(mut cases: Vec<CaseResult>) -> Self {
        for case in &mut cases {
            case.redact();
            let failed = f64::from(u8::from(case.failure.is_some()));
            case.values.insert(Metric::Failed, Some(failed));
        }
        case::doubt_the_silent(&mut cases);
        let key = |one: &CaseResult| (one.archetype.clone(), one.case.clone(), one.system.clone());
        cases.sort_by_key(key);
        Self {
            schema_version: SCHEMA_VERSION,
            cases,
            ..Self::default()
        }
    }

    /// Joins the results of several parts of a run that started at `now`. All parts must come from
    /// this version of Windlass, because another one may not measure the same things.
    ///
    /// # Errors
    ///
    /// Returns an error if a part comes from another version.
    pub fn joined(parts: Vec<Self>, now: SystemTime) -> Result<Self, ZooError> {
        let run = Measured::at(now);
        let mut joined = Self::default();
        for part in parts {
            let version = part.run.map(|run| run.version).unwrap_or_default();
            if version != run.version {
                let own = run.version;
                let why = format!("a worker has version `{version}` of windlass instead of {own}");
                return Err(ZooError::Data(why));
            }
            joined.quick |= part.quick;
            joined.programs.extend(part.programs);
            joined.cases.extend(part.cases);
        }
        Ok(Self {
            run: Some(run),
            cases: Self::of(joined.cases).cases,
            schema_version: SCHEMA_VERSION,
            ..joined
        })
    }

    #[must_use]
    pub(crate) fn with_programs(mut self, systems: &[Box<dyn System>]) -> Self {
        let programs = systems.iter().filter_map(|system| {
            let typed = redact_text(&system.typed()?).0.to_string();
            Some((system.name().to_owned(), typed))
        });
        self.programs = programs.collect();
        self
    }

    /// Returns the command that repeats the measurement of one case, of an archetype, or of
    /// everything. It includes the programs among `systems`.
    #[must_use]
    pub fn reproduce(
        &self,
        archetype: Option<&str>,
        case: Option<&str>,
        systems: &[&str],
    ) -> String {
        let what = match (&self.origin, archetype) {
            (Some(origin), _) => origin.typed(),
            (None, Some(archetype)) => format!(" {archetype}"),
            (None, None) => String::new(),
        };
        // With `=`, a name that starts with a hyphen isn't taken for an option.
        let case = case.map(|case| format!(" --case={}", shell_word(case)));
        let programs = systems.iter().filter_map(|name| self.programs.get(*name));
        let programs: String = programs
            .map(|typed| format!(" --system {}", shell_word(typed)))
            .collect();
        let case = case.unwrap_or_default();
        format!("windlass zoo run{what}{case}{programs}")
    }

    /// Returns the systems that have failed, each with the number of failures and the reason for
    /// the first one.
    #[must_use]
    pub fn failures(&self) -> Vec<(&str, usize, &str)> {
        let of = |system| {
            let failed = self.chosen(Choice::of(system));
            let failed: Vec<&str> = failed.filter_map(|case| case.failure.as_deref()).collect();
            Some((system, failed.len(), *failed.first()?))
        };
        self.systems().into_iter().filter_map(of).collect()
    }

    /// Returns the summary of each metric by archetype and system.
    #[must_use]
    pub fn summaries(&self) -> Summaries<'_> {
        let mut all = Summaries::new();
        for archetype in self.archetypes() {
            for system in self.systems() {
                let choice = Choice::of(system).within(archetype);
                let of = |metric: &Metric| Some((*metric, self.summary(*metric, choice)?));
                let own: BTreeMap<Metric, Summary> = Metric::ALL.iter().filter_map(of).collect();
                if !own.is_empty() {
                    all.entry(archetype).or_default().insert(system, own);
                }
            }
        }
        all
    }

    /// Returns the archetypes in alphabetical order.
    #[must_use]
    pub fn archetypes(&self) -> BTreeSet<&str> {
        let cases = self.cases.iter();
        cases.map(|case| case.archetype.as_str()).collect()
    }

    /// Returns the systems. Windlass comes first.
    #[must_use]
    pub fn systems(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.cases.iter().map(|case| case.system.as_str()).collect();
        let mut all: Vec<&str> = all.into_iter().collect();
        all.sort_by_key(|system| *system != OURS);
        all
    }

    /// Returns the selected cases.
    pub fn chosen<'a>(&'a self, choice: Choice<'a>) -> impl Iterator<Item = &'a CaseResult> {
        self.cases.iter().filter(move |case| choice.means(case))
    }

    /// Summarizes a metric over the selected cases. Returns `None` if none of them measures it.
    #[must_use]
    pub fn summary(&self, metric: Metric, choice: Choice<'_>) -> Option<Summary> {
        let values: Vec<Option<f64>> = self
            .chosen(choice)
            .filter_map(|case| case.values.get(&metric).copied())
            .collect();
        (!values.is_empty()).then(|| Summary::of(values))
    }

    /// Compares the system in `choice` with another one, over the cases that were measured for
    /// both.
    #[must_use]
    pub fn compared(&self, metric: Metric, choice: Choice<'_>, other: &str) -> Option<Comparison> {
        let others: BTreeMap<(&str, &str), Option<f64>> = self
            .chosen(Choice {
                system: other,
                ..choice
            })
            .filter_map(|case| Some(((&*case.archetype, &*case.case), *case.values.get(&metric)?)))
            .collect();
        // If several archetypes ask the same question, the results depend on each other. So these
        // cases are a group.
        let mut groups: BTreeMap<&str, Vec<Pair>> = BTreeMap::new();
        for case in self.chosen(choice) {
            let other = others.get(&(&*case.archetype, &*case.case));
            if let (Some(own), Some(other)) = (case.values.get(&metric), other) {
                let asked = match case.asked.is_empty() {
                    true => &case.case,
                    false => &case.asked,
                };
                groups.entry(asked).or_default().push((*own, *other));
            }
        }
        let groups: Vec<Vec<Pair>> = groups.into_values().collect();
        compare_groups(&groups, 20_261)
    }

    /// Returns a digest of the results. It does not include latencies, so it is the same on any
    /// machine.
    #[must_use]
    pub fn digest(&self) -> Digest {
        case::digest(self.cases.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(asked: &str, failure: Option<&str>) -> CaseResult {
        CaseResult {
            asked: asked.to_owned(),
            expected: vec![format!("{TOKEN}.rs:1-2")],
            shown: vec![format!("{TOKEN}.rs:3-4")],
            ranking: Some(Ranks {
                named: 1,
                wanted: BTreeMap::from([(format!("{TOKEN}.rs"), None)]),
            }),
            failure: failure.map(str::to_owned),
            ..CaseResult::new("docs", "q", OURS)
        }
    }

    const TOKEN: &str = crate::edits::SECRET;

    #[test]
    fn secret_values_are_redacted_in_results() {
        let asked = format!("give builds a token, {TOKEN}");
        let results = Results::of(vec![case(&asked, Some(&asked))]);
        let text = serde_json::to_string(&results).unwrap();
        assert!(!text.contains(TOKEN), "{text}");
        assert!(results.cases[0].asked.starts_with("give builds a token, "));
    }

    #[test]
    fn unknown_metric_is_dropped() {
        let text = r#"{"schema_version": 1, "means": {"docs": {"mrr": 0.5, "of_old": 1.0}}}"#;
        let baseline: Baseline = serde_json::from_str(text).unwrap();
        let means = BTreeMap::from([(Metric::Mrr, Some(0.5))]);
        assert_eq!(baseline.means["docs"], means);
    }

    #[test]
    fn parts_of_this_version_are_joined() {
        let part = |name: &str, version: Option<&str>| {
            let mut part = Results::of(vec![CaseResult::new(name, "q", OURS)]);
            part.run = version.map(|version| Measured {
                version: version.to_owned(),
                ..Measured::default()
            });
            part
        };
        let own = Some(env!("CARGO_PKG_VERSION"));
        let parts = vec![part("docs", own), part("a", own)];
        let joined = Results::joined(parts, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(Vec::from_iter(joined.archetypes()), ["a", "docs"]);
        assert_eq!(joined.cases[0].archetype, "a");
        for other in [Some("0.0.1"), None] {
            let parts = vec![part("a", own), part("docs", other)];
            assert!(Results::joined(parts, SystemTime::UNIX_EPOCH).is_err());
        }
    }

    #[test]
    fn failures_are_counted() {
        let results = Results::of(vec![case("a", None), case("b", Some("it broke"))]);
        let failed = results.summary(Metric::Failed, Choice::of(OURS));
        assert_eq!(failed.and_then(|summary| summary.mean), Some(0.5));
    }

    #[test]
    fn failed_answer_gets_worst_confidence() {
        let asked = |system: &str, failure, error| CaseResult {
            system: system.to_owned(),
            kind: Some(Kind::Plain),
            values: BTreeMap::from([(Metric::GateError, error)]),
            ..case("a", failure)
        };
        let results = Results::of(vec![
            asked(OURS, None, Some(0.2)),
            asked(OURS, Some("it broke"), None),
            asked("other", None, None),
            asked("other", Some("it broke"), None),
        ]);
        let mean = |system| {
            results
                .summary(Metric::GateError, Choice::of(system))
                .unwrap()
                .mean
        };
        assert_eq!((mean(OURS), mean("other")), (Some(0.6), None));
    }

    #[test]
    fn unstated_confidence_counts_as_one_half() {
        let asked = |error| CaseResult {
            kind: Some(Kind::Plain),
            values: BTreeMap::from([(Metric::GateError, error)]),
            ..case("a", None)
        };
        let results = Results::of(vec![
            asked(Some(0.0)),
            asked(None),
            asked(None),
            asked(None),
        ]);
        let said = results.summary(Metric::GateError, Choice::of(OURS));
        assert_eq!(said.and_then(|summary| summary.mean), Some(0.1875));
    }

    #[test]
    fn reproducing_command_is_quoted() {
        let mut results = Results::of(Vec::new());
        assert_eq!(
            results.reproduce(Some("docs"), Some("-5"), &[OURS]),
            "windlass zoo run docs --case=-5"
        );
        let program = crate::start("mine=it's one", std::time::Duration::ZERO);
        results = results.with_programs(&[Box::new(program.unwrap())]);
        results.origin = Some(Origin {
            name: "it's mine".to_owned(),
            cases: Some("my cases.toml".to_owned()),
            ..Origin::default()
        });
        assert_eq!(
            results.reproduce(Some("mine"), None, &[OURS, "mine"]),
            r"windlass zoo run --repo . --cases 'my cases.toml' --system 'mine=it'\''s one'"
        );
    }
}
