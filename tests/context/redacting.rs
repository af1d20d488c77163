use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Answer, Sandbox};

fn redact(sandbox: &Sandbox, args: &[&str], input: &[u8]) -> Answer {
    let args = [&["redact"], args].concat();
    let mut child = sandbox
        .command(sandbox.root(), &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn redact_reports_kind_and_line() {
    let sandbox = Sandbox::folder();
    let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let text = format!("one\r\nkey {token} two\r\n\tno line end");
    let answer = redact(&sandbox, &[], text.as_bytes()).succeeds();
    assert_eq!(
        answer.stdout,
        "one\r\nkey [redacted:github-token] two\r\n\tno line end"
    );
    assert_eq!(answer.stderr, "line 2: github-token\n");
    let again = redact(&sandbox, &[], answer.stdout.as_bytes()).succeeds();
    assert_eq!((again.stdout, again.stderr), (answer.stdout, String::new()));
    let checked = redact(&sandbox, &["--check", "--format", "json"], text.as_bytes()).exits_with(1);
    assert_eq!(checked.stdout, "");
    let told: serde_json::Value = serde_json::from_str(&checked.stderr).unwrap();
    assert_eq!(
        told["findings"][0],
        serde_json::json!({ "rule": "github-token", "line": 2 })
    );
    redact(&sandbox, &["--check"], b"nothing here\n").succeeds();
}

#[test]
fn unscannable_input_is_refused() {
    let sandbox = Sandbox::folder();
    let wide: Vec<u8> = "\u{feff}password: x"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for input in [&wide[..], b"a\0b"] {
        let answer = redact(&sandbox, &[], input).exits_with(2);
        assert_eq!(answer.stdout, "");
        assert!(
            answer.stderr.contains("nothing was printed"),
            "{}",
            answer.stderr
        );
    }
    let latin = redact(&sandbox, &[], b"caf\xe9\n").succeeds();
    assert!(latin.stdout.starts_with("caf"));
    assert_eq!(redact(&sandbox, &[], b"").succeeds().stdout, "");
}

#[test]
fn repository_rules_apply_everywhere() {
    let sandbox = crate::sample();
    sandbox.write(
        ".windlass/redactions",
        "# ours\nticket: \\bACME-[0-9]{6}\\b\n!ticket: 000000\n",
    );
    let text = b"see ACME-123456 and ACME-000000\n";
    let answer = redact(&sandbox, &[], text).succeeds();
    assert_eq!(answer.stdout, "see [redacted:ticket] and ACME-000000\n");
    assert_eq!(answer.stderr, "line 1: ticket\n");
    let again = redact(&sandbox, &[], answer.stdout.as_bytes()).succeeds();
    assert_eq!((again.stdout, again.stderr), (answer.stdout, String::new()));
    // The rules also apply to packs, runs, searches and messages about the goal.
    sandbox.edit("src/retry.rs", "once()", "once(\"ACME-123456\") // retry");
    let runbook = "schema_version: 1\nid: look\nsteps:\n  - { id: a, uses: search, with: { pattern: 'retry' } }\n  - { id: b, uses: search, with: { pattern: '123[4]' } }\n  - { id: c, uses: git, with: { show: log } }\noutputs:\n  - { id: a, from: a }\n  - { id: b, from: b, select: '$.total' }\n  - { id: c, from: c }\n";
    sandbox
        .write("runbooks/look.yaml", runbook)
        .commit("mend ACME-123456");
    let run = sandbox.windlass(&["run", "look"]).succeeds().stdout;
    assert!(
        !run.contains("123456") && run.contains("[redacted:ticket]"),
        "{run}"
    );
    let json = sandbox
        .windlass(&["run", "look", "--format", "json"])
        .succeeds()
        .json();
    // A search must not reveal a redacted value.
    assert_eq!(json["sections"][1]["items"][0]["value"], 0);
    let goal = "Retry what ACME-123456 says";
    for format in ["json", "text", "markdown"] {
        let built = sandbox
            .windlass(&["pack", "build", goal, "--format", format])
            .succeeds();
        assert!(!built.stdout.contains("123456"), "{}", built.stdout);
        assert!(built.stdout.contains("[redacted:ticket]"));
    }
}

#[test]
fn invalid_rule_is_located_and_shows_nothing() {
    let sandbox = crate::sample();
    for (rules, place) in [
        (
            "ticket: a\nhost: (\n",
            ".windlass/redactions:2:7: unclosed group",
        ),
        (
            "private-key: x\n",
            ".windlass/redactions:1:1: `private-key` is a kind that is built in",
        ),
        (
            "!github-token: x\n",
            ".windlass/redactions:1:2: `github-token` is built in",
        ),
    ] {
        sandbox.write(".windlass/redactions", rules);
        let answer = redact(&sandbox, &[], b"text\n").exits_with(2);
        assert!(
            answer.stdout.is_empty() && answer.stderr.contains(place),
            "{}",
            answer.stderr
        );
        let built = sandbox
            .windlass(&["pack", "build", crate::GOAL])
            .exits_with(2);
        assert!(built.stderr.contains(place), "{}", built.stderr);
    }
}

#[test]
fn unknown_section_is_named_redacted() {
    let sandbox = Sandbox::git();
    sandbox
        .write(".windlass/redactions", "ticket: ACME-[0-9]{6}\n")
        .write("docs/PLAN.md", "# Plan\n\n## About ACME-482913\n\nText.\n")
        .commit("one");
    for flag in ["--doc", "--plan"] {
        let of = |section: &str| {
            let place = format!("docs/PLAN.md#{section}");
            sandbox.windlass(&["pack", "build", "x", flag, &place])
        };
        let missing = of("ACME-482914");
        assert_ne!(missing.code, 0);
        assert!(!missing.stderr.contains("482914"), "{}", missing.stderr);
        // A heading that contains a secret value can still be selected.
        let found = of("About ACME-482913").succeeds();
        assert!(!found.stdout.contains("482913"), "{}", found.stdout);
    }
}

#[test]
fn secret_named_in_one_file_is_hidden_in_all() {
    const VALUE: &str = "Zq81-xk29-Tr0ub4dor";
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "app/config.py",
            format!("# where the mailer connects\nMAIL_PASSWORD = \"{VALUE}\"\n"),
        )
        .write(
            "app/mailer.py",
            format!("def connect_mailer():\n    \"\"\"where the mailer connects\"\"\"\n    return connect(\"mail\", \"{VALUE}\")\n"),
        )
        .commit("one");
    let goal = "where the mailer connects";
    for args in [
        &["find", goal][..],
        &["find", goal, "--format", "json"],
        &["pack", "build", goal, "--no-memory"],
        &["pack", "build", goal, "--no-memory", "--format", "json"],
    ] {
        let answer = sandbox.windlass(args).succeeds();
        assert!(answer.stdout.contains("mailer.py"), "{}", answer.stdout);
        assert!(!answer.stdout.contains("Tr0ub4dor"), "{}", answer.stdout);
    }
}
