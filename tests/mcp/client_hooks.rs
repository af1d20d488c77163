//! Client hooks: their commands, run by a shell in a clean environment.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::anchored;
use super::client::Client;
use super::support::{Answer, Sandbox};

fn command(sandbox: &Sandbox, file: &str, event: &str) -> String {
    let settings: Value = serde_json::from_str(&sandbox.read(file)).unwrap();
    let command = &settings["hooks"][event][0]["hooks"][0]["command"];
    command.as_str().unwrap().to_owned()
}

fn run(mut shell: Command, about: &Value) -> Answer {
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut hook = shell.spawn().unwrap();
    let _ = hook
        .stdin
        .take()
        .unwrap()
        .write_all(about.to_string().as_bytes());
    let output = hook.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs Claude Code's hook for an event, with Windlass on the `PATH`.
fn at(event: &str, sandbox: &Sandbox, about: &Value) -> Answer {
    run_hook(sandbox, ".claude/settings.json", event, about)
}

fn run_hook(sandbox: &Sandbox, file: &str, event: &str, about: &Value) -> Answer {
    let mut shell = sandbox.shell(sandbox.root(), &command(sandbox, file, event));
    let folder = Path::new(env!("CARGO_BIN_EXE_windlass")).parent().unwrap();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&others));
    shell.env("PATH", std::env::join_paths(folders).unwrap());
    run(shell, about)
}

#[test]
fn session_start_prints_the_pack_as_clients_take_it() {
    let sandbox = anchored();
    for client in ["claude", "codex", "gemini"] {
        sandbox.windlass(&["init", "--mcp", client]).succeeds();
    }
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        let pack = run_hook(&sandbox, file, "SessionStart", &json!({})).succeeds();
        assert!(pack.stdout.contains("line number 10"), "{}", pack.stdout);
    }
    let answer = run_hook(
        &sandbox,
        ".gemini/settings.json",
        "SessionStart",
        &json!({}),
    );
    let answer = answer.succeeds().json();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    assert!(
        context.as_str().unwrap().contains("line number 10"),
        "{answer}"
    );
    // Clients discard the output of a failing hook. A strict runbook fails just when its output is
    // needed most, so the hook has to succeed anyway.
    sandbox.edit(
        "runbooks/api.yaml",
        "title: API\n",
        "title: API\npolicy: { freshness: strict }\n",
    );
    sandbox.write("src/routes.rs", "nothing\n");
    assert_ne!(sandbox.windlass(&["run", "api"]).code, 0);
    let pack = at("SessionStart", &sandbox, &json!({})).succeeds();
    assert!(pack.stdout.contains("src/routes.rs"), "{}", pack.stdout);
}

#[test]
fn hooks_are_silent_without_windlass() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    let shell = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("sh"))
        .find(|shell| shell.exists())
        .unwrap();
    for event in ["SessionStart", "PreCompact", "SessionEnd"] {
        let mut hook = Command::new(&shell);
        let script = command(&sandbox, ".claude/settings.json", event);
        hook.args(["-c", &script])
            .env_clear()
            .env("PATH", "/nowhere");
        let answer = run(hook, &json!({})).succeeds();
        assert_eq!(
            (answer.stdout.as_str(), answer.stderr.as_str()),
            ("", ""),
            "{event}"
        );
    }
}

#[test]
fn pre_compact_proposes_files_read() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    let root = sandbox.root().to_str().unwrap().to_owned();
    let read = |file: &str, offset: u32| {
        let input = json!({ "file_path": file, "offset": offset, "limit": 5 });
        json!({ "message": { "content": [{ "type": "tool_use", "name": "Read", "input": input }] } }).to_string()
    };
    let routes = format!("{root}/src/routes.rs");
    let lines = [
        read(&routes, 30),
        read(&routes, 33),
        read(&routes, 10),
        read(&format!("{root}/.env"), 1),
        read("/etc/passwd", 1),
        "no JSON".to_owned(),
    ];
    sandbox.write(".env", "A=1\nB=2\n");
    let transcript = sandbox.outside().join("session.jsonl");
    std::fs::write(&transcript, lines.join("\n")).unwrap();
    let about = json!({ "transcript_path": transcript, "hook_event_name": "PreCompact" });
    let proposed = at("PreCompact", &sandbox, &about).succeeds().stdout;
    assert!(
        proposed.contains("windlass anchor add routes-30 src/routes.rs:30-37 --title"),
        "{proposed}"
    );
    // Covered lines, secret files and outside files aren't proposed.
    assert_eq!(proposed.lines().count(), 2, "{proposed}");
    // Claude Code doesn't compact if the hook fails.
    assert_eq!(at("PreCompact", &sandbox, &json!({})).succeeds().stdout, "");
}

#[test]
fn session_end_releases_claims() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    // Without claims, nothing is printed.
    assert_eq!(at("SessionEnd", &sandbox, &json!({})).succeeds().stdout, "");
    assert!(!sandbox.root().join(".beads").exists());
    sandbox.write(
        ".beads/formulas/tidy.formula.toml",
        "formula = \"tidy\"\nversion = 1\n[[steps]]\nid = \"look\"\ntitle = \"Look\"\n",
    );
    sandbox
        .windlass(&["mol", "pour", "tidy", "--actor", "crew/ann"])
        .succeeds();
    // The server acts under its client's name. The hook releases the claims of that name, even
    // without a user.
    let mut client = Client::named(sandbox.command(sandbox.root(), &["mcp"]), "claude-code");
    client.data("molecule", json!({ "action": "claim" }));
    let released = at("SessionEnd", &sandbox, &json!({})).succeeds().stdout;
    assert!(released.contains("released look of"), "{released}");
    let ready = sandbox.windlass(&["mol", "ready"]).succeeds().stdout;
    assert!(ready.contains("look"), "{ready}");
}

#[test]
fn hook_leaves_out_a_runbook_whose_id_is_no_identifier() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/x.yaml",
        "schema_version: 1\nid: \"x; touch pwned #\"\nsteps: []\noutputs: []\n",
    );
    for client in ["claude", "codex", "gemini"] {
        let planned = sandbox.windlass(&["init", "--mcp", client, "--dry-run"]);
        let planned = planned.succeeds().stdout;
        assert!(planned.contains("windlass mol release"), "{planned}");
        assert!(!planned.contains("pwned"), "{planned}");
    }
}
