//! Asking systems questions, and measuring their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::Metric;
use crate::metric::ranking::{Grades, Ranking, order};
use crate::metric::{BUDGET, CURVE, Lines, NOT_REACHED, Seen, Shown, ShownSpan, shown, weight};
use crate::recipe::{Kind, Question};
use crate::results::{CaseResult, Ranks, WRONG};
use crate::system::{Answer, Ask, Plain, System};
use crate::texts::Texts;

/// How many of the files that are named somebody goes through.
const NAMED: usize = 10;

/// What is measured of a question that something answers.
const MEASURED: [Metric; 15] = [
    Metric::CallsToAction,
    Metric::NotReached,
    Metric::TokenSaved,
    Metric::NoiseRatio,
    Metric::ContextEfficiency,
    Metric::RecallAtTokens,
    Metric::RecallAt1000Tokens,
    Metric::RecallAt500Tokens,
    Metric::RecallAt5,
    Metric::SuccessAt1,
    Metric::SuccessAt5,
    Metric::Mrr,
    Metric::Ndcg,
    Metric::Map,
    Metric::FalselyNothing,
];

/// Asks `system` a question, and `again` of the same files elsewhere; a plain search names the files in this `order`. `clock` says how much
/// time has passed, `secrets` must not be printed.
pub(crate) fn ask(
    archetype: &str,
    question: &Question,
    system: &dyn System,
    (ask, again): (&Ask<'_>, &Ask<'_>),
    order: &[&str],
    clock: fn() -> Duration,
    secrets: &[&str],
) -> CaseResult {
    let mut case = CaseResult {
        kind: Some(question.kind),
        asked: question.text.clone(),
        expected: expected(question),
        ..CaseResult::new(archetype, &question.id, system.name())
    };
    let wanted = match question.wanted(ask.files) {
        Ok(wanted) => wanted,
        Err(wrong) => {
            // Nobody can answer it, which must not look as if nothing were wanted.
            case.failure = Some(format!("{WRONG}{wrong}"));
            let worst = |metric: Metric| (metric, metric.definition().worst());
            case.values = MEASURED.map(worst).into();
            return case;
        }
    };
    let heard = Heard::of(system, (ask, again), clock);
    let answer = &heard.answer;
    let measure = Measure {
        kind: question.kind,
        wanted: &wanted,
        neutral: &question.neutral,
        texts: &Texts::of(ask, answer),
        plain: ask.plain,
        order,
        secrets,
    };
    let (values, reached) = measure.values(answer);
    case.values = values;
    case.values.extend(heard.values(&wanted));
    (case.shown, case.left_off) = told(answer, reached);
    case.ranking = Some(ranks(&judged(answer, &question.neutral), &wanted));
    case.printed = answer.digest.map(|digest| digest.hex());
    case.failure = heard.failure;
    case
}

/// What answers a question, and what counts neither way, a line each.
fn expected(question: &Question) -> Vec<String> {
    let gold = question.gold.iter();
    let gold = gold.map(|gold| format!("{}:{}-{}", gold.file, gold.start_line, gold.end_line));
    let neutral = question.neutral.iter();
    let neutral = neutral.map(|file| format!("{file} counts neither way"));
    gold.chain(neutral).collect()
}

/// What a system answered.
struct Heard {
    /// Nothing, where it failed.
    answer: Answer,
    has_answered: bool,
    took: Duration,
    /// Whether it gave the same again, 0 or 1, where it was asked again.
    stable: Option<f64>,
    failure: Option<String>,
}

impl Heard {
    fn of(
        system: &dyn System,
        (ask, again): (&Ask<'_>, &Ask<'_>),
        clock: fn() -> Duration,
    ) -> Self {
        let before = clock();
        let answered = system.answer(ask);
        let took = clock().saturating_sub(before);
        let (answer, mut failure) = match answered {
            Ok(answer) => (answer, None),
            Err(why) => (Answer::default(), Some(why)),
        };
        let has_answered = failure.is_none();
        let is_asked_again = has_answered && system.may_differ();
        let again = is_asked_again.then(|| system.says_again(again, &answer));
        let stable = again.map(|again| {
            let again = again.map_err(|why| {
                failure = Some(format!("asked again, it failed: {why}"));
            });
            f64::from(u8::from(again.is_ok_and(|same| same)))
        });
        Self {
            answer,
            has_answered,
            took,
            stable,
            failure,
        }
    }

