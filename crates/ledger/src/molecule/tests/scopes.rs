//! Scopes with abort and clean-up, and steps with a target.

use super::*;

/// Pours a scope `body` with the members `setup`, `left` and `right`, the clean-up `tidy`, and a
/// later step `after`. If `aborts` is set, a failure of `setup` or `left` aborts the scope.
fn scoped(aborts: bool) -> (Folder, Journal) {
    let member =
        |aborts: bool| json!({ "scope": { "role": "member", "of": "body", "aborts": aborts } });
    let with = json!({
        "body": { "scope": { "role": "body" } },
        "setup": member(aborts),
        "left": member(aborts),
        "right": member(false),
        "tidy": { "scope": { "role": "cleanup", "of": "body" } },
    });
    pour(
        "before; setup: before; left: setup; right: setup; body: setup left right; tidy: body; after: body",
        with,
    )
}

#[test]
fn scope_completes_with_its_members() {
    let (_folder, mut ledger) = scoped(true);
    assert_eq!(
        claim(&mut ledger, "ann", 1, Some("body")),
        "`body` of `mol-a` cannot be claimed: it completes with the steps it contains"
    );
    for (second, step) in [(2, "before"), (3, "setup"), (4, "left")] {
        do_step(&mut ledger, second, step, Value::Null);
    }
    assert_eq!(
        statuses(&ledger),
        "before=completed setup=completed left=completed right=ready body=blocked tidy=pending after=pending"
    );
    do_step(&mut ledger, 5, "right", Value::Null);
    assert_eq!(
        statuses(&ledger),
        "before=completed setup=completed left=completed right=completed body=completed tidy=ready after=ready"
    );
}

#[test]
fn scope_abort_skips_members_and_cleans_up() {
    let (_folder, mut ledger) = scoped(true);
    do_step(&mut ledger, 1, "before", Value::Null);
    do_step(&mut ledger, 2, "setup", Value::Null);
    assert!(!fail(&mut ledger, 3, "left"));
    assert_eq!(
        statuses(&ledger),
        "before=completed setup=completed left=failed right=skipped body=failed tidy=ready after=blocked"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let reason = |name: &str| molecule.reason(step(&molecule, name)).unwrap();
    assert_eq!(
        reason("right"),
        "`left` failed, which aborts the scope `body`"
    );
    assert_eq!(reason("body"), "`left` failed");
    do_step(&mut ledger, 4, "tidy", Value::Null);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, Some(Outcome::Failed));
}

/// An aborted scope leaves a member in progress to its holder, and ends after that member.
#[test]
fn scope_abort_lets_member_in_progress_end() {
    let (_folder, mut ledger) = scoped(true);
    do_step(&mut ledger, 1, "before", Value::Null);
    do_step(&mut ledger, 2, "setup", Value::Null);
    let right = token(&mut ledger, "ann", 3, "right");
    fail(&mut ledger, 3, "left");
    assert!(statuses(&ledger).contains("right=in_progress body=blocked tidy=pending"));
    assert_eq!(
        complete(&mut ledger, 4, "right", &right, Value::Null),
        "true"
    );
    assert!(statuses(&ledger).contains("right=completed body=failed tidy=ready"));
}

#[test]
fn scope_without_abort_goes_on() {
    let (_folder, mut ledger) = scoped(false);
    do_step(&mut ledger, 1, "before", Value::Null);
    do_step(&mut ledger, 2, "setup", Value::Null);
    fail(&mut ledger, 3, "left");
    assert!(statuses(&ledger).contains("left=failed right=ready body=blocked tidy=pending"));
    do_step(&mut ledger, 4, "right", Value::Null);
    assert!(statuses(&ledger).contains("right=completed body=failed tidy=ready after=blocked"));
}

#[test]
fn scope_that_cannot_start_cleans_up() {
    let (_folder, mut ledger) = scoped(true);
    fail(&mut ledger, 1, "before");
    assert_eq!(
        statuses(&ledger),
        "before=failed setup=blocked left=blocked right=blocked body=failed tidy=ready after=blocked"
    );
}

#[test]
fn scope_repeats_after_push_back() {
    let (_folder, mut ledger) = scoped(true);
    do_step(&mut ledger, 1, "before", Value::Null);
    do_step(&mut ledger, 2, "setup", Value::Null);
    fail(&mut ledger, 3, "left");
    do_step(&mut ledger, 4, "tidy", Value::Null);
    let again = MolPushedBack {
        mol_id: "mol-a".to_owned(),
        step_id: "left".to_owned(),
        reason: "mended".to_owned(),
        ..MolPushedBack::default()
    };
    emit(&mut ledger, 5, again).unwrap();
    assert_eq!(
        settle(&mut ledger, 6),
        "before=completed setup=completed left=ready right=ready body=blocked tidy=pending after=pending"
    );
    do_step(&mut ledger, 7, "left", Value::Null);
    do_step(&mut ledger, 8, "right", Value::Null);
    assert!(statuses(&ledger).contains("body=completed tidy=ready after=ready"));
}

#[test]
fn target_alone_may_claim() {
    let (_folder, mut ledger) = pour("a; b", json!({ "a": { "target": "town.reviewer" } }));
    assert_eq!(
        claim(&mut ledger, "rig/polecat-2", 1, Some("a")),
        "`a` of `mol-a` is for `town.reviewer` alone, not for `rig/polecat-2`"
    );
    assert!(claim(&mut ledger, "rig/polecat-2", 1, None).starts_with("b "));
    assert!(claim(&mut ledger, "bob", 1, None).contains("no unclaimed step"));
    assert!(claim(&mut ledger, "rig/town.reviewer-2", 2, None).starts_with("a "));
    let (_folder, mut ledger) = pour("a", json!({ "a": { "target": "town.reviewer" } }));
    assert!(claim(&mut ledger, "rig/town.reviewer/1", 2, Some("a")).starts_with("a "));
}
