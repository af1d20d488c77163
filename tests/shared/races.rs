//! Races between processes on two machines, with one winner each.

use std::process::Stdio;

use crate::{Team, beads, by, count, create, postgres};

/// Number of processes in a race. Half of them are on each machine.
const RACERS: usize = 16;

fn race(team: &Team, usual: usize) {
    for round in 0..count("WINDLASS_RACES", usual) {
        let id = format!("t-{round}");
        create(&team.one, &id);
        let start = |racer: usize| {
            let machine = if racer.is_multiple_of(2) {
                &team.one
            } else {
                &team.two
            };
            let actor = format!("racer-{racer}");
            let mut command =
                machine.command(machine.root(), &["--actor", &actor, "bead", "claim", &id]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        let racers: Vec<_> = (0..RACERS).map(start).collect();
        let ended = racers
            .into_iter()
            .map(|racer| racer.wait_with_output().unwrap());
        let ended: Vec<_> = ended.collect();
        let codes: Vec<_> = ended.iter().map(|output| output.status.code()).collect();
        let winners: Vec<usize> = (0..RACERS)
            .filter(|racer| codes[*racer] == Some(0))
            .collect();
        let lost = codes.iter().filter(|code| **code == Some(5)).count();
        let said = || {
            ended
                .iter()
                .map(|it| String::from_utf8_lossy(&it.stderr))
                .collect::<String>()
        };
        assert_eq!(
            (winners.len(), lost),
            (1, RACERS - 1),
            "{id}: {codes:?}\n{}",
            said()
        );
        let winner = format!("racer-{}", winners[0]);
        let shown = by(&team.two, "ann", &["bead", "show", &id])
            .succeeds()
            .stdout;
        assert!(shown.contains(&winner), "{winner} of {id}: {shown}");
    }
    assert_eq!(beads(&team.one), beads(&team.two));
    for machine in [&team.one, &team.two] {
        let rejected = machine
            .windlass(&["events", "list", "--rejected"])
            .succeeds();
        assert_eq!(rejected.stdout, "");
    }
}

#[test]
fn folder_race_has_one_winner() {
    let team = Team::new();
    team.share(&team.folder_location());
    race(&team, 1);
}

#[test]
fn git_ref_race_has_one_winner() {
    let team = Team::new();
    team.share("git:origin");
    race(&team, 1);
}

#[test]
fn postgres_race_has_one_winner() {
    let Some(cluster) = postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    team.share(&cluster.url());
    race(&team, 2);
}
