//! Scenario A: after a restart, one call restores an agent's findings.

use serde_json::Value;

use crate::support::Sandbox;
#[cfg(unix)]
use crate::support::kill_lock_holder;
use crate::{Newcomer, RUNBOOK, explored, first, section};

/// Checks that the pack shows all saved findings with proof, and nothing else.
fn assert_all_is_back(pack: &Value) {
    assert_eq!(pack["status"], "ok", "{pack}");
    assert_eq!(
        first(pack, "contracts")["text"],
        "/// What callers get when something goes wrong.\npub struct ApiError {\n    pub code: u32,\n    pub message: String,\n}"
    );
    let start = first(pack, "start");
    assert!(start["text"].as_str().unwrap().contains("api::routes()"));
    assert!(
        first(pack, "gates")["text"]
            .as_str()
            .unwrap()
            .contains("cargo clippy")
    );
    let text = pack.to_string();
    assert!(!text.contains("noise"), "{text}");
    assert!(text.chars().count() <= 6000);
}

#[test]
fn new_session_restores_in_one_call() {
    let sandbox = explored();
    let newcomer = Newcomer::of(&sandbox);
    assert_all_is_back(&newcomer.runs("service"));
    assert_eq!(newcomer.calls.get(), 1);
    // A session that doesn't know the name lists the runbooks first.
    let newcomer = Newcomer::of(&sandbox);
    let saved = newcomer
        .calls(&["notebook", "show", "--format", "json"])
        .json();
    let name = saved["runbooks"][0]["id"].as_str().unwrap();
    assert_all_is_back(&newcomer.runs(name));
}

#[test]
fn worktrees_and_moved_repo_restore_too() {
    let sandbox = explored();
    let src = sandbox.root().join("src/noise");
    assert_all_is_back(&Newcomer::at(&sandbox, &src).runs("service"));
    let tree = sandbox.outside().join("tree");
    sandbox.run_git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    assert_all_is_back(&Newcomer::at(&sandbox, &tree).runs("service"));
    sandbox.run_git(&["worktree", "remove", tree.to_str().unwrap()]);
    let moved = sandbox.outside().join("moved");
    std::fs::rename(sandbox.root(), &moved).unwrap();
    assert_all_is_back(&Newcomer::at(&sandbox, &moved).runs("service"));
}

#[test]
fn meanwhile_changes_are_reported() {
    let sandbox = explored();
    // The code changes: lines move, a file is renamed, and one place is edited.
    sandbox.edit(
        "src/api.rs",
        "line number 7\n",
        "line number 7\nnew\nnew\nnew\n",
    );
    sandbox.run_git(&["mv", "src/main.rs", "src/server.rs"]);
    sandbox.edit(".ci/gates.yml", "-D warnings", "-W warnings");
    sandbox.commit("others");
    let pack = Newcomer::of(&sandbox).runs("service");
    assert_eq!(pack["status"], "stale");
    let (errors, start, gates) = (
        first(&pack, "contracts"),
        first(&pack, "start"),
        first(&pack, "gates"),
    );
    assert_eq!(errors["repair"]["outcome"], "moved", "{errors}");
    assert!(errors["text"].to_string().contains("pub code"), "{errors}");
    assert_eq!(
        start["repair"]["evidence"]["file"], "src/server.rs",
        "{start}"
    );
    assert_eq!(gates["repair"]["outcome"], "edited", "{gates}");
    assert_eq!(
        gates.get("text"),
        None,
        "what was not verified is not shown"
    );
    assert_eq!(section(&pack, "gates")["status"], "stale");
    let next = pack["next_actions"].as_array().unwrap();
    let tools: Vec<&str> = next
        .iter()
        .map(|next| next["tool"].as_str().unwrap())
        .collect();
    assert!(
        tools.contains(&"anchor repair") && tools.contains(&"anchor show"),
        "{tools:?}"
    );
}

#[cfg(unix)]
#[test]
fn killed_writer_keeps_earlier_findings() {
    let sandbox = explored();
    let many: Vec<String> = (0..300)
        .map(|at| {
            format!(r#"{{"op":"upsert_anchor","anchor":{{"id":"n{at}","at":["src/api.rs:1-9"]}}}}"#)
        })
        .collect();
    sandbox.write("many.json", format!("[{}]", many.join(",")));
    let repos = sandbox.home().join(".local/share/windlass/repos");
    let repo = std::fs::read_dir(repos).unwrap().next().unwrap().unwrap();
    let mut child = sandbox
        .command(sandbox.root(), &["notebook", "edit", "many.json"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let lock = repo.path().join("notebook.lock");
    assert!(
        kill_lock_holder(&mut child, &lock, 0),
        "it was done before it could be killed"
    );
    assert_all_is_back(&Newcomer::of(&sandbox).runs("service"));
}

#[test]
fn private_findings_stay_in_repository() {
    let sandbox = explored();
    // Another repository of the same user has none of the findings.
    let other = sandbox.outside().join("other");
    std::fs::create_dir_all(other.join("src")).unwrap();
    std::fs::write(other.join("src/main.rs"), "fn main() {}\n").unwrap();
    sandbox.run_git(&["init", "--quiet", other.to_str().unwrap()]);
    sandbox
        .windlass_in(&other, &["run", "service"])
        .exits_with(3);
    let stranger = Sandbox::git();
    stranger.write("runbooks/service.yaml", RUNBOOK).commit("x");
    let pack = Newcomer::of(&stranger).runs("service");
    assert_eq!(section(&pack, "contracts")["total_items"], 0);
}
