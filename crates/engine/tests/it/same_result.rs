//! The result of a run is independent of timing. We run random plans with random delays and various
//! numbers of jobs, and compare the results.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_plan::Plan;

use crate::support::{Draft, World, nested, plan, step};

#[derive(Debug, Clone)]
pub(crate) struct RandomPlan {
    pub(crate) plan: Plan,
    pub(crate) inner: Plan,
}

#[derive(Debug, Clone)]
struct Shape {
    needs: u8,
    fails: Option<(bool, u32)>,
    attempts: u32,
    goes_on: bool,
    condition: u8,
    each: Option<Vec<(u32, bool)>>,
    uses: u8,
}

fn shape() -> impl Strategy<Value = Shape> {
    (
        any::<u8>(),
        prop::option::weighted(0.4, (any::<bool>(), 1_u32..4)),
        1_u32..4,
        any::<bool>(),
        0_u8..8,
        prop::option::weighted(0.3, prop::collection::vec((0_u32..3, any::<bool>()), 0..4)),
        0_u8..10,
    )
        .prop_map(
            |(needs, fails, attempts, goes_on, condition, each, uses)| Shape {
                needs,
                fails,
                attempts,
                goes_on,
                condition,
                each,
                uses,
            },
        )
}

fn draft(at: usize, shape: &Shape, finally: bool) -> Draft {
    let needs: Vec<String> = (0..at.min(8))
        .filter(|bit| shape.needs >> bit & 1 == 1)
        .map(|bit| format!("s{}", at - 1 - bit))
        .collect();
    let mut draft = if shape.uses == 0 {
        nested(&format!("s{at}"), "inner")
    } else {
        let seen: Vec<Value> = needs
            .iter()
            .map(|id| json!({"$ref": format!("#/steps/{id}/output"), "$default": "none"}))
            .collect();
        let statuses: Vec<Value> = needs
            .iter()
            .map(|id| json!({"$ref": format!("#/steps/{id}/status")}))
            .collect();
        let kind = |transient: bool| if transient { "transient" } else { "failed" };
        let mut with =
            json!({"answer": {"seen": seen.len(), "statuses": statuses, "last": seen.last()}});
        if shape.each.is_some() {
            with["fail"] = json!(["transient", {"$ref": "#/item/fails"}]);
        } else if let Some((transient, times)) = shape.fails {
            with["fail"] = json!([kind(transient), times]);
        }
        step(&format!("s{at}")).with(with)
    };
    draft = draft.needs(&needs.join(" ")).retry(shape.attempts, 3);
    if let Some(items) = &shape.each {
        let items: Vec<Value> = items
            .iter()
            .map(|(fails, keep)| json!({"fails": fails, "keep": keep}))
            .collect();
        draft = draft.each(json!(items)).when("item.keep");
    } else if shape.condition == 0 {
        draft = draft.when("false");
    } else if let (1..4, Some(id)) = (shape.condition, needs.first()) {
        draft = draft.when(&format!("steps.{id}.status == 'completed'"));
    } else if let (4, Some(id)) = (shape.condition, needs.last()) {
        draft = draft.when(&format!(
            "steps.{id}.output is defined and steps.{id}.output"
        ));
    }
    if shape.goes_on {
        draft = draft.goes_on();
    }
    if finally { draft.finally() } else { draft }
}

pub(crate) fn random_plan() -> impl Strategy<Value = RandomPlan> {
    let shapes = |most| prop::collection::vec(shape(), 1..most);
    (shapes(14), 0_usize..3, shapes(4)).prop_map(|(shapes, finally, inner)| {
        let from = shapes.len().saturating_sub(finally);
        let drafts = shapes
            .iter()
            .enumerate()
            .map(|(at, shape)| draft(at, shape, at >= from));
        let inner = inner.iter().enumerate().map(|(at, shape)| {
            let shape = Shape {
                uses: 1,
                ..shape.clone()
            };
            draft(at, &shape, false)
        });
        RandomPlan {
            plan: plan("p", drafts),
            inner: plan("inner", inner),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_latency_and_jobs_same_result(
        random in random_plan(),
        delays in prop::collection::vec(prop::collection::vec(0_u64..50, 1..9), 2),
    ) {
        let world = |jobs| World::new(jobs).knows([random.inner.clone()]);
        let reference = world(1).run(&random.plan).result;
        for jobs in [1, 2, 16] {
            for delays in &delays {
                let mut world = world(jobs);
                world.delays.clone_from(delays);
                let ran = world.run(&random.plan);
                prop_assert!(ran.most_at_once <= jobs);
                prop_assert_eq!(&reference, &ran.result);
            }
        }
    }
}
