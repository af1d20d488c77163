//! Tests that mistakes in formulas are reported at their positions.

use insta::assert_snapshot;

use super::*;

#[test]
fn formula_empty_is_error() {
    assert_snapshot!(refused(&["formula = 'x'\n"]), @"
    x.formula.toml:1:11: error[empty-formula]: a workflow without any work
      help: add `[[steps]]`
    ");
    assert_snapshot!(refused(&["formula = 'x'\ntype = 'expansion'\n"]), @"
    x.formula.toml:1:11: error[empty-formula]: an expansion without any work
      help: add `[[template]]`
    ");
    assert_snapshot!(refused(&["formula = ' '\n"]), @"x.formula.toml:1:11: error[missing-field]: missing formula name");
    assert_snapshot!(refused(&["formula = 'x'\ntype = 'workflow'\n[[steps]]\nid = 'a'\ntitle = 'A'\n[[template]]\nid = 'b'\ntitle = 'B'\n"]), @"
    x.formula.toml:1:11: error[unsupported]: `template` has no meaning in a workflow
      help: change `type`, or move it to another formula
    ");
}

#[test]
fn extends_cycle_reported_as_path() {
    let a = "formula = 'x'\nextends = ['b']\n";
    let b = "formula = 'b'\nextends = ['x']\n";
    assert_snapshot!(refused(&[a, b]), @"
    b.formula.toml:2:12: error[extends-cycle]: the formulas form an inheritance cycle: x -> b -> x
      help: remove one of these `extends` fields
    ");
}

#[test]
fn limit_exceeded_reported() {
    let text = formula(&steps(
        "r | loop = { range = '1..2^40', body = [{ id = 'a', title = 'A' }] }",
    ));
    assert_snapshot!(refused(&[&text]), @"x.formula.toml:5:18: error[loop-range]: invalid loop range `1..2^40`: it is too long");
    let text = formula(&steps(
        "r | loop = { count = 11, body = [{ id = 'a', title = 'A' }] }",
    ));
    let mut options = options(&[]);
    options.limits.max_steps = 10;
    assert_snapshot!(cooked_with(&[&text], &options).unwrap_err(), @"
    x.formula.toml:5:8: error[too-many-steps]: the formula exceeds the limit of 10 steps here
      help: make the loop shorter, or raise the limit with `--max-steps`
    ");
    options.limits = FormulaLimits {
        max_needs: 10,
        ..FormulaLimits::default()
    };
    let wide: String = (0..4)
        .map(|at| format!("{{ id = 'a{at}', title = 'A' }}, "))
        .collect();
    let text = formula(&steps(&format!(
        "r | loop = {{ count = 2, body = [{wide}] }}"
    )));
    assert_snapshot!(cooked_with(&[&text], &options).unwrap_err(), @"
    nowhere: error[too-many-needs]: the steps have more than 10 needs in total
      help: put one step between groups of steps that wait for each other
    ");
}

#[test]
fn loop_conflicting_fields_refused() {
    let text = |repeat: &str| formula(&steps(&format!("r | loop = {{ {repeat} }}")));
    let body = "body = [{ id = 'a', title = 'A' }]";
    assert_snapshot!(refused(&[&text(&format!("count = 0, {body}"))]), @"x.formula.toml:5:18: error[loop]: `count` of the loop is `0`: expected at least 1");
    assert_snapshot!(refused(&[&text(&format!("count = 2, range = '1..2', {body}"))]), @"x.formula.toml:5:8: error[loop]: a loop needs exactly one of `count`, `range` and `until`");
    assert_snapshot!(refused(&[&text(&format!("range = '5..1', {body}"))]), @"x.formula.toml:5:18: error[loop-range]: invalid loop range `5..1`: the last number, 1, comes before the first, 5");
    assert_snapshot!(refused(&[&text(&format!("until = \"a.status == 'done'\", {body}"))]), @"
    x.formula.toml:5:8: error[loop]: a loop with `until` needs a maximum number of iterations
      help: add `max = 5`
    ");
    assert_snapshot!(refused(&[&text("count = 2, body = []")]), @"
    x.formula.toml:5:8: error[loop]: the loop `r` has no body
      help: add `body` with its steps
    ");
}

#[test]
fn step_name_invalid_refused() {
    assert_snapshot!(refused(&[&formula(&steps("a b\n-c\na: a"))]), @"
    x.formula.toml:3:6: error[step-name]: `a b` is not a step name: ` ` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`
    x.formula.toml:6:6: error[step-name]: `-c` is not a step name: `-` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`
    x.formula.toml:11:10: error[self-reference]: step `a` needs itself
      help: remove it, or name another step
    ");
    assert_snapshot!(refused(&[&formula(&steps("a\na"))]), @"
    x.formula.toml:5:1: error[duplicate-step]: duplicate step `a`
      see x.formula.toml:2:1: first step
      help: give one of the two another id
    ");
}

#[test]
fn conflicting_fields_refused() {
    assert_snapshot!(refused(&[&formula(&steps("a | with = { x = 1 }\nb | retry = { max_attempts = 2 } ; check = { path = 'x' }\nc | timeout = '5 minutes' ; check = { max_attempts = 2 }\nd | on_complete = { for_each = 'items', bond = 'x', parallel = true, sequential = true }\ne | acceptance = [{ command = ['x'], file = 'y' }]"))]), @r#"
    x.formula.toml:5:8: error[unsupported]: step `a` has `with`, but no `uses`
      help: add `uses = "…"`, or remove `with`
    x.formula.toml:9:9: error[unsupported]: step `b` has both `retry` and `check`, which exclude each other
      help: remove one of the two
    x.formula.toml:14:11: error[duration]: `5 minutes` is not a duration
      help: write it like `90s`, `5m` or `1h30m`
    x.formula.toml:15:9: error[check]: the check of step `c` has no program
      help: add `path = "scripts/…"`
    x.formula.toml:19:28: error[for-each]: `items` is not a list in the step's output
      help: write `output.FIELD`
    x.formula.toml:23:14: error[acceptance]: a criterion needs exactly one of `command`, `file`, `grep` and `schema`
    "#);
}
