//! Tests the conditions that cooking decides, and those that are left for run time.

use insta::assert_snapshot;

use super::*;

#[test]
fn duplicate_name_allowed_if_one_removed() {
    let text = formula(
        &(steps(
            "a\nship: a | condition = \"{{env}} == prod\"\nship: a | condition = \"{{env}} != prod\"\nb: ship",
        ) + "[vars]\nenv = 'test'\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    a
    ship <- a (needs)
    b <- a (bridge), ship (needs)
    without ship: {{env}} == prod
    ");
    let both = text.replace("{{env}} == prod", "{{env}} == test");
    assert_snapshot!(refused(&[&both]), @"
    x.formula.toml:10:1: error[duplicate-step]: duplicate step `ship`
      see x.formula.toml:5:1: first step
      help: give one of the two another id
    ");
}

#[test]
fn removed_step_removes_its_contents() {
    let text = formula(
        &(steps(
            "a\np: a | condition = '{{on}}' ; children = [{ id = 'c', title = 'C' }]\nl: p | condition = '{{on}}' ; loop = { count = 2, body = [{ id = 'x', title = 'X' }] }\nz: l c",
        ) + "[vars]\non = false\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    a
    z <- a (bridge)
    without p: {{on}}
    without c: {{on}}
    without l.iter1.x: {{on}}
    without l.iter2.x: {{on}}
    ");
}

#[test]
fn condition_on_step_kept_for_run_time() {
    let text = formula(&steps(
        "test\nfix | condition = \"test.status == 'failed'\"\nafter: fix",
    ));
    let cooked = cooked(&[&text]);
    assert_snapshot!(graph_of(&cooked), @"
    test
    fix <- test (condition)
    after <- fix (needs)
    ");
    assert_snapshot!(serde_json::to_string(&cooked.steps[1].run_if).unwrap(), @r#"[{"holds":true,"condition":{"text":"test.status == 'failed'","looks_at":{"what":"steps","steps":["test"],"test":{"op":"==","value":"failed"}}}}]"#);
}

#[test]
fn condition_on_removed_step_removes_step() {
    let text = formula(
        &(steps("a\nb: a | condition = '{{on}}'\nc | condition = \"b.output.ok == true\"\nd: c")
            + "[vars]\non = 'no'\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    a
    d <- a (bridge)
    without b: {{on}}
    without c: b.output.ok == true
    ");
}

#[test]
fn open_values_leave_condition_undecided() {
    let text = formula(
        &(steps(
            "a | condition = '{{on}}'\nb: a | loop = { range = '1..{n}', body = [{ id = 'x', title = '{{on}}' }] }",
        ) + "[vars.on]\nrequired = true\n[vars.n]\ntype = 'int'\nrequired = true\n"),
    );
    let mut options = options(&[]);
    options.open = true;
    let cooked = cooked_with(&[&text], &options).unwrap();
    assert_snapshot!(graph_of(&cooked), @"
    a
    b.iter1.x <- a (loop)
    ");
    assert_eq!(cooked.steps[0].undecided, ["{{on}}"]);
    assert_eq!(cooked.steps[1].title, "{{on}}");
    assert_snapshot!(refused(&[&text]), @"
    x.formula.toml:11:1: error[missing-variable]: variable `on` needs a value
      help: pass `--var on=…`
    x.formula.toml:13:1: error[missing-variable]: variable `n` needs a value
      help: pass `--var n=…`
    ");
}

#[test]
fn condition_invalid_is_error() {
    let text = formula(
        &(steps(
            "a | condition = '{{oon}}'\nb | condition = 'x > y'\nc | condition = \"d.status == 'failed'\"\ne | gate = { type = 'condition', condition = \"f.output.ok == true\" }\nf: e\ng | gate = { type = 'condition', condition = \"step.output.ok == true\" }",
        ) + "[vars]\non = 1\n"),
    );
    assert_snapshot!(refused(&[&text]), @"
    x.formula.toml:5:13: error[unknown-variable]: the condition refers to `oon`, which is not a variable of the formula
      help: did you mean `{{on}}`?
    x.formula.toml:9:13: error[condition]: invalid condition: `x > y` is not a condition
      help: write `{{x}}`, `!{{x}}` or `{{x}} == VALUE` for a variable; for a condition at run time, write `STEP.status == 'completed'`, `STEP.output.FIELD == VALUE`, `children(STEP).all(status == 'completed')`, `steps.completed >= N`, `file.exists('PATH')` or `env.NAME == 'VALUE'`
    x.formula.toml:13:13: error[unknown-step]: the condition refers to `d`, which does not exist
      help: known steps: `a`, `b`, `c`, `e`, `f`, `g`
    x.formula.toml:14:1: error[cycle]: the gate of `e` can never open: it refers to `f`, which waits for `e`
    x.formula.toml:25:8: error[condition]: the condition refers to its own step, which has not started when it is evaluated
      help: name another step
    ");
    let circle = formula(&steps(
        "e | gate = { type = 'condition', condition = \"f.output.ok == true\" }\nf: e",
    ));
    assert_snapshot!(refused(&[&circle]), @"x.formula.toml:2:1: error[cycle]: the gate of `e` can never open: it refers to `f`, which waits for `e`");
    let none = formula(&(steps("a | condition = '{{on}}'") + "[vars]\non = 0\n"));
    assert_snapshot!(refused(&[&none]), @"
    x.formula.toml:1:11: error[empty-formula]: the conditions remove all steps of the formula
      help: give other values to its variables
    ");
}
