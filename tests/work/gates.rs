//! Gates of every type. Each is explained together with the call that opens it.

use std::fmt::Write as _;

use crate::by;
use crate::support::{Answer, Sandbox, answer};

/// Returns a formula whose step `go` waits at a gate after the steps in `first`.
fn formula(first: &str, gate: &str) -> String {
    let mut text = "formula = \"g\"\nversion = 1\n".to_owned();
    let _ = write!(
        text,
        "{first}\n[[steps]]\nid = \"go\"\ntitle = \"Go\"\n{gate}\n"
    );
    text
}

fn poured(sandbox: &Sandbox, formula: &str) -> String {
    sandbox.write(".beads/formulas/g.formula.toml", formula);
    let made = by(sandbox, "mayor", &["mol", "pour", "g", "--format", "json"]);
    made.succeeds().json()["id"].as_str().unwrap().to_owned()
}

/// Returns the first finding of `mol doctor`, and the call that resolves it.
fn finding(sandbox: &Sandbox, mol: &str) -> Option<(String, String)> {
    let found = by(sandbox, "ann", &["mol", "doctor", mol, "--format", "json"]).json();
    let first = found["findings"].as_array().unwrap().first()?.clone();
    let text = |name: &str| first[name].as_str().unwrap().to_owned();
    (first["trouble"] == "gate").then(|| (text("message"), text("next")))
}

/// Runs a printed call through a shell. The call names the actor that asked for it.
fn typed(sandbox: &Sandbox, call: &str) -> Answer {
    let script = call.strip_prefix("windlass ").unwrap();
    let script = format!("exec \"$0\" {script}");
    answer(&mut sandbox.shell(sandbox.root(), &script))
}

#[test]
fn doctor_call_opens_every_gate_type() {
    let sandbox = Sandbox::git();
    sandbox.write("src/a.txt", "a\n").commit("first");
    let bead = crate::create(&sandbox, &["a bead"]);
    let cases = [
        ("human", "", "gate = { type = \"human\" }".to_owned(), "a person's approval"),
        (
            "human with questions",
            "",
            "[steps.gate]\ntype = \"human\"\n[steps.gate.inputs.tag]\nrequired = true\n[steps.gate.inputs.sure]\n\
             type = \"boolean\"\nrequired = true\n"
                .to_owned(),
            "a person's approval",
        ),
        ("timer", "", "gate = { type = \"timer\", duration = \"2s\" }".to_owned(), "its timer of 2s, which ends at"),
        ("any mail", "", "gate = { type = \"mail\" }".to_owned(), "a message about `go`"),
        ("mail", "", "gate = { type = \"mail\", await_id = \"it's a GO\" }".to_owned(), "`it's a GO`"),
        ("bead", "", format!("gate = {{ type = \"bead\", await_id = \"{bead}\" }}"), "to be closed: it is open"),
        ("no bead", "", "gate = { type = \"bead\", await_id = \"zz-000000\" }".to_owned(), "but neither this ledger"),
        ("file", "", "gate = { type = \"file\", path = \"out.txt\" }".to_owned(), "the file `out.txt`"),
        (
            "command",
            "",
            "gate = { type = \"command\", command = [\"test\", \"-f\", \"src/a.txt\"] }".to_owned(),
            "its program `test -f src/a.txt` to end with 0",
        ),
        ("condition", "", "gate = { type = \"condition\", condition = \"file.exists('x.txt')\" }".to_owned(), "its condition to hold"),
    ];
    for (name, first, gate, words) in cases {
        let mol = poured(&sandbox, &formula(first, &gate));
        match finding(&sandbox, &mol) {
            Some((message, call)) => {
                assert!(message.contains(words), "{name}: {message}");
                let told = typed(&sandbox, &call);
                assert_eq!(
                    told.code, 0,
                    "{name}: {call}\n{}{}",
                    told.stdout, told.stderr
                );
            }
            // The timer may have ended already.
            None => assert_eq!(name, "timer"),
        }
        let ready = by(&sandbox, "ann", &["mol", "ready", &mol])
            .succeeds()
            .stdout;
        assert!(ready.contains("go"), "{name}: {ready}");
    }
}

#[test]
fn bead_gate_follows_route() {
    let (here, there) = (Sandbox::git(), Sandbox::git());
    for sandbox in [&here, &there] {
        sandbox.write("a.txt", "a\n").commit("first");
    }
    let bead = crate::create(&there, &["far", "--id", "far-000001"]);
    let folder = there.root().to_str().unwrap().to_owned();
    by(&here, "ann", &["route", "add", "far", &folder]).succeeds();
    let mol = poured(
        &here,
        &formula(
            "",
            &format!("gate = {{ type = \"bead\", await_id = \"{bead}\" }}"),
        ),
    );
    let (message, call) = finding(&here, &mol).unwrap();
    assert!(message.contains("to be closed: it is open"), "{message}");
    assert_eq!(call, format!("windlass --actor ann bead close {bead}"));
    typed(&here, &call).succeeds();
    let ready = by(&here, "ann", &["mol", "ready", &mol]).succeeds().stdout;
    assert!(ready.contains("go"), "{ready}");
}

#[test]
fn mail_about_other_step_opens_no_gate() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "a\n").commit("first");
    let first = "[[steps]]\nid = \"a\"\ntitle = \"A\"\ngate = { type = \"mail\" }\n";
    let mol = poured(&sandbox, &formula(first, "gate = { type = \"mail\" }"));
    let ready = |sandbox: &Sandbox| {
        by(sandbox, "ann", &["mol", "ready", &mol])
            .succeeds()
            .stdout
    };
    by(&sandbox, "ann", &["mail", "send", "bob", "--subject", "GO"]).succeeds();
    assert_eq!(ready(&sandbox), "");
    let unknown = by(
        &sandbox,
        "ann",
        &[
            "mail",
            "send",
            "bob",
            "--subject",
            "GO",
            "--mol",
            &format!("{mol}/b"),
        ],
    );
    assert!(unknown.exits_with(3).stderr.contains("no step `b`"));
    by(
        &sandbox,
        "ann",
        &[
            "mail",
            "send",
            "bob",
            "--subject",
            "GO",
            "--mol",
            &format!("{mol}/a"),
        ],
    )
    .succeeds();
    let told = ready(&sandbox);
    assert!(told.contains(" a ") && !told.contains(" go "), "{told}");
    by(
        &sandbox,
        "ann",
        &["mail", "send", "bob", "--subject", "GO", "--mol", &mol],
    )
    .succeeds();
    assert!(ready(&sandbox).contains(" go "));
}
