//! Eight agent processes that work through one molecule of thirty steps.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::by;
use crate::support::{Answer, Sandbox, answer};

/// Returns a formula of thirty steps: three branches of eight that fork and join, a step that fails
/// at first, a gate and an end.
fn formula() -> String {
    let mut text =
        "formula = \"feature\"\nversion = 1\n[[steps]]\nid = \"start\"\ntitle = \"Start\"\n"
            .to_owned();
    let mut step = |id: &str, needs: &[String], more: &str| {
        let needs: Vec<String> = needs.iter().map(|need| format!("\"{need}\"")).collect();
        text.push_str(&format!(
            "[[steps]]\nid = \"{id}\"\ntitle = \"Do {id}\"\nneeds = [{}]\n{more}\n",
            needs.join(", ")
        ));
    };
    for branch in ["a", "b", "c"] {
        step(&format!("{branch}1"), &["start".to_owned()], "");
        for part in ["2", "3", "4", "5", "6", "7"] {
            let more = if branch == "b" && part == "4" {
                "retry = { max_attempts = 3 }"
            } else {
                ""
            };
            step(&format!("{branch}{part}"), &[format!("{branch}1")], more);
        }
        let parts: Vec<String> = (2..8).map(|part| format!("{branch}{part}")).collect();
        step(&format!("{branch}8"), &parts, "");
    }
    step(
        "join",
        &["a8".to_owned(), "b8".to_owned(), "c8".to_owned()],
        "",
    );
    step(
        "only-if-broken",
        &["join".to_owned()],
        "condition = \"join.output.broken == true\"",
    );
    step("review", &["only-if-broken".to_owned()], "");
    step(
        "release",
        &["review".to_owned()],
        "gate = { type = \"human\", timeout = \"1h\" }",
    );
    step("end", &["release".to_owned()], "");
    text
}

fn run(sandbox: &Sandbox, actor: &str, args: &[&str]) -> Answer {
    let args = [&["--actor", actor], args].concat();
    answer(&mut sandbox.command(sandbox.root(), &args))
}

/// Runs an agent that claims and completes steps until the molecule has ended.
fn work(sandbox: &Sandbox, actor: &str, mol: &str, fails: &str, deadline: Instant) -> Vec<String> {
    let mut done = Vec::new();
    let mut had: BTreeMap<String, u32> = BTreeMap::new();
    while Instant::now() < deadline {
        let claimed = run(sandbox, actor, &["mol", "claim", mol, "--format", "json"]);
        // Nothing is ready: either the molecule has ended, or other agents are still working on
        // steps that the rest needs.
        if claimed.code == 3 {
            let shown = run(
                sandbox,
                actor,
                &["mol", "progress", mol, "--format", "json"],
            )
            .json();
            if shown["outcome"].is_string() {
                return done;
            }
            std::thread::yield_now();
            continue;
        }
        assert_eq!(claimed.code, 0, "{}", claimed.stderr);
        let mut step = claimed.json();
        while let Some(id) = step["step_id"].as_str().map(str::to_owned) {
            let token = step["token"].as_str().unwrap().to_owned();
            let attempts = had.entry(id.clone()).or_default();
            *attempts += 1;
            if id == fails && step["attempt"].as_u64() == Some(1) {
                let args = [
                    "mol",
                    "fail",
                    mol,
                    &id,
                    "--token",
                    &token,
                    "-r",
                    "at first it fails",
                ];
                assert_eq!(run(sandbox, actor, &args).code, 0);
                break;
            }
            let args = [
                "mol",
                "complete",
                mol,
                &id,
                "--token",
                &token,
                "-o",
                "{\"broken\":false}",
                "--claim-next",
                "--format",
                "json",
            ];
            let completed = run(sandbox, actor, &args);
            assert_eq!(completed.code, 0, "{}", completed.stderr);
            done.push(id);
            step = completed.json()["next"].take();
        }
    }
    done
}

