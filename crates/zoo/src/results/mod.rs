//! What a run of the zoo found.

use std::collections::{BTreeMap, BTreeSet};

mod baseline;
mod case;
mod measured;
mod origin;
mod started;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

pub use baseline::Baseline;
pub use case::{CaseResult, Ranks};
pub use measured::Measured;
pub use origin::Origin;
use origin::shell_word;
pub use started::{Programs, Started};

use crate::stats::{Comparison, Pair, Summary, compare_groups};
use crate::system::System;
use crate::{Kind, Metric, OURS};

/// The version of the format of results and baselines.
pub const SCHEMA_VERSION: u32 = 1;

/// What a run of the zoo found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of the format.
    pub schema_version: u32,
    /// The repository of the user's that was measured, and what it was asked; none where samples were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// How each of the systems that are programs was started.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub started: Programs,
    /// When it was measured, and by what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Measured>,
    /// Of all cases, by archetype, name and system.
    pub cases: Vec<CaseResult>,
}

/// What is known of metrics, by archetype and system.
pub type Summaries<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<Metric, Summary>>>;

/// Which cases are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<'a> {
    /// Of this archetype; of all if not said.
    pub archetype: Option<&'a str>,
    /// Of this system.
    pub system: &'a str,
    /// Of these kinds of questions; of all, and where none was asked, if empty.
    pub kinds: &'a [Kind],
    /// The case of this name alone; all if not said.
    pub case: Option<&'a str>,
}

impl<'a> Choice<'a> {
    /// All cases of `system`.
    #[must_use]
    pub fn of(system: &'a str) -> Self {
        Self {
            archetype: None,
            system,
            kinds: &[],
            case: None,
        }
    }

    /// Those of them that are of `archetype`.
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
    /// Of these cases, which were measured together just now: what follows from one of them, or from all, is added, and they are put in order.
    /// Secret values in their texts are replaced: what a commit says, or a program, may hold some.
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

    /// The same, of which those of `systems` that are programs can be started again.
    #[must_use]
    pub(crate) fn with_programs(mut self, systems: &[Box<dyn System>]) -> Self {
        let started = systems
            .iter()
            .filter_map(|system| Some((system.name().to_owned(), Started::of(&**system)?)));
        self.started = started.collect();
        self
    }

    /// The command that measures `archetype` again, or one case of it; of everything if not said. It starts those of `systems` that are
    /// programs.
    #[must_use]
    pub fn reproduce(
        &self,
        archetype: Option<&str>,
        case: Option<&str>,
        systems: &[&str],
    ) -> String {
        let what = match (&self.origin, archetype) {
            // Its name says nothing of where it lies.
            (Some(origin), _) => origin.typed(),
            (None, Some(archetype)) => format!(" {archetype}"),
            (None, None) => String::new(),
        };
        // What begins with a dash would be taken for an option where it stands by itself.
        let case = case.map(|case| format!(" --case={}", shell_word(case)));
        let started = systems.iter().filter_map(|name| self.started.get(*name));
        let started: Vec<&Started> = started.collect();
        let patience = started.iter().filter_map(|one| one.patience).max();
        let patience = patience.map(|seconds| format!(" --patience {seconds}"));
        let programs: String = started
            .iter()
            .map(|one| format!(" --system {}", shell_word(&one.typed)))
            .collect();
        let (case, patience) = (case.unwrap_or_default(), patience.unwrap_or_default());
        format!("windlass zoo run{what}{case}{programs}{patience}")
    }

    /// The systems that failed, in how many cases, and why in the first.
    #[must_use]
    pub fn failures(&self) -> Vec<(&str, usize, &str)> {
        let of = |system| {
            let failed = self.chosen(Choice::of(system));
            let failed: Vec<&str> = failed.filter_map(|case| case.failure.as_deref()).collect();
            Some((system, failed.len(), *failed.first()?))
        };
        self.systems().into_iter().filter_map(of).collect()
    }

