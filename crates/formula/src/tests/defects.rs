//! Tests for defects that other programs for formulas have.
//!
//! We have to get each of these right.

use insta::assert_snapshot;

use super::*;

const TWO: &str = "formula = 'two'\ntype = 'expansion'\n[[template]]\nid = '{target}.draft'\ntitle = 'Draft {target.title}'\n[[template]]\nid = '{target}.check'\ntitle = 'Check'\nneeds = ['{target}.draft']\n[[template]]\nid = '{target}.log'\ntitle = 'Log'\nneeds = ['{target}.draft']\n";

#[test]
fn need_on_loop_waits_for_last_iteration() {
    let text = formula(&steps(
        "a
         retry: a | loop = { count = 2, body = [{ id = 'b', title = 'B' }, { id = 'c', title = 'C', needs = ['b'] }] }
         d: retry",
    ));
    assert_snapshot!(graph(&[&text]), @"
    a
    retry.iter1.b <- a (loop)
    retry.iter1.c <- retry.iter1.b (needs)
    retry.iter2.b <- retry.iter1.c (loop)
    retry.iter2.c <- retry.iter2.b (needs)
    d <- retry.iter2.c (needs)
    ");
}

/// A need on an expanded step can't just wait for one of its ends.
#[test]
fn need_on_expanded_step_waits_for_all_ends() {
    let own = formula(&steps("a\nb: a | expand = 'two'\nc: b"));
    let by_rule =
        formula(&(steps("a\nb: a\nc: b") + "[[compose.expand]]\ntarget = 'b'\nwith = 'two'\n"));
    let want = graph(&[&own, TWO]);
    assert_snapshot!(want, @"
    a
    b.draft <- a (expansion)
    b.check <- b.draft (needs)
    b.log <- b.draft (needs)
    c <- b.check (needs), b.log (needs)
    ");
    assert_eq!(graph(&[&by_rule, TWO]), want);
}

/// When a step is removed, the others must stay in the same order.
#[test]
fn removed_step_passes_on_needs() {
    let text = formula(
        &(steps("a\nb: a | condition = '{{on}}'\nc: b | condition = '{{on}}'\nd: c")
            + "[vars]\non = ''\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    a
    d <- a (bridge)
    without b: {{on}}
    without c: {{on}}
    ");
    assert_snapshot!(graph_with(&[&text], &[("on", "yes")]), @"
    a
    b <- a (needs)
    c <- b (needs)
    d <- c (needs)
    ");
}

#[test]
fn need_unknown_step_is_error() {
    assert_snapshot!(refused(&[&formula(&steps("build\ntest: biuld\nship: tests"))]), @"
    x.formula.toml:8:10: error[unknown-step]: step `test` needs `biuld`, which does not exist
      help: did you mean `build`?
    x.formula.toml:12:10: error[unknown-step]: step `ship` needs `tests`, which does not exist
      help: did you mean `test`?
    ");
}

#[test]
fn cycle_reported_as_path() {
    assert_snapshot!(refused(&[&formula(&steps("a: c\nb: a\nc: b\nd: a"))]), @"
    x.formula.toml:5:10: error[cycle]: the steps need each other in a circle: a -> c -> b -> a
      see x.formula.toml:13:10: `c` needs `b` here
      see x.formula.toml:9:10: `b` needs `a` here
      help: `a -> b` means that `a` needs `b`: remove one of these needs
    ");
    let mixed = formula(&steps(
        "p | children = [{ id = 'c', title = 'C', needs = ['p'] }]",
    ));
    assert_snapshot!(refused(&[&mixed]), @"
    x.formula.toml:5:13: error[cycle]: the steps need each other in a circle: p -> c -> p
      see x.formula.toml:5:47: `c` needs `p` here
      help: `a -> b` means that `a` needs `b`: remove one of these needs
    ");
}

#[test]
fn inherited_formula_kept_whole() {
    let parent = "formula = 'p'\nphase = 'vapor'\npour = true\n[[steps]]\nid = 'a'\ntitle = 'A'\n[[steps]]\nid = 'b'\ntitle = 'B'\n[[steps]]\nid = 'c'\ntitle = 'C'\n[[advice]]\ntarget = 'b'\nbefore = { id = 'pre-{step.id}' }\n[[compose.branch]]\nfrom = 'a'\nsteps = ['b']\njoin = 'c'\n[[compose.gate]]\nbefore = 'c'\ncondition = \"b.output.ok == true\"\n";
    let child = "formula = 'x'\nextends = ['p']\n[[steps]]\nid = 'd'\ntitle = 'D'\nneeds = ['c']\n";
    let cooked = cooked(&[child, parent]);
    assert_snapshot!(graph_of(&cooked), @"
    a
    pre-b <- a (advice)
    b <- pre-b (advice)
    c <- b (branch)
    d <- c (needs)
    ");
    assert_eq!((cooked.phase, cooked.pour), (Some(Phase::Vapor), true));
    assert_eq!(
        cooked
            .steps
            .iter()
            .filter(|step| !step.gates.is_empty())
            .count(),
        1
    );
}

#[test]
fn template_and_loop_keep_all_fields() {
    let fields = "notes = 'n-{{v}}'\npriority = 1\nassignee = '{{v}}'\ntimeout = '5m'\nwaits_for = 'children-of(survey)'\nacceptance = 'ok {{v}}'\nretry = { max_attempts = 2 }\n";
    let full = format!(
        "id = 'w'\ntitle = 'W'\nlabels = ['l-{{{{v}}}}']\nneeds = ['survey']\n{fields}metadata = {{ k = '{{{{v}}}}' }}\ngate = {{ type = 'human', await_id = '{{{{v}}}}' }}\n"
    );
    let survey = "[[steps]]\nid = 'survey'\ntitle = 'S'\n[vars]\nv = 'x'\n";
    let expansion = format!("formula = 'e'\ntype = 'expansion'\n[[template]]\n{full}");
    let expanded =
        format!("formula = 'x'\n{survey}[[steps]]\nid = 't'\ntitle = 'T'\nexpand = 'e'\n");
    let inline = full.trim().replace('\n', ", ");
    let looped = format!(
        "formula = 'x'\n{survey}[[steps]]\nid = 't'\ntitle = 'T'\nloop = {{ count = 1, body = [{{ {inline} }}] }}\n"
    );
    let written = [expanded, looped].map(|text| {
        let cooked = cooked(&[&text, &expansion]);
        let mut step = cooked.steps[1].clone();
        step.origin = cooked.steps[0].origin.clone();
        step.id = "w".to_owned();
        serde_json::to_string(&step).unwrap()
    });
    assert_eq!(written[0], written[1]);
    assert_snapshot!(written[0], @r#"{"id":"w","title":"W","notes":"n-x","priority":1,"labels":["l-x"],"metadata":{"k":"x"},"assignee":"x","needs":[{"step":"survey","kind":"needs"}],"waits_for":{"mode":"all","of":["survey"]},"gates":[{"type":"human","await_id":"x"}],"acceptance":[{"prose":"ok x"}],"retry":{"max_attempts":2},"timeout":"5m","origin":{"source":0,"line":2}}"#);
}

/// Iterations must not overlap, even if the body has parallel steps.
#[test]
fn iteration_waits_for_previous_iteration() {
    let text = formula(&steps(
        "r | loop = { count = 2, body = [{ id = 'a', title = 'A' }, { id = 'b', title = 'B' }] }",
    ));
    assert_snapshot!(graph(&[&text]), @"
    r.iter1.a
    r.iter1.b
    r.iter2.a <- r.iter1.a (loop), r.iter1.b (loop)
    r.iter2.b <- r.iter1.a (loop), r.iter1.b (loop)
    ");
}

#[test]
fn loop_range_uses_variables() {
    let text = formula(
        &(steps(
            "m | loop = { range = '1..2^{n}-1', var = 'k', body = [{ id = 'move', title = 'Move {k} of {{n}}' }] }",
        ) + "[vars]\nn = 2\n"),
    );
    let cooked = cooked(&[&text]);
    let titles: Vec<_> = cooked
        .steps
        .iter()
        .map(|step| step.title.as_str())
        .collect();
    assert_eq!(titles, ["Move 1 of 2", "Move 2 of 2", "Move 3 of 2"]);
}

#[test]
fn map_rule_keeps_step_order() {
    let many: String = (0..30).map(|at| format!("s{at}.build\n")).collect();
    let text = formula(&(steps(&many) + "[[compose.map]]\nselect = '*.build'\nwith = 'one'\n"));
    let one = "formula = 'one'\ntype = 'expansion'\n[[template]]\nid = '{target}.x'\ntitle = 'X'\n";
    let cooked = cooked(&[&text, one]);
    let want: Vec<_> = (0..30).map(|at| format!("s{at}.build.x")).collect();
    let ids: Vec<_> = cooked.steps.iter().map(|step| step.id.clone()).collect();
    assert_eq!(ids, want);
}

#[test]
fn waits_for_children_needs_their_maker() {
    let fan = "on_complete = { for_each = 'output.items', bond = 'one' }";
    let one = "formula = 'one'\n[[steps]]\nid = 'a'\ntitle = 'A'\n";
    let text = formula(&steps(&format!(
        "other\nsurvey | {fan}\nall: other survey | waits_for = 'all-children'\nany: survey | waits_for = 'any-children'\nof | waits_for = 'children-of(survey)'"
    )));
    let cooked = cooked(&[&text, one]);
    assert_snapshot!(graph_of(&cooked), @"
    other
    survey
    all <- other (needs), survey (needs)
    any <- survey (needs)
    of <- survey (waits_for)
    ");
    let waits: Vec<_> = cooked
        .steps
        .iter()
        .filter_map(|step| step.waits_for.clone())
        .collect();
    assert_eq!(
        waits.iter().map(|waits| waits.mode).collect::<Vec<_>>(),
        [WaitMode::All, WaitMode::Any, WaitMode::All]
    );
    assert!(waits.iter().all(|waits| waits.of == ["survey"]));
    assert_snapshot!(refused(&[&formula(&steps("a | waits_for = 'all-children'\nb | waits_for = 'children-of(c)'\nc2 | waits_for = 'all'"))]), @r#"
    x.formula.toml:5:13: error[waits-for]: step `a` waits for children, but needs no step that could have any
      help: name the step in `needs`, or write `waits_for = "children-of(STEP)"`
    x.formula.toml:9:13: error[unknown-step]: step `b` needs `c`, which does not exist
      help: known steps: `a`, `b`, `c2`
    x.formula.toml:13:13: error[waits-for]: `all` is not a valid `waits_for`
      help: write `all-children`, `any-children` or `children-of(STEP)`
    "#);
}

/// Other programs parse some features and then ignore them, but we have to implement or reject
/// them.
#[test]
fn understood_features_are_honoured() {
    let text = formula(
        &(steps(
            "a | on_complete = { for_each = 'output.rows', bond = 'one', sequential = true, vars = { name = '{item.name}-{index}' } }\nb: a",
        ) + "[[compose.gate]]\nbefore = 'b'\ncondition = \"a.output.ok == true\"\n[[compose.hooks]]\ntrigger = 'label:security'\nattach = 'one'\nvars = { name = 'hooked' }\n"),
    );
    let one =
        "formula = 'one'\n[[steps]]\nid = 's'\ntitle = '{{name}}'\n[vars.name]\nrequired = true\n";
    let plain = cooked(&[&text, one]);
    let fan_out = plain.steps[0].on_complete.clone().unwrap();
    assert_eq!(
        (fan_out.formula.as_str(), fan_out.order),
        ("one", FanOutOrder::Sequential)
    );
    assert_eq!(fan_out.vars["name"], "{item.name}-{index}");
    assert!(matches!(
        plain.steps[1].gates[0].kind,
        GateKind::Condition { .. }
    ));
    assert_eq!(plain.open_hooks.len(), 1);
    let mut options = options(&[]);
    options.subject = Some(Subject {
        labels: vec!["security".to_owned()],
        ..Subject::default()
    });
    assert_snapshot!(graph_of(&cooked_with(&[&text, one], &options).unwrap()), @"
    a
    b <- a (needs)
    one.s <- b (hook)
    ");
}

#[test]
fn loop_until_bounded_by_max() {
    let text = formula(&steps(
        "r | loop = { until = \"review.output.ok == true\", max = 2, body = [{ id = 'fix', title = 'F' }, { id = 'review', title = 'R', needs = ['fix'] }] }\nship: r",
    ));
    let cooked = cooked(&[&text]);
    assert_snapshot!(graph_of(&cooked), @"
    r.iter1.fix
    r.iter1.review <- r.iter1.fix (needs)
    r.iter2.fix <- r.iter1.review (loop)
    r.iter2.review <- r.iter2.fix (needs)
    ship <- r.iter2.review (needs)
    ");
    let second = &cooked.steps[2];
    assert_snapshot!(serde_json::to_string(&(&second.run_if, &cooked.steps[3].must_hold)).unwrap(), @r#"[[{"holds":false,"condition":{"text":"review.output.ok == true","looks_at":{"what":"steps","steps":["r.iter1.review"],"test":{"output":["ok"],"op":"==","value":"true"}}}}],{"text":"review.output.ok == true","looks_at":{"what":"steps","steps":["r.iter2.review"],"test":{"output":["ok"],"op":"==","value":"true"}}}]"#);
    assert!(cooked.steps[0].run_if.is_empty() && cooked.steps[1].must_hold.is_none());
}

#[test]
fn variable_constraints_checked() {
    let vars = "[vars.mode]\nenum = ['fast', 'slow']\ndefault = 'fats'\n[vars.pr]\npattern = '^[0-9]+$'\n[vars.n]\ntype = 'int'\n[vars.on]\ntype = 'bool'\n[vars.need]\nrequired = true\ndescription = 'the issue'\n";
    let text = formula(&(steps("a") + vars));
    assert_snapshot!(graph_with(&[&text], &[("pr", "12x"), ("n", "1.5"), ("on", "yes"), ("moed", "slow")]), @"
    nowhere: error[unknown-variable]: the formula has no variable `moed`
      help: did you mean `mode`?
    x.formula.toml:5:1: error[variable-enum]: the default of variable `mode` is `fats`, which is not an allowed value
      help: did you mean `fast`?
    x.formula.toml:8:1: error[variable-pattern]: the value of variable `pr` is `12x`, which does not match `^[0-9]+$`
      help: use a value that matches
    x.formula.toml:10:1: error[variable-type]: the value of variable `n` is `1.5`, not a whole number
      help: use a whole number
    x.formula.toml:12:1: error[variable-type]: the value of variable `on` is `yes`, not `true` or `false`
      help: use `true` or `false`
    x.formula.toml:14:1: error[missing-variable]: variable `need` needs a value
      help: pass `--var need=…` (the issue)
    ");
}

#[test]
fn gate_kinds_and_timeouts_parsed() {
    let text = formula(&steps(
        "a | gate = { type = 'timer', timeout = '5m' }
         b | gate = { type = 'timer', duration = '5m', timeout = '1h' }
         c | gate = { type = 'human', timeout = '24h' }
         d | gate = { type = 'gh:run', id = 'release.yml', timeout = '30m' }
         e | gate = { type = 'command', command = ['make', 'ready'] }
         f: e | gate = { type = 'conditional', condition = \"e.output.ok == true\" }",
    ));
    let cooked = cooked(&[&text]);
    let gates: Vec<_> = cooked
        .steps
        .iter()
        .map(|step| serde_json::to_string(&(&step.gates, &step.run_if)).unwrap())
        .collect();
    assert_snapshot!(gates.join("\n"), @r#"
    [[{"type":"timer","duration":"5m"}],[]]
    [[{"type":"timer","duration":"5m","timeout":"1h"}],[]]
    [[{"type":"human","timeout":"24h"}],[]]
    [[{"type":"github_run","await_id":"release.yml","timeout":"30m"}],[]]
    [[{"type":"command","command":["make","ready"]}],[]]
    [[],[{"holds":true,"condition":{"text":"e.output.ok == true","looks_at":{"what":"steps","steps":["e"],"test":{"output":["ok"],"op":"==","value":"true"}}}}]]
    "#);
    assert_snapshot!(refused(&[&formula(&steps("a | gate = { type = 'gh:runs' }\nb | gate = { type = 'bead' }\nc | gate = { type = 'timer', duration = 'soon' }\nd: a | gate = { type = 'conditional', condition = 'no_response' }"))]), @r#"
    x.formula.toml:5:17: error[gate-type]: unknown gate type `gh:runs`
      help: did you mean `gh:run`?
    x.formula.toml:9:8: error[gate]: a `bead` gate needs a subject to wait for
      help: add `await_id = "…"`
    x.formula.toml:13:37: error[duration]: `soon` is not a duration
      help: write it like `90s`, `5m` or `1h30m`
    x.formula.toml:18:44: error[condition]: invalid gate condition: `no_response` is not a condition
      help: return it in the output of `a` and write `a.output.no_response == true`
    "#);
}

#[test]
fn depends_on_equals_needs() {
    let needs = formula(&steps("a\nb: a"));
    let depends = formula(&steps("a\nb | depends_on = ['a']"));
    assert_eq!(graph(&[&needs]), graph(&[&depends]));
}

/// Other programs report an error in an inherited formula as if the formula were missing.
#[test]
fn parent_error_reported_at_its_place() {
    let text = formula("extends = ['parent']\n[[steps]]\nid = 'a'\ntitle = 'A'\n");
    let broken = "formula = 'parent'\n[[steps]]\nid = 'b'\nneed = ['a']\n";
    assert_snapshot!(refused(&[&text, broken]), @"
    parent.formula.toml:4:1: error[unknown-field]: there is no field `need`, and ignoring it could change the steps or their order
      help: did you mean `needs`?
    ");
    assert_snapshot!(refused(&[&text.replace("'parent'", "'paren'"), broken]), @"
    x.formula.toml:2:12: error[unknown-formula]: there is no formula `paren`
      help: did you mean `parent`?
    ");
}

#[test]
fn values_filled_in_all_fields() {
    let text = formula(
        &(steps(
            "a-{{v}} | description = '{{v}} ${{undeclared}} {{#if v}}' ; notes = '{{v}}' ; assignee = '{{v}}' ; labels = ['{{v}}'] ; metadata = { deep = { list = ['{{v}}'] } } ; acceptance = '{{v}}' ; gate = { type = 'mail', await_id = '{{v}}' }",
        ) + "[vars]\nv = \"two\\nlines\"\n"),
    );
    let text = text.replace("a-{{v}}", "a");
    assert_snapshot!(serde_json::to_string(&cooked(&[&text]).steps[0]).unwrap(), @r#"{"id":"a","title":"T","description":"two\nlines ${{undeclared}} {{#if v}}","notes":"two\nlines","labels":["two\nlines"],"metadata":{"deep":{"list":["two\nlines"]}},"assignee":"two\nlines","gates":[{"type":"mail","await_id":"two\nlines"}],"acceptance":[{"prose":"two\nlines"}],"origin":{"source":0,"line":2}}"#);
}

/// Molecules use the digest to notice changes in their formula, so it has to cover all sources.
#[test]
fn digest_covers_all_sources() {
    let text = formula(&steps("a | expand = 'two'"));
    let first = cooked(&[&text, TWO]);
    assert_eq!(first.digest, cooked(&[&text, TWO]).digest);
    let other = TWO.replace("Draft", "Sketch");
    assert_ne!(first.digest, cooked(&[&text, &other]).digest);
    let names: Vec<_> = first
        .sources
        .iter()
        .map(|source| (source.name.as_str(), source.role))
        .collect();
    assert_eq!(
        names,
        [("x", SourceRole::Formula), ("two", SourceRole::Expansion)]
    );
}
