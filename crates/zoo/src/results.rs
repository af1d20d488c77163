//! What a run of the zoo found.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;
use windlass_repo::redact_text;

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
    /// Of the systems that are programs, what has to be typed behind `--system` to have each measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// Of all cases, by archetype, name and system.
    pub cases: Vec<CaseResult>,
}

/// A repository of the user's, as it was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Its folder, from the root of the file system.
    pub root: String,
    /// The commit that was checked out, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The file of what it was asked, from the root of the file system; what its commits say if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<String>,
}

impl Origin {
    /// Where it is, and what is checked out there, in words.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.commit {
            Some(commit) => {
                let short: String = commit.chars().take(10).collect();
                format!("`{}` at commit {short}", self.root)
            }
            None => format!("`{}`", self.root),
        }
    }

    /// The command that measures it.
    #[must_use]
    pub fn command(&self) -> String {
        format!("windlass zoo run{}", self.typed())
    }

    /// What has to be typed to have it measured.
    fn typed(&self) -> String {
        let cases = self.cases.as_deref();
        let cases = cases.map(|file| format!(" --cases {}", shell_word(file)));
        format!(
            " --repo {}{}",
            shell_word(&self.root),
            cases.unwrap_or_default()
        )
    }
}

/// How far off it is, squared, to be half sure.
const OF_ONE_HALF: f64 = 0.25;

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// `text` as a shell takes it for one word.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+,=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// What one system did with one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The archetype, or the repository.
    pub archetype: String,
    /// The case.
    pub case: String,
    /// The system.
    pub system: String,
    /// What the question is like, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Its values; a metric without one is undefined here.
    #[serde(deserialize_with = "known")]
    pub values: BTreeMap<Metric, Option<f64>>,
    /// What was asked or done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// What was expected, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// What was shown instead, a line each: of an answer, all that is measured (the places that 2,000 tokens reach, and the first ten
    /// names).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// How many places and names came behind these, which count for nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_off: usize,
    /// Where the wanted files stand among those that were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranks>,
    /// The digest of all that was printed, where it is the same wherever it is printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// Why the system did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// How it begins to say that a case is wrong.
pub(crate) const WRONG: &str = "the case is wrong: ";

impl CaseResult {
    /// What is wrong with the case itself, so that no system could answer it.
    #[must_use]
    pub fn wrong(&self) -> Option<&str> {
        self.failure.as_deref()?.strip_prefix(WRONG)
    }
}

/// Where the wanted files stand among those that were named: all that rankings are measured by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// How many files were named.
    pub named: usize,
    /// The rank of each wanted file, from 1; none where it was not named.
    pub wanted: BTreeMap<String, Option<usize>>,
}

impl CaseResult {
    fn redact(&mut self) {
        if let Some(ranking) = &mut self.ranking {
            let all = std::mem::take(&mut ranking.wanted).into_iter();
            let told = all.map(|(file, rank)| (redact_text(&file).0.to_string(), rank));
            ranking.wanted = told.collect();
        }
        let lists = [&mut self.expected, &mut self.shown].into_iter().flatten();
        let texts = lists.chain([&mut self.asked]).chain(&mut self.failure);
        for text in texts {
            *text = redact_text(text).0.to_string();
        }
    }

    /// The value of `metric`, where it is defined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
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
    /// Of these cases, put in order. Secret values in their texts are replaced: what a commit says, or a program, may hold some.
    #[must_use]
    pub fn of(mut cases: Vec<CaseResult>) -> Self {
        for case in &mut cases {
            case.redact();
            let failed = f64::from(u8::from(case.failure.is_some()));
            case.values.insert(Metric::Failed, Some(failed));
        }
        doubt_the_silent(&mut cases);
        let key = |one: &CaseResult| (one.archetype.clone(), one.case.clone(), one.system.clone());
        cases.sort_by_key(key);
        Self {
            schema_version: SCHEMA_VERSION,
            of_repository: false,
            origin: None,
            programs: BTreeMap::new(),
            cases,
        }
    }

    /// The same, of which those of `systems` that are programs can be started again.
    #[must_use]
    pub(crate) fn with_programs(mut self, systems: &[Box<dyn System>]) -> Self {
        let typed = systems.iter().filter_map(|system| {
            Some((
                system.name().to_owned(),
                redact_text(&system.typed()?).0.to_string(),
            ))
        });
        self.programs = typed.collect();
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
        let case = case.map(|case| format!(" --case {}", shell_word(case)));
        let programs = systems
            .iter()
            .filter_map(|system| self.programs.get(*system));
        let programs: String = programs
            .map(|typed| format!(" --system {}", shell_word(typed)))
            .collect();
        let case = case.unwrap_or_default();
        format!("windlass zoo run{what}{case}{programs} --fresh")
    }

    /// These, and of `before` what was found of archetypes that were not measured now.
    #[must_use]
    pub fn beside(&self, before: Self) -> Self {
        let own = self.archetypes();
        let others = before.cases.into_iter();
        let others = others.filter(|case| !own.contains(&*case.archetype));
        let cases = self.cases.iter().cloned().chain(others).collect();
        let programs = before.programs.into_iter().chain(self.programs.clone());
        Self {
            of_repository: self.of_repository,
            origin: self.origin.clone(),
            programs: programs.collect(),
            ..Self::of(cases)
        }
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
        digest(self.cases.iter())
    }

