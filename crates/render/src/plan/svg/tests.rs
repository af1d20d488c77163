use std::collections::BTreeSet;

use proptest::prelude::*;
use roxmltree::{Document, Node};
use serde_json::json;
use windlass::base::Ident;
use windlass::plan::{Condition, Edge, EdgeReason, PlanParts, PlannedOutput, PlannedStep, TakenBy};

use super::edge_net::Net;
use super::*;
use crate::plan::sample_plan::{EXAMPLE, load};

fn as_it_is(text: &str) -> String {
    text.to_owned()
}

fn drawn(plan: &Plan) -> String {
    plan_svg(plan, &StepStates::default(), &as_it_is).unwrap()
}

fn step(id: &str, needs: &[u32]) -> PlannedStep {
    let mut step = PlannedStep::new(Ident::parse(id).unwrap(), "search");
    step.needs = needs.iter().map(|at| StepIndex::from(*at)).collect();
    step
}

fn plan_of(steps: Vec<PlannedStep>) -> Plan {
    let mut parts = PlanParts::new(Ident::parse("plan").unwrap());
    parts.steps = steps;
    Plan::from_parts(parts).unwrap()
}

fn with_class<'a, 'input>(xml: &'a Document<'input>, class: &str) -> Vec<Node<'a, 'input>> {
    let has = |node: &Node<'_, '_>| {
        let classes = node.attribute("class").unwrap_or("");
        classes.split(' ').any(|one| one == class)
    };
    xml.descendants().filter(has).collect()
}

fn number(node: Node<'_, '_>, name: &str) -> i32 {
    node.attribute(name).unwrap().parse().unwrap()
}

fn title<'a>(node: Node<'a, '_>) -> &'a str {
    let title = node.children().find(|child| child.has_tag_name("title"));
    title.and_then(|title| title.text()).unwrap()
}

#[test]
fn plan_matches_golden_drawing() {
    let plan = load(EXAMPLE);
    let svg = drawn(&plan);
    let (before, rest) = svg.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>\n").unwrap();
    insta::assert_snapshot!(format!("{before}{after}"));
}

