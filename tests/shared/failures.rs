//! Killed writers, a killed server and cut connections. Nothing acknowledged is lost, and nothing
//! happens twice.

use std::process::Stdio;

use crate::proxy::Proxy;
use crate::support::Sandbox;
use crate::{Team, beads, by, count, postgres};

pub(crate) fn start(machine: &Sandbox, id: &str) -> std::process::Child {
    let args = ["--actor", "ann", "bead", "create", id, "--id", id];
    let mut command = machine.command(machine.root(), &args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Checks that both machines agree, and that they have all `acknowledged` beads, each created once.
#[track_caller]
pub(crate) fn check(team: &Team, acknowledged: &[String]) {
    let (ours, theirs) = (beads(&team.one), beads(&team.two));
    assert_eq!(ours, theirs);
    for id in acknowledged {
        assert!(ours.contains(id), "{id} is lost: {ours:?}");
    }
    for machine in [&team.one, &team.two] {
        let made = [
            "events",
            "list",
            "--type",
            "bead.created",
            "--format",
            "json",
            "--limit",
            "0",
        ];
        let made = machine.windlass(&made).succeeds().json();
        assert_eq!(made["events"].as_array().unwrap().len(), ours.len());
        machine.windlass(&["events", "verify"]).succeeds();
    }
}

#[test]
fn killed_writers_lose_nothing_acknowledged() {
    let Some(cluster) = postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    team.share(&cluster.url());
    let mut acknowledged = Vec::new();
    for round in 0..count("WINDLASS_CRASHES", 6) {
        let doomed = format!("t-{round}a");
        let spared = format!("t-{round}b");
        let mut killed = start(&team.one, &doomed);
        let other = start(&team.two, &spared);
        // Wait for a varying time: the more steps, the later the kill.
        for _ in 0..round * 40_000 {
            std::hint::spin_loop();
        }
        killed.kill().unwrap();
        let output = killed.wait_with_output().unwrap();
        if output.stdout.starts_with(b"created ") {
            acknowledged.push(doomed);
        }
        assert!(other.wait_with_output().unwrap().status.success());
        acknowledged.push(spared);
    }
    check(&team, &acknowledged);
}

#[test]
fn killed_server_loses_nothing_acknowledged() {
    let Some(mut cluster) = postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    team.share(&cluster.url());
    let mut acknowledged = Vec::new();
    for round in 0..count("WINDLASS_CRASHES", 3) {
        let names: Vec<String> = (0..4).map(|number| format!("t-{round}-{number}")).collect();
        let children: Vec<_> = (names.iter().zip([&team.one, &team.two].into_iter().cycle()))
            .map(|(name, machine)| start(machine, name))
            .collect();
        cluster.kill();
        cluster.run_server();
        for (name, child) in names.into_iter().zip(children) {
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                acknowledged.push(name);
            } else {
                assert_eq!(output.status.code(), Some(5));
            }
        }
    }
    check(&team, &acknowledged);
}

#[test]
fn cut_connections_are_settled() {
    let Some(cluster) = postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    let proxy = Proxy::start(cluster.port);
    team.share(&cluster.url_at(proxy.port));
    let mut acknowledged = Vec::new();
    let mut failed = 0;
    for round in 0..count("WINDLASS_CRASHES", 12) {
        let id = format!("t-{round}");
        // The server's greeting is about 500 bytes long, and the answers after it about 300 each.
        proxy.cut_after(400 + i64::try_from(round).unwrap() * 90);
        let made = by(&team.one, "ann", &["bead", "create", &id, "--id", &id]);
        match made.code {
            0 => acknowledged.push(id),
            5 => failed += 1,
            _ => drop(made.succeeds()),
        }
        proxy.cut_after(-1);
    }
    assert!(!acknowledged.is_empty(), "{failed} failed");
    check(&team, &acknowledged);
}
