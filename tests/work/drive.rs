//! A molecule's machine steps, and the checks before a step counts as done.

use serde_json::{Value, json};

use crate::by;
use crate::support::Sandbox;

const FORMULA: &str = r##"formula = "release"
version = 1

[[steps]]
id = "facts"
title = "Gather"
uses = "files"
with = { paths = ["src"] }

[[steps]]
id = "test"
title = "Test"
needs = ["facts"]
uses = "command"
with = { argv = ["sh", "tests.sh", { "$ref" = "#/steps/facts/output/files/0" }] }
retry = { max_attempts = 2 }

[[steps]]
id = "write"
title = "Write it"
needs = ["test"]
gate = { type = "command", command = ["test", "-f", "open.txt"] }

[[steps.acceptance]]
file = "notes.txt"

[[steps.acceptance]]
grep = { pattern = "TODO: none", paths = ["notes.txt"] }

[[steps.acceptance]]
schema = { type = "object", required = ["pages"] }

[[steps.acceptance]]
command = ["grep", "-q", "word", "notes.txt"]

[[steps]]
id = "judge"
title = "Judge"
needs = ["write"]
uses = "verify"
with = { step = "write" }
"##;

fn poured(formula: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::git();
    sandbox
        .write(".beads/formulas/release.formula.toml", formula)
        .write("src/a.txt", "a\n")
        .write("tests.sh", "echo \"testing $1\"\ntest -f ok.txt\n")
        .commit("first");
    let made = by(
        &sandbox,
        "mayor",
        &["mol", "pour", "release", "--format", "json"],
    );
    let mol = made.succeeds().json()["id"].as_str().unwrap().to_owned();
    (sandbox, mol)
}