#[test]
fn edges_have_reason_tooltips() {
    let plan = load(EXAMPLE);
    let svg = drawn(&plan);
    let xml = Document::parse(&svg).unwrap();
    let told: Vec<_> = with_class(&xml, "edge")
        .into_iter()
        .filter(|edge| edge.attribute("data-from").is_some())
        .map(|edge| (edge.attribute("class").unwrap(), title(edge)))
        .collect();
    insta::assert_debug_snapshot!(told, @r#"
    [
        (
            "edge data",
            "routes → owners\ndata: `#/steps/routes/output/files` at `/with/files`",
        ),
        (
            "edge data",
            "routes → each\ndata: `#/steps/routes/output/matches` at `/for_each`\ncondition: its `if` mentions it",
        ),
        (
            "edge condition",
            "owners → each\ncondition: its `if` mentions it",
        ),
        (
            "edge order",
            "each → tidy\norder only: from `needs`",
        ),
    ]
    "#);
}

#[test]
fn text_cannot_break_out_of_svg() {
    let evil = "</title><script>\"'&]]>\u{1}\u{ffff}\n";
    let mut parts = PlanParts::new(Ident::parse("plan").unwrap());
    parts.title = evil.to_owned();
    parts.purpose = evil.to_owned();
    let mut one = step("a", &[]);
    one.uses = evil.to_owned();
    one.condition = Some(Condition::parse("'</text><b>\"&' == 'x'").unwrap());
    parts.steps = vec![one];
    parts.outputs = vec![section("s", evil)];
    let svg = drawn(&Plan::from_parts(parts).unwrap());
    let xml = Document::parse(&svg).unwrap();
    assert!(!xml.descendants().any(|node| node.has_tag_name("script")));
    assert_eq!(
        title(xml.root_element()),
        "</title><script>\"'&]]>\u{fffd}\u{fffd}"
    );
}

fn section(id: &str, title: &str) -> PlannedOutput {
    PlannedOutput {
        id: Ident::parse(id).unwrap(),
        title: title.to_owned(),
        from: StepIndex::new(0),
        select: None,
        sort: None,
        limit: None,
        place: None,
    }
}

#[test]
fn text_is_cleaned_before_cut() {
    let secret = format!("{}SECRET{}", "x".repeat(30), "x".repeat(30));
    let mut parts = PlanParts::new(Ident::parse(&secret).unwrap());
    parts.title = secret.clone();
    parts.purpose = secret.clone();
    let mut one = step(&secret, &[]);
    one.uses = secret.clone();
    one.for_each = Some(json!({ "$ref": format!("#/inputs/{secret}") }));
    one.condition = Some(Condition::parse(&format!("'{secret}' == 'x'")).unwrap());
    let two = step("b", &[0]);
    parts.steps = vec![one, two];
    parts.outputs = vec![section("s", &secret)];
    parts.edges = vec![Edge {
        step: StepIndex::new(1),
        needs: StepIndex::new(0),
        reason: EdgeReason::Ref {
            taken: Box::new(TakenBy {
                at: format!("/with/{secret}"),
                reference: format!("#/steps/{secret}/output"),
            }),
            place: None,
        },
    }];
    let plan = Plan::from_parts(parts).unwrap();
    let svg = plan_svg(&plan, &StepStates::default(), &|text| {
        text.replace("SECRET", "!")
    })
    .unwrap();
    assert!(!svg.contains("SEC"), "{svg}");
}

#[test]
fn long_name_is_whole_in_tooltip() {
    let long = "a".repeat(128);
    let svg = drawn(&plan_of(vec![step(&long, &[])]));
    let xml = Document::parse(&svg).unwrap();
    let [name] = with_class(&xml, "name")[..] else {
        panic!("one name");
    };
    assert_eq!(name.text().unwrap().chars().count(), 32);
    assert!(name.text().unwrap().ends_with('…'));
    assert!(title(with_class(&xml, "step")[0]).starts_with(&long));
}

#[test]
fn unconnected_parts_are_compact() {
    // `c -> d` pulls `c` down, but `e` must not stay far below it.
    let steps = vec![
        step("a", &[]),
        step("b", &[]),
        step("c", &[]),
        step("d", &[2]),
        step("e", &[]),
    ];
    let svg = drawn(&plan_of(steps));
    let xml = Document::parse(&svg).unwrap();
    let tops: Vec<_> = boxes(&xml).iter().map(|(_, [_, y, _, _])| *y).collect();
    let height = tops[1] - tops[0];
    assert_eq!(tops, [0, 1, 2, 2, 3].map(|row| tops[0] + row * height));
}

#[test]
fn oversized_plan_is_not_drawn() {
    let many: Vec<_> = (0..501).map(|at| step(&format!("s{at}"), &[])).collect();
    let error = plan_svg(&plan_of(many), &StepStates::default(), &as_it_is).unwrap_err();
    insta::assert_snapshot!(error, @"the plan is too large to draw: 501 steps, maximum 500");
    let tangle = (0..60).map(|at| {
        let all: Vec<u32> = (0..at).collect();
        step(&format!("s{at}"), &all)
    });
    let error = plan_svg(
        &plan_of(tangle.collect()),
        &StepStates::default(),
        &as_it_is,
    )
    .unwrap_err();
    insta::assert_snapshot!(error, @"the plan is too large to draw: 35990 stretches of edges, maximum 20000");
    let chain = (0..500).map(|at: u32| {
        let before: Vec<u32> = at.checked_sub(1).into_iter().collect();
        step(&format!("s{at}"), &before)
    });
    assert!(plan_svg(&plan_of(chain.collect()), &StepStates::default(), &as_it_is).is_ok());
    assert!(plan_svg(&plan_of(Vec::new()), &StepStates::default(), &as_it_is).is_ok());
}

#[test]
fn avoidable_crossings_are_avoided() {
    let columns = [vec![0, 1, 2], vec![3, 4, 5]];
    let mut net = Net::new(&columns, &[(0, 5), (1, 4), (2, 3)]);
    untangle::untangle(&mut net);
    let mut places = vec![0; net.len()];
    for column in &net.columns {
        for (place, vertex) in column.iter().enumerate() {
            places[*vertex] = place;
        }
    }
    assert_eq!(untangle::crossings(&net, &places), 0);
}

/// Returns the name of each step, and the left, top, right and bottom of its box.
fn boxes(xml: &Document<'_>) -> Vec<(String, [i32; 4])> {
    let steps = xml
        .descendants()
        .filter(|node| node.attribute("data-step").is_some());
    let rect = |step: Node<'_, '_>| {
        let rect = step
            .children()
            .find(|child| child.attribute("class") == Some("box"))
            .unwrap();
        let (x, y) = (number(rect, "x"), number(rect, "y"));
        let (width, height) = (number(rect, "width"), number(rect, "height"));
        let id = step.attribute("data-step").unwrap().to_owned();
        (id, [x, y, x + width, y + height])
    };
    steps.map(rect).collect()
}

/// Generates plans. Some steps are `finally`, conditional, or run for each item of a list.
fn any_plan() -> impl Strategy<Value = Plan> {
    let one = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        any::<u8>(),
        "\\PC{0,50}",
    );
    prop::collection::vec(one, 0..40).prop_map(|rows| {
        let total = rows.len();
        let mut parts = PlanParts::new(Ident::parse("plan").unwrap());
        for (at, (needs, traits, text)) in rows.into_iter().enumerate() {
            let mut one = step(&format!("s{at}"), &[]);
            one.finally = at + 3 > total;
            let mut needed: BTreeSet<usize> = BTreeSet::new();
            if at > 0 {
                needed.extend(needs.iter().map(|need| need.index(at)));
            }
            one.needs = needed.into_iter().map(StepIndex::new).collect();
            if traits & 1 == 1 {
                one.for_each = Some(json!([1, 2]));
            }
            if traits & 6 == 6 {
                one.condition = Some(Condition::parse("1 == 1").unwrap());
            }
            if traits & 24 == 24 {
                one.uses.clone_from(&text);
            }
            parts.steps.push(one);
            if traits & 32 == 32 {
                let mut shown = section(&format!("o{at}"), &text);
                shown.from = StepIndex::new(at);
                parts.outputs.push(shown);
            }
        }
        Plan::from_parts(parts).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_plan_is_complete_and_legible(plan in any_plan()) {
        let svg = drawn(&plan);
        prop_assert_eq!(&svg, &drawn(&plan));
        let xml = Document::parse(&svg).unwrap();
        let boxes = boxes(&xml);
        prop_assert_eq!(boxes.len(), plan.steps().len());
        let size = xml.root_element();
        for (at, (id, [left, top, right, bottom])) in boxes.iter().enumerate() {
            prop_assert!(*left >= 0 && *top >= 0, "{} is outside", id);
            prop_assert!(*right <= number(size, "width") && *bottom <= number(size, "height"));
            for (other, [l, t, r, b]) in &boxes[..at] {
                let apart = right < l || r < left || bottom < t || b < top;
                prop_assert!(apart, "{} and {} overlap", id, other);
            }
        }
        let mut shown: Vec<(&str, &str)> = with_class(&xml, "edge")
            .into_iter()
            .filter_map(|edge| Some((edge.attribute("data-from")?, edge.attribute("data-to")?)))
            .collect();
        let mut meant: Vec<(&str, &str)> = plan
            .steps()
            .iter()
            .flat_map(|to| {
                let from = to.needs.iter().filter_map(|from| plan.step(*from));
                from.map(|from| (from.id.as_str(), to.id.as_str()))
            })
            .collect();
        shown.sort_unstable();
        meant.sort_unstable();
        prop_assert_eq!(shown, meant);
    }

    #[test]
    fn passing_lines_avoid_boxes(plan in any_plan()) {
        let layers: Vec<Vec<usize>> = plan
            .layers()
            .iter()
            .map(|layer| layer.iter().map(|step| step.index()).collect())
            .collect();
        let edges: Vec<(usize, usize)> = plan
            .iter()
            .flat_map(|(to, step)| step.needs.iter().map(move |from| (from.index(), to.index())))
            .collect();
        let mut net = Net::new(&layers, &edges);
        untangle::untangle(&mut net);
        let sizes = vec![(100, 50); plan.steps().len()];
        let places = box_places::place(&net, &sizes);
        for column in &mut net.columns {
            column.sort_by_key(|vertex| places.middles[*vertex]);
        }
        for column in &net.columns {
            for pair in column.windows(2) {
                let half = |vertex: usize| if net.is_box(vertex) { 25 } else { 0 };
                let apart = places.middles[pair[1]] - places.middles[pair[0]];
                prop_assert!(apart >= half(pair[0]) + half(pair[1]) + 12);
            }
        }
    }
}
