//! Asking systems questions, and measuring their answers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Metric;
use crate::metric::ranking::{Grades, Ranking};
use crate::metric::{BUDGET, Lines, NOT_REACHED, Shown, ShownSpan, shown, weight};
use crate::recipe::{Files, Kind, Question};
use crate::results::CaseResult;
use crate::system::{Answer, Ask, System};

/// What is measured of a question that something answers.
const MEASURED: [Metric; 12] = [
    Metric::CallsToAction,
    Metric::TokenSaved,
    Metric::NoiseRatio,
    Metric::ContextEfficiency,
    Metric::RecallAtTokens,
    Metric::RecallAt5,
    Metric::SuccessAt1,
    Metric::SuccessAt5,
    Metric::Mrr,
    Metric::Ndcg,
    Metric::Map,
    Metric::FalselyNothing,
];

/// Asks `system` a question, and `again` of the same files elsewhere; `clock` says how much time has passed, `secrets` must not
/// be printed.
pub(crate) fn ask(
    archetype: &str,
    question: &Question,
    system: &dyn System,
    (ask, again): (&Ask<'_>, &Ask<'_>),
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
            // Nobody can answer it, which must not look as if nothing were wanted.
            case.failure = Some(format!("the case is wrong: {wrong}"));
            let worst = |metric: Metric| (metric, metric.definition().worst());
            case.values = MEASURED.map(worst).into();
            return case;
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
    let again = is_asked_again.then(|| system.says_again(again, &answer));
    let stable = again.map(|again| {
        let again = again.map_err(|why| {
            case.failure = Some(format!("asked again, it failed: {why}"));
        });
        f64::from(u8::from(again.is_ok_and(|same| same)))
    });
    let has_answered = case.failure.is_none() || stable.is_some();
    case.values = values(question.kind, &answer, &wanted, ask.files, secrets);
    if !has_answered {
        // Nothing was printed, which is no merit.
        case.values.insert(Metric::BudgetOverflow, None);
        case.values.insert(Metric::SecretLeaks, None);
    }
    if wanted.is_empty() {
        // Who fails says nothing, which is not to say that there is nothing.
        let said = has_answered && answer.is_empty();
        case.values
            .insert(Metric::NothingSaid, Some(f64::from(u8::from(said))));
    }
    case.values.insert(Metric::Stability, stable);
    case.values.insert(
        Metric::Latency,
        has_answered.then_some(took.as_secs_f64() * 1e3),
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
    kind: Kind,
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
        (
            Metric::CallsToAction,
            calls(kind, answer, (&spans, files), wanted),
        ),
        (
            Metric::TokenSaved,
            saved(within.tokens, (&spans, BUDGET), wanted, files),
        ),
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

fn calls(
    kind: Kind,
    answer: &Answer,
    (spans, files): (&[ShownSpan], &Files),
    wanted: &Lines,
) -> Option<f64> {
    if wanted.is_empty() {
        return None;
    }
    let enough = |is_had: &dyn Fn(&String) -> bool| match kind {
        Kind::Both => wanted.keys().all(is_had),
        _ => wanted.keys().any(is_had),
    };
    let ranked = answer.files();
    let names = |file: &String| ranked.iter().take(10).any(|(name, _)| name == file);
    let shows = |file: &String| of_file(file, (spans, BUDGET), wanted, files).found > 0;
    Some(match () {
        () if enough(&shows) => 1.0,
        () if enough(&|file| shows(file) || names(file)) => 2.0,
        () => NOT_REACHED,
    })
}

/// What is shown of the wanted lines of `file` alone.
fn of_file(
    file: &String,
    (spans, budget): (&[ShownSpan], u64),
    wanted: &Lines,
    files: &Files,
) -> Shown {
    let own = wanted.get_key_value(file);
    let own: Lines = own
        .map(|(file, lines)| (file.clone(), lines.clone()))
        .into_iter()
        .collect();
    shown(spans, &own, budget, |file| {
        files.get(file).map(Vec::as_slice)
    })
}

/// The share of tokens that is saved where `read` of them were read, and spans shown in them, up to a budget: what is wanted and
/// was not shown is read as well, in whole files.
pub(crate) fn saved(
    read: u64,
    shown: (&[ShownSpan], u64),
    wanted: &Lines,
    files: &Files,
) -> Option<f64> {
    let whole = |file: &String| -> u64 {
        let lines = files.get(file).into_iter().flatten();
        lines.map(|line| weight(line)).sum()
    };
    let without: u64 = wanted.keys().map(whole).sum();
    let is_missing = |file: &&String| {
        let own = of_file(file, shown, wanted, files);
        own.found < own.wanted
    };
    let still: u64 = wanted.keys().filter(is_missing).map(whole).sum();
    (without > 0).then(|| 1.0 - (read + still) as f64 / without as f64)
}

#[cfg(test)]
mod tests {
    use windlass::Workspace;
    use windlass_base::{Cancel, LineSpan};

    use super::*;
    use crate::recipe::Gold;
    use crate::system::AnsweredPlace;

    fn files() -> Files {
        let text = |name: &str| (1..=400).map(|n| format!("{name} {n}")).collect();
        ["a", "b"].map(|name| (name.to_owned(), text(name))).into()
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
            text: "where".to_owned(),
            gold,
        }
    }

    fn measured(
        kind: Kind,
        wanted: &[Gold],
        places: &[AnsweredPlace],
    ) -> BTreeMap<Metric, Option<f64>> {
        let files = files();
        let question = question(kind, wanted.to_vec());
        let wanted = question
            .wanted(|file| files.get(file).map(Vec::as_slice))
            .unwrap();
        let answer = Answer {
            places: places.to_vec(),
            ..Answer::default()
        };
        values(kind, &answer, &wanted, &files, &[])
    }

    #[test]
    fn what_is_still_to_be_fetched_is_no_saving() {
        let saved = |places: &[AnsweredPlace]| {
            let values = measured(Kind::Plain, &[gold("a", 350, 359)], places);
            values[&Metric::TokenSaved].unwrap()
        };
        assert!(saved(&[place("a", 350, 359)]) > 0.9);
        // The right file, and nothing that is wanted of it; and some of it.
        for shown in [place("a", 1, 1), place("a", 350, 351)] {
            assert!(saved(&[shown]) < 0.0);
        }
        assert!(saved(&[]).abs() < 1e-9);
        // What stands beyond the budget was not shown.
        assert!(saved(&[place("b", 1, 400), place("a", 1, 400)]) < 0.0);
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
        let (files, cancel) = (files(), Cancel::default());
        let ask = Ask {
            root: folder.path(),
            workspace: &workspace,
            home: None,
            files: &files,
            is_of_memory: false,
            question: &question.text,
            budget: BUDGET,
            cancel: &cancel,
        };
        super::ask("x", question, system, (&ask, &ask), || Duration::ZERO, &[])
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
    }
}
