//! Problems in the set-up of clients, as found by `doctor`.

use super::anchored;
use super::support::Sandbox;

fn faults(sandbox: &Sandbox) -> Vec<String> {
    let health = sandbox.windlass(&["doctor", "--format", "json"]).json();
    let findings = health["findings"].as_array().unwrap().iter();
    let of_clients = findings.filter(|finding| finding["what"] == "MCP client");
    let open = of_clients.filter(|finding| finding["health"] != "good");
    let text = |finding: &serde_json::Value| finding["found"].as_str().unwrap().to_owned();
    // The command isn't on the tests' PATH.
    let found = open.map(text);
    found
        .filter(|found| !found.contains("which does not exist"))
        .collect()
}

#[test]
fn each_part_of_a_set_up_is_checked() {
    for (file, old, new, fault) in [
        (
            ".claude/skills/windlass/SKILL.md",
            "# Windlass",
            "# Old",
            "missing or out of date: .claude/skills",
        ),
        (
            "CLAUDE.md",
            "@AGENTS.md",
            "",
            "missing or out of date: CLAUDE.md",
        ),
        (
            "AGENTS.md",
            "Begin with",
            "Do not begin with",
            "missing or out of date: AGENTS.md",
        ),
        (
            ".claude/settings.json",
            "windlass run",
            "true",
            "missing or out of date: .claude/settings.json",
        ),
        (
            ".claude/settings.json",
            ":-claude-code",
            ":-al",
            "tools act as `claude-code`, but the hook",
        ),
        (
            ".mcp.json",
            "\"mcp\",",
            "\"mcp\", \"--actor\", \"al\",",
            "tools act as `al`, but the hook",
        ),
    ] {
        let sandbox = anchored();
        sandbox.windlass(&["init", "--mcp", "claude"]).succeeds();
        assert_eq!(faults(&sandbox), Vec::<String>::new(), "{file}");
        sandbox.edit(file, old, new);
        let found = faults(&sandbox);
        assert!(
            found.len() == 1 && found[0].contains(fault),
            "{file}: {found:?}"
        );
        assert!(found[0].starts_with("Claude Code: "), "{found:?}");
    }
}

#[test]
fn relative_root_is_a_fault_where_servers_start_elsewhere() {
    let sandbox = anchored();
    sandbox.windlass(&["init", "--mcp", "cursor"]).succeeds();
    sandbox.edit(".cursor/mcp.json", "${workspaceFolder}", ".");
    // The program is checked first.
    sandbox.edit(
        ".cursor/mcp.json",
        "\"windlass\",",
        "\"${env:HOME}/windlass\",",
    );
    let found = faults(&sandbox);
    assert!(
        found.len() == 1 && found[0].contains("starts servers in another folder"),
        "{found:?}"
    );
}
