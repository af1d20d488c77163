//! Tests features of the formula language that have no test elsewhere.

use insta::assert_snapshot;

use super::*;

#[test]
fn container_needs_its_children() {
    let text = formula(&steps(
        "a
         all: a | type = 'epic' ; children = [{ id = 'x', title = 'X' }, { id = 'y', title = 'Y', needs = ['x'] }, { id = 'z', title = 'Z' }]
         b: all
         c: x",
    ));
    let cooked = cooked(&[&text]);
    assert_snapshot!(graph_of(&cooked), @"
    a
    all <- y (child), z (child)
    x <- a (parent)
    y <- x (needs)
    z <- a (parent)
    b <- all (needs)
    c <- x (needs)
    ");
    assert_eq!(
        cooked
            .steps
            .iter()
            .find(|step| step.id == "all")
            .unwrap()
            .children,
        ["x", "y", "z"]
    );
    assert_eq!(
        cooked
            .steps
            .iter()
            .find(|step| step.id == "y")
            .unwrap()
            .parent
            .as_deref(),
        Some("all")
    );
}

#[test]
fn branch_forks_and_joins() {
    let text = formula(
        &(steps("a\nb\nc\nd") + "[[compose.branch]]\nfrom = 'a'\nsteps = ['b', 'c']\njoin = 'd'\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    a
    b <- a (branch)
    c <- a (branch)
    d <- b (branch), c (branch)
    ");
}

#[test]
fn loop_nested_in_loop() {
    let text = formula(&steps(
        "o | loop = { count = 2, body = [{ id = 'i', title = 'I', loop = { range = '3..4', var = 'n', body = [{ id = 'x', title = 'X{n}' }] } }, { id = 'y', title = 'Y', needs = ['i'] }] }",
    ));
    let cooked = cooked(&[&text]);
    assert_snapshot!(graph_of(&cooked), @"
    o.iter1.i.iter1.x
    o.iter1.i.iter2.x <- o.iter1.i.iter1.x (loop)
    o.iter1.y <- o.iter1.i.iter2.x (needs)
    o.iter2.i.iter1.x <- o.iter1.y (loop)
    o.iter2.i.iter2.x <- o.iter2.i.iter1.x (loop)
    o.iter2.y <- o.iter2.i.iter2.x (needs)
    ");
    assert_eq!(cooked.steps[1].title, "X4");
    assert_eq!(
        cooked.steps[1].origin.via,
        [
            Via::Loop {
                step: "o".to_owned(),
                iteration: 1
            },
            Via::Loop {
                step: "o.iter1.i".to_owned(),
                iteration: 2
            }
        ]
    );
}

#[test]
fn iteration_step_needed_by_full_name() {
    let text = formula(&steps(
        "r | loop = { count = 2, body = [{ id = 'b', title = 'B' }] }\nc: r.iter1.b",
    ));
    assert_snapshot!(graph(&[&text]), @"
    r.iter1.b
    r.iter2.b <- r.iter1.b (loop)
    c <- r.iter1.b (needs)
    ");
}

#[test]
fn convoy_has_legs_and_synthesis() {
    let text = "formula = 'x'\ntype = 'convoy'\nagent = 'reviewer'\nreview_only = true\n[inputs.pr]\ntype = 'number'\nrequired_unless = ['branch']\n[inputs.branch]\nrequired_unless = ['pr']\n[prompts]\nbase = 'Leg {{.leg.id}} on {{.leg.focus}} of {{.pr}} into {{.output_path}}: {{.leg.description}} {{.review_id}}'\n[output]\ndirectory = 'out/{{.review_id}}'\nleg_pattern = '{{.leg.id}}.md'\nsynthesis = 'all.md'\n[[legs]]\nid = 'a'\ntitle = 'A'\nfocus = 'bugs'\ndescription = 'Look.'\n[[legs]]\nid = 'b'\ntitle = 'B'\nagent = 'other'\n[synthesis]\ntitle = 'Sum'\ndescription = 'Read {{.output.directory}}'\ndepends_on = ['a', 'b']\n[presets.gate]\nlegs = ['a']\n";
    let whole = cooked_with(&[text], &options(&[("pr", "7")])).unwrap();
    assert_snapshot!(graph_of(&whole), @"
    a
    b
    synthesis <- a (needs), b (needs)
    ");
    assert_snapshot!(whole.steps[0].description, @"Leg a on bugs of 7 into out/{{.review_id}}/a.md: Look. {{.review_id}}");
    assert_snapshot!(whole.steps[2].description, @"Read out/{{.review_id}}");
    assert_eq!(whole.steps[1].agent.as_deref(), Some("other"));
    assert!(whole.steps.iter().all(|step| step.review_only));
    let mut options = options(&[("pr", "7")]);
    options.preset = Some("gate".to_owned());
    assert_snapshot!(graph_of(&cooked_with(&[text], &options).unwrap()), @"
    a
    synthesis <- a (needs)
    without b: preset `gate`
    ");
    options.preset = Some("gat".to_owned());
    assert_snapshot!(cooked_with(&[text], &options).unwrap_err(), @"
    nowhere: error[unknown-preset]: there is no preset `gat`
      help: did you mean `gate`?
    ");
    assert_snapshot!(refused(&[text]), @"
    x.formula.toml:5:1: error[missing-variable]: variable `pr` needs a value, unless `branch` has one
      help: pass `--var pr=…`
    x.formula.toml:8:1: error[missing-variable]: variable `branch` needs a value, unless `pr` has one
      help: pass `--var branch=…`
    ");
}

#[test]
fn analysis_distinguished_from_advice() {
    let text = "formula = 'x'\ntype = 'aspect'\n[[aspects]]\nid = 'a'\ntitle = 'A'\nfocus = 'f'\n[[aspects]]\nid = 'b'\ntitle = 'B'\n";
    let cooked = cooked(&[text]);
    assert_eq!(cooked.kind, FormulaKind::Analysis);
    assert_snapshot!(graph_of(&cooked), @"
    a
    b
    ");
    let advice =
        "formula = 'x'\ntype = 'aspect'\n[[advice]]\ntarget = 'a'\nbefore = { id = 'b' }\n";
    assert_snapshot!(refused(&[advice]), @r#"
    x.formula.toml:1:11: error[nothing-to-cook]: `x` is an aspect, which has no steps of its own
      help: name it in another formula: `[compose]` with `aspects = ["x"]`
    "#);
}

#[test]
fn inheritance_follows_dialect() {
    let parent = "formula = 'p'\n[[steps]]\nid = 'a'\ntitle = 'A'\n[[steps]]\nid = 'b'\ntitle = 'B'\nneeds = ['a']\n";
    let beads = "formula = 'x'\nextends = ['p']\n[[steps]]\nid = 'a'\ntitle = 'New'\npriority = 1\n[[steps]]\nid = 'c'\ntitle = 'C'\nneeds = ['b']\n";
    let replaced = cooked(&[beads, parent]);
    assert_eq!(
        (replaced.dialect, replaced.steps[0].title.as_str()),
        (Dialect::Beads, "New")
    );
    assert_snapshot!(graph_of(&replaced), @"
    a
    b <- a (needs)
    c <- b (needs)
    ");
    assert_eq!(replaced.steps[1].origin.via, [Via::Extends("p".to_owned())]);
    let gastown = beads.replace("priority = 1", "acceptance = 'ok'");
    assert_snapshot!(refused(&[&gastown, parent]), @r#"
    x.formula.toml:4:6: error[duplicate-step]: step `a` is already inherited from `p`, and Gas Town formulas only add steps
      help: give it another id, or write `dialect = "beads"` at the top to replace the inherited step
    "#);
    let in_beads = gastown.replace("extends", "dialect = 'beads'\nextends");
    assert_eq!(cooked(&[&in_beads, parent]).steps[0].title, "New");
}

#[test]
fn machine_step_arguments_resolved() {
    let text = formula(
        &(steps(
            "find | uses = 'search' ; with = { pattern = { '$ref' = '#/inputs/what' }, limit = { '$ref' = '#/inputs/n' } }\nagent: find\nmore | uses = 'files' ; with = { files = { '$ref' = '#/steps/find/output/files' } }",
        ) + "[vars]\nwhat = 'x'\n[vars.n]\ntype = 'int'\ndefault = 3\n"),
    );
    let cooked = cooked(&[&text]);
    assert_snapshot!(graph_of(&cooked), @"
    find
    agent <- find (needs)
    more <- find (ref)
    ");
    assert_snapshot!(serde_json::to_string(&(&cooked.steps[0].with, &cooked.steps[2].with)).unwrap(), @r##"[{"pattern":"x","limit":3},{"files":{"$ref":"#/steps/find/output/files"}}]"##);
}

#[test]
fn retry_and_check_both_forms_parsed() {
    let text = formula(&steps(
        "a | check = { max_attempts = 3, check = { mode = 'exec', path = 'ok.sh', timeout = '2m' } }\nb | ralph = { max_attempts = 2, path = 'ok.sh' }\nc | retry = { max_attempts = 3, on_exhausted = 'soft_fail', backoff = '5s' }\nd | acceptance = ['words', { command = ['make'] }, { file = 'x' }, { grep = { pattern = 'y' } }, { schema = { type = 'object' } }]",
    ));
    let cooked = cooked(&[&text]);
    assert_eq!(cooked.dialect, Dialect::Gascity);
    let written: Vec<_> = cooked
        .steps
        .iter()
        .map(|step| serde_json::to_string(&(&step.check, &step.retry, &step.acceptance)).unwrap())
        .collect();
    assert_snapshot!(written.join("\n"), @r#"
    [{"path":"ok.sh","timeout":"2m","max_attempts":3},null,[]]
    [{"path":"ok.sh","max_attempts":2},null,[]]
    [null,{"max_attempts":3,"on_exhausted":"soft_fail","backoff":"5s"},[]]
    [null,null,[{"prose":"words"},{"command":["make"]},{"file":"x"},{"grep":{"pattern":"y"}},{"schema":{"type":"object"}}]]
    "#);
}

#[test]
fn description_read_from_file() {
    let text =
        formula(&(steps("a | description_file = 'steps/build.md'") + "[vars]\nwhat = 'it'\n"));
    let cooked = cooked(&[&text]);
    assert_eq!(cooked.steps[0].description, "Build it.");
    assert_eq!(cooked.sources[1].role, SourceRole::Description);
    assert_snapshot!(refused(&[&formula(&steps("a | description_file = 'gone.md'"))]), @"
    x.formula.toml:5:20: error[description-file]: file `gone.md` does not exist
      help: its path is relative to the folder of the formula
    ");
}

#[test]
fn title_and_description_from_variables() {
    let text = formula(
        &("description = 'About {{what}}'\n".to_owned()
            + &steps("a")
            + "[vars]\ntitle = 'Named'\nwhat = 'it'\n"),
    );
    let cooked = cooked(&[&text]);
    assert_eq!(
        (cooked.title.as_str(), cooked.description.as_str()),
        ("Named", "About it")
    );
}

#[test]
fn json_formula_parsed() {
    let text = r#"{ "formula": "x", "version": 1, "vars": { "v": { "default": "1" } },
        "steps": [{ "id": "a", "title": "A {{v}}" }, { "id": "b", "title": "B", "depends_on": ["a"] }] }"#;
    let file = FormulaText {
        file: "x.formula.json".to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let (cooked, _) =
        cook_formula(&Shelf::default(), FormulaRef::Text(file), &options(&[])).unwrap();
    assert_snapshot!(graph_of(&cooked), @"
    a
    b <- a (needs)
    ");
    assert_eq!(cooked.steps[0].title, "A 1");
}
