//! Commands killed at any moment. An acknowledged change survives, and the next command continues.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::Sandbox;
use crate::{by, ids};

/// Number of kills, unless `WINDLASS_CRASHES` sets another one.
const KILLS: u32 = 40;

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64, by Steele and Vigna.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

fn start(sandbox: &Sandbox, id: &str) -> Child {
    spawn(
        sandbox,
        &["--actor", "ann", "bead", "create", id, "--id", id],
    )
}

fn spawn(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = sandbox.command(sandbox.root(), args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

fn usual_time(sandbox: &Sandbox) -> u64 {
    let began = Instant::now();
    let done = start(sandbox, "t-first").wait_with_output().unwrap();
    assert!(done.status.success());
    u64::try_from(began.elapsed().as_micros()).unwrap()
}

fn kills() -> u32 {
    let kills = std::env::var("WINDLASS_CRASHES").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)
}

fn kill(mut doomed: Child, moment: Duration) -> String {
    let began = Instant::now();
    while began.elapsed() < moment {
        std::hint::spin_loop();
    }
    let _ = doomed.kill();
    let output = doomed.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn acknowledged_bead_survives_kill() {
    let sandbox = Sandbox::git();
    let time = usual_time(&sandbox);
    let mut dice = Dice(7);
    let mut acknowledged = vec!["t-first".to_owned()];
    for round in 0..kills() {
        // Run two commands at once, so that one dies while the other waits for it.
        let (id, other) = (format!("t-{round}a"), format!("t-{round}b"));
        let doomed = start(&sandbox, &id);
        let spared = start(&sandbox, &other);
        let moment = Duration::from_micros(dice.below(time * 2));
        if kill(doomed, moment).starts_with("created ") {
            acknowledged.push(id);
        }
        assert!(
            spared.wait_with_output().unwrap().status.success(),
            "the lock of who dies is free"
        );
        acknowledged.push(other);
    }
    let there = ids(&sandbox, &["list"]);
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !there.contains(id))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
    assert_eq!(
        sandbox.read(".beads/issues.jsonl").lines().count(),
        there.len()
    );
    assert_eq!(
        sandbox.read(".beads/events.jsonl").lines().count(),
        there.len()
    );
}

/// Kills commands that claim and complete steps. An acknowledged one counts, each happens once, and
/// the work goes on.
#[test]
fn acknowledged_step_survives_kill() {
    let sandbox = Sandbox::git();
    let steps = (0..kills()).map(|step| format!("[[steps]]\nid = \"s{step}\"\ntitle = \"S\"\n"));
    let formula = format!(
        "formula = \"many\"\nversion = 1\n{}",
        steps.collect::<String>()
    );
    sandbox.write(".beads/formulas/many.formula.toml", formula);
    let poured = by(
        &sandbox,
        "ann",
        &["mol", "pour", "many", "--lease", "1h", "--format", "json"],
    );
    let mol = poured.succeeds().json()["id"].as_str().unwrap().to_owned();
    let time = usual_time(&sandbox);
    let mut dice = Dice(11);
    let mut completed = Vec::new();
    for round in 0..kills() {
        let step = format!("s{round}");
        let claim = [
            "--actor", "doomed", "mol", "claim", &mol, &step, "--format", "json",
        ];
        let moment = Duration::from_micros(dice.below(time * 2));
        let said = kill(spawn(&sandbox, &claim), moment);
        let shown = || {
            let shown = by(
                &sandbox,
                "ann",
                &["mol", "show", &mol, &step, "--format", "json"],
            );
            shown.succeeds().json()
        };
        let now = shown();
        // A claim without acknowledgement is only possible if its command was killed before it
        // could print.
        let told: Option<serde_json::Value> = serde_json::from_str(&said).ok();
        if let Some(told) = &told {
            assert_eq!(now["token"], told["token"], "an acknowledged claim holds");
        }
        let token = match now["token"].as_str() {
            Some(token) => token.to_owned(),
            None => {
                let claimed = by(&sandbox, "ann", &claim[2..]);
                claimed.succeeds().json()["token"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }
        };
        let complete = ["mol", "complete", &mol, &step, "--token", &token, "-o", "7"];
        let doomed = spawn(&sandbox, &[&["--actor", "doomed"], &complete[..]].concat());
        let moment = Duration::from_micros(dice.below(time * 2));
        if kill(doomed, moment).starts_with("completed ") {
            assert_eq!(
                shown()["status"],
                "completed",
                "an acknowledged completion holds"
            );
        }
        // Repeating the completion succeeds, and still counts once.
        by(&sandbox, "ann", &complete).succeeds();
        completed.push(step);
    }
    let stats = by(&sandbox, "ann", &["events", "stats", "--format", "json"])
        .succeeds()
        .json();
    let count = |name: &str| stats["by_type"][name].as_u64();
    assert_eq!(count("mol.step_completed"), Some(completed.len() as u64));
    assert_eq!(
        (count("mol.completed"), &stats["rejected"]),
        (Some(1), &serde_json::json!([]))
    );
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}
