use windlass_plan::{Plan, PlannedStep};
use windlass_vcontext::as_plan;

use crate::support::{PAIRS, document, named};

fn of(name: &str) -> Plan {
    let (_, json, _) = PAIRS.into_iter().find(|(own, _, _)| *own == name).unwrap();
    as_plan(&named("d.json", json)).unwrap()
}

fn steps(plan: &Plan) -> Vec<String> {
    let name = |(_, step): (_, &PlannedStep)| {
        let needs = step
            .needs
            .iter()
            .map(|at| plan.step(*at).unwrap().id.as_str());
        let needs: Vec<_> = needs.collect();
        let arrow = if needs.is_empty() { "" } else { "  ← " };
        format!("{}  {}{arrow}{}", step.id, step.uses, needs.join(", "))
    };
    plan.iter().map(name).collect()
}

#[test]
fn plan_of_list_has_dependencies() {
    let plan = of("todo-incident");
    let head = [plan.id().as_str(), plan.title(), plan.purpose()];
    let want = [
        "todo-inc-2042",
        "INC-2042: Payment webhook latency regression",
        "Follow-ups after incident. Goal: prevent recurrence and improve observability.",
    ];
    assert_eq!(head, want);
    let want = [
        "t1  Add p95/p99 alert for /webhooks/process (inProgress)",
        "t2  Run rollback drill for payment-webhooks (pending)  ← t1",
        "t3  Weekly: review webhook SLA + alert thresholds (pending)",
    ];
    assert_eq!(steps(&plan), want);
    let layers: Vec<usize> = plan.layers().iter().map(Vec::len).collect();
    assert_eq!(layers, [2, 1]);
}

#[test]
fn independent_stages_are_in_order() {
    let plan = of("plan-minimal");
    let layers: Vec<Vec<String>> = plan
        .layers()
        .iter()
        .map(|layer| {
            layer
                .iter()
                .map(|at| plan.step(*at).unwrap().id.to_string())
                .collect()
        })
        .collect();
    assert_eq!(layers, [["database-schema"], ["jwt-implementation"]]);
    let list = of("todo-minimal");
    assert_eq!(list.layers().len(), 1);
}

#[test]
fn parts_precede_their_stage() {
    let plan = of("plan-webhooks");
    let needs = |id: &str| -> Vec<String> {
        let step = plan
            .iter()
            .find(|(_, step)| step.id.as_str() == id)
            .unwrap()
            .1;
        step.needs
            .iter()
            .map(|at| plan.step(*at).unwrap().id.to_string())
            .collect()
    };
    assert_eq!(needs("p1-2"), ["p1-1"]);
    assert_eq!(
        needs("p1"),
        [
            "p1-1",
            "p1-2",
            "add-query-batching",
            "write-regression-load-test"
        ]
    );
    assert_eq!(needs("p3"), ["p1", "p2"]);
    let nested = document(
        r#"{"vContextInfo": {"version": "0.4"}, "plan": {"title": "ü?", "status": "draft", "narratives": {"proposal": "x"}, "items": [
            {"id": "a", "title": "a", "status": "pending"},
            {"id": "b", "title": "b", "status": "pending", "dependencies": ["a"], "subItems": [
                {"id": "c", "title": "c", "status": "pending"}, {"id": "d", "title": "d", "status": "pending"}]}]}}"#,
    );
    let plan = as_plan(&nested).unwrap();
    let steps = steps(&plan);
    for want in [
        "c  c (pending)  ← a",
        "d  d (pending)  ← c",
        "b  b (pending)  ← a, c, d",
    ] {
        assert!(steps.iter().any(|step| step == want), "{want}\n{steps:?}");
    }
}

#[test]
fn step_names_are_unique() {
    let list = document(
        r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"items": [{"title": "Do it!", "status": "pending"}, {"title": "do it", "status": "pending"}, {"title": "???", "status": "pending"}, {"id": "do-it", "title": "x", "status": "pending"}]}}"#,
    );
    let plan = as_plan(&list).unwrap();
    let names: Vec<&str> = plan.iter().map(|(_, step)| step.id.as_str()).collect();
    assert_eq!(names, ["do-it", "do-it-2", "item", "do-it-3"]);
}

#[test]
fn playbook_as_plan_is_refused() {
    let (_, json, _) = PAIRS[5];
    let found = as_plan(&named("d.json", json)).unwrap_err();
    assert!(found.to_string().contains("a Playbook has no steps"));
    let found = as_plan(&document(
        r#"{"vContextInfo": {"version": "0.4"}, "plan": {}}"#,
    ))
    .unwrap_err();
    assert!(found.to_string().contains("`title` is missing"));
}