    /// The values that depend on how it was answered.
    fn values(&self, wanted: &Lines) -> Vec<(Metric, Option<f64>)> {
        let took = self.took.as_secs_f64() * 1e3;
        let mut values = vec![
            (Metric::Stability, self.stable),
            (Metric::Latency, self.has_answered.then_some(took)),
        ];
        if !self.has_answered {
            // Nothing was printed, which is no merit.
            let printed = [Metric::BudgetOverflow, Metric::SecretLeaks];
            values.extend(printed.map(|metric| (metric, None)));
        }
        if wanted.is_empty() {
            // Who fails says nothing, which is not to say that there is nothing.
            let said = self.has_answered && self.answer.is_empty();
            values.push((Metric::NothingSaid, Some(f64::from(u8::from(said)))));
        }
        values
    }
}

/// What an answer shows and names, a line each, as far as it is measured: the places that the budget reaches, of which there are so many,
/// and the first names; and how many more it gives.
fn told(answer: &Answer, reached: usize) -> (Vec<String>, usize) {
    let places = answer.places.iter().take(reached);
    let places = places.map(|place| format!("{}:{}", place.file, place.span));
    let named = answer.named.iter().take(NAMED);
    let named = named.map(|(file, _)| format!("{file} by name"));
    let nearest = answer.nearest.iter().take(NAMED);
    let nearest = nearest.map(|file| format!("nothing, {file} is near"));
    let told: Vec<String> = places.chain(named).chain(nearest).collect();
    let all = answer.places.len() + answer.named.len() + answer.nearest.len();
    let left_off = all - told.len();
    (told, left_off)
}

/// The files that `answer` names, in its order, but for those that are `neutral`.
fn judged<'a>(answer: &'a Answer, neutral: &[String]) -> Vec<(&'a str, f64)> {
    let mut files = answer.files();
    files.retain(|(file, _)| !neutral.iter().any(|one| one == file));
    files
}

/// Where the files that are `wanted` stand among `files`.
fn ranks(files: &[(&str, f64)], wanted: &Lines) -> Ranks {
    let named = order(files.iter().copied());
    let rank = |file: &String| Some(named.iter().position(|name| name == file)? + 1);
    let wanted = wanted.keys().map(|file| (file.clone(), rank(file)));
    Ranks {
        wanted: wanted.collect(),
        named: named.len(),
    }
}

/// What an answer is measured by.
struct Measure<'a> {
    kind: Kind,
    wanted: &'a Lines,
    /// Files that are neither wanted nor wrong.
    neutral: &'a [String],
    texts: &'a Texts<'a>,
    /// What the files weigh that everybody is given.
    plain: &'a Plain,
    /// The files, in the order in which a plain search names them.
    order: &'a [&'a str],
    /// The secret values that must not be printed.
    secrets: &'a [&'a str],
}

