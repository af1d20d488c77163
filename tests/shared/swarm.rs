//! Agents and workers on three machines work through one molecule, while we kill processes,
//! connections and the server. Nothing acknowledged is lost, no step is done twice, and the
//! molecule ends.

use std::collections::BTreeMap;
use std::process::{Output, Stdio};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::proxy::Proxy;
use crate::support::Sandbox;
use crate::{Team, by, count, postgres};

const AGENTS: usize = 8;
/// Lease of a claim. After that time, the step of a killed agent can be claimed again.
const LEASE: &str = "8s";

/// Returns a formula of `steps` steps in layers of five. Each layer needs the one before it, and
/// one step in five is done by a worker.
fn formula(steps: usize) -> String {
    let mut text = "formula = \"swarm\"\nversion = 1\n".to_owned();
    for step in 0..steps {
        let layer = step / 5 * 5;
        let needs: Vec<String> = (layer.saturating_sub(5)..layer)
            .map(|need| format!("\"s{need}\""))
            .collect();
        text.push_str(&format!(
            "[[steps]]\nid = \"s{step}\"\ntitle = \"Do {step}\"\nneeds = [{}]\n",
            needs.join(", ")
        ));
        if step % 5 == 4 {
            text.push_str("uses = \"files\"\nwith = { paths = [\".\"] }\n");
        }
    }
    text
}

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

type Claim = (String, String);

/// Claims and completions acknowledged to a member of the swarm.
#[derive(Default)]
struct Told {
    claimed: Vec<Claim>,
    completed: Vec<Claim>,
}

struct Member<'a> {
    machine: &'a Sandbox,
    mol: &'a str,
    name: String,
    dice: Dice,
    told: Told,
    progress: Sender<()>,
}

impl Member<'_> {
    /// Runs a command. One in eight is killed at some moment.
    fn run(&mut self, args: &[&str]) -> Output {
        let args = [&["--actor", &self.name], args].concat();
        let mut command = self.machine.command(self.machine.root(), &args);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        if self.dice.below(8) == 0 {
            let end = Instant::now() + Duration::from_millis(self.dice.below(400));
            while let Some(rest) = end
                .checked_duration_since(Instant::now())
                .filter(|it| !it.is_zero())
            {
                std::thread::park_timeout(rest);
            }
            child.kill().unwrap();
        }
        child.wait_with_output().unwrap()
    }

    fn has_ended(&mut self) -> bool {
        let shown = self.run(&["mol", "progress", self.mol, "--format", "json"]);
        let shown = serde_json::from_slice::<Value>(&shown.stdout);
        shown.is_ok_and(|shown| shown["outcome"].is_string())
    }

    /// Claims and completes steps until the molecule has ended. A killed agent forgets its claim.
    fn work(mut self) -> Told {
        let mol = self.mol;
        loop {
            let claimed = self.run(&["mol", "claim", mol, "--format", "json"]);
            let Ok(step) = serde_json::from_slice::<Value>(&claimed.stdout) else {
                if claimed.status.code() == Some(3) && self.has_ended() {
                    return self.told;
                }
                continue;
            };
            let text = |name: &str| step[name].as_str().unwrap().to_owned();
            let claim = (text("step_id"), text("token"));
            self.told.claimed.push(claim.clone());
            // One claim in ten is forgotten, so that the lease has to expire before another agent
            // gets the step.
            if self.dice.below(10) == 0 {
                continue;
            }
            let (step, token) = (&claim.0, &claim.1);
            let args = ["mol", "complete", mol, step, "--token", token, "-o", token];
            let mut completed = self.run(&args);
            for _ in 0..3 {
                if completed.status.code() != Some(5) {
                    break;
                }
                completed = self.run(&args);
            }
            if completed.status.success() {
                self.told.completed.push(claim);
                // This fails once the test has ended, when progress no longer matters.
                let _ = self.progress.send(());
            }
        }
    }

    fn drive(mut self) -> Told {
        while !self.has_ended() {
            let _ = self.run(&["mol", "drive", self.mol, "--no-wait"]);
        }
        self.told
    }
}

