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
fn values_are_replaced_and_told_by_kind_and_line() {
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
fn what_cannot_be_looked_through_is_not_passed_on() {
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
