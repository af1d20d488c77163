use serde_json::{Value, json};

use super::anchored;
use super::client::{Client, Era};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const SHARED_SKILL: &str = ".agents/skills/windlass/SKILL.md";

#[test]
fn init_mcp_writes_client_config() {
    let here = json!(["mcp", "--root", "."]);
    let workspace = json!(["mcp", "--root", "${workspaceFolder}"]);
    let with_program = json!(["windlass", "mcp", "--root", "."]);
    for (client, file, way, args) in [
        ("claude", ".mcp.json", "/mcpServers/windlass/args", &here),
        (
            "gemini",
            ".gemini/settings.json",
            "/mcpServers/windlass/args",
            &here,
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "/mcpServers/windlass/args",
            &workspace,
        ),
        (
            "vscode",
            ".vscode/mcp.json",
            "/servers/windlass/args",
            &workspace,
        ),
        (
            "zed",
            ".zed/settings.json",
            "/context_servers/windlass/args",
            &here,
        ),
        (
            "opencode",
            "opencode.json",
            "/mcp/windlass/command",
            &with_program,
        ),
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
            Some(args),
            "{client}"
        );
        assert!(sandbox.read("AGENTS.md").contains("runbook_pack"));
        let skill = match client {
            "claude" => ".claude/skills/windlass/SKILL.md",
            _ => SHARED_SKILL,
        };
        assert!(sandbox.read(skill).starts_with("---\nname: windlass\n"));
        let again = sandbox.windlass(&["init", "--mcp", client]).succeeds();
        assert_eq!(again.stdout, "");
        let health = sandbox.windlass(&["doctor", "--format", "json"]).json();
        let findings = health["findings"].as_array().unwrap().iter();
        let mut missing =
            findings.filter(|finding| finding["found"].to_string().contains("missing"));
        assert_eq!(missing.next(), None, "{client}");
    }
}

#[test]
fn memory_files_lead_to_agents_file() {
    let sandbox = anchored();
    sandbox.write("CLAUDE.md", "# Ours\n");
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    assert_eq!(sandbox.read("CLAUDE.md"), "# Ours\n\n@AGENTS.md\n");
    sandbox.windlass(&["init", "--mcp", "gemini"]).succeeds();
    let settings = json_of(&sandbox.read(".gemini/settings.json"));
    assert_eq!(
        settings["context"]["fileName"],
        json!(["AGENTS.md", "GEMINI.md"])
    );
    let new = anchored();
    new.windlass(&["init", "--mcp", "claude"]).succeeds();
    assert_eq!(new.read("CLAUDE.md"), "@AGENTS.md\n");
}

#[cfg(unix)]
#[test]
fn linked_memory_file_is_written_once() {
    let sandbox = anchored();
    sandbox.write("AGENTS.md", "# Ours\n");
    std::os::unix::fs::symlink("AGENTS.md", sandbox.root().join("CLAUDE.md")).unwrap();
    sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
    let text = sandbox.read("CLAUDE.md");
    assert!(text.starts_with("# Ours\n\n<!-- windlass -->"), "{text}");
    assert!(!text.contains("@AGENTS.md"), "{text}");
    assert_eq!(
        sandbox
            .windlass(&["init", "--mcp", "claude"])
            .succeeds()
            .stdout,
        ""
    );
}

#[test]
fn plugin_is_what_the_repository_ships() {
    let sandbox = anchored();
    sandbox
        .windlass(&["init", "--mcp", "claude", "--plugin", "it"])
        .succeeds();
    let shipped =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/claude-code");
    let files = [
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "hooks/hooks.json",
        "skills/windlass/SKILL.md",
    ];
    for file in files {
        assert_eq!(
            sandbox.read(&format!("it/{file}")),
            std::fs::read_to_string(shipped.join(file)).unwrap(),
            "{file}: run `windlass init --mcp claude --plugin clients/claude-code`"
        );
    }
    let refused = sandbox.windlass(&["init", "--mcp", "zed", "--plugin", "it"]);
    assert!(
        refused.stderr.contains("Zed has no plugins"),
        "{}",
        refused.stderr
    );
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
            && refused.stderr.contains("does not start `windlass mcp`"),
        "{}",
        refused.stderr
    );
    // There's no next action until the refused file is fixed.
    assert!(!refused.stderr.contains("next, "), "{}", refused.stderr);
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
