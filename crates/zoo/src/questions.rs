//! Asking systems questions, and measuring their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::Metric;
use crate::metric::ranking::{Grades, Ranking};
use crate::metric::{BUDGET, Lines, NOT_REACHED, Shown, ShownSpan, shown, weight};
use crate::recipe::{Files, Question};
use crate::results::CaseResult;
use crate::system::{Answer, Ask, System};

/// Asks `system` a question; `clock` says how much time has passed, `secrets` must not be printed.
pub(crate) fn ask(
    archetype: &str,
    question: &Question,
    system: &dyn System,
    ask: &Ask<'_>,
    clock: fn() -> Duration,
    secrets: &[&str],
) -> CaseResult {
    let mut case = CaseResult {
        archetype: archetype.to_owned(),
        case: question.id.clone(),
        system: system.name().to_owned(),
        kind: Some(question.kind),
        values: BTreeMap::new(),
        asked: question.text.clone(),
        expected: question
            .gold
            .iter()
            .map(|gold| format!("{}:{}-{}", gold.file, gold.start_line, gold.end_line))
            .collect(),
        shown: Vec::new(),
        failure: None,
    };
    let wanted = match question.wanted(|file| ask.files.get(file).map(Vec::as_slice)) {
        Ok(wanted) => wanted,
        Err(wrong) => {
            case.failure = Some(format!("the case is wrong: {wrong}"));
            Lines::new()
        }
    };
    let before = clock();
    let answered = system.answer(ask);
    let took = clock().saturating_sub(before);
    let answer = answered.unwrap_or_else(|why| {
        case.failure.get_or_insert(why);
        Answer::default()
    });
    let is_asked_again = case.failure.is_none() && system.may_differ();
    let stable = is_asked_again.then(|| {
        let is_same = system.answer(ask).is_ok_and(|again| again == answer);
        f64::from(u8::from(is_same))
    });
    case.values = values(&answer, &wanted, ask.files, secrets);
    if wanted.is_empty() {
        // Who fails says nothing, which is not to say that there is nothing.
        let said = case.failure.is_none() && answer.is_empty();
        case.values
            .insert(Metric::NothingSaid, Some(f64::from(u8::from(said))));
    }
    case.values.insert(Metric::Stability, stable);
    case.values.insert(
        Metric::Latency,
        case.failure.is_none().then_some(took.as_secs_f64() * 1e3),
    );
    let places = answer.places.iter();
    let places = places.map(|place| format!("{}:{}", place.file, place.span));
    let named = answer
        .named
        .iter()
        .map(|(file, _)| format!("{file} by name"));
    case.shown = places.chain(named).take(8).collect();
    case
}

fn values(
    answer: &Answer,
    wanted: &Lines,
    files: &Files,
    secrets: &[&str],
) -> BTreeMap<Metric, Option<f64>> {
    let text = |file: &str| files.get(file).map(Vec::as_slice);
    let spans: Vec<ShownSpan> = answer
        .places
        .iter()
        .map(|place| ShownSpan {
            file: place.file.clone(),
            span: place.span,
        })
        .collect();
    let within = shown(&spans, wanted, BUDGET, text);
    let grades: Grades = wanted.keys().map(|file| (file.clone(), 1)).collect();
    let ranking = Ranking::of(answer.files(), &grades);
    let printed = match &answer.printed {
        Some(printed) => printed.clone(),
        None => lines_of(answer, files),
    };
    let overflow = (windlass_tokens::count(&printed) as u64).saturating_sub(BUDGET);
    let leaks = secrets
        .iter()
        .filter(|secret| printed.contains(**secret))
        .count();
    BTreeMap::from([
        (Metric::CallsToAction, calls(answer, &within, wanted)),
        (Metric::TokenSaved, saved(answer, &within, wanted, files)),
        (Metric::NoiseRatio, within.noise_ratio()),
        (Metric::ContextEfficiency, within.efficiency()),
        (Metric::RecallAtTokens, within.recall()),
        (Metric::RecallAt5, ranking.recall(5)),
        (Metric::SuccessAt1, ranking.success(1)),
        (Metric::SuccessAt5, ranking.success(5)),
        (Metric::Mrr, ranking.reciprocal_rank()),
        (Metric::Ndcg, ranking.ndcg()),
        (Metric::Map, ranking.average_precision()),
        (Metric::NothingSaid, None),
        (
            Metric::FalselyNothing,
            (!wanted.is_empty()).then(|| f64::from(u8::from(answer.is_empty()))),
        ),
        (Metric::GateError, gate_error(answer, wanted)),
        (Metric::BudgetOverflow, Some(overflow as f64)),
        (Metric::SecretLeaks, Some(leaks as f64)),
    ])
}

fn gate_error(answer: &Answer, wanted: &Lines) -> Option<f64> {
    let files = answer.files();
    let is_so = files
        .first()
        .is_some_and(|(file, _)| wanted.contains_key(*file));
    let off = answer.confidence? - f64::from(u8::from(is_so));
    Some(off * off)
}

/// What plain tools print: the lines of the places. More than is read by anybody is left out.
fn lines_of(answer: &Answer, files: &Files) -> String {
    const MOST: usize = 4_000;
    let lines = answer.places.iter().flat_map(|place| {
        let lines = files
            .get(&place.file)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let last = (place.span.end() as usize).min(lines.len());
        lines
            .get(place.span.start() as usize - 1..last)
            .unwrap_or_default()
    });
    lines.take(MOST).map(|line| format!("{line}\n")).collect()
}

fn calls(answer: &Answer, within: &Shown, wanted: &Lines) -> Option<f64> {
    if wanted.is_empty() {
        return None;
    }
    let files = answer.files();
    let names = files
        .iter()
        .take(10)
        .any(|(file, _)| wanted.contains_key(*file));
    Some(match (within.found > 0, names) {
        (true, _) => 1.0,
        (false, true) => 2.0,
        (false, false) => NOT_REACHED,
    })
}

fn saved(answer: &Answer, within: &Shown, wanted: &Lines, files: &Files) -> Option<f64> {
    let whole = |file: &String| -> u64 {
        files
            .get(file)
            .into_iter()
            .flatten()
            .map(|line| weight(line))
            .sum()
    };
    let without: u64 = wanted.keys().map(whole).sum();
    let shown: BTreeSet<&String> = answer.places.iter().map(|place| &place.file).collect();
    let still: u64 = wanted
        .keys()
        .filter(|file| !shown.contains(file))
        .map(whole)
        .sum();
    (without > 0).then(|| 1.0 - (within.tokens + still) as f64 / without as f64)
}
