use serde_json::{Value, json};

use super::anchored;
use super::client::{Client, Era};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn one_line_sets_a_client_up() {
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
            Some(&json!(["mcp"]))
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
fn what_is_there_stays() {
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
    // The session begins with the only runbook there is.
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
fn what_cannot_be_merged_is_left_and_nothing_else_is_written() {
    let sandbox = anchored();
    sandbox.write(".vscode/mcp.json", "{\n  // ours\n  \"servers\": {}\n}\n");
    let refused = sandbox.windlass(&["init", "--mcp", "vscode"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains(".vscode/mcp.json") && refused.stderr.contains("comments"),
        "{}",
        refused.stderr
    );
    assert!(!sandbox.root().join("AGENTS.md").exists());
    #[cfg(unix)]
    {
        let outside = sandbox.outside().join("elsewhere.md");
        std::fs::write(&outside, "# Elsewhere\n").unwrap();
        std::os::unix::fs::symlink(&outside, sandbox.root().join("AGENTS.md")).unwrap();
        assert_ne!(sandbox.windlass(&["init", "--mcp", "cursor"]).code, 0);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "# Elsewhere\n");
        assert!(!sandbox.root().join(".cursor/mcp.json").exists());
    }
}

#[test]
fn what_is_set_up_is_what_a_client_starts() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    let config = json_of(&sandbox.read(".mcp.json"));
    let words = config["mcpServers"]["windlass"]["args"].as_array().unwrap();
    let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
    let mut client = Client::start(sandbox.command(sandbox.root(), &words), Era::Sessions);
    client.data("runbook_pack", json!({ "runbook": "api" }));
}
