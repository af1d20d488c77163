use proptest::prelude::*;
use windlass_base::Ident;

use crate::{Edge, EdgeReason, Plan, PlanParts, PlannedStep, StepIndex};

fn parts(steps: usize, edges: &[(usize, usize)]) -> PlanParts {
    let id = |at: usize| Ident::parse(&format!("s{at}")).unwrap();
    let mut parts = PlanParts::new(id(0));
    parts.steps = (0..steps).map(|at| PlannedStep::new(id(at), "x")).collect();
    let edge = |(step, needs): &(usize, usize)| Edge {
        step: StepIndex::new(*step),
        needs: StepIndex::new(*needs),
        reason: EdgeReason::Needs { place: None },
    };
    parts.edges = edges.iter().map(edge).collect();
    parts
}

fn errors(parts: PlanParts) -> String {
    Plan::from_parts(parts).unwrap_err().to_string()
}

#[test]
fn graph_long_chain_accepted() {
    let forwards: Vec<_> = (1..100_000).map(|at| (at, at - 1)).collect();
    let plan = Plan::from_parts(parts(100_000, &forwards)).unwrap();
    assert_eq!(plan.layers().len(), 100_000);
    let backwards: Vec<_> = (1..100_000).map(|at| (at - 1, at)).collect();
    assert!(Plan::from_parts(parts(100_000, &backwards)).is_ok());
    let mut round = forwards;
    round.push((0, 99_999));
    assert!(
        errors(parts(100_000, &round))
            .starts_with("the steps need each other in a circle: s0 -> s99999 -> s99998")
    );
}

#[test]
fn graph_invalid_refused() {
    assert_eq!(
        errors(parts(2, &[(0, 1), (1, 0)])),
        "the steps need each other in a circle: s0 -> s1 -> s0"
    );
    assert_eq!(errors(parts(1, &[(0, 0)])), "step `s0` needs itself");
    assert_eq!(
        errors(parts(1, &[(0, 7)])),
        "step number 0 needs step number 7, but the plan has 1 step"
    );
    let mut twice = parts(2, &[]);
    twice.steps[1].id = twice.steps[0].id.clone();
    assert_eq!(errors(twice), "duplicate step `s0`");
    let mut finally = parts(2, &[(0, 1)]);
    finally.steps[1].finally = true;
    assert_eq!(
        errors(finally),
        "step `s0` needs `s1`, which runs only when all others have ended"
    );
}

#[test]
fn step_needs_become_edges() {
    let mut parts = parts(3, &[(2, 1)]);
    parts.steps[2].needs = vec![StepIndex::new(1), StepIndex::new(0), StepIndex::new(0)];
    let plan = Plan::from_parts(parts).unwrap();
    assert_eq!(
        plan.steps()[2].needs,
        [StepIndex::new(0), StepIndex::new(1)]
    );
    assert_eq!(plan.reasons(StepIndex::new(2), StepIndex::new(0)).len(), 1);
    assert_eq!(plan.dependents(StepIndex::new(0)), [StepIndex::new(2)]);
}

proptest! {
    /// Edges that only lead backward always give a plan, and its layers respect the edges.
    #[test]
    fn graph_acyclic_accepted(edges in prop::collection::vec((0usize..30, 0usize..30), 0..80)) {
        let edges: Vec<_> = edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.max(b), a.min(b))).collect();
        let plan = Plan::from_parts(parts(30, &edges)).unwrap();
        let mut layer_of = [0; 30];
        for (number, layer) in plan.layers().iter().enumerate() {
            layer.iter().for_each(|index| layer_of[index.index()] = number);
        }
        for (step, needs) in edges {
            prop_assert!(layer_of[step] > layer_of[needs]);
            prop_assert!(plan.steps()[step].needs.contains(&StepIndex::new(needs)));
        }
    }

    /// Any set of edges gives a plan or an error, and a plan never has a cycle.
    #[test]
    fn graph_any_edges_no_panic(edges in prop::collection::vec((0usize..8, 0usize..9), 0..20)) {
        if let Ok(plan) = Plan::from_parts(parts(8, &edges)) {
            prop_assert_eq!(plan.layers().concat().len(), 8);
            let seen: usize = plan.iter().map(|(at, _)| plan.dependents(at).len()).sum();
            let needs: usize = plan.steps().iter().map(|step| step.needs.len()).sum();
            prop_assert_eq!(seen, needs);
        }
    }
}

#[test]
fn graph_many_errors_limited() {
    let mut parts = parts(10_000, &[]);
    let id = parts.steps[0].id.clone();
    parts.steps.iter_mut().for_each(|step| step.id = id.clone());
    let found = Plan::from_parts(parts).unwrap_err();
    let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(messages.len(), 201);
    assert!(messages.contains(&"and 9799 more"), "{:?}", messages.last());
}
