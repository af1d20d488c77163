use std::collections::BTreeMap;
use std::sync::Arc;

use windlass::Workspace;
use windlass_base::{Cancel, LineSpan};

use super::measure::gate_error;
use super::*;
use crate::metric::{BUDGET, Lines, NOT_REACHED};
use crate::recipe::{Files, Gold, Kind};
use crate::system::{Answer, AnsweredPlace, Plain};

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
fn unread_files_reduce_the_saving() {
    let saved = |places: &[AnsweredPlace]| {
        let values = measured(Kind::Plain, &[gold("a", 350, 359)], places);
        values[&Metric::TokenSaved].unwrap()
    };
    assert!(saved(&[place("a", 350, 359)]) > 0.9);
    // The answer names the right file, but doesn't show all of the wanted lines. The user has to
    // open this one file.
    for shown in [place("a", 1, 1), place("a", 350, 351)] {
        let saved = saved(&[shown]);
        assert!((0.4..0.5).contains(&saved), "{saved}");
    }
    // An empty answer saves nothing, and a wrong answer even costs something.
    assert!(saved(&[]).abs() < 1e-9);
    assert!(saved(&[place("b", 1, 10)]) < 0.0);
    // These lines are beyond the budget, so nobody sees them.
    assert!(saved(&[place("b", 1, 400), place("a", 1, 400)]) < 0.0);
}

#[test]
fn earlier_names_cost_their_files() {
    let saved = |places: &[AnsweredPlace]| {
        let values = measured(Kind::Plain, &[gold("a", 350, 359)], places);
        values[&Metric::TokenSaved].unwrap()
    };
    // The user only has to open the first file. If the right file comes second, the first one has
    // to be paid for, as in a plain search.
    assert!(saved(&[place("a", 1, 1), place("b", 1, 1)]) > 0.4);
    let second = saved(&[place("b", 1, 1), place("a", 1, 1)]);
    assert!((-0.1..0.0).contains(&second), "{second}");
    // After ten wrong files, the user gives up on the list and falls back to a plain search.
    let mut all: Vec<AnsweredPlace> = (0..10).map(|n| place(&format!("d{n}"), 1, 1)).collect();
    all.push(place("a", 1, 1));
    let last = saved(&all);
    assert!((-0.9..-0.4).contains(&last), "{last}");
}

#[test]
fn saving_is_symmetric() {
    assert_eq!(share_saved(50, 100), 0.5);
    assert_eq!(share_saved(100, 50), -0.5);
    assert_eq!((share_saved(0, 7), share_saved(2_000, 0)), (1.0, -1.0));
    assert_eq!(share_saved(0, 0), 0.0);
}

#[test]
fn both_kind_needs_both_files() {
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
fn ten_files_are_named_regardless_of_places() {
    let mut places: Vec<AnsweredPlace> = (1..30).map(|at| place("b", at, at)).collect();
    places.push(place("a", 1, 1));
    let values = measured(Kind::Plain, &[gold("a", 350, 359)], &places);
    assert_eq!(values[&Metric::CallsToAction], Some(2.0));
    assert_eq!(values[&Metric::NotReached], Some(0.0));
}

#[test]
fn confidence_is_wrong_for_wrong_answers() {
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
    // With a confidence of 0.5, the error is always the same.
    for (places, wanted) in [(&a, &["a"][..]), (&b, &["a"]), (&a, &[])] {
        assert_eq!(error(places, 0.5, wanted), 0.25);
    }
    assert_eq!(gate_error(None, None, &Lines::new()), None);
    // The first file is neutral, so the second one decides.
    let after = [place("c", 1, 1), place("a", 1, 1)];
    assert_eq!(error(&after, 1.0, &["a"]), 0.0);
}

#[test]
fn neutral_is_neither_right_nor_noise() {
    let (neutral, wrong) = (place("d9", 1, 5), place("d8", 1, 5));
    let values = |first: &AnsweredPlace| {
        let places = [first.clone(), place("a", 350, 359)];
        measured(Kind::Plain, &[gold("a", 350, 359)], &places)
    };
    let noise = |values: &BTreeMap<Metric, Option<f64>>| values[&Metric::NoiseRatio];
    assert_eq!(noise(&values(&neutral)), Some(0.0));
    assert!(noise(&values(&wrong)) > Some(0.3));
    assert_eq!(values(&neutral)[&Metric::SuccessAt1], Some(1.0));
    // A line with a secret value is neutral too.
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
fn leaks_are_counted_if_secrets_exist() {
    assert_eq!(leaks(&["a s3cret"], &[]), None);
    assert_eq!(leaks(&["a s3cret", "b"], &["s3cret"]), Some(1.0));
    assert_eq!(leaks(&["none"], &["s3cret"]), Some(0.0));
}

#[test]
fn files_outside_common_set_have_weight() {
    let outside = Said(Some(Answer {
        places: vec![place("ignored/c", 1, 100), place("a", 1, 2)],
        ..Answer::default()
    }));
    let case = asked(&question(Kind::Plain, vec![gold("a", 1, 2)]), &outside);
    let noise = case.values[&Metric::NoiseRatio].unwrap();
    assert!(noise > 0.9, "{noise}");
    assert!(case.values[&Metric::ContextEfficiency].unwrap() < 0.1);
}

/// A system that always gives the same answer, or fails.
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
        files: &files,
        plain: &plain,
        is_of_memory: false,
        question: &question.text,
        budget: BUDGET,
        cancel: &cancel,
    };
    Asking {
        archetype: "x",
        question,
        first: ask,
        again: ask,
        order: Vec::new(),
        clock: || Duration::ZERO,
        secrets: &[],
    }
    .answered_by(system)
}

#[test]
fn invalid_case_has_worst_values() {
    let nothing = Said(Some(Answer::default()));
    for wrong in [gold("c", 1, 2), gold("a", 1, 900)] {
        let case = asked(&question(Kind::Plain, vec![wrong]), &nothing);
        assert!(case.failure.is_some_and(|why| why.contains("invalid case")));
        assert_eq!(case.values[&Metric::RecallAtTokens], Some(0.0));
        assert_eq!(case.values[&Metric::CallsToAction], Some(NOT_REACHED));
        assert_eq!(case.values.get(&Metric::NothingSaid), None);
    }
}

#[test]
fn failed_system_gains_nothing() {
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
