//! Secret values: a log is kept for good and shared.

use crate::support::Sandbox;
use crate::{by, create};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

const FORMULA: &str = r#"formula = "release"
version = 1

[vars.token]
description = "Whom to ask as"

[[steps]]
id = "ask"
title = "Ask as {{token}}"
uses = "command"
with = { argv = ["cat", "answer.txt"] }
"#;

fn log(sandbox: &Sandbox) -> String {
    sandbox.read(".git/windlass/ledger/events.jsonl")
}

#[test]
fn nobody_writes_a_secret_into_the_log() {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/formulas/release.formula.toml", FORMULA);
    let bead = create(&sandbox, &["Turn the key"]);
    let before = log(&sandbox);
    let var = format!("token={TOKEN}");
    let text = format!("use {TOKEN} for it");
    for (args, field) in [
        (vec!["mol", "pour", "release", "--var", &var], "token"),
        (vec!["bead", "create", &text], "title"),
        (vec!["bead", "close", &bead, "--reason", &text], "reason"),
        (
            vec!["mail", "send", "bob", "--subject", "Key", "--body", &text],
            "body",
        ),
    ] {
        let told = by(&sandbox, "ann", &args).exits_with(4);
        let told = format!("{}{}", told.stdout, told.stderr);
        assert!(told.contains("would hold a secret value"), "{told}");
        assert!(told.contains(field), "{field} in {told}");
        assert!(!told.contains(TOKEN), "{told}");
        assert_eq!(log(&sandbox), before, "{args:?}");
    }
}

#[test]
fn what_programs_print_is_written_without_its_secrets() {
    let sandbox = Sandbox::git();
    sandbox
        .write(".beads/formulas/release.formula.toml", FORMULA)
        .write("answer.txt", format!("the token is {TOKEN}\n"));
    let pour = [
        "mol",
        "pour",
        "release",
        "--var",
        "token=TOKEN_OF_CI",
        "--format",
        "json",
    ];
    let poured = by(&sandbox, "ann", &pour).succeeds().json();
    let mol = poured["id"].as_str().unwrap();
    by(&sandbox, "ann", &["mol", "drive", mol, "--allow-commands"]).succeeds();
    let log = log(&sandbox);
    assert!(log.contains("mol.step_completed"), "{log}");
    assert!(log.contains("the token is"), "{log}");
    assert!(!log.contains(TOKEN), "{log}");
}