impl Measure<'_> {
    /// The values, and how many places the budget reaches.
    fn values(&self, answer: &Answer) -> (BTreeMap<Metric, Option<f64>>, usize) {
        let places = answer.places.iter();
        let spans: Vec<ShownSpan> = places
            .map(|place| ShownSpan {
                file: place.file.clone(),
                span: place.span,
            })
            .collect();
        let seen = Seen::of(&spans, BUDGET, |file| self.texts.lines(file))
            .with_neutral(|file, line| self.is_neutral(file, line));
        let within = self.shown(&seen, self.wanted, BUDGET);
        let grades: Grades = self.wanted.keys().map(|file| (file.clone(), 1)).collect();
        let files = judged(answer, self.neutral);
        let error = gate_error(files.first().copied(), answer.confidence, self.wanted);
        let ranking = Ranking::of(files, &grades);
        let (size, leaked) = match &answer.printed {
            Some(printed) => (
                windlass_tokens::count(printed) as u64,
                leaks(&[printed], self.secrets),
            ),
            None => self.weighed(answer),
        };
        let overflow = size.saturating_sub(BUDGET);
        // Who prints more than lines has that read as well.
        let read = match answer.printed {
            Some(_) => size,
            None => within.tokens,
        };
        let calls = self.calls(answer, &seen);
        let is_beyond = |calls: f64| f64::from(u8::from(calls >= NOT_REACHED));
        let is_empty = f64::from(u8::from(answer.is_empty()));
        let recall = |budget| self.shown(&seen, self.wanted, budget).recall();
        let curve = CURVE.map(|(metric, budget)| (metric, recall(budget)));
        let mut values = BTreeMap::from([
            (Metric::CallsToAction, calls),
            (Metric::NotReached, calls.map(is_beyond)),
            (Metric::TokenSaved, self.saved(answer, &seen, read)),
            (Metric::NoiseRatio, within.noise_ratio()),
            (Metric::ContextEfficiency, within.efficiency()),
            (Metric::RecallAt5, ranking.recall(5)),
            (Metric::SuccessAt1, ranking.success(1)),
            (Metric::SuccessAt5, ranking.success(5)),
            (Metric::Mrr, ranking.reciprocal_rank()),
            (Metric::Ndcg, ranking.ndcg()),
            (Metric::Map, ranking.average_precision()),
            (Metric::NothingSaid, None),
            (
                Metric::FalselyNothing,
                (!self.wanted.is_empty()).then_some(is_empty),
            ),
            (Metric::GateError, error),
            (Metric::BudgetOverflow, Some(overflow as f64)),
            (Metric::SecretLeaks, leaked),
        ]);
        values.extend(curve);
        (values, seen.places())
    }

    /// Whether a line is neither wanted nor wrong: also one with a secret value, which may be shown without that.
    fn is_neutral(&self, file: &str, line: u32) -> bool {
        let text = || self.texts.lines(file)?.get(line as usize - 1);
        let is_secret = |text: &String| self.secrets.iter().any(|secret| text.contains(secret));
        self.neutral.iter().any(|one| one == file) || text().is_some_and(is_secret)
    }

    /// How many tokens plain tools print, who print the lines of the places, and how many secret values. More than is read by anybody is
    /// left out.
    fn weighed(&self, answer: &Answer) -> (u64, Option<f64>) {
        const MOST: usize = 4_000;
        let lines = answer.places.iter().flat_map(|place| {
            let lines = self.texts.lines(&place.file).unwrap_or_default();
            let known = self.plain.weights(&place.file);
            let (first, last) = (place.span.start() as usize - 1, place.span.end() as usize);
            let lines = lines.iter().enumerate().take(last).skip(first);
            lines.map(|(at, line)| (line.as_str(), known.get(at).copied()))
        });
        let (mut size, mut printed) = (0, Vec::new());
        for (line, known) in lines.take(MOST) {
            size += known.unwrap_or_else(|| weight(line));
            if !self.secrets.is_empty() {
                printed.push(line);
            }
        }
        (size, leaks(&printed, self.secrets))
    }

    fn calls(&self, answer: &Answer, seen: &Seen<'_>) -> Option<f64> {
        if self.wanted.is_empty() {
            return None;
        }
        let enough = |is_had: &dyn Fn(&String) -> bool| match self.kind {
            Kind::Both => self.wanted.keys().all(is_had),
            _ => self.wanted.keys().any(is_had),
        };
        let named = named(answer);
        let names = |file: &String| named.iter().take(NAMED).any(|name| name == file);
        let shows = |file: &String| self.of_file(file, seen).found > 0;
        Some(match () {
            () if enough(&shows) => 1.0,
            () if enough(&|file| shows(file) || names(file)) => 2.0,
            () => NOT_REACHED,
        })
    }

    /// What is shown of `wanted` until `budget` is spent.
    fn shown(&self, seen: &Seen<'_>, wanted: &Lines, budget: u64) -> Shown {
        seen.measured(wanted, budget, |file| self.texts.lines(file))
    }

    /// What is shown of the wanted lines of `file` alone.
    fn of_file(&self, file: &String, seen: &Seen<'_>) -> Shown {
        self.shown(seen, &only(self.wanted, file), BUDGET)
    }

    /// The share of tokens that is saved where `shown` of them were.
    fn saved(&self, answer: &Answer, seen: &Seen<'_>, shown: u64) -> Option<f64> {
        let wanted: BTreeSet<&str> = self.wanted.keys().map(String::as_str).collect();
        let missing = self.wanted.keys().filter(|file| {
            let own = self.of_file(file, seen);
            own.found < own.wanted
        });
        let missing = missing.map(String::as_str).collect();
        let named = named(answer).into_iter().take(NAMED);
        let is_known = |file: &str| seen.has_all_of(file, self.plain.count(file));
        let with = shown + self.opened(named, missing, is_known);
        let otherwise = self.opened(std::iter::empty(), wanted, |_| false);
        (!self.wanted.is_empty()).then(|| share_saved(with, otherwise))
    }

    /// The tokens of the files that are opened until all of `missing` are: first those that are `named`, then those that a plain search
    /// names, then those that nothing does. One of which all `is_known` is not opened.
    fn opened<'f>(
        &'f self,
        named: impl Iterator<Item = &'f str>,
        mut missing: BTreeSet<&str>,
        is_known: impl Fn(&str) -> bool,
    ) -> u64 {
        let (mut open, mut read) = (BTreeSet::new(), 0);
        for file in named.chain(self.order.iter().copied()) {
            if missing.is_empty() {
                break;
            }
            if open.insert(file) && !is_known(file) {
                missing.remove(file);
                read += self.tokens(file);
            }
        }
        read + missing.iter().map(|file| self.tokens(file)).sum::<u64>()
    }

    fn tokens(&self, file: &str) -> u64 {
        match self.plain.files().contains_key(file) {
            true => self.plain.tokens(file),
            false => whole(self.texts.lines(file)),
        }
    }
}

