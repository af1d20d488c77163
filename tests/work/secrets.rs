//! Secret values and the log, which is permanent and shared.

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
fn secret_arguments_are_refused() {
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
fn imported_secrets_are_redacted_and_counted() {
    let sandbox = Sandbox::git();
    let record = format!(
        "{{\"id\":\"x-1\",\"title\":\"Turn the key\",\"description\":\"use {TOKEN} for it\",\"labels\":[\"{TOKEN}\"]}}\n"
    );
    sandbox.write("far.jsonl", record);
    let import = ["bead", "import", "far.jsonl"];
    let said = by(&sandbox, "ann", &import).succeeds().stdout;
    assert!(
        said.contains("replaced the secret values of 2 fields"),
        "{said}"
    );
    assert!(said.contains("  x-1: description\n"), "{said}");
    assert!(!log(&sandbox).contains(TOKEN));
    let shown = by(&sandbox, "ann", &["bead", "show", "x-1"]).succeeds();
    assert!(shown.stdout.contains("for it"), "{}", shown.stdout);
    let again = by(&sandbox, "ann", &import).succeeds().stdout;
    assert!(again.contains("changed 0, 1 unchanged"), "{again}");
}

#[test]
fn program_output_is_logged_redacted() {
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
