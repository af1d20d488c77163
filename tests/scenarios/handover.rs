//! Scenario C: an agent in another checkout imports the team's findings. Each is judged in the
//! files of that checkout.

use crate::{Newcomer, call, explored, first, section};

#[test]
fn other_agent_takes_over_in_two_calls() {
    let ann = explored();
    ann.windlass(&["notebook", "export"]).succeeds();
    ann.commit("what we know of the service");
    // The code changes before the import.
    ann.edit("src/api.rs", "line number 7\n", "line number 7\nnew\n")
        .edit(".ci/gates.yml", "-D warnings", "-D clippy::all")
        .commit("more work");

    let bob = ann.cloned();
    let newcomer = Newcomer::of(&bob);
    let taken = newcomer
        .calls(&["notebook", "import", "--format", "json"])
        .json();
    // The anchors are judged in this checkout's files.
    assert_eq!(
        taken["states"],
        serde_json::json!({ "edited": 1, "fresh": 1, "moved": 1 })
    );
    let pack = newcomer.runs("service");
    assert_eq!(pack["status"], "stale");
    // Fresh evidence is shown with its text.
    assert_eq!(first(&pack, "start")["status"], "fresh");
    assert!(
        first(&pack, "start")["text"]
            .as_str()
            .unwrap()
            .contains("serve(routes")
    );
    let errors = first(&pack, "contracts");
    assert_eq!(errors["repair"]["outcome"], "moved");
    assert!(errors["text"].as_str().unwrap().contains("pub message"));
    // Stale evidence is named, but its text is not shown.
    let gates = first(&pack, "gates");
    assert_eq!(gates["repair"]["outcome"], "edited");
    assert_eq!(gates.get("text"), None);
    // A next action asks for its review.
    let next = pack["next_actions"].as_array().unwrap();
    assert!(
        next.iter().any(|next| next["args"]["args"][0] == "gates"),
        "{next:?}"
    );
    assert!(!pack.to_string().contains("noise"));
    let root = ann.root().to_str().unwrap();
    assert!(
        !pack.to_string().contains(root),
        "nothing of the other machine"
    );
}

#[test]
fn imported_programs_need_local_trust() {
    let ann = explored();
    let starts = "schema_version: 1\nid: greet\nsteps:\n  - { id: s, uses: command, with: { argv: [echo, hello] } }\n\
                  outputs:\n  - { id: s, from: s }\n";
    ann.write("runbooks/greet.yaml", starts);
    ann.windlass(&["trust", "greet"]).succeeds();
    ann.windlass(&["run", "greet"]).succeeds();
    ann.windlass(&["notebook", "export"]).succeeds();
    ann.commit("hand over");
    let bob = ann.cloned();
    bob.windlass(&["notebook", "import"]).succeeds();
    let refused = bob.windlass(&["run", "greet"]).exits_with(4);
    assert!(
        refused.stdout.contains("windlass trust greet"),
        "{}",
        refused.stdout
    );
    // A runbook without programs needs no trust.
    bob.windlass(&["run", "service"]).succeeds();
}

#[test]
fn findings_go_back_and_forth() {
    let ann = explored();
    ann.windlass(&["notebook", "export"]).succeeds();
    ann.commit("hand over");
    let bob = ann.cloned();
    bob.windlass(&["notebook", "import"]).succeeds();
    // Bob's own anchor stays private until he exports it.
    bob.windlass(&["anchor", "add", "mine", "src/api.rs:1-3"])
        .succeeds();
    bob.edit("src/api.rs", "line number 7\n", "line number 7\nnew\n");
    let pack = bob.windlass(&["run", "service", "--format", "json"]).json();
    let next = call(&pack["next_actions"][0]);
    bob.windlass(&next.iter().map(String::as_str).collect::<Vec<_>>())
        .succeeds();
    bob.windlass(&["notebook", "export", "errors"]).succeeds();
    bob.commit("captured where it stands now");
    ann.windlass(&["anchor", "add", "hers", "src/main.rs:1"])
        .succeeds();
    ann.run_git(&["pull", "--quiet", bob.root().to_str().unwrap(), "main"]);
    let taken = ann.windlass(&["notebook", "import"]).succeeds();
    assert_eq!(
        taken.stdout,
        "~ anchor errors\n3 anchors shared with others: 3 fresh\n"
    );
    let pack = Newcomer::of(&ann).runs("service");
    assert_eq!(pack["status"], "ok");
    assert_eq!(section(&pack, "contracts")["total_items"], 1);
    let names = |answer: crate::Answer| {
        let list = answer.json()["anchors"].clone();
        let list = list.as_array().unwrap().iter();
        let names: Vec<String> = list
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect();
        names
    };
    let list = ["anchor", "list", "--format", "json"];
    assert_eq!(
        names(ann.windlass(&list)),
        ["start", "errors", "gates", "hers"]
    );
    assert_eq!(
        names(bob.windlass(&list)),
        ["errors", "gates", "start", "mine"]
    );
}