#[test]
fn eight_agents_finish_thirty_steps() {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/formulas/feature.formula.toml", formula());
    let made = by(
        &sandbox,
        "mayor",
        &["mol", "pour", "feature", "--format", "json"],
    );
    let mol = made.succeeds().json()["id"].as_str().unwrap().to_owned();
    let steps = sandbox.read(&format!(".beads/mols/{mol}.json"));
    let steps: Value = serde_json::from_str(&steps).unwrap();
    assert_eq!(steps["steps"].as_array().unwrap().len(), 30);
    // One agent claims a step with a short lease, and disappears.
    let doomed = ["mol", "claim", &mol, "start", "--lease", "1ms"];
    by(&sandbox, "rig/polecats/doomed", &doomed).succeeds();
    let deadline = Instant::now() + Duration::from_mins(5);
    let done: Vec<Vec<String>> = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..8)
            .map(|agent| {
                let (sandbox, mol) = (&sandbox, &mol);
                scope.spawn(move || {
                    let actor = format!("rig/polecats/slot{agent}");
                    work(sandbox, &actor, mol, "b4", deadline)
                })
            })
            .collect();
        // Once the gate is reached, a person has to open it.
        while Instant::now() < deadline {
            if run(&sandbox, "mayor", &["mol", "approve", &mol, "release"]).code == 0 {
                break;
            }
            std::thread::yield_now();
        }
        agents
            .into_iter()
            .map(|agent| agent.join().unwrap())
            .collect()
    });
    let mut all: Vec<String> = done.into_iter().flatten().collect();
    all.sort();
    let unique: std::collections::BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(
        (all.len(), unique.len()),
        (29, 29),
        "each step is done by one of them"
    );
    let shown = by(
        &sandbox,
        "mayor",
        &["mol", "show", &mol, "--format", "json"],
    )
    .succeeds()
    .json();
    assert_eq!(shown["outcome"], "completed");
    let step = |id: &str| {
        let mut steps = shown["steps"].as_array().unwrap().iter();
        steps.find(|step| step["id"] == id).unwrap().clone()
    };
    assert_eq!(step("only-if-broken")["status"], "skipped");
    assert_eq!(
        (
            step("b4")["attempt"].as_u64(),
            step("start")["attempt"].as_u64()
        ),
        (Some(2), Some(2))
    );
    let types = by(&sandbox, "mayor", &["events", "stats", "--format", "json"])
        .succeeds()
        .json();
    let count = |name: &str| types["by_type"][name].as_u64().unwrap_or_default();
    assert_eq!(
        count("mol.step_completed"),
        29,
        "no attempt is completed twice"
    );
    assert_eq!(
        (count("mol.step_lease_expired"), count("mol.completed")),
        (1, 1)
    );
    by(&sandbox, "mayor", &["events", "sync"]).succeeds();
    let verified = by(&sandbox, "mayor", &["events", "verify"])
        .succeeds()
        .stdout;
    assert!(!verified.contains(" rejected: "), "{verified}");
}

#[test]
fn released_claim_notifies_its_holder() {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            ".beads/formulas/it.formula.toml",
            "formula = \"it\"\nversion = 1\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n",
        )
        .commit("first");
    let made = by(
        &sandbox,
        "mayor",
        &["mol", "pour", "it", "--format", "json"],
    );
    let mol = made.succeeds().json()["id"].as_str().unwrap().to_owned();
    let claimed = by(
        &sandbox,
        "ann",
        &["mol", "claim", &mol, "a", "--format", "json"],
    );
    let token = claimed.succeeds().json()["token"]
        .as_str()
        .unwrap()
        .to_owned();
    // Without a reason, nobody can release the claim of another actor.
    by(&sandbox, "bob", &["mol", "release", &mol, "a"]).exits_with(5);
    by(
        &sandbox,
        "bob",
        &["mol", "release", &mol, "a", "--reason", " "],
    )
    .exits_with(2);
    let released = by(
        &sandbox,
        "bob",
        &["mol", "release", &mol, "a", "--reason", "ann is ill"],
    );
    assert_eq!(released.succeeds().stdout, "a is ready\n");
    let inbox = by(&sandbox, "ann", &["mail", "inbox"]).succeeds().stdout;
    assert!(
        inbox.contains(&format!("bob released your claim on a of {mol}")),
        "{inbox}"
    );
    let late = by(
        &sandbox,
        "ann",
        &["mol", "complete", &mol, "a", "--token", &token],
    );
    let late = late.exits_with(5).stderr;
    assert!(
        late.contains("bob released it from ann: ann is ill"),
        "{late}"
    );
    let free = by(
        &sandbox,
        "bob",
        &["mol", "release", &mol, "a", "--reason", "again"],
    );
    let unclaimed = format!("`a` of `{mol}` is not claimed");
    assert!(free.exits_with(5).stderr.contains(&unclaimed));
}
