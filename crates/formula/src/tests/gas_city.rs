//! Tests formulas in the style of Gas City packs, with drains, scopes, targets and undeclared
//! names.

use insta::assert_snapshot;

use super::*;

/// A scope with a setup, two parallel members and a clean-up.
const SCOPED: &str = r#"
formula = 'scoped'
[[steps]]
id = 'body'
title = 'Worktree'
needs = ['write']
metadata = { "gc.kind" = "scope", "gc.scope_name" = "worktree", "gc.scope_role" = "body" }
[[steps]]
id = 'set-up'
title = 'Set up'
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "setup", "gc.on_fail" = "abort_scope" }
[[steps]]
id = 'write'
title = 'Write'
needs = ['set-up']
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "member", "gc.run_target" = "town.writer" }
[[steps]]
id = 'measure'
title = 'Measure'
needs = ['set-up']
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "member" }
[[steps]]
id = 'clean-up'
title = 'Clean up'
metadata = { "gc.kind" = "cleanup", "gc.scope_ref" = "body", "gc.scope_role" = "teardown" }
[[steps]]
id = 'publish'
title = 'Publish'
needs = ['body']
"#;

const ITEM: &str = "formula = 'item'\ninternal = true\nsingle_lane = true\n[vars.branch]\nrequired = true\n[vars.issue]\nrequired = true\n[[steps]]\nid = 'do'\ntitle = 'Do {{issue}} on {{branch}}'\n";

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn scope_needs_members_cleanup_needs_scope() {
    let cooked = cooked(&[SCOPED]);
    assert_snapshot!(graph_of(&cooked), @"
    body <- set-up (scope), write (needs), measure (scope)
    set-up
    write <- set-up (needs)
    measure <- set-up (needs)
    clean-up <- body (scope)
    publish <- body (needs)
    ");
    let scopes: Vec<_> = cooked.steps.iter().map(|step| &step.scope).collect();
    assert_snapshot!(json(&scopes), @r#"[{"role":"body"},{"role":"member","of":"body","aborts":true},{"role":"member","of":"body"},{"role":"member","of":"body"},{"role":"cleanup","of":"body"},null]"#);
    assert_eq!(cooked.steps[2].target.as_deref(), Some("town.writer"));
}

/// The clean-up may start after a failure.
///
/// Only the scope itself checks how its members ended.
#[test]
fn scope_scheduled_by_ends() {
    let specs = cooked(&[SCOPED]).node_specs().unwrap();
    let at = |name: usize| (specs[name].needs.clone(), specs[name].after.clone());
    let index = windlass_plan::StepIndex::new;
    assert_eq!(at(0), (vec![], vec![]), "the scope");
    assert_eq!(at(4), (vec![], vec![index(0)]), "clean-up");
    assert_eq!(at(5), (vec![index(0)], vec![]), "a step after the scope");
}

#[test]
fn control_key_without_effect_warned() {
    let text = formula(&steps(
        "a | metadata = { 'gc.session_affinity' = 'require', 'gc.run_target' = 'mayor', owner = 'ann' }
         b | metadata = { opt_model = 'large', option = 'x' } ; uses = 'command' ; with = { metadata = { 'gc.x' = 'y' } }
         c | metadata = { gc = { kind = 'scope' } } ; loop = { count = 1, body = [{ id = 'd', title = 'D', metadata = { 'gc.continuation_group' = 'g' } }] }",
    ));
    assert_snapshot!(refused(&[&text]), @r#"
    cooked
    x.formula.toml:5:14: warning[no-effect]: metadata `gc.session_affinity` has no effect
      help: remove it, or leave it for Gas City: the metadata of the step keeps it
    x.formula.toml:9:14: warning[no-effect]: metadata `opt_model` has no effect
      help: remove it, or leave it for Gas City: the metadata of the step keeps it
    x.formula.toml:15:14: warning[no-effect]: the metadata table `gc` has no effect
      help: put each key in quotes: `"gc.run_target" = …`
    x.formula.toml:16:67: warning[no-effect]: metadata `gc.continuation_group` has no effect
      help: remove it, or leave it for Gas City: the metadata of the step keeps it
    "#);
    let strict = CookOptions {
        strict: true,
        ..options(&[])
    };
    let found = cooked_with(&[&text], &strict).unwrap_err();
    assert_eq!(found.matches("error[no-effect]").count(), 4, "{found}");
}

#[test]
fn scope_metadata_unknown_refused() {
    let with = |id: &str, metadata: &str| {
        format!("[[steps]]\nid = '{id}'\ntitle = 'T'\nmetadata = {{ {metadata} }}\n")
    };
    let text = formula(
        &[
            with("a", "'gc.kind' = 'retry-eval'"),
            with("b", "'gc.on_fail' = 'ignore', 'gc.scope_ref' = 'a'"),
            with("c", "'gc.scope_role' = 'member'"),
            with("d", "'gc.scope_ref' = 'bodi'"),
            with("e", "'gc.scope_ref' = 'a'"),
            with("f", "'gc.kind' = 'scope', 'gc.scope_ref' = 'body'"),
            with("body", "'gc.kind' = 'scope'"),
        ]
        .concat(),
    );
    assert_snapshot!(refused(&[&text]), @r#"
    x.formula.toml:2:1: error[unsupported]: `retry-eval` is not a value of `gc.kind` for authors
      help: use `scope` or `cleanup`, or remove `gc.kind`
    x.formula.toml:6:1: error[unsupported]: `ignore` is not a value of `gc.on_fail` for authors
      help: use `abort_scope`, or remove `gc.on_fail`
    x.formula.toml:10:1: error[unsupported]: the step belongs to no scope
      help: add `"gc.scope_ref" = "STEP"`, where STEP has `"gc.kind" = "scope"`
    x.formula.toml:14:1: error[unknown-step]: the step belongs to scope `bodi`, which does not exist
      help: did you mean `body`?
    x.formula.toml:18:1: error[scope]: step `a` is not a scope
      help: add `"gc.kind" = "scope"` to its metadata
    x.formula.toml:22:1: error[unsupported]: the scope is inside the scope `body`
      help: remove `gc.scope_ref`: scopes cannot be nested
    "#);
}

#[test]
fn drain_passes_variables_dependents_wait() {
    let text = formula(
        "[vars]\nbranch = 'main'\n[[steps]]\nid = 'spread'\ntitle = 'Spread'\n[steps.drain]\nformula = 'item'\ncontext = 'shared'\nmember_access = 'exclusive'\non_item_failure = 'skip_remaining'\nmax_units = 7\nitem = { single_lane = true }\n[[steps]]\nid = 'sum-up'\ntitle = 'Sum up'\nneeds = ['spread']\n",
    );
    let cooked = cooked(&[&text, ITEM]);
    assert!(cooked.target_required && !cooked.internal);
    assert_snapshot!(json(&cooked.steps[0].drain), @r#"{"formula":"item","vars":{"branch":"main"},"order":"sequential","exclusive":true,"max_items":7,"single_lane":true}"#);
    assert_snapshot!(json(&cooked.steps[1].waits_for), @r#"{"mode":"all","of":["spread"]}"#);
}

#[test]
fn drain_conflicts_refused() {
    let drain = "drain = { formula = 'item', on_item_failure = 'skip_remaining' }";
    let text = formula(&steps(&format!(
        "a | retry = {{ max_attempts = 2 }} ; {drain}
         b | drain = {{ formula = 'item', context = 'shared', on_item_failure = 'continue' }}
         c | drain = {{ formula = 'itme' }}"
    )));
    assert_snapshot!(refused(&[&text, ITEM]), @r#"
    x.formula.toml:2:1: error[unsupported]: step `a` drains the bead, so it cannot have `retry`
      help: move `retry` to the steps of `item`
    x.formula.toml:6:9: error[missing-variable]: variable `branch` of `item` needs a value
      help: declare it here: `[vars.branch]`, which is passed on; or pass `--var branch=…`
    x.formula.toml:6:47: error[unsupported]: the molecules of a `separate` drain start at the same time, so none remains to be skipped
      help: remove `on_item_failure`, or write `context = "shared"`
    x.formula.toml:10:9: error[missing-variable]: variable `branch` of `item` needs a value
      help: declare it here: `[vars.branch]`, which is passed on; or pass `--var branch=…`
    x.formula.toml:10:67: error[unsupported]: the molecules of a `shared` drain follow each other, so none starts after a failed one
      help: remove `on_item_failure`, or write `context = "separate"`
    x.formula.toml:14:21: error[unknown-formula]: there is no formula `itme`
      help: did you mean `item`?
    "#);
}

#[test]
fn head_fields_apply() {
    let text = "formula = 'x'\ntarget_required = true\nsingle_lane = true\nmode = 'report'\ncatalog = { name = 'x', description = 'y' }\nextends = ['base']\n";
    let base = "formula = 'base'\ninternal = true\n[[steps]]\nid = 'a'\ntitle = 'A'\n";
    let cooked = cooked(&[text, base]);
    assert!(cooked.target_required && !cooked.internal);
    let step = &cooked.steps[0];
    assert!(step.parallel == Some(false) && step.review_only);
}

#[test]
fn undeclared_name_is_error_with_place() {
    let text = formula(
        "description = '{{nmae}}'\n[vars]\nname = 'x'\n[vars.later]\n[[steps]]\nid = 'a'\ntitle = 'A'\ndescription = \"\"\"\n{{name}} {{later}} ${{ secrets }} {{else}} {{end}} {{item.title}}\n  {{ author }}\"\"\"\n",
    );
    assert_snapshot!(refused(&[&text]), @"
    x.formula.toml:2:16: error[unknown-variable]: `{{nmae}}` is not a variable of the formula
      help: did you mean `{{name}}`?
    x.formula.toml:11:3: error[unknown-variable]: `{{author}}` is not a variable of the formula
      help: declare it: `[vars.author]`; or pass `--var author=…`
    ");
}

#[test]
fn undeclared_name_takes_given_value() {
    let text = formula("[[steps]]\nid = 'a'\ntitle = 'For {{author}}'\n");
    let cooked = cooked_with(&[&text], &options(&[("author", "Ann")])).unwrap();
    assert_eq!(cooked.steps[0].title, "For Ann");
    assert_eq!(cooked.vars["author"].value.as_deref(), Some("Ann"));
    let unused = cooked_with(&[&text], &options(&[("author", "Ann"), ("auhtor", "Bob")]));
    assert_snapshot!(unused.unwrap_err(), @"
    nowhere: error[unknown-variable]: the formula has no variable `auhtor`
      help: the formula has no variables: remove the value
    ");
}

#[test]
fn bead_names_need_bead() {
    let text = formula(
        "[vars.issue]\ndefault = ''\n[[steps]]\nid = 'a'\ntitle = '{{convoy_id}}: {{issue}}'\n",
    );
    let open = cooked(&[&text]);
    assert!(open.target_required);
    assert_eq!(open.steps[0].title, "{{convoy_id}}: ");
    let options = CookOptions {
        subject: Some(Subject {
            bead: Some("wl-7".to_owned()),
            ..Subject::default()
        }),
        ..CookOptions::default()
    };
    let poured = cooked_with(&[&text], &options).unwrap();
    assert_eq!(poured.steps[0].title, "wl-7: wl-7");
}

/// An expansion may have a file with the text of each step.
///
/// The name of the file may contain the braces of the step's ID.
#[test]
fn description_file_with_braces_found() {
    let expansion = "formula = 'twice'\ntype = 'expansion'\n[vars]\nwhat = 'it'\n[[template]]\nid = '{target}.check'\ntitle = 'Check'\ndescription = 'replaced'\ndescription_file = '../assets/{target}.check.md'\n";
    let text = formula(&steps("a | expand = 'twice'"));
    assert_eq!(
        cooked(&[&text, expansion]).steps[0].description,
        "Build it."
    );
}

#[test]
fn machine_step_labels_checked() {
    let text = formula(&steps(
        "a | uses = 'command' ; with = { argv = ['x'] } ; runs_on = ['gpu', 'linux', 'gpu']
         b | uses = 'command' ; with = { argv = ['x'] } ; metadata = { 'gc.run_target' = 'pool' }
         c | metadata = { 'gc.run_target' = 'pool' }",
    ));
    let cooked = cooked(&[&text]);
    let labels: Vec<_> = cooked.steps.iter().map(|step| &step.runs_on).collect();
    assert_snapshot!(json(&labels), @r#"[["gpu","linux"],["pool"],[]]"#);
    let targets: Vec<_> = cooked.steps.iter().map(|step| &step.target).collect();
    assert_snapshot!(json(&targets), @r#"[null,null,"pool"]"#);
    let text = formula(&steps(
        "a | runs_on = ['gpu']
         b | uses = 'command' ; with = { argv = ['x'] } ; runs_on = ['a b']",
    ));
    assert_snapshot!(refused(&[&text]), @r#"
    x.formula.toml:2:1: error[unsupported]: step `a` has `runs_on`, but an agent performs it
      help: add `uses = KIND`, or name the agent with `assignee`
    x.formula.toml:6:1: error[unsupported]: `a b` is not a label
      help: use a word without spaces and commas, such as `gpu`
    "#);
}