fn claim(sandbox: &Sandbox, mol: &str, step: &str) -> String {
    let claimed = by(
        sandbox,
        "ann",
        &["mol", "claim", mol, step, "--format", "json"],
    );
    claimed.succeeds().json()["token"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn drive_runs_machine_steps_and_lists_rest() {
    let (sandbox, mol) = poured(FORMULA);
    // A program has to be trusted, as in a runbook.
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .exits_with(4)
        .stdout;
    assert_eq!(
        driven,
        format!(
            "facts: completed\ntest waits for permission to start a program: `windlass trust mol:{mol}`, or \
             `--allow-commands`\n"
        )
    );
    let looked = by(
        &sandbox,
        "ann",
        &["trust", &format!("mol:{mol}"), "--dry-run"],
    )
    .succeeds();
    for program in ["tests.sh", "open.txt", "notes.txt"] {
        assert!(looked.stdout.contains(program), "{}", looked.stdout);
    }
    by(&sandbox, "ann", &["trust", &format!("mol:{mol}")]).succeeds();
    let listed = by(&sandbox, "ann", &["trust", "--list"]).succeeds().stdout;
    assert!(listed.contains(&format!("mol:{mol}")), "{listed}");
    // The test fails, is retried by its policy, and then fails for good.
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .exits_with(1)
        .stdout;
    assert_eq!(
        driven.matches("test: failed and may be retried").count(),
        1,
        "{driven}"
    );
    let shown = by(&sandbox, "ann", &["mol", "show", &mol, "test"])
        .succeeds()
        .stdout;
    assert!(shown.contains("testing src/a.txt"), "{shown}");
    assert!(
        driven.contains(&format!(
            "`windlass mol push-back {mol} test --reason TEXT`"
        )),
        "{driven}"
    );
    by(
        &sandbox,
        "ann",
        &["mol", "push-back", &mol, "test", "-r", "mended"],
    )
    .succeeds();
    sandbox.write("ok.txt", "");
    let driven = by(&sandbox, "ann", &["mol", "drive"]).succeeds().stdout;
    assert!(
        driven.starts_with("test: completed\nwrite waits for its gate"),
        "{driven}"
    );
    sandbox.write("open.txt", "");
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .succeeds()
        .stdout;
    assert_eq!(
        driven,
        format!("write: gate opened\nwrite waits for an agent: `windlass mol claim {mol} write`\n")
    );
    // The program has changed, so it has to be trusted again.
    sandbox.write("tests.sh", "echo other\n");
    by(
        &sandbox,
        "ann",
        &["mol", "push-back", &mol, "test", "-r", "again"],
    )
    .succeeds();
    by(&sandbox, "ann", &["mol", "drive", &mol]).exits_with(4);
    by(&sandbox, "ann", &["mol", "drive", &mol, "--allow-commands"]).succeeds();
}

#[test]
fn completion_needs_acceptance_criteria() {
    let (sandbox, mol) = poured(FORMULA);
    sandbox.write("ok.txt", "").write("open.txt", "");
    by(&sandbox, "ann", &["mol", "drive", &mol, "--allow-commands"]).succeeds();
    let token = claim(&sandbox, &mol, "write");
    let complete = [
        "mol",
        "complete",
        &mol,
        "write",
        "--token",
        &token,
        "-o",
        "{\"pages\":3}",
    ];
    let wrong = by(&sandbox, "ann", &complete).exits_with(1).stderr;
    assert!(
        wrong.contains("`write` does not meet its acceptance criteria: `notes.txt` does not exist"),
        "{wrong}"
    );
    sandbox.write("notes.txt", "a word\nTODO: none\n");
    let refused = by(&sandbox, "ann", &complete).exits_with(4).stderr;
    assert!(
        refused.contains(&format!("windlass trust mol:{mol}")),
        "{refused}"
    );
    by(&sandbox, "ann", &["trust", &format!("mol:{mol}")]).succeeds();
    let no_pages = [
        "mol", "complete", &mol, "write", "--token", &token, "-o", "{}",
    ];
    let wrong = by(&sandbox, "ann", &no_pages).exits_with(1).stderr;
    assert!(
        wrong.contains("the output does not match its schema"),
        "{wrong}"
    );
    // With an old token, the criteria aren't even checked.
    by(
        &sandbox,
        "ann",
        &["mol", "complete", &mol, "write", "--token", "0-x"],
    )
    .exits_with(5);
    by(&sandbox, "ann", &complete).succeeds();
    // Every verdict is stored with its evidence.
    let told = by(
        &sandbox,
        "ann",
        &["events", "list", "-t", "verify.verdict", "--format", "json"],
    );
    let told = told.succeeds().json();
    let read = |event: &Value| {
        let text = sandbox.read(event["data"]["evidence"].as_str().unwrap());
        let evidence: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(evidence["verdict"], event["data"]["verdict"]);
        evidence
    };
    let all: Vec<Value> = told["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(read)
        .collect();
    assert_eq!(all[0]["verdict"], "FAIL");
    let evidence = all.last().unwrap();
    assert_eq!(evidence["verdict"], "PASS");
    let grep = &evidence["criteria"][1]["pointers"][0];
    assert_eq!(
        (&grep["file"], &grep["start_line"]),
        (&json!("notes.txt"), &json!(2))
    );
    assert!(grep["source_hash"].as_str().unwrap().starts_with("sha256:"));
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .succeeds()
        .stdout;
    assert_eq!(
        driven,
        format!("judge: PASS: all criteria hold\n{mol} is completed\n")
    );
    let verdicts = by(&sandbox, "ann", &["events", "list", "-t", "verify.verdict"]).succeeds();
    assert!(verdicts.stdout.lines().count() >= 4, "{}", verdicts.stdout);
}

#[test]
fn verify_step_fails_with_unmet_criteria() {
    let formula = r#"formula = "release"
version = 1

[[steps]]
id = "write"
title = "Write it"

[[steps]]
id = "judge"
title = "Judge"
needs = ["write"]
uses = "verify"
with = { criteria = [{ file = "LICENSE" }, { prose = "it reads well" }] }
"#;
    let (sandbox, mol) = poured(formula);
    let token = claim(&sandbox, &mol, "write");
    by(
        &sandbox,
        "ann",
        &["mol", "complete", &mol, "write", "--token", &token],
    )
    .succeeds();
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .exits_with(1)
        .stdout;
    assert!(
        driven.starts_with("judge: FAIL: `LICENSE` does not exist\n"),
        "{driven}"
    );
    sandbox.write("LICENSE", "do as you like\n");
    by(
        &sandbox,
        "ann",
        &["mol", "push-back", &mol, "judge", "-r", "written"],
    )
    .succeeds();
    let driven = by(&sandbox, "ann", &["mol", "drive", &mol])
        .succeeds()
        .stdout;
    assert!(
        driven.starts_with("judge: NEEDS_HUMAN: a person must judge it\n"),
        "{driven}"
    );
    let judged = by(
        &sandbox,
        "ann",
        &["mol", "show", &mol, "judge", "--format", "json"],
    );
    assert_eq!(judged.succeeds().json()["output"]["verdict"], "NEEDS_HUMAN");
}

#[test]
fn bead_is_verified_by_given_criteria() {
    let (sandbox, _) = poured(FORMULA);
    by(&sandbox, "ann", &["bead", "create", "Work", "--id", "t-1"]).succeeds();
    let criteria = "[{\"file\": \"src/a.txt\"}, {\"command\": [\"true\"]}]";
    let asked = ["verify", "t-1", "--criteria", criteria];
    // The command isn't run without permission, so a person has to decide.
    let open = by(&sandbox, "ann", &asked).succeeds().stdout;
    assert!(
        open.starts_with("NEEDS_HUMAN  ") && open.contains("--allow-commands"),
        "{open}"
    );
    let pass = by(
        &sandbox,
        "ann",
        &[&asked[..], &["--allow-commands"]].concat(),
    )
    .succeeds();
    assert!(pass.stdout.starts_with("PASS  "), "{}", pass.stdout);
    let fail = [
        "verify",
        "t-1",
        "--criteria",
        "{\"grep\": {\"pattern\": \"nowhere\", \"paths\": [\"src\"]}}",
    ];
    let fail = by(&sandbox, "ann", &fail).exits_with(1).stdout;
    assert!(fail.starts_with("FAIL  no line matches"), "{fail}");
    by(&sandbox, "ann", &["verify", "t-none"]).exits_with(3);
    by(
        &sandbox,
        "ann",
        &["verify", "t-1", "--criteria", "{\"cow\": 1}"],
    )
    .exits_with(2);
}

#[test]
fn check_decides_each_attempt() {
    let formula = r#"formula = "release"
version = 1

[[steps]]
id = "fix"
title = "Fix it"
check = { path = "check.sh", max_attempts = 2 }
"#;
    let (sandbox, mol) = poured(formula);
    sandbox.write("check.sh", "#!/bin/sh\nexit \"$(cat code.txt)\"\n");
    // Git makes the script executable when it checks the file out.
    sandbox.run_git(&["update-index", "--add", "--chmod=+x", "check.sh"]);
    sandbox.run_git(&["checkout-index", "--force", "check.sh"]);
    let complete = |token: &str| {
        let args = [
            "mol",
            "complete",
            &mol,
            "fix",
            "--token",
            token,
            "--allow-commands",
        ];
        by(&sandbox, "ann", &args)
    };
    let token = claim(&sandbox, &mol, "fix");
    // Exit code 75 means that the check wants to be run again later, which doesn't use up the
    // attempt.
    sandbox.write("code.txt", "75");
    let said = complete(&token).exits_with(1).stderr;
    assert!(said.contains("try again"), "{said}");
    sandbox.write("code.txt", "1");
    let said = complete(&token).exits_with(1).stdout;
    assert!(
        said.contains("failed fix: its check ended with 1"),
        "{said}"
    );
    let token = claim(&sandbox, &mol, "fix");
    sandbox.write("code.txt", "0");
    complete(&token).succeeds();
}

/// Results of machine steps are checked like those of agents.
#[test]
fn machine_step_results_are_checked() {
    let formula = r#"formula = "release"
[[steps]]
id = "test"
title = "Test"
uses = "command"
with = { argv = ["sh", "tests.sh"] }
acceptance = [{ file = "report.txt" }]
retry = { max_attempts = 2 }
[[steps]]
id = "build"
title = "Build"
needs = ["test"]
uses = "files"
with = { paths = ["src"] }
check = { path = "look.sh", max_attempts = 2 }
"#;
    let (sandbox, mol) = poured(formula);
    sandbox
        .write("ok.txt", "")
        .write("look.sh", "#!/bin/sh\ntest -f looked.txt\n");
    sandbox.run_git(&["update-index", "--add", "--chmod=+x", "look.sh"]);
    sandbox.run_git(&["checkout-index", "--force", "look.sh"]);
    let drive = ["mol", "drive", &mol, "--allow-commands", "--format", "json"];
    let report = by(&sandbox, "mayor", &drive).exits_with(1).json();
    let done: Vec<&str> = report["done"]
        .as_array()
        .unwrap()
        .iter()
        .map(|done| done["what"].as_str().unwrap())
        .collect();
    assert_eq!(
        done,
        [
            "failed and may be retried: `report.txt` does not exist",
            "failed: `report.txt` does not exist"
        ]
    );
    sandbox.write("report.txt", "");
    by(
        &sandbox,
        "mayor",
        &[
            "mol",
            "push-back",
            &mol,
            "test",
            "--reason",
            "it is there now",
        ],
    )
    .succeeds();
    let report = by(&sandbox, "mayor", &drive).exits_with(1).json();
    assert_eq!(report["done"][0]["what"], "completed");
    assert_eq!(report["done"][2]["what"], "failed: its check ended with 1");
    sandbox.write("looked.txt", "");
    by(
        &sandbox,
        "mayor",
        &["mol", "push-back", &mol, "build", "--reason", "look again"],
    )
    .succeeds();
    let report = by(&sandbox, "mayor", &drive).succeeds().json();
    assert_eq!(report["outcome"], "completed");
}

/// Criteria carried by a bead can be trusted by digest, but those on the command line can't.
#[test]
fn bead_criteria_are_trusted_by_digest() {
    let sandbox = Sandbox::git();
    sandbox.write("ok.txt", "");
    let bead = crate::create(&sandbox, &["Work"]);
    let acceptance = r#"acceptance=[{"command":["test","-f","ok.txt"]},{"file":"ok.txt"}]"#;
    by(
        &sandbox,
        "ann",
        &["bead", "update", &bead, "--set", acceptance],
    )
    .succeeds();
    let verify = ["verify", &bead, "--format", "json"];
    let found = by(&sandbox, "ann", &verify).succeeds().json();
    assert_eq!(found["verdict"], "NEEDS_HUMAN");
    let why = found["criteria"][0]["found"].as_str().unwrap();
    assert!(
        why.contains(&format!("windlass trust bead:{bead}")),
        "{why}"
    );
    let name = format!("bead:{bead}");
    sandbox.windlass(&["trust", &name]).succeeds();
    assert_eq!(
        by(&sandbox, "ann", &verify).succeeds().json()["verdict"],
        "PASS"
    );
    let listed = sandbox.windlass(&["trust", "--list"]).succeeds().stdout;
    assert!(listed.contains(&name), "{listed}");
    let other = acceptance.replace("ok.txt", "other.txt");
    by(&sandbox, "ann", &["bead", "update", &bead, "--set", &other]).succeeds();
    let found = by(&sandbox, "ann", &verify).exits_with(1).json();
    assert_eq!(
        found["criteria"][0]["passed"],
        Value::Null,
        "another program needs trust of its own"
    );
}

const RETRIED: &str = r##"formula = "release"
version = 1

[[steps]]
id = "wait"
title = "Wait"
gate = { type = "timer", duration = "20ms" }
uses = "command"
with = { argv = ["sh", "-c", "echo $WINDLASS_MOLECULE $WINDLASS_STEP $WINDLASS_ATTEMPT ${WINDLASS_TOKEN%%-*}; test -f once || { touch once; exit 1; }"] }
retry = { max_attempts = 2, backoff = "20ms" }
"##;

#[test]
fn drive_waits_for_timers_and_retries() {
    let (sandbox, mol) = poured(RETRIED);
    let drive = |more: &[&str]| {
        let args = [&["mol", "drive", &mol, "--allow-commands"], more].concat();
        by(&sandbox, "ann", &args)
    };
    let told = drive(&[]).succeeds().stdout;
    assert!(
        told.starts_with("wait: failed and may be retried"),
        "{told}"
    );
    assert!(
        told.ends_with(&format!("wait: completed\n{mol} is completed\n")),
        "{told}"
    );
    let shown = by(
        &sandbox,
        "ann",
        &["mol", "show", &mol, "wait", "--format", "json"],
    );
    let output = shown.succeeds().json()["output"]["stdout"].to_string();
    // The program gets the molecule, the step and the claim in its environment.
    assert!(output.contains(&format!("{mol} wait 2 2")), "{output}");
}

#[test]
fn drive_no_wait_names_the_timer() {
    let (sandbox, mol) = poured(&RETRIED.replace("20ms", "1h"));
    let args = ["mol", "drive", &mol, "--allow-commands", "--no-wait"];
    let told = by(&sandbox, "ann", &args).succeeds().stdout;
    let start = "wait waits for its timer of 1h, which ends at 2";
    let end = format!(": `windlass mol drive {mol}`\n");
    assert!(told.starts_with(start) && told.ends_with(&end), "{told}");
}

#[test]
#[cfg(unix)]
fn killed_driver_takes_its_programs_along() {
    use std::io::{BufRead as _, BufReader, Read as _};

    let formula = RETRIED.replace("20ms", "1ms");
    let start = formula.find("with = ").unwrap();
    let program =
        "with = { argv = [\"sh\", \"-c\", \"exec 3> pipe; echo up >&3; sleep 600 & wait\"] }\n";
    let (sandbox, mol) = poured(&format!("{}{program}", &formula[..start]));
    by(&sandbox, "ann", &["mol", "set", &mol, "--lease", "900ms"]).succeeds();
    let pipe = sandbox.root().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let args = ["--actor", "ann", "mol", "drive", &mol, "--allow-commands"];
    let mut driver = sandbox.command(sandbox.root(), &args).spawn().unwrap();
    let mut reader = BufReader::new(std::fs::File::open(&pipe).unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    // A heartbeat proves that the driver has started the program and registered it with the guard.
    let type_of = ["events", "list", "--type", "mol.step_heartbeat"];
    let beats = || {
        by(&sandbox, "ann", &type_of)
            .succeeds()
            .stdout
            .lines()
            .count()
    };
    let before = beats();
    while beats() == before {
        assert!(driver.try_wait().unwrap().is_none());
    }
    driver.kill().unwrap();
    driver.wait().unwrap();
    // The pipe closes once the last process holding it has ended.
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
}