/// The share that is saved where this many tokens are read `with` an answer, and so many `otherwise`: of the larger of both, so that
/// reading half as much and twice as much are as good as they are bad.
pub(crate) fn share_saved(with: u64, otherwise: u64) -> f64 {
    (otherwise as f64 - with as f64) / with.max(otherwise).max(1) as f64
}

/// The tokens of a file.
pub(crate) fn whole(lines: Option<&[String]>) -> u64 {
    lines
        .unwrap_or_default()
        .iter()
        .map(|line| weight(line))
        .sum()
}

/// The files that an answer leads to, each once, the best first.
fn named(answer: &Answer) -> Vec<&str> {
    let mut known = BTreeSet::new();
    let files = answer.leads_to();
    files.filter(|file| known.insert(*file)).collect()
}

/// How many of `secrets` are in what was `printed`; nothing where there is none to be printed.
pub(crate) fn leaks(printed: &[&str], secrets: &[&str]) -> Option<f64> {
    let is_in = |secret: &&&str| printed.iter().any(|text| text.contains(**secret));
    (!secrets.is_empty()).then(|| secrets.iter().filter(is_in).count() as f64)
}

/// How far the confidence of an answer is off, squared, that names this file first.
fn gate_error(first: Option<(&str, f64)>, sure: Option<f64>, wanted: &Lines) -> Option<f64> {
    let sure = sure?;
    let (misleads, hides) = (sure * sure, (1.0 - sure) * (1.0 - sure));
    Some(match first.map(|(file, _)| wanted.contains_key(file)) {
        _ if wanted.is_empty() => misleads,
        Some(true) => hides,
        // Nothing that it may say of another place, or of none, is right.
        _ => misleads.max(hides),
    })
}

/// What is shown of the wanted lines of `file` alone.
pub(crate) fn of_file<'a>(
    file: &String,
    (spans, budget): (&[ShownSpan], u64),
    wanted: &Lines,
    text: impl Fn(&str) -> Option<&'a [String]>,
) -> Shown {
    shown(spans, &only(wanted, file), budget, text)
}