    /// What is known of each metric: by archetype, then by system.
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

    /// The archetypes, in order.
    #[must_use]
    pub fn archetypes(&self) -> BTreeSet<&str> {
        let cases = self.cases.iter();
        cases.map(|case| case.archetype.as_str()).collect()
    }

    /// The systems, ours first.
    #[must_use]
    pub fn systems(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.cases.iter().map(|case| case.system.as_str()).collect();
        let mut all: Vec<&str> = all.into_iter().collect();
        all.sort_by_key(|system| *system != OURS);
        all
    }

    /// The cases that are meant.
    pub fn chosen<'a>(&'a self, choice: Choice<'a>) -> impl Iterator<Item = &'a CaseResult> {
        self.cases.iter().filter(move |case| choice.means(case))
    }

    /// What is known of `metric` over the cases that have it at all; nothing where none has.
    #[must_use]
    pub fn summary(&self, metric: Metric, choice: Choice<'_>) -> Option<Summary> {
        let values: Vec<Option<f64>> = self
            .chosen(choice)
            .filter_map(|case| case.values.get(&metric).copied())
            .collect();
        (!values.is_empty()).then(|| Summary::of(values))
    }

    /// How the system of `choice` and `other` differ in `metric`, over the cases that both have.
    #[must_use]
    pub fn compared(&self, metric: Metric, choice: Choice<'_>, other: &str) -> Option<Comparison> {
        let others: BTreeMap<(&str, &str), Option<f64>> = self
            .chosen(Choice {
                system: other,
                ..choice
            })
            .filter_map(|case| Some(((&*case.archetype, &*case.case), *case.values.get(&metric)?)))
            .collect();
        // The same question is asked of several archetypes.
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

    /// The digest of everything but times: the same on every machine.
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
    fn no_secret_value_is_in_results_whoever_said_it() {
        let asked = format!("give builds a token, {TOKEN}");
        let results = Results::of(vec![case(&asked, Some(&asked))]);
        let text = serde_json::to_string(&results).unwrap();
        assert!(!text.contains(TOKEN), "{text}");
        assert!(results.cases[0].asked.starts_with("give builds a token, "));
    }

    #[test]
    fn a_metric_that_is_unknown_is_left_out() {
        let text = r#"{"schema_version": 1, "means": {"docs": {"mrr": 0.5, "of_old": 1.0}}}"#;
        let baseline: Baseline = serde_json::from_str(text).unwrap();
        let means = BTreeMap::from([(Metric::Mrr, Some(0.5))]);
        assert_eq!(baseline.means["docs"], means);
    }

    #[test]
    fn what_failed_is_counted() {
        let results = Results::of(vec![case("a", None), case("b", Some("it broke"))]);
        let failed = results.summary(Metric::Failed, Choice::of(OURS));
        assert_eq!(failed.and_then(|summary| summary.mean), Some(0.5));
    }

    #[test]
    fn who_fails_is_not_taken_for_one_that_is_as_sure_as_it_may_be() {
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
    fn who_says_how_sure_it_is_where_it_is_right_alone_says_one_half_of_all_else() {
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
    fn the_command_that_measures_again_is_one_that_there_is() {
        let mut results = Results::of(Vec::new());
        assert_eq!(
            results.reproduce(Some("docs"), Some("-5"), &[OURS]),
            "windlass zoo run docs --case=-5"
        );
        let program = crate::start("mine=it's one", std::time::Duration::from_secs(60));
        results = results.with_programs(&[Box::new(program.unwrap())]);
        results.origin = Some(Origin {
            root: "/home/me/it's mine".to_owned(),
            cases: Some("/home/me/cases.toml".to_owned()),
            ..Origin::default()
        });
        assert_eq!(
            results.reproduce(Some("mine"), None, &[OURS, "mine"]),
            r"windlass zoo run --repo '/home/me/it'\''s mine' --cases /home/me/cases.toml --system 'mine=it'\''s one' --patience 60"
        );
    }
}