    /// The archetypes of which ours is not found what the baseline was written of, by digest: on this machine, or since a change.
    /// Those that it knows no digest of are not among them.
    #[must_use]
    pub fn differing(&self, baseline: &Baseline) -> Vec<String> {
        let now = self.digests().into_iter();
        let differs = |(archetype, digest): &(String, String)| {
            let before = baseline.digests.get(archetype);
            before.is_some_and(|before| before != digest)
        };
        now.filter(differs)
            .map(|(archetype, _)| archetype)
            .collect()
    }

    /// The digest of what ours finds of each archetype.
    fn digests(&self) -> BTreeMap<String, String> {
        let of = |archetype: &str| {
            let choice = Choice {
                archetype: Some(archetype),
                ..Choice::of(OURS)
            };
            (archetype.to_owned(), digest(self.chosen(choice)).hex())
        };
        self.archetypes().into_iter().map(of).collect()
    }

    /// The means that later runs are compared with, by archetype and metric: of ours, without times.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        let mut means: BTreeMap<String, BTreeMap<Metric, Option<f64>>> = BTreeMap::new();
        for archetype in self.archetypes() {
            let choice = Choice {
                archetype: Some(archetype),
                ..Choice::of(OURS)
            };
            for metric in Metric::ALL.iter().filter(|metric| !metric.is_timing()) {
                if let Some(summary) = self.summary(*metric, choice) {
                    let mean = summary.mean.map(|mean| (mean * 1e9).round() / 1e9);
                    means
                        .entry(archetype.to_owned())
                        .or_default()
                        .insert(*metric, mean);
                }
            }
        }
        Baseline {
            schema_version: SCHEMA_VERSION,
            means,
            digests: self.digests(),
        }
    }
}

/// Who says how sure it is of some answers and not of others would be judged by those alone that it chose. Of the others it is taken to say
/// one half, which is as far off whatever is so; where it failed, it is as wrong as can be.
fn doubt_the_silent(cases: &mut [CaseResult]) {
    let saying = cases
        .iter()
        .filter(|case| case.value(Metric::GateError).is_some());
    let saying: BTreeSet<String> = saying.map(|case| case.system.clone()).collect();
    for case in cases {
        let is_silent = case.kind.is_some() && case.value(Metric::GateError).is_none();
        if is_silent && saying.contains(&case.system) {
            let error = match case.failure {
                Some(_) => Metric::GateError.definition().worst(),
                None => Some(OF_ONE_HALF),
            };
            case.values.insert(Metric::GateError, error);
        }
    }
}

/// Values by metric; those of metrics that this version does not know are left out.
type Values = BTreeMap<Metric, Option<f64>>;

fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
    BTreeMap::<String, Option<f64>>::deserialize(deserializer).map(of_known)
}

fn all_known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Values>, D::Error> {
    let all = BTreeMap::<String, BTreeMap<String, Option<f64>>>::deserialize(deserializer)?;
    let each = all.into_iter();
    Ok(each
        .map(|(name, values)| (name, of_known(values)))
        .collect())
}

fn of_known(values: BTreeMap<String, Option<f64>>) -> Values {
    let values = values.into_iter();
    values
        .filter_map(|(name, value)| Some((Metric::named(&name)?, value)))
        .collect()
}

/// The digest of cases, of everything but times: the same on every machine.
fn digest<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Digest {
    let mut text = String::new();
    for case in cases {
        text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
        for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
            // The last digits of a logarithm are not the same everywhere.
            let value = value.map_or("undefined".to_owned(), |value| format!("{value:.9}"));
            text += &format!("{}\t{value}\n", metric.name());
        }
        let told = case.expected.iter().chain(&case.shown);
        for line in told.chain(&case.printed).chain(&case.failure) {
            text += &format!("{line}\n");
        }
    }
    Digest::of_bytes(text.as_bytes())
}

/// What a run is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The version of the format.
    pub schema_version: u32,
    /// The mean of each metric of each archetype; none where it was undefined.
    #[serde(deserialize_with = "all_known")]
    pub means: BTreeMap<String, BTreeMap<Metric, Option<f64>>>,
    /// The digest of what was found of each archetype, so that machines can be compared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

impl Baseline {
    /// What it is called: twelve digits that follow from what was found.
    #[must_use]
    pub fn id(&self) -> String {
        let each = self.digests.iter();
        let text: String = each
            .map(|(name, digest)| format!("{name} {digest}\n"))
            .collect();
        Digest::of_bytes(text.as_bytes())
            .hex()
            .chars()
            .take(12)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(asked: &str, failure: Option<&str>) -> CaseResult {
        CaseResult {
            archetype: "docs".to_owned(),
            case: "q".to_owned(),
            system: OURS.to_owned(),
            kind: None,
            values: BTreeMap::new(),
            asked: asked.to_owned(),
            expected: vec![format!("{TOKEN}.rs:1-2")],
            shown: vec![format!("{TOKEN}.rs:3-4")],
            left_off: 0,
            ranking: Some(Ranks {
                named: 1,
                wanted: BTreeMap::from([(format!("{TOKEN}.rs"), None)]),
            }),
            printed: None,
            failure: failure.map(str::to_owned),
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
        let program = crate::start("mine=it's one", std::time::Duration::MAX).unwrap();
        let results = results.with_programs(&[Box::new(program)]);
        assert_eq!(
            results.reproduce(Some("docs"), None, &[OURS, "mine"]),
            r"windlass zoo run docs --system 'mine=it'\''s one' --fresh"
        );
    }
}
