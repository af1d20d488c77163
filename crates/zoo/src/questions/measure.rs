//! Measures an answer: the wanted lines that it shows, what it costs to read, and what a user still
//! has to read afterwards.

use std::collections::{BTreeMap, BTreeSet};

use super::answer_texts::{NAMED, judged, named};
use crate::Metric;
use crate::metric::ranking::{Grades, Ranking};
use crate::metric::{BUDGET, CURVE, Lines, NOT_REACHED, Seen, Shown, ShownSpan, shown, weight};
use crate::recipe::Kind;
use crate::system::{Answer, Plain};
use crate::texts::Texts;

/// Data needed to measure answers to a question.
pub(super) struct Measure<'a> {
    pub(super) kind: Kind,
    pub(super) wanted: &'a Lines,
    /// Files that a system may or may not name.
    pub(super) neutral: &'a [String],
    pub(super) texts: &'a Texts<'a>,
    /// An index of the files that every system gets.
    pub(super) plain: &'a Plain,
    /// The order in which a user would open files after a plain search.
    pub(super) order: &'a [&'a str],
    /// Secrets that no system may print.
    pub(super) secrets: &'a [&'a str],
}

impl Measure<'_> {
    /// Computes all values. The second result is the number of locations that fit the budget.
    pub(super) fn values(&self, answer: &Answer) -> (BTreeMap<Metric, Option<f64>>, usize) {
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
        // If the system prints more than just the lines, somebody has to read that, too.
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

    /// True if a system may or may not show this line, because the file is neutral or the line has
    /// a secret (which may be shown redacted).
    pub(super) fn is_neutral(&self, file: &str, line: u32) -> bool {
        let text = || self.texts.lines(file)?.get(line as usize - 1);
        let is_secret = |text: &String| self.secrets.iter().any(|secret| text.contains(secret));
        self.neutral.iter().any(|one| one == file) || text().is_some_and(is_secret)
    }

    /// The number of tokens in the lines of all locations, and the number of secrets in there. If
    /// the answer is very long, we don't measure all of it.
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

    fn shown(&self, seen: &Seen<'_>, wanted: &Lines, budget: u64) -> Shown {
        seen.measured(wanted, budget, |file| self.texts.lines(file))
    }

    fn of_file(&self, file: &String, seen: &Seen<'_>) -> Shown {
        self.shown(seen, &only(self.wanted, file), BUDGET)
    }

    /// The share of tokens that the answer saves, if it takes `shown` tokens to read it.
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

    /// The tokens in all files that a user opens until nothing is `missing`.
    ///
    /// We assume that the user opens the `named` files first, then those that a plain search finds,
    /// and then all others. A file for which `is_known` returns true has been read before, so it's
    /// free.
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

/// The share of tokens that are saved, relative to the larger number. Half as many tokens are 0.5,
/// and twice as many are -0.5.
pub(crate) fn share_saved(with: u64, otherwise: u64) -> f64 {
    (otherwise as f64 - with as f64) / with.max(otherwise).max(1) as f64
}

pub(crate) fn whole(lines: Option<&[String]>) -> u64 {
    lines
        .unwrap_or_default()
        .iter()
        .map(|line| weight(line))
        .sum()
}

/// The number of `secrets` that were printed. `None` if there aren't any in the files.
pub(crate) fn leaks(printed: &[&str], secrets: &[&str]) -> Option<f64> {
    let is_in = |secret: &&&str| printed.iter().any(|text| text.contains(**secret));
    (!secrets.is_empty()).then(|| secrets.iter().filter(is_in).count() as f64)
}

/// The squared error of the confidence. `first` is the first file in the answer.
pub(super) fn gate_error(
    first: Option<(&str, f64)>,
    sure: Option<f64>,
    wanted: &Lines,
) -> Option<f64> {
    let sure = sure?;
    let (misleads, hides) = (sure * sure, (1.0 - sure) * (1.0 - sure));
    Some(match first.map(|(file, _)| wanted.contains_key(file)) {
        _ if wanted.is_empty() => misleads,
        Some(true) => hides,
        // There's an answer, but the first file is wrong or missing. It's a mistake to be sure of
        // it, but also to be sure that there's no answer. We take the larger error.
        _ => misleads.max(hides),
    })
}

/// Like [`Measure::of_file`], for lines that have not been collected yet.
pub(crate) fn of_file<'a>(
    file: &String,
    (spans, budget): (&[ShownSpan], u64),
    wanted: &Lines,
    text: impl Fn(&str) -> Option<&'a [String]>,
) -> Shown {
    shown(spans, &only(wanted, file), budget, text)
}

fn only(wanted: &Lines, file: &String) -> Lines {
    let own = wanted.get_key_value(file).into_iter();
    own.map(|(file, lines)| (file.clone(), lines.clone()))
        .collect()
}