/// Returns the data of events of a type, after an exchange with the shared ledger.
fn events(machine: &Sandbox, kind: &str) -> Vec<Value> {
    machine.windlass(&["ledger", "online"]).succeeds();
    let args = [
        "events", "list", "--type", kind, "--format", "json", "--limit", "0",
    ];
    let listed = machine.windlass(&args).succeeds().json();
    listed["events"].as_array().unwrap().clone()
}

fn claims_of(events: &[Value]) -> Vec<Claim> {
    let text =
        |event: &Value, name: &str| event["data"][name].as_str().unwrap_or_default().to_owned();
    let claims = events.iter();
    claims
        .map(|event| (text(event, "step_id"), text(event, "token")))
        .collect()
}

#[test]
fn swarm_survives_kills_cuts_and_latency() {
    let Some(mut cluster) = postgres::Cluster::start() else {
        return;
    };
    let steps = count("WINDLASS_SWARM_STEPS", 15);
    let kills = count("WINDLASS_SWARM_KILLS", 2);
    let delay = count("WINDLASS_SWARM_DELAY_MS", 5);
    let team = Team::new();
    let third = team.third();
    let proxy = Proxy::start_slow(cluster.port, Duration::from_millis(delay as u64) / 2);
    let url = cluster.url_at(proxy.port);
    let machines = [&team.one, &team.two, &third];
    for machine in machines {
        machine.windlass(&["ledger", "share", &url]).succeeds();
    }
    team.one
        .write(".beads/formulas/swarm.formula.toml", formula(steps));
    let pour = ["mol", "pour", "swarm", "--lease", LEASE, "--format", "json"];
    let mol = by(&team.one, "mayor", &pour).succeeds().json();
    let mol = mol["id"].as_str().unwrap().to_owned();
    for machine in machines {
        machine.windlass(&["ledger", "online"]).succeeds();
    }
    let (sender, progress) = std::sync::mpsc::channel();
    let told: Vec<Told> = std::thread::scope(|scope| {
        let member = |number: usize, name: String| Member {
            machine: machines[number % 3],
            mol: &mol,
            name,
            dice: Dice(number as u64),
            told: Told::default(),
            progress: sender.clone(),
        };
        let agents = (0..AGENTS).map(|number| (number, member(number, format!("agent-{number}"))));
        let agents: Vec<_> = agents
            .map(|(_, agent)| scope.spawn(move || agent.work()))
            .collect();
        let workers: Vec<_> = (0..3)
            .map(|number| member(AGENTS + number, format!("worker-{number}")))
            .map(|worker| scope.spawn(move || worker.drive()))
            .collect();
        drop(sender);
        // Only the agents report progress, and they do four steps in five. We kill the server at
        // even intervals, and cut the connections after all other completions.
        let every = (steps * 4 / 5 / (kills + 1)).max(1);
        for (number, ()) in progress.iter().enumerate() {
            match (number + 1) % every {
                0 if number / every < kills => {
                    cluster.kill();
                    cluster.run_server();
                }
                _ => proxy.cut_all(),
            }
        }
        let members = agents.into_iter().chain(workers);
        members.map(|member| member.join().unwrap()).collect()
    });
    check(&machines, &told, steps);
}

/// Checks that the machines agree, and that everything acknowledged has happened exactly once.
fn check(machines: &[&Sandbox; 3], told: &[Told], steps: usize) {
    let completed = machines.map(|machine| events(machine, "mol.step_completed"));
    let claimed = claims_of(&events(machines[0], "mol.step_started"));
    assert_eq!(completed[0], completed[1]);
    assert_eq!(completed[0], completed[2]);
    let completed = claims_of(&completed[0]);
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    for (step, _) in &completed {
        *done.entry(step).or_default() += 1;
    }
    assert!(done.values().all(|times| *times == 1), "{done:?}");
    assert_eq!(done.len(), steps);
    for told in told {
        for claim in &told.claimed {
            assert!(claimed.contains(claim), "{claim:?} is lost");
        }
        for claim in &told.completed {
            assert!(completed.contains(claim), "{claim:?} is lost");
        }
    }
    for machine in machines {
        machine.windlass(&["events", "verify"]).succeeds();
        let rejected = machine.windlass(&["events", "list", "--rejected"]);
        assert_eq!(rejected.succeeds().stdout, "");
    }
}
