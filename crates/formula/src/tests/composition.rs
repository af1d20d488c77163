//! Tests templates, advice, bond points and hooks.

use insta::assert_snapshot;

use super::*;

const REVIEWED: &str = "formula = 'reviewed'\ntype = 'expansion'\n[vars.by]\nrequired = true\n[[template]]\nid = '{target}.draft'\ntitle = 'Draft {target.title} by {by}'\n[[template]]\nid = '{target}'\ntitle = 'Review {target.description}'\nneeds = ['{target}.draft']\n";

const SCAN: &str = "formula = 'scan'\ntype = 'aspect'\n[[advice]]\ntarget = 'b'\n[[advice.around.before]]\nid = '{step.id}-pre'\ntitle = 'Before {step.title}'\n[[advice.around.before]]\nid = '{step.id}-pre2'\n[[advice.around.after]]\nid = '{step.id}-post'\nargs = { level = 3 }\n";

#[test]
fn template_step_may_reuse_target_name() {
    let text = formula(
        &(steps("a\nb: a | description = 'd' ; labels = ['l'] ; priority = 0\nc: b")
            + "[[compose.expand]]\ntarget = 'b'\nwith = 'reviewed'\nvars = { by = 'me' }\n"),
    );
    let cooked = cooked(&[&text, REVIEWED]);
    assert_snapshot!(graph_of(&cooked), @"
    a
    b.draft <- a (expansion)
    b <- b.draft (needs)
    c <- b (needs)
    ");
    assert_eq!(cooked.steps[1].title, "Draft T by me");
    assert_eq!(
        (cooked.steps[2].title.as_str(), cooked.steps[2].priority),
        ("Review d", Some(0))
    );
    assert_eq!(cooked.steps[2].labels, ["l"]);
    assert_eq!(
        cooked.steps[2].origin.via,
        [Via::Expansion {
            formula: "reviewed".to_owned(),
            target: "b".to_owned()
        }]
    );
}

#[test]
fn template_part_needed_by_name() {
    let text = formula(
        &(steps("b\nc: b.draft")
            + "[[compose.expand]]\ntarget = 'b'\nwith = 'reviewed'\nvars = { by = 'me' }\n"),
    );
    assert_snapshot!(graph(&[&text, REVIEWED]), @"
    b.draft
    b <- b.draft (needs)
    c <- b.draft (needs)
    ");
}

#[test]
fn template_in_loop_sees_variables() {
    let text = formula(
        &(steps(
            "r | loop = { count = 2, var = 'n', body = [{ id = 'b', title = 'B{n}' }, { id = 'c', title = 'C', needs = ['b'] }] }\nd: r",
        ) + "[[compose.map]]\nselect = '*.b'\nwith = 'reviewed'\nvars = { by = 'me' }\n"),
    );
    let cooked = cooked(&[&text, REVIEWED]);
    assert_snapshot!(graph_of(&cooked), @"
    r.iter1.b.draft
    r.iter1.b <- r.iter1.b.draft (needs)
    r.iter1.c <- r.iter1.b (needs)
    r.iter2.b.draft <- r.iter1.c (expansion)
    r.iter2.b <- r.iter2.b.draft (needs)
    r.iter2.c <- r.iter2.b (needs)
    d <- r.iter2.c (needs)
    ");
    assert_eq!(cooked.steps[3].title, "Draft B2 by me");
}

#[test]
fn expansion_cooked_alone() {
    let text = REVIEWED.replace("'reviewed'", "'x'");
    let cooked = cooked_with(&[&text], &options(&[("by", "you")])).unwrap();
    assert_snapshot!(graph_of(&cooked), @"
    main.draft
    main <- main.draft (needs)
    ");
    assert_eq!(cooked.steps[0].title, "Draft x by you");
}

#[test]
fn template_mistakes_reported() {
    let rule = |target: &str, with: &str| {
        format!("[[compose.expand]]\ntarget = '{target}'\nwith = '{with}'\n")
    };
    let text = formula(
        &(steps("a\nb")
            + &rule("c", "reviewed")
            + &rule("b", "reviewd")
            + "[[compose.map]]\nselect = 'zz*'\nwith = 'reviewed'\n"),
    );
    assert_snapshot!(refused(&[&text, REVIEWED]), @"
    x.formula.toml:9:10: error[unknown-step]: there is no step `c` to replace by the template
    x.formula.toml:13:8: error[unknown-formula]: there is no formula `reviewd`
      help: did you mean `reviewed`?
    x.formula.toml:15:10: warning[no-match]: no step matches `zz*`, so the template is unused
    ");
    assert_snapshot!(refused(&[&formula(&(steps("a") + &rule("a", "reviewed"))), REVIEWED]), @r#"
    x.formula.toml:7:8: error[missing-variable]: variable `by` needs a value
      help: set it here: `vars = { by = "…" }`
    "#);
    assert_snapshot!(refused(&[&formula(&(steps("a") + &rule("a", "scan"))), SCAN]), @r#"
    x.formula.toml:7:8: error[wrong-formula]: `scan` is an aspect, not an expansion
      help: use a formula with `type = "expansion"` and `[[template]]`
    "#);
    let round = "formula = 'round'\ntype = 'expansion'\n[[template]]\nid = '{target}.x'\ntitle = 'X'\nexpand = 'round'\n";
    assert_snapshot!(refused(&[&formula(&steps("a | expand = 'round'")), round]), @"
    round.formula.toml:6:10: error[expansion-cycle]: the expansions form a cycle: round -> round
      help: remove one of these `expand` fields
    ");
    let same = "formula = 'same'\ntype = 'expansion'\n[[template]]\nid = 'fixed'\ntitle = 'X'\n";
    assert_snapshot!(refused(&[&formula(&steps("a | expand = 'same'\nb | expand = 'same'")), same]), @"
    same.formula.toml:3:1: error[duplicate-step]: duplicate step `fixed`, both from the same place in a document
      see same.formula.toml:3:1: first step
      help: use `{target}` in the ids of a template, or `{step.id}` in those of advice
    ");
    assert_snapshot!(refused(&[&formula(&steps("a | expand = 'same' ; uses = 'search' ; timeout = '5m'")), same]), @"
    x.formula.toml:2:1: error[unsupported]: step `a` is replaced by a template, so it cannot have `timeout`
      help: move `timeout` to the steps that replace it
    x.formula.toml:2:1: error[unsupported]: step `a` is replaced by a template, so it cannot have `uses`
      help: move `uses` to the steps that replace it
    ");
}

#[test]
fn advice_woven_between_neighbours() {
    let text =
        formula(&("compose = { aspects = ['scan'] }\n".to_owned() + &steps("a\nb: a\nc: b")));
    let woven = cooked(&[&text, SCAN]);
    assert_snapshot!(graph_of(&woven), @"
    a
    b-pre <- a (advice)
    b-pre2 <- b-pre (advice)
    b <- b-pre2 (advice)
    b-post <- b (advice)
    c <- b-post (needs)
    ");
    assert_eq!(woven.steps[4].metadata["args"]["level"], "3");
}

#[test]
fn advice_woven_around_template() {
    let text = formula(&("compose = { aspects = ['scan'], expand = [{ target = 'b', with = 'reviewed', vars = { by = 'me' } }] }\n".to_owned() + &steps("a\nb: a\nc: b")));
    assert_snapshot!(graph(&[&text, SCAN, REVIEWED]), @"
    a
    b-pre <- a (advice)
    b-pre2 <- b-pre (advice)
    b.draft <- b-pre2 (expansion)
    b <- b.draft (needs)
    b-post <- b (advice)
    c <- b-post (needs)
    ");
}

#[test]
fn pointcuts_select_advised_steps() {
    let text = formula(
        &(steps("a | labels = ['risky']\nb: a | type = 'bug'\nc: b")
            + "[[advice]]\nbefore = { id = 'check-{step.id}' }\n[[pointcuts]]\nlabel = 'risky'\n[[pointcuts]]\ntype = 'bug'\n"),
    );
    assert_snapshot!(graph(&[&text]), @"
    check-a
    a <- check-a (advice)
    check-b <- a (advice)
    b <- check-b (advice)
    c <- b (needs)
    ");
}

#[test]
fn hook_attaches_at_bond_point() {
    let hook = |at: &str| {
        format!(
            "[[compose.bond_points]]\nid = 'mid'\nafter_step = 'a'\n[[compose.bond_points]]\nid = 'pre'\nbefore_step = 'b'\n[[compose.bond_points]]\nid = 'side'\nafter_step = 'b'\nparallel = true\n[[compose.hooks]]\ntrigger = 'priority:0-1'\nattach = 'audit'\nat = '{at}'\n"
        )
    };
    let audit = "formula = 'audit'\n[[steps]]\nid = 'one'\ntitle = 'O'\n[[steps]]\nid = 'two'\ntitle = 'T'\nneeds = ['one']\n";
    let mut options = options(&[]);
    options.subject = Some(Subject {
        priority: Some(1),
        ..Subject::default()
    });
    let with = |at: &str, options: &CookOptions<'_>| {
        let text = formula(&(steps("a\nb: a\nc: b") + &hook(at)));
        cooked_with(&[&text, audit], options).map_or_else(|found| found, |cooked| graph_of(&cooked))
    };
    assert_snapshot!(with("mid", &options), @"
    a
    audit.one <- a (hook)
    audit.two <- audit.one (needs)
    b <- audit.two (needs)
    c <- b (needs)
    ");
    assert_snapshot!(with("pre", &options), @"
    a
    audit.one <- a (hook)
    audit.two <- audit.one (needs)
    b <- audit.two (hook)
    c <- b (needs)
    ");
    assert_snapshot!(with("side", &options), @"
    a
    b <- a (hook)
    audit.one <- a (hook)
    audit.two <- audit.one (needs)
    c <- b (needs), audit.two (needs)
    ");
    assert_snapshot!(with("end", &options), @"
    a
    b <- a (needs)
    c <- b (needs)
    audit.one <- c (hook)
    audit.two <- audit.one (needs)
    ");
    assert_snapshot!(with("midd", &options), @"
    x.formula.toml:26:6: error[unknown-bond-point]: there is no bond point `midd`
      help: did you mean `mid`?
    ");
    options.subject = Some(Subject::default());
    assert_snapshot!(with("mid", &options), @"
    a
    b <- a (needs)
    c <- b (needs)
    ");
}
