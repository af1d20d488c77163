//! Plans and TodoLists as the contract of a pack, and packs in TRON.

use serde_json::json;

use crate::support::Sandbox;
use crate::{GOAL, built, names, sample};

const PLAN: &str = r#"{
  "vContextInfo": { "version": "0.4" },
  "plan": {
    "title": "Retry failing steps",
    "status": "approved",
    "narratives": {
      "proposal": "Three times, as `src/retry.rs` says.",
      "constraints": "No new dependency.",
      "Acceptance": "- [ ] a step is retried three times"
    },
    "items": [
      { "id": "find", "title": "Find the place", "status": "completed" },
      { "id": "log", "title": "Say it in the log", "status": "pending" }
    ]
  }
}
"#;

fn planned() -> Sandbox {
    let sandbox = sample();
    sandbox.remove("docs/PLAN.md").remove("docs/ACCEPTANCE.md");
    sandbox
        .write("docs/plan.vcontext.json", PLAN)
        .commit("plan");
    sandbox
}

#[test]
fn plan_gives_goal_and_conditions() {
    let sandbox = planned();
    let args = ["pack", "build", "--format", "json"];
    let pack = sandbox.windlass(&args).succeeds().json();
    assert_eq!(
        pack["goal"],
        "Retry failing steps. Three times, as `src/retry.rs` says."
    );
    assert_eq!(
        pack["definitionOfDone"],
        json!(["a step is retried three times", "Say it in the log"])
    );
    assert_eq!(pack["constraints"]["constraints"], "No new dependency.");
    assert_eq!(
        names(&pack, "/docRefs", "path"),
        ["docs/plan.vcontext.json"]
    );
    assert!(names(&pack, "/relevantFiles", "path").contains(&"src/retry.rs"));
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    // An explicit goal wins. A section of a plan can be an item or a narrative.
    let one = built(&sandbox, &["--plan", "docs/plan.vcontext.json#log"]);
    assert_eq!(one["goal"], GOAL);
    assert_eq!(one["docRefs"][0]["anchors"], json!(["log"]));
    let excerpt = one["docRefs"][0]["excerpt"].as_str().unwrap();
    assert!(excerpt.contains("Say it") && !excerpt.contains("Find the place"));
    let tron = "vContextInfo: {\"version\": \"0.4\"}\ntodoList: {\"items\": [\n  {\"title\": \"Try again\", \"status\": \"pending\"},\n  {\"title\": \"Stop\", \"status\": \"cancelled\"}\n]}\n";
    sandbox.write("todo.tron", tron);
    let list = built(&sandbox, &["--plan", "todo.tron"]);
    assert_eq!(list["definitionOfDone"], json!(["Try again"]));
}

#[test]
fn build_without_goal_is_refused() {
    let sandbox = sample();
    let answer = sandbox.windlass(&["pack", "build"]).exits_with(2);
    assert!(answer.stderr.contains("missing goal"), "{}", answer.stderr);
    sandbox.write("broken.tron", "plan: Plan(\n");
    let broken = ["pack", "build", GOAL, "--plan", "broken.tron"];
    let answer = sandbox.windlass(&broken).exits_with(2);
    assert!(answer.stderr.contains("broken.tron:"), "{}", answer.stderr);
}

#[test]
fn tron_packs_show_compare_and_merge() {
    let sandbox = sample();
    let first = built(&sandbox, &[]);
    let id = first["packId"].as_str().unwrap();
    let tron = sandbox
        .windlass(&["pack", "show", id, "--format", "tron"])
        .succeeds();
    sandbox.write("one.tron", &tron.stdout);
    let shown = sandbox.windlass(&["pack", "show", "one.tron", "--format", "json"]);
    assert_eq!(shown.succeeds().json()["packId"], first["packId"]);
    let same = sandbox
        .windlass(&["pack", "diff", id, "one.tron"])
        .succeeds();
    assert!(same.stdout.contains("0 changed"), "{}", same.stdout);
    let second = built(&sandbox, &["--constraint", "deps=none"]);
    let second = second["packId"].as_str().unwrap();
    let merge = |name: &str| {
        let args = ["pack", "merge", name, second, "--format", "json"];
        sandbox.windlass(&args).succeeds().json()
    };
    assert_eq!(merge("one.tron")["packId"], merge(id)["packId"]);
    sandbox.write("bad.tron", "packId: 3\n");
    sandbox
        .windlass(&["pack", "show", "bad.tron"])
        .exits_with(2);
    sandbox.write("worse.tron", "packId: (\n");
    let worse = sandbox
        .windlass(&["pack", "show", "worse.tron"])
        .exits_with(2);
    assert!(worse.stderr.contains("worse.tron:1:"), "{}", worse.stderr);
}
