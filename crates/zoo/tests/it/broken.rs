//! Deliberately broken systems, which the gates must not let pass.

use windlass_base::{Capture, Freshness, Judgement, LineSpan, Pointer, Repair, RepairOutcome};
use windlass_repo::Snapshot;
use windlass_zoo::{
    Answer, AnsweredPlace, Ask, Metric, OURS, Regression, Results, System, ZooRequest, check,
    read_gates,
};

use super::{request, results};

const GATES: &str = include_str!("../../../../eval-zoo/gates.toml");

#[track_caller]
fn broken(results: &Results) -> Vec<Regression> {
    let gates = read_gates("gates.toml", GATES).unwrap();
    check(&gates, results, Some(&results.baseline())).broken
}

/// Returns true if a gate on `metric` fails because of the value. It isn't enough that the metric
/// wasn't measured.
fn fails(broken: &[Regression], metric: Metric) -> bool {
    broken
        .iter()
        .any(|one| one.metric == metric.name() && !one.is.ends_with("measured"))
}

fn trusting(_: &Snapshot, _: &Pointer, _: &Capture) -> Judgement {
    Judgement::new(Freshness::Fresh, None)
}

fn desperate(_: &Snapshot, _: &Pointer, _: &Capture) -> Judgement {
    let mut judgement = Judgement::new(Freshness::StaleHashMismatch, None);
    judgement.repair = Some(Repair {
        outcome: RepairOutcome::Gone,
        confidence: 100,
        ..Repair::unproven()
    });
    judgement
}

fn silent(_: &Snapshot, _: &Pointer, _: &Capture) -> Judgement {
    let mut judgement = Judgement::new(Freshness::StaleHashMismatch, None);
    judgement.repair = Some(Repair::unproven());
    judgement
}

#[test]
fn bad_judges_fail_the_gates() {
    let judge = |judge| {
        results(ZooRequest {
            judge,
            ..request("changing", Some("history-moved-in-file"))
        })
    };
    let ours = broken(&judge(windlass_zoo::judged));
    for metric in [
        Metric::FalseClaimRate,
        Metric::RepairRate,
        Metric::FalseWhenSure,
    ] {
        assert!(!fails(&ours, metric), "{ours:?}");
    }
    let believing = results(ZooRequest {
        judge: trusting,
        systems: Vec::new(),
        ..request("changing", None)
    });
    let edits = believing
        .cases
        .iter()
        .filter(|case| case.case.starts_with("history-"));
    let believed: Vec<&str> = edits
        .filter(|case| case.value(Metric::FalseClaimRate) == Some(0.0))
        .map(|case| &*case.case)
        .collect();
    assert_eq!(believed, ["history-crlf"], "line ends alone change nothing");
    let trusting = broken(&judge(trusting));
    assert!(fails(&trusting, Metric::FalseClaimRate) && fails(&trusting, Metric::RepairRate));
    let desperate = broken(&judge(desperate));
    assert!(fails(&desperate, Metric::FalseClaimRate) && fails(&desperate, Metric::FalseWhenSure));
    let silent = broken(&judge(silent));
    assert!(!fails(&silent, Metric::FalseClaimRate) && fails(&silent, Metric::RepairRate));
}

/// A bad system, measured under the name of Windlass.
#[derive(Clone, Copy)]
enum Bad {
    Mute,
    Everything,
    /// Names all files, but only shows the first line of each.
    Listing,
    Wrong,
    Fickle,
}

impl System for Bad {
    fn name(&self) -> &str {
        OURS
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let whole = |(file, lines): (&String, &Vec<String>)| {
            let span = LineSpan::new(1, lines.len() as u32).ok()?;
            Some(AnsweredPlace {
                file: file.clone(),
                span,
                score: 1.0,
            })
        };
        let all = || ask.files.iter().filter_map(whole).collect::<Vec<_>>();
        let places = match self {
            Self::Mute => Vec::new(),
            Self::Everything => all(),
            Self::Listing => {
                let mut all = all();
                for place in &mut all {
                    place.span = LineSpan::single(1);
                }
                all
            }
            Self::Wrong => all().into_iter().take(1).collect(),
            Self::Fickle => {
                use std::sync::atomic::{AtomicUsize, Ordering};
                static ASKED: AtomicUsize = AtomicUsize::new(0);
                all()
                    .into_iter()
                    .skip(ASKED.fetch_add(1, Ordering::Relaxed))
                    .take(1)
                    .collect()
            }
        };
        Ok(Answer {
            places,
            confidence: Some(0.0),
            ..Answer::default()
        })
    }
}

#[test]
fn bad_answers_fail_the_gates() {
    let of = |system: Bad| broken(&results(super::with_case(system, "backoff-1")));
    let mute = of(Bad::Mute);
    for metric in [
        Metric::RecallAtTokens,
        Metric::Ndcg,
        Metric::CallsToAction,
        Metric::NotReached,
        Metric::TokenSaved,
        Metric::NoiseRatio,
        Metric::ContextEfficiency,
        Metric::GateError,
    ] {
        assert!(fails(&mute, metric), "{}", metric.name());
    }
    let listing = of(Bad::Listing);
    for metric in [Metric::TokenSaved, Metric::GateError, Metric::Ndcg] {
        assert!(fails(&listing, metric), "{}", metric.name());
    }
    let everything = of(Bad::Everything);
    for metric in [Metric::BudgetOverflow, Metric::RecallAtTokens, Metric::Ndcg] {
        assert!(fails(&everything, metric), "{}", metric.name());
    }
    let wrong = of(Bad::Wrong);
    assert!(fails(&wrong, Metric::CallsToAction) && fails(&wrong, Metric::Ndcg));
    assert!(fails(&of(Bad::Fickle), Metric::Stability));
}

/// A system that prints files without redacting them.
struct Leaky;

impl System for Leaky {
    fn name(&self) -> &str {
        OURS
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let lines = ask.files.values().flatten();
        Ok(Answer {
            printed: Some(lines.cloned().collect::<Vec<_>>().join("\n")),
            ..Answer::default()
        })
    }
}

#[test]
fn printed_secrets_fail_the_gates() {
    assert!(fails(
        &broken(&results(super::with_case(Leaky, "backoff-1"))),
        Metric::SecretLeaks
    ));
}
