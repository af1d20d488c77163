use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::anchored;
use super::client::{Client, Era};
use super::support::{Answer, Sandbox};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn init_mcp_writes_client_config() {
    for (client, file, way) in [
        ("claude", ".mcp.json", "/mcpServers/windlass/args"),
        ("cursor", ".cursor/mcp.json", "/mcpServers/windlass/args"),
        ("vscode", ".vscode/mcp.json", "/servers/windlass/args"),
    ] {
        let sandbox = anchored();
        let seen = sandbox
            .windlass(&["init", "--mcp", client, "--dry-run"])
            .succeeds();
        assert!(
            seen.stdout.contains(&format!("+++ b/{file}")),
            "{}",
            seen.stdout
        );
        assert!(!sandbox.root().join(file).exists());
        let done = sandbox.windlass(&["init", "--mcp", client]).succeeds();
        assert_eq!(done.stdout, seen.stdout);
        assert_eq!(
            json_of(&sandbox.read(file)).pointer(way),
            Some(&json!(["mcp", "--root", "."]))
        );
        assert!(sandbox.read("AGENTS.md").contains("runbook_pack"));
        assert!(
            sandbox
                .read(".agents/skills/windlass/SKILL.md")
                .starts_with("---\nname: windlass\n")
        );
        let again = sandbox.windlass(&["init", "--mcp", client]).succeeds();
        assert_eq!(again.stdout, "");
    }
}

#[test]
fn existing_config_is_kept() {
    let sandbox = anchored();
    sandbox.write(".mcp.json", "{\n    \"mcpServers\": {\n        \"other\": { \"command\": \"o\" }\n    },\n    \"x\": 1\n}\n");
    sandbox.write("AGENTS.md", "# Ours\n\nBe kind.\n");
    sandbox.write(".codex/config.toml", "# ours\nmodel = \"m\"\n");
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    sandbox.windlass(&["init", "--mcp", "codex"]).succeeds();
    let config = sandbox.read(".mcp.json");
    assert_eq!(json_of(&config)["mcpServers"]["other"]["command"], "o");
    assert!(config.contains("\n    \"x\": 1"), "{config}");
    assert!(
        sandbox
            .read("AGENTS.md")
            .starts_with("# Ours\n\nBe kind.\n\n<!-- windlass -->")
    );
    assert!(
        sandbox
            .read(".codex/config.toml")
            .starts_with("# ours\nmodel = \"m\"\n\n[mcp_servers.windlass]")
    );
    // The session starts with the only runbook of the repository.
    let settings = json_of(&sandbox.read(".claude/settings.json"));
    let command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let restored = sandbox.windlass(&words).succeeds();
    assert!(
        restored.stdout.contains("line number 10"),
        "{}",
        restored.stdout
    );
}

#[test]
fn unmergeable_file_is_left_others_written() {
    let sandbox = anchored();
    let ours = "{\n  // ours\n  \"servers\": {},\n}\n";
    sandbox.write(".vscode/mcp.json", ours);
    sandbox.windlass(&["init", "--mcp", "vscode"]).succeeds();
    let merged = sandbox.read(".vscode/mcp.json");
    assert!(merged.starts_with("{\n  // ours\n"), "{merged}");
    assert!(merged.contains("\"windlass\""), "{merged}");
    let other = "{\"mcpServers\": {\"windlass\": {\"command\": \"old\"}}}\n";
    sandbox.write(".cursor/mcp.json", other);
    std::fs::remove_file(sandbox.root().join("AGENTS.md")).unwrap();
    let refused = sandbox.windlass(&["init", "--mcp", "cursor"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains(".cursor/mcp.json")
            && refused.stderr.contains("starts another program"),
        "{}",
        refused.stderr
    );
    assert_eq!(sandbox.read(".cursor/mcp.json"), other);
    assert!(sandbox.root().join("AGENTS.md").exists());
    #[cfg(unix)]
    {
        let outside = sandbox.outside().join("elsewhere.md");
        std::fs::write(&outside, "# Elsewhere\n").unwrap();
        std::fs::remove_file(sandbox.root().join("AGENTS.md")).unwrap();
        std::os::unix::fs::symlink(&outside, sandbox.root().join("AGENTS.md")).unwrap();
        assert_ne!(sandbox.windlass(&["init", "--mcp", "codex"]).code, 0);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "# Elsewhere\n");
    }
}

#[test]
fn written_config_starts_the_server() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    let config = json_of(&sandbox.read(".mcp.json"));
    let words = config["mcpServers"]["windlass"]["args"].as_array().unwrap();
    let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
    let mut client = Client::start(sandbox.command(sandbox.root(), &words), Era::Sessions);
    client.data("runbook_pack", json!({ "runbook": "api" }));
}

/// Runs the client's hook command for a turn of the session, with `about` on its standard input.
fn at(turn: &str, sandbox: &Sandbox, about: &Value) -> Answer {
    let settings = json_of(&sandbox.read(".claude/settings.json"));
    let command = settings["hooks"][turn][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    // Splits the command as a shell would.
    let parts = command.split('\'').enumerate();
    let words: Vec<&str> = parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .skip(1)
        .collect();
    let mut command = sandbox.command(sandbox.root(), &words);
    command.env("BD_ACTOR", "crew/ann");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut hook = command.spawn().unwrap();
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
    // Covered lines, secret files and outside files are not proposed.
    assert_eq!(proposed.lines().count(), 2, "{proposed}");
    assert_eq!(at("PreCompact", &sandbox, &json!({})).code, 2);
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
    let mut claim = sandbox.command(sandbox.root(), &["mol", "claim"]);
    assert!(
        claim
            .env("BD_ACTOR", "crew/ann")
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let released = at("SessionEnd", &sandbox, &json!({})).succeeds().stdout;
    assert!(released.contains("released look of"), "{released}");
    let ready = sandbox.windlass(&["mol", "ready"]).succeeds().stdout;
    assert!(ready.contains("look"), "{ready}");
}
