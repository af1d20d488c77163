//! Commands that choose the molecule, the claim and the next call themselves.

use crate::by;
use crate::support::Sandbox;

const FORMULA: &str = r#"formula = "house"
version = 1

[[steps]]
id = "plan"
title = "Plan"

[[steps]]
id = "build"
title = "Build"
needs = ["plan"]
"#;

fn poured(more: &[&str]) -> (Sandbox, String) {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/formulas/house.formula.toml", FORMULA);
    let pour = [&["mol", "pour", "house", "--format", "json"], more].concat();
    let made = by(&sandbox, "ann", &pour).succeeds().json();
    let mol = made["id"].as_str().unwrap().to_owned();
    (sandbox, mol)
}

#[test]
fn claim_prints_next_call_with_typed_actor() {
    let (sandbox, mol) = poured(&[]);
    let claimed = by(&sandbox, "ann", &["mol", "claim"]).succeeds().stdout;
    let next = format!("next: windlass mol complete {mol} plan --actor ann");
    assert!(claimed.contains(&next), "{claimed}");
    let refused = by(&sandbox, "ann", &["mol", "claim"]).exits_with(3).stderr;
    assert!(
        refused.contains(&format!(
            "no unclaimed step is ready; you hold `plan` of `{mol}`"
        )) && refused.contains(&format!("`windlass --actor ann mol complete {mol} plan`")),
        "{refused}"
    );
}

#[test]
fn step_of_another_actor_names_its_holder() {
    let (sandbox, mol) = poured(&[]);
    by(&sandbox, "ann", &["mol", "claim"]).succeeds();
    for args in [
        &["mol", "complete", &mol, "plan"][..],
        &["mol", "release", &mol, "plan"],
        &["mol", "complete"],
    ] {
        let said = by(&sandbox, "bob", args).exits_with(5).stderr;
        assert!(
            said.contains(&format!("`plan` of `{mol}` is claimed by ann, not bob"))
                && said.contains("pass `--actor ann` if that is you"),
            "{args:?}: {said}"
        );
    }
    let said = by(&sandbox, "bob", &["mol", "complete", &mol, "build"]);
    let said = said.exits_with(5).stderr;
    assert!(said.contains("is not claimed: it is pending"), "{said}");
}

#[test]
fn lost_lease_is_reported_with_new_holder() {
    let (sandbox, mol) = poured(&["--lease", "1ms"]);
    by(&sandbox, "ann", &["mol", "claim"]).succeeds();
    by(&sandbox, "bob", &["mol", "claim", "--lease", "1h"]).succeeds();
    let said = by(&sandbox, "ann", &["mol", "complete", &mol, "plan"]);
    let said = said.exits_with(5).stderr;
    assert!(
        said.contains(&format!(
            "the lease of ann on `plan` of `{mol}` ran out, and bob has claimed it since"
        )),
        "{said}"
    );
}

#[test]
fn release_defaults_to_own_claim() {
    let (sandbox, _) = poured(&[]);
    by(&sandbox, "ann", &["mol", "claim"]).succeeds();
    let said = by(&sandbox, "ann", &["mol", "release"]).succeeds().stdout;
    assert_eq!(said, "plan is ready\n");
    let said = by(&sandbox, "ann", &["mol", "release"])
        .exits_with(2)
        .stderr;
    assert!(said.contains("ann has no claimed step"), "{said}");
}

#[test]
fn failed_molecule_is_read_and_shown_in_status() {
    let (sandbox, mol) = poured(&[]);
    by(&sandbox, "ann", &["mol", "claim"]).succeeds();
    let status = by(&sandbox, "bob", &["status"]).succeeds().stdout;
    assert!(
        status.contains("work      1 step in progress\n"),
        "{status}"
    );
    let fail = ["mol", "fail", "--for-good", "--reason", "no ground"];
    by(&sandbox, "ann", &fail).succeeds();
    for command in ["show", "graph", "progress"] {
        by(&sandbox, "ann", &["mol", command]).succeeds();
    }
    let status = by(&sandbox, "bob", &["status"]).succeeds().stdout;
    assert!(
        status.contains("1 failed step") && status.contains("next: windlass mol doctor"),
        "{status}"
    );
    by(&sandbox, "ann", &["mol", "burn", &mol, "--reason", "over"]).succeeds();
    let said = by(&sandbox, "ann", &["mol", "graph"]).exits_with(3).stderr;
    assert!(
        said.contains("no molecule is open") && said.contains("mol pour FORMULA"),
        "{said}"
    );
}

#[test]
fn help_of_usage_error_is_a_command() {
    let (sandbox, mol) = poured(&[]);
    let budget = ["mol", "claim", &mol, "--max-chars", "100"];
    let said = by(&sandbox, "ann", &budget).exits_with(2).stderr;
    assert!(
        said.contains("help: run `windlass --actor ann mol claim --help` to see the usage"),
        "{said}"
    );
}

#[test]
fn formula_new_keeps_existing_file() {
    let (sandbox, _) = poured(&[]);
    let said = sandbox.windlass(&["formula", "new", "house"]);
    let said = said.exits_with(5).stderr;
    assert!(
        said.contains("already exists") && !said.contains("--force"),
        "{said}"
    );
    assert_eq!(sandbox.read(".beads/formulas/house.formula.toml"), FORMULA);
}
