//! Work while the shared ledger can't be reached.

use crate::{Team, beads, by, create};

#[test]
fn unreachable_ledger_is_read_and_not_written() {
    let team = Team::new();
    team.share(&team.folder_location());
    create(&team.one, "t-a");
    assert_eq!(beads(&team.two), ["t-a"]);
    let away = team.one.outside().join("away");
    std::fs::rename(team.folder(), &away).unwrap();
    std::fs::remove_dir_all(team.folder()).unwrap();
    let refused = by(&team.two, "bob", &["bead", "claim", "t-a"]).exits_with(5);
    assert!(
        refused.stderr.contains("cannot be reached"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("--offline"), "{}", refused.stderr);
    let list = team.two.windlass(&["bead", "list"]).succeeds();
    assert!(list.stdout.contains("t-a"), "{}", list.stdout);
    assert!(
        list.stderr.contains("shows its state of"),
        "{}",
        list.stderr
    );
    let status = team.two.windlass(&["ledger", "status"]).exits_with(1);
    assert!(status.stdout.contains("reachable: no"), "{}", status.stdout);
    by(&team.two, "bob", &["--offline", "bead", "claim", "t-a"]).succeeds();
    std::fs::rename(away, team.folder()).unwrap();
    // The last failure is recent, so reading wouldn't try again yet.
    let status = team.two.windlass(&["ledger", "status"]).succeeds();
    assert!(
        status.stdout.contains("reachable: yes"),
        "{}",
        status.stdout
    );
    for answer in [status, team.two.windlass(&["bead", "list"]).succeeds()] {
        assert_eq!(answer.stderr, "");
    }
    beads(&team.two);
    let lost = by(&team.one, "ann", &["bead", "claim", "t-a"]).exits_with(5);
    assert!(lost.stderr.contains("bob"), "{}", lost.stderr);
}

#[test]
fn offline_work_is_merged_and_loser_told() {
    let team = Team::new();
    team.share(&team.folder_location());
    create(&team.one, "t-a");
    beads(&team.two);
    team.two.windlass(&["ledger", "offline"]).succeeds();
    by(&team.two, "bob", &["bead", "claim", "t-a"]).succeeds();
    create(&team.two, "t-b");
    by(&team.one, "ann", &["bead", "claim", "t-a"]).succeeds();
    assert_eq!(beads(&team.two), ["t-a", "t-b"]);
    assert_eq!(beads(&team.one), ["t-a", "t-b"]);
    for machine in [&team.one, &team.two] {
        let inbox = by(machine, "ann", &["mail", "inbox"]).succeeds().stdout;
        assert!(
            inbox.contains("your claim of `t-a` does not count"),
            "{inbox}"
        );
        let bead = by(machine, "ann", &["bead", "show", "t-a", "--format", "json"]);
        let bead = bead.succeeds().stdout;
        assert!(bead.contains("\"bob\""), "{bead}");
    }
}
