//! Tests that everything in a document is honoured, shown or rejected, and never silently ignored.

use insta::assert_snapshot;

use super::*;

#[test]
fn misplaced_field_refused() {
    let text = formula(&steps(
        "a | loop = { count = 2, max = 3, body = [{ id = 'b', title = 'B' }] }
         c | retry = { max_attempts = 2, max_backoff = '1m' }
         d | check = { path = 'x', check = { path = 'y' } }
         f | expand_vars = { x = '1' }
         g | gate = { type = 'human', path = 'x', duration = '1m' }
         h | gate = { type = 'command', command = ['x'], await_id = 'y', inputs = { z = '' } }
         i: g | gate = { type = 'conditional', condition = \"g.output.ok == true\", timeout = '1h' }
         j | timeout = '1h' ; retry = { max_attempts = 2 } ; children = [{ id = 'k', title = 'K' }]",
    ));
    assert_snapshot!(refused(&[&text]), @r#"
    x.formula.toml:5:27: error[unsupported]: `max` needs `until`
      help: remove `max`, or add the condition that ends it: `until = "…"`
    x.formula.toml:9:9: error[unsupported]: `max_backoff` needs a `backoff`
      help: add `backoff = "10s"`
    x.formula.toml:13:31: error[unsupported]: the program of the check is named twice
      help: remove one of the two
    x.formula.toml:14:1: error[unsupported]: step `f` has `expand_vars`, but no `expand`
      help: add `expand = "FORMULA"`, or remove `expand_vars`
    x.formula.toml:21:8: error[unsupported]: a `human` gate has no `duration`
      help: remove it, or change `type`
    x.formula.toml:21:8: error[unsupported]: a `human` gate has no `path`
      help: remove it, or change `type`
    x.formula.toml:25:8: error[unsupported]: a `command` gate has no `await_id`
      help: remove it, or change `type`
    x.formula.toml:25:8: error[unsupported]: a `command` gate has no `inputs`
      help: remove it, or change `type`
    x.formula.toml:30:8: error[unsupported]: a `conditional` gate has no `timeout`
      help: a conditional gate is decided once; use `type = "condition"` to wait
    x.formula.toml:31:1: error[unsupported]: step `j` completes with the steps it contains, so it cannot have `retry`
      help: move `retry` to the steps that it contains
    x.formula.toml:31:1: error[unsupported]: step `j` completes with the steps it contains, so it cannot have `timeout`
      help: move `timeout` to the steps that it contains
    "#);
}

#[test]
fn part_of_other_kind_refused() {
    let text = formula(
        &("[squash]\ntrigger = 'on_failure'\n[requires]\nformula_compiler = '>=3'\n[prompts]\nbase = 'x'\nother = 'y'\n[output]\ndirectory = 'z'\n[presets.p]\nlegs = []\n[[pointcuts]]\nglob = '*'\n[vars]\nboth = '1'\n[inputs]\nboth = '2'\n"
            .to_owned()
            + &steps("a")),
    );
    assert_snapshot!(refused(&[&text]), @r#"
    x.formula.toml:1:11: error[unsupported]: `[[pointcuts]]` need `[[advice]]`
      help: add `[[advice]]`, or remove `[[pointcuts]]`
    x.formula.toml:1:11: error[unsupported]: `output` has no meaning in a workflow
      help: change `type`, or move it to another formula
    x.formula.toml:1:11: error[unsupported]: `presets` has no meaning in a workflow
      help: change `type`, or move it to another formula
    x.formula.toml:1:11: error[unsupported]: `prompts` has no meaning in a workflow
      help: change `type`, or move it to another formula
    x.formula.toml:2:1: error[squash]: `on_failure` is not a trigger of `[squash]`
      help: write `trigger = "on_complete"`, or remove `[squash]` and run `windlass mol squash`
    x.formula.toml:5:20: error[requires]: the formula needs version >=3 of the language; this version of Windlass supports 2.0.0
      help: write `formula_compiler = ">=2.0.0"`
    x.formula.toml:8:9: error[unsupported]: prompt `other` is not supported
      help: use `base` for all legs, and the `description` of a leg for that leg alone
    x.formula.toml:18:8: error[duplicate-variable]: `both` is declared twice
      see x.formula.toml:16:8: other declaration
      help: `[inputs]` is another name of `[vars]`: remove one of the two
    "#);
    assert_snapshot!(refused(&[&formula(&("contract = 'graph.v3'\n[requires]\nformula_compiler = 'new'\n".to_owned() + &steps("a")))]), @r#"
    x.formula.toml:2:12: error[requires]: unknown contract `graph.v3`
      help: use `contract = "graph.v2"`
    x.formula.toml:4:20: error[requires]: `new` is not a version requirement: unexpected character 'n' while parsing major version number
      help: write `formula_compiler = ">=2.0.0"`
    "#);
    let fine = "contract = 'graph.v2'\n[requires]\nformula_compiler = '>=2.0.0'\n".to_owned();
    assert_eq!(graph(&[&formula(&(fine + &steps("a")))]), "a\n");
}

#[test]
fn loop_and_template_fields_inherited() {
    let text = formula(&steps(
        "a | parallel = false ; type = 'bug' ; notes = 'With care.' ; loop = { count = 1, body = [{ id = 'b', title = 'B', notes = 'Twice.' }] }
         c | parallel = true ; notes = 'Too.' ; expand = 'one'",
    ));
    let one = "formula = 'one'\ntype = 'expansion'\nagent = 'critic'\nreview_only = true\n[[template]]\nid = '{target}.x'\ntitle = 'X'\ntype = 'task'\n";
    let written: Vec<_> = cooked(&[&text, one])
        .steps
        .into_iter()
        .map(|s| {
            format!(
                "{} {:?} {:?} {:?} {:?} {}",
                s.id, s.parallel, s.kind, s.notes, s.agent, s.review_only
            )
        })
        .collect();
    assert_snapshot!(written.join("\n"), @r#"
    a.iter1.b Some(false) Some("bug") "With care.\n\nTwice." None false
    c.x Some(true) Some("task") "Too." Some("critic") true
    "#);
}

/// Gas Town runs steps one at a time unless they're marked as parallel, while other dialects run
/// all steps that are ready.
#[test]
fn gastown_unmarked_steps_run_alone() {
    let parallel = |text: &str| -> Vec<_> {
        let cooked = cooked(&[&formula(text)]);
        cooked.steps.into_iter().map(|step| step.parallel).collect()
    };
    let marked = steps("a\nb: a | parallel = true\nc: a | parallel = true\nd: b c");
    assert_eq!(
        parallel(&marked),
        [Some(false), Some(true), Some(true), Some(false)]
    );
    let of_beads = format!("dialect = 'beads'\n{marked}");
    assert_eq!(parallel(&of_beads), [None, Some(true), Some(true), None]);
    assert_eq!(parallel(&steps("a\nb | acceptance = 'x'")), [None, None]);
}

#[test]
fn gate_answers_checked() {
    let text = formula(&steps(
        "a | gate = { type = 'human', inputs = { version = { description = 'Which?', required = true, pattern = '^v' }, count = { type = 'int', default = 2 }, kind = { enum = ['major', 'minor'] }, sure = { type = 'bool' } } }",
    ));
    let GateKind::Human { inputs, .. } = cooked(&[&text]).steps[0].gates[0].kind.clone() else {
        panic!("another gate");
    };
    let answered = |given: &[(&str, &str)]| {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        match answers(&inputs, &given.iter().map(own).collect()) {
            Ok(answers) => serde_json::to_string(&answers).unwrap(),
            Err(wrong) => wrong.join("\n"),
        }
    };
    assert_snapshot!(answered(&[("version", "v1"), ("sure", "true"), ("kind", "minor")]), @r#"{"count":2,"kind":"minor","sure":true,"version":"v1"}"#);
    assert_snapshot!(answered(&[("version", "1.0"), ("count", "many"), ("kind", "mayor"), ("sur", "yes"), ("sure", "yes")]), @"
    unknown input `sur`; did you mean `sure`?
    `count` is `many`, not a whole number
    `kind` is `mayor`; allowed values: `major`, `minor`
    `sure` is `yes`, not `true` or `false`
    `version` is `1.0`, which does not match `^v`
    ");
    assert_snapshot!(answered(&[]), @"`version` needs a value (Which?)");
    assert_snapshot!(refused(&[&formula(&steps("a | gate = { type = 'human', inputs = { n = { type = 'int', default = 'x' }, p = { pattern = '(' } } }"))]), @"
    x.formula.toml:5:41: error[variable-type]: the default of variable `n` is `x`, not a whole number
      help: use a whole number
    x.formula.toml:5:90: error[variable-pattern]: the pattern of variable `p` is not a regular expression: unclosed group
    ");
}

#[test]
fn formula_settings_kept() {
    let text = formula(
        &("phase = 'vapor'\npour = true\nmetadata = { owner = 'ann' }\n[squash]\ntrigger = 'on_complete'\ntemplate_type = 'patrol'\ninclude_metrics = true\n".to_owned()
            + &steps("a")
            + "[[compose.bond_points]]\nid = 'p'\nafter_step = 'a'\nparallel = true\n"),
    );
    let cooked = cooked(&[&text]);
    let squash = cooked.squash.unwrap();
    assert_eq!(
        (squash.template_type.as_deref(), squash.include_metrics),
        (Some("patrol"), true)
    );
    assert_eq!((cooked.phase, cooked.pour), (Some(Phase::Vapor), true));
    assert_eq!(cooked.metadata["owner"], "ann");
    assert!(cooked.bond_points[0].parallel);
}
