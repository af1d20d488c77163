//! What a run of the zoo found.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

mod baseline;
mod case;
mod measured;
mod origin;
mod shortened_case;
mod started;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

pub use baseline::Baseline;
pub(crate) use case::WRONG;
pub use case::{CaseResult, Ranks};
pub use measured::Measured;
pub(crate) use measured::{Batch, stamp};
pub use origin::Origin;
use origin::shell_word;
use started::all_of_now;
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
    /// Whether a repository of the user's was measured, and no sample.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_repository: bool,
    /// Which one, and what it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// By archetype, how each of the systems that are programs was started: another program may have had that name when another was
    /// measured.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "all_of_now"
    )]
    pub programs: BTreeMap<String, Programs>,
    /// When what is shown of each archetype was measured, and by what.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<String, Measured>,
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
        Self::in_order(cases)
    }

    /// Of these cases as they are, put in order: what was found of each is not changed by what stands beside it.
    fn in_order(mut cases: Vec<CaseResult>) -> Self {
        let key = |one: &CaseResult| (one.archetype.clone(), one.case.clone(), one.system.clone());
        cases.sort_by_key(key);
        Self {
            schema_version: SCHEMA_VERSION,
            of_repository: false,
            origin: None,
            programs: BTreeMap::new(),
            measured: BTreeMap::new(),
            cases,
        }
    }

    /// Of what `program` measured, which is the digest of it.
    #[must_use]
    pub(crate) fn of_batches(batches: Vec<Batch>, program: &str) -> Self {
        let mut measured: BTreeMap<String, Measured> = BTreeMap::new();
        for batch in &batches {
            let archetypes = batch.cases.iter().map(|case| &case.archetype);
            for archetype in archetypes.collect::<BTreeSet<_>>() {
                let own = measured.entry(archetype.clone());
                own.and_modify(|own| own.add(&batch.at))
                    .or_insert_with(|| Measured::of(program, &batch.at));
            }
        }
        let cases = batches.into_iter().flat_map(|batch| batch.cases);
        Self {
            measured,
            ..Self::of(cases.collect())
        }
    }

    /// When the first of what is shown was measured, where some of it was before `at`.
    #[must_use]
    pub fn kept_from(&self, at: SystemTime) -> Option<&str> {
        let first = self.measured.values().map(|own| own.first.as_str()).min()?;
        (first < stamp(at).as_str()).then_some(first)
    }

    /// What is shown of it, so that two runs can be told apart: the digest of everything that any system was found to do, but for times.
    fn digest_of(&self, archetype: &str) -> Digest {
        case::digest(self.cases.iter().filter(|case| case.archetype == archetype))
    }

    /// The archetypes of which `other` has found just the same, by any system.
    #[must_use]
    pub(crate) fn same_as(&self, other: &Self) -> BTreeSet<&str> {
        let (own, others) = (self.archetypes(), other.archetypes());
        let is_same =
            |one: &&str| others.contains(*one) && self.digest_of(one) == other.digest_of(one);
        own.into_iter().filter(|one| is_same(one)).collect()
    }

    /// The same, of which those of `systems` that are programs can be started again.
    #[must_use]
    pub(crate) fn with_programs(mut self, systems: &[Box<dyn System>]) -> Self {
        let started = systems
            .iter()
            .filter_map(|system| Some((system.name().to_owned(), Started::of(&**system)?)));
        let started: Programs = started.collect();
        if !started.is_empty() {
            let each = self.archetypes().into_iter();
            self.programs = each.map(|one| (one.to_owned(), started.clone())).collect();
        }
        self
    }

    /// The same, of a repository of the user's.
    #[must_use]
    pub(crate) fn of_repository(mut self, origin: Origin) -> Self {
        self.of_repository = true;
        self.origin = Some(origin);
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
        let what = match (&self.origin, self.of_repository, archetype) {
            // Its name says nothing of where it lies.
            (Some(origin), ..) => origin.typed(),
            (None, true, _) => " --repo .".to_owned(),
            (None, false, Some(archetype)) => format!(" {archetype}"),
            (None, false, None) => String::new(),
        };
        let case = case.map(|case| match case.starts_with('-') {
            // What stands by itself would be taken for an option.
            true => format!(" --case={}", shell_word(case)),
            false => format!(" --case {}", shell_word(case)),
        });
        let started = self.started(archetype, systems);
        let patience = started.iter().filter_map(|one| one.patience).max();
        let patience = patience.map(|seconds| format!(" --patience {seconds}"));
        let programs: String = started
            .iter()
            .map(|one| format!(" --system {}", shell_word(&one.typed)))
            .collect();
        let (case, patience) = (case.unwrap_or_default(), patience.unwrap_or_default());
        format!("windlass zoo run{what}{case}{programs}{patience} --fresh")
    }

    /// How those of `systems` that are programs were started where `archetype` was measured; where any was if not said, each once.
    fn started(&self, archetype: Option<&str>, systems: &[&str]) -> Vec<&Started> {
        let of = |system: &&str| {
            let mut meant = self
                .programs
                .iter()
                .filter(|(own, _)| archetype.is_none_or(|one| one == *own));
            meant.find_map(|(_, programs)| programs.get(*system))
        };
        systems.iter().filter_map(of).collect()
    }

    /// These, and of `before` what was found of archetypes that were not measured now.
    #[must_use]
    pub fn beside(&self, before: Self) -> Self {
        let own = self.archetypes();
        let others = before.cases.into_iter();
        let others = others.filter(|case| !own.contains(&*case.archetype));
        let cases = self.cases.iter().cloned().chain(others).collect();
        let (mut programs, mut measured) = (before.programs, before.measured);
        programs.retain(|archetype, _| !own.contains(archetype.as_str()));
        programs.extend(self.programs.clone());
        measured.retain(|archetype, _| !own.contains(archetype.as_str()));
        measured.extend(self.measured.clone());
        Self {
            measured,
            of_repository: self.of_repository,
            origin: self.origin.clone(),
            programs,
            ..Self::in_order(cases)
        }
    }

    /// The systems that failed in cases which are not wrong themselves, in how many, and why in the first.
    #[must_use]
    pub fn failures(&self) -> Vec<(&str, usize, &str)> {
        let of = |system| {
            let failed = self.chosen(Choice::of(system));
            let failed = failed.filter(|case| case.wrong().is_none());
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
                let choice = Choice {
                    archetype: Some(archetype),
                    ..Choice::of(system)
                };
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
        self.cases
            .iter()
            .map(|case| case.archetype.as_str())
            .collect()
    }

    /// The systems, ours first.
    #[must_use]
    pub fn systems(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.cases.iter().map(|case| case.system.as_str()).collect();
        let ours = all.iter().copied().filter(|system| *system == OURS);
        let others = all.iter().copied().filter(|system| *system != OURS);
        ours.chain(others).collect()
    }

    /// The cases that are meant.
    pub fn chosen<'a>(&'a self, choice: Choice<'a>) -> impl Iterator<Item = &'a CaseResult> {
        self.cases.iter().filter(move |case| {
            case.system == choice.system
                && choice
                    .archetype
                    .is_none_or(|wanted| case.archetype == wanted)
                && choice.case.is_none_or(|wanted| case.case == wanted)
                && (choice.kinds.is_empty()
                    || case.kind.is_some_and(|kind| choice.kinds.contains(&kind)))
        })
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

    const TOKEN: &str = crate::drift::scripted::kinds::SECRET;

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
    fn it_is_known_when_what_is_shown_was_measured_and_by_what() {
        let at = |seconds| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let batch = |archetype: &str, case: &str, seconds| Batch {
            at: stamp(at(seconds)),
            cases: vec![CaseResult::new(archetype, case, OURS)],
        };
        let batches = vec![
            batch("docs", "a", 60),
            batch("docs", "b", 3_600),
            batch("mono", "a", 60),
        ];
        let before = Results::of_batches(batches, "0123456789abcdef");
        let version = env!("CARGO_PKG_VERSION");
        let told = |results: &Results, archetype: &str| results.measured[archetype].told();
        assert_eq!(
            told(&before, "docs"),
            format!(
                "1970-01-01T00:01:00Z to 1970-01-01T01:00:00Z, by windlass {version} (0123456789ab)"
            )
        );
        let now = Results::of_batches(vec![batch("mono", "a", 7_200)], "fedcba");
        assert_eq!(
            (now.kept_from(at(7_200)), before.kept_from(at(60))),
            (None, None)
        );
        assert_eq!(now.kept_from(at(7_201)), Some("1970-01-01T02:00:00Z"));
        assert_eq!(
            now.digest_of("mono"),
            before.digest_of("mono"),
            "times do not count"
        );
        assert_eq!(now.same_as(&before), BTreeSet::from(["mono"]));
        let both = now.beside(before.clone());
        assert_eq!(told(&both, "docs"), told(&before, "docs"));
        assert!(told(&both, "mono").ends_with("(fedcba)"));
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
    fn what_was_found_before_stays_as_it_was_whoever_has_the_same_name_now() {
        let found = |archetype: &str, typed: &str, error| {
            let program = crate::start(typed, std::time::Duration::from_secs(crate::PATIENCE));
            let case = |name: &str, error| CaseResult {
                kind: Some(Kind::Plain),
                values: BTreeMap::from([(Metric::GateError, error)]),
                ..CaseResult::new(archetype, name, "mine")
            };
            Results::of(vec![case("a", error), case("b", None)])
                .with_programs(&[Box::new(program.unwrap())])
        };
        let before = found("docs", "mine=shy", None);
        let now = found("mono", "mine=sure", Some(0.0));
        let mono = Choice {
            archetype: Some("mono"),
            ..Choice::of("mine")
        };
        let docs = Choice {
            archetype: Some("docs"),
            ..mono
        };
        let mean = |results: &Results, choice| {
            let summary = results.summary(Metric::GateError, choice);
            summary.unwrap().mean
        };
        assert_eq!(mean(&now, mono), Some(0.125));
        let both = now.beside(before.clone());
        assert_eq!((mean(&both, docs), mean(&before, docs)), (None, None));
        assert_eq!(mean(&both, mono), Some(0.125));
        assert_eq!(both.same_as(&before), BTreeSet::from(["docs"]));
        for (archetype, program) in [("docs", "mine=shy"), ("mono", "mine=sure")] {
            let command = both.reproduce(Some(archetype), None, &["mine"]);
            assert!(command.contains(program), "{command}");
        }
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
        let results = Results::of(Vec::new());
        let of = |archetype, case| results.reproduce(archetype, case, &[OURS]);
        assert_eq!(
            of(Some("docs"), Some("q")),
            "windlass zoo run docs --case q --fresh"
        );
        assert_eq!(of(None, None), "windlass zoo run --fresh");
        let mut origin = Origin {
            root: "/home/me/it's mine".to_owned(),
            ..Origin::default()
        };
        let of = |origin: &Origin| {
            let results = results.clone().of_repository(origin.clone());
            results.reproduce(Some("mine"), Some("4f1"), &[OURS])
        };
        assert_eq!(
            of(&origin),
            r"windlass zoo run --repo '/home/me/it'\''s mine' --case 4f1 --fresh"
        );
        origin.cases = Some("/home/me/cases.toml".to_owned());
        assert_eq!(
            of(&origin),
            r"windlass zoo run --repo '/home/me/it'\''s mine' --cases /home/me/cases.toml --case 4f1 --fresh"
        );
        let program = |patience| {
            let patience = std::time::Duration::from_secs(patience);
            let program = crate::start("mine=it's one", patience).unwrap();
            let cases = vec![CaseResult::new("docs", "q", "mine")];
            Results::of(cases).with_programs(&[Box::new(program)])
        };
        assert_eq!(
            program(crate::PATIENCE).reproduce(Some("docs"), None, &[OURS, "mine"]),
            r"windlass zoo run docs --system 'mine=it'\''s one' --fresh"
        );
        let slow = program(60);
        assert_eq!(
            slow.reproduce(Some("docs"), Some("-5"), &[OURS, "mine"]),
            r"windlass zoo run docs --case=-5 --system 'mine=it'\''s one' --patience 60 --fresh"
        );
        assert!(!slow.reproduce(None, None, &[OURS]).contains("--patience"));
        let of_another = slow.reproduce(Some("mono"), None, &[OURS, "mine"]);
        assert_eq!(of_another, "windlass zoo run mono --fresh");
        assert!(slow.reproduce(None, None, &["mine"]).contains("--system"));
    }
}
