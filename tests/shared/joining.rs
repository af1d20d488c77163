//! Sharing a ledger, joining it from a second machine, and leaving it.

use crate::{Team, beads, by, create};

/// Moves a ledger to `location`, joins it, works on both machines, and detaches.
fn shares(team: &Team, location: &str) {
    let (one, two) = (&team.one, &team.two);
    create(one, "t-a");
    create(two, "t-b");
    let shared = one.windlass(&["ledger", "share", location, "--format", "json"]);
    assert_eq!(shared.succeeds().json()["pushed"], 1);
    let joined = two.windlass(&["ledger", "share", location, "--format", "json"]);
    let joined = joined.succeeds().json();
    assert_eq!(
        (&joined["pushed"], &joined["pulled"]),
        (&1.into(), &1.into())
    );
    create(one, "t-c");
    by(two, "bob", &["bead", "claim", "t-c"]).succeeds();
    let lost = by(one, "ann", &["bead", "claim", "t-c"]).exits_with(5);
    assert!(lost.stderr.contains("bob"), "{}", lost.stderr);
    for machine in [one, two] {
        assert_eq!(beads(machine), ["t-a", "t-b", "t-c"]);
        machine.windlass(&["events", "verify"]).succeeds();
    }
    let status = two.windlass(&["ledger", "status", "--format", "json"]);
    assert_eq!(status.succeeds().json()["is_reachable"], true);
    let doctor = two.windlass(&["doctor"]).succeeds().stdout;
    assert!(doctor.contains("is reachable"), "{doctor}");
    two.windlass(&["ledger", "detach"]).succeeds();
    two.windlass(&["ledger", "status"]).exits_with(3);
    create(one, "t-d");
    create(two, "t-e");
    let args = ["bead", "list", "--format", "json"];
    let list = two.windlass(&args).succeeds().json();
    assert_eq!(list["beads"].as_array().unwrap().len(), 4);
}

#[test]
fn folder_is_shared_and_joined() {
    let team = Team::new();
    shares(&team, &team.folder_location());
}

#[test]
fn git_ref_is_shared_and_joined() {
    let team = Team::new();
    shares(&team, "git:origin");
    let refs = team.one.run_git(&["ls-remote", "origin"]);
    assert!(refs.contains("refs/windlass/ledger"), "{refs}");
}

#[test]
#[cfg(unix)]
fn postgres_is_shared_and_joined() {
    let Some(cluster) = crate::postgres::Cluster::start() else {
        return;
    };
    shares(&Team::new(), &cluster.url());
}

#[test]
#[cfg(unix)]
fn password_of_url_is_not_stored() {
    let Some(cluster) = crate::postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    let url = cluster.url().replace("windlass@", "windlass:hunter2@");
    let shared = team.one.windlass(&["ledger", "share", &url]).succeeds();
    assert!(shared.stderr.contains("is not stored"), "{}", shared.stderr);
    let config = team.one.read(".git/windlass/ledger/share.json");
    assert!(config.contains("postgres://windlass@127.0.0.1"), "{config}");
    assert!(!format!("{config}{}", shared.stdout).contains("hunter2"));
}

#[test]
fn second_location_is_refused() {
    let team = Team::new();
    team.share(&team.folder_location());
    let refused = team.one.windlass(&["ledger", "share", "git:origin"]);
    let refused = refused.exits_with(2).stderr;
    assert!(refused.contains("windlass ledger detach"), "{refused}");
}

#[test]
fn invalid_location_is_explained() {
    let team = Team::new();
    let wrong = team.one.windlass(&["ledger", "share", "origin"]);
    let wrong = wrong.exits_with(2).stderr;
    assert!(wrong.contains("`origin` is not a location"), "{wrong}");
}