/// What is wanted of `file`.
fn only(wanted: &Lines, file: &String) -> Lines {
    let own = wanted.get_key_value(file).into_iter();
    own.map(|(file, lines)| (file.clone(), lines.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass::Workspace;
    use windlass_base::{Cancel, LineSpan};

    use super::*;
    use crate::recipe::{Files, Gold};
    use crate::system::AnsweredPlace;

    fn files() -> Files {
        let text = |name: &str| (1..=400).map(|n| format!("{name} {n}")).collect();
        let others = (0..10).map(|n| format!("d{n}"));
        let names = ["a", "b"].map(str::to_owned).into_iter().chain(others);
        names.map(|name| (name.clone(), text(&name))).collect()
    }

    fn gold(file: &str, start_line: u32, end_line: u32) -> Gold {
        Gold {
            file: file.to_owned(),
            start_line,
            end_line,
        }
    }

    fn place(file: &str, start: u32, end: u32) -> AnsweredPlace {
        AnsweredPlace {
            file: file.to_owned(),
            span: LineSpan::new(start, end).unwrap(),
            score: 1.0,
        }
    }

    fn question(kind: Kind, gold: Vec<Gold>) -> Question {
        Question {
            id: "q".to_owned(),
            kind,
            is_of_memory: false,
            text: "where does it end".to_owned(),
            gold,
            neutral: vec!["d9".to_owned()],
            wrong: None,
        }
    }

    fn measured(
        kind: Kind,
        wanted: &[Gold],
        places: &[AnsweredPlace],
    ) -> BTreeMap<Metric, Option<f64>> {
        let files = files();
        let question = question(kind, wanted.to_vec());
        let wanted = question.wanted(&files).unwrap();
        let answer = Answer {
            places: places.to_vec(),
            ..Answer::default()
        };
        let measure = Measure {
            kind,
            wanted: &wanted,
            neutral: &question.neutral,
            texts: &Texts::given(&files),
            plain: &Plain::of(Arc::new(files.clone())),
            order: &["b", "a"],
            secrets: &[],
        };
        measure.values(&answer).0
    }

    #[test]
    fn what_is_still_to_be_fetched_is_no_saving() {
        let saved = |places: &[AnsweredPlace]| {
            let values = measured(Kind::Plain, &[gold("a", 350, 359)], places);
            values[&Metric::TokenSaved].unwrap()
        };
        assert!(saved(&[place("a", 350, 359)]) > 0.9);
        // The right file, and nothing that is wanted of it; and some of it: it is opened, and no other.
        for shown in [place("a", 1, 1), place("a", 350, 351)] {
            let saved = saved(&[shown]);
            assert!((0.4..0.5).contains(&saved), "{saved}");
        }
        // Who says nothing, or names another, saves nothing.
        assert!(saved(&[]).abs() < 1e-9);
        assert!(saved(&[place("b", 1, 10)]) < 0.0);
        // What stands beyond the budget was not shown.
        assert!(saved(&[place("b", 1, 400), place("a", 1, 400)]) < 0.0);
    }

    #[test]
    fn a_name_costs_what_stands_before_it() {
        let saved = |places: &[AnsweredPlace]| {
            let values = measured(Kind::Plain, &[gold("a", 350, 359)], places);
            values[&Metric::TokenSaved].unwrap()
        };
        // Named first, it alone is opened; behind another, that as well, which is as good as what a plain search says.
        assert!(saved(&[place("a", 1, 1), place("b", 1, 1)]) > 0.4);
        let second = saved(&[place("b", 1, 1), place("a", 1, 1)]);
        assert!((-0.1..0.0).contains(&second), "{second}");
        // Behind ten others nobody comes to it, but by a plain search, after all of them.
        let mut all: Vec<AnsweredPlace> = (0..10).map(|n| place(&format!("d{n}"), 1, 1)).collect();
        all.push(place("a", 1, 1));
        let last = saved(&all);
        assert!((-0.9..-0.4).contains(&last), "{last}");
    }

    #[test]
    fn a_case_in_which_little_is_read_otherwise_does_not_outweigh_others() {
        assert_eq!(share_saved(50, 100), 0.5);
        assert_eq!(share_saved(100, 50), -0.5);
        assert_eq!((share_saved(0, 7), share_saved(2_000, 0)), (1.0, -1.0));
        assert_eq!(share_saved(0, 0), 0.0);
    }

    #[test]
    fn what_only_two_files_answer_takes_both() {
        let calls = |kind, places: &[AnsweredPlace]| {
            let values = measured(kind, &[gold("a", 5, 9), gold("b", 5, 9)], places);
            values[&Metric::CallsToAction]
        };
        let (one, other) = (place("a", 5, 9), place("b", 5, 9));
        assert_eq!(calls(Kind::Plain, std::slice::from_ref(&one)), Some(1.0));
        assert_eq!(calls(Kind::Both, &[one.clone(), other]), Some(1.0));
        assert_eq!(
            calls(Kind::Both, &[one.clone(), place("b", 1, 2)]),
            Some(2.0)
        );
        assert_eq!(calls(Kind::Both, &[one]), Some(NOT_REACHED));
    }

    #[test]
    fn ten_files_are_named_however_many_places_each_has() {
        let mut places: Vec<AnsweredPlace> = (1..30).map(|at| place("b", at, at)).collect();
        places.push(place("a", 1, 1));
        let values = measured(Kind::Plain, &[gold("a", 350, 359)], &places);
        assert_eq!(values[&Metric::CallsToAction], Some(2.0));
        assert_eq!(values[&Metric::NotReached], Some(0.0));
    }

    #[test]
    fn neither_silence_nor_doubt_nor_certainty_is_right_where_something_else_is_wanted() {
        let error = |places: &[AnsweredPlace], sure, wanted: &[&str]| {
            let answer = Answer {
                places: places.to_vec(),
                confidence: Some(sure),
                ..Answer::default()
            };
            let wanted = wanted.iter().map(|file| ((*file).to_owned(), [1].into()));
            let files = judged(&answer, &["c".to_owned()]);
            gate_error(files.first().copied(), answer.confidence, &wanted.collect()).unwrap()
        };
        let (a, b) = ([place("a", 1, 1)], [place("b", 1, 1)]);
        assert_eq!(
            (error(&[], 0.0, &["a"]), error(&b, 0.0, &["a"])),
            (1.0, 1.0)
        );
        assert_eq!(
            (error(&[], 1.0, &["a"]), error(&b, 1.0, &["a"])),
            (1.0, 1.0)
        );
        assert_eq!((error(&a, 1.0, &["a"]), error(&a, 0.0, &["a"])), (0.0, 1.0));
        assert_eq!((error(&[], 0.0, &[]), error(&a, 0.0, &[])), (0.0, 0.0));
        assert_eq!(error(&a, 1.0, &[]), 1.0);
        // Who says one half of everything has the same everywhere.
        for (places, wanted) in [(&a, &["a"][..]), (&b, &["a"]), (&a, &[])] {
            assert_eq!(error(places, 0.5, wanted), 0.25);
        }
        assert_eq!(gate_error(None, None, &Lines::new()), None);
        // What is neither right nor wrong is no first file.
        let after = [place("c", 1, 1), place("a", 1, 1)];
        assert_eq!(error(&after, 1.0, &["a"]), 0.0);
    }

    #[test]
    fn rankings_can_be_computed_again() {
        let answer = Answer {
            places: (0..20).map(|at| place(&format!("d{at}"), 1, 1)).collect(),
            named: vec![("a".to_owned(), 0.5), ("d1".to_owned(), 0.1)],
            ..Answer::default()
        };
        let wanted = ["a", "b"].map(|file| (file.to_owned(), [1].into())).into();
        let ranks = ranks(&judged(&answer, &["d3".to_owned()]), &wanted);
        let known = [("a".to_owned(), Some(20)), ("b".to_owned(), None)];
        assert_eq!((ranks.named, ranks.wanted), (20, known.into()));
    }

    #[test]
    fn what_is_neutral_is_neither_right_nor_noise() {
        let (neutral, wrong) = (place("d9", 1, 5), place("d8", 1, 5));
        let values = |first: &AnsweredPlace| {
            let places = [first.clone(), place("a", 350, 359)];
            measured(Kind::Plain, &[gold("a", 350, 359)], &places)
        };
        let noise = |values: &BTreeMap<Metric, Option<f64>>| values[&Metric::NoiseRatio];
        assert_eq!(noise(&values(&neutral)), Some(0.0));
        assert!(noise(&values(&wrong)) > Some(0.3));
        assert_eq!(values(&neutral)[&Metric::SuccessAt1], Some(1.0));
        // Nor is a line that has a secret value.
        let files = files();
        let secret = Measure {
            kind: Kind::Plain,
            wanted: &Lines::from([("a".to_owned(), [350].into())]),
            neutral: &[],
            texts: &Texts::given(&files),
            plain: &Plain::of(Arc::new(files.clone())),
            order: &[],
            secrets: &["a 351"],
        };
        assert!(secret.is_neutral("a", 351) && !secret.is_neutral("a", 352));
    }

    #[test]
    fn secrets_are_counted_where_there_are_some() {
        assert_eq!(leaks(&["a s3cret"], &[]), None);
        assert_eq!(leaks(&["a s3cret", "b"], &["s3cret"]), Some(1.0));
        assert_eq!(leaks(&["none"], &["s3cret"]), Some(0.0));
    }

    #[test]
    fn what_nobody_is_given_costs_what_it_weighs() {
        let outside = Said(Some(Answer {
            places: vec![place("ignored/c", 1, 100), place("a", 1, 2)],
            ..Answer::default()
        }));
        let case = asked(&question(Kind::Plain, vec![gold("a", 1, 2)]), &outside);
        let noise = case.values[&Metric::NoiseRatio].unwrap();
        assert!(noise > 0.9, "{noise}");
        assert!(case.values[&Metric::ContextEfficiency].unwrap() < 0.1);
    }

    /// Answers with what it was given, or fails.
    struct Said(Option<Answer>);

    impl System for Said {
        fn name(&self) -> &str {
            crate::OURS
        }

        fn answer(&self, _: &Ask<'_>) -> Result<Answer, String> {
            self.0.clone().ok_or_else(|| "no".to_owned())
        }
    }

    fn asked(question: &Question, system: &Said) -> CaseResult {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let workspace = Workspace::open(
            folder.path(),
            crate::folder::environment(&home, || Duration::ZERO, 1),
        )
        .unwrap();
        let ignored: String = (1..=100).map(|n| format!("ignored line {n}\n")).collect();
        crate::folder::put(&folder.path().join("ignored/c"), &ignored).unwrap();
        let (files, cancel) = (files(), Cancel::default());
        let plain = Plain::of(std::sync::Arc::new(files.clone()));
        let ask = Ask {
            root: folder.path(),
            alone: None,
            workspace: &workspace,
            home: None,
            files: &files,
            plain: &plain,
            is_of_memory: false,
            question: &question.text,
            budget: BUDGET,
            cancel: &cancel,
        };
        super::ask(
            "x",
            question,
            system,
            (&ask, &ask),
            &[],
            || Duration::ZERO,
            &[],
        )
    }

    #[test]
    fn a_case_with_a_wrong_place_is_as_bad_as_can_be_and_not_one_where_nothing_is_wanted() {
        let nothing = Said(Some(Answer::default()));
        for wrong in [gold("c", 1, 2), gold("a", 1, 900)] {
            let case = asked(&question(Kind::Plain, vec![wrong]), &nothing);
            assert!(
                case.failure
                    .is_some_and(|why| why.contains("the case is wrong"))
            );
            assert_eq!(case.values[&Metric::RecallAtTokens], Some(0.0));
            assert_eq!(case.values[&Metric::CallsToAction], Some(NOT_REACHED));
            assert_eq!(case.values.get(&Metric::NothingSaid), None);
        }
    }

    #[test]
    fn who_fails_has_no_merit_of_it() {
        let wanted = question(Kind::Plain, vec![gold("a", 1, 2)]);
        let case = asked(&wanted, &Said(None));
        assert_eq!(case.failure.as_deref(), Some("no"));
        assert_eq!(case.values[&Metric::RecallAtTokens], Some(0.0));
        assert_eq!(case.values[&Metric::ContextEfficiency], Some(0.0));
        assert_eq!(case.values[&Metric::BudgetOverflow], None);
        assert_eq!(case.values[&Metric::SecretLeaks], None);
        assert_eq!(case.values[&Metric::Ndcg], Some(0.0));
        assert_eq!(case.values[&Metric::TokenSaved], Some(0.0));
    }
}
