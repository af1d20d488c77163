//! Shared work through the real command: beads, mail, agent hooks, and the log behind them.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod crash;
mod damage;
mod defects;
mod documents;
mod drive;
#[cfg(unix)]
mod fleet;
#[cfg(unix)]
mod formula_packs;
mod gates;
mod git;
mod molecules;
mod own_claims;
mod packs;
mod secrets;
mod team;
mod todo_lists;
#[cfg(unix)]
mod workers;

use std::process::Stdio;

use serde_json::{Value, json};
use support::{Answer, Sandbox};

#[track_caller]
pub(crate) fn by(sandbox: &Sandbox, actor: &str, args: &[&str]) -> Answer {
    sandbox.windlass(&[&["--actor", actor], args].concat())
}

/// Returns the number of rounds in a race: `usual`, unless `WINDLASS_RACES` sets another one.
pub(crate) fn rounds(usual: u32) -> u32 {
    let rounds = std::env::var("WINDLASS_RACES").ok();
    rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(usual)
}

#[track_caller]
pub(crate) fn create(sandbox: &Sandbox, args: &[&str]) -> String {
    let made = by(
        sandbox,
        "ann",
        &[&["bead", "create", "--format", "json"], args].concat(),
    );
    made.succeeds().json()["id"].as_str().unwrap().to_owned()
}

#[track_caller]
pub(crate) fn ids(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let list = by(
        sandbox,
        "ann",
        &[&["bead"], args, &["--format", "json", "--limit", "0"]].concat(),
    );
    let list = list.succeeds().json();
    let beads = list["beads"].as_array().unwrap().iter();
    beads
        .map(|bead| bead["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn nothing_to_claim_is_reported() {
    let sandbox = Sandbox::git();
    by(&sandbox, "ann", &["bead", "create", "Only one"]).succeeds();
    by(&sandbox, "ann", &["bead", "claim"]).succeeds();
    let none = by(&sandbox, "bob", &["bead", "claim"]).exits_with(3);
    let said = &none.stderr;
    assert!(said.contains("no unclaimed bead is ready"), "{said}");
    assert!(said.contains("windlass --actor bob bead blocked"), "{said}");
}

#[test]
fn bead_is_created_claimed_and_closed() {
    let sandbox = Sandbox::git();
    let one = create(
        &sandbox,
        &[
            "Implement it",
            "-p",
            "1",
            "-t",
            "feature",
            "-l",
            "api",
            "--id",
            "t-one",
        ],
    );
    let part = create(&sandbox, &["A part", "--parent", &one]);
    assert_eq!(part, "t-one.1");
    let two = create(
        &sandbox,
        &["Test it", "--needs", &one, "-d", "with \"care\""],
    );
    assert!(two.starts_with("t-"), "as the bead before: {two}");
    assert_eq!(ids(&sandbox, &["ready"]), [one.clone(), part.clone()]);
    let blocked = by(&sandbox, "ann", &["bead", "blocked"]).succeeds().stdout;
    assert_eq!(
        blocked,
        format!("{two}  P2  open  task  Test it\n    waits for t-one, which is open\n")
    );
    assert_eq!(
        ids(&sandbox, &["search", "WITH \"CARE"]),
        std::slice::from_ref(&two)
    );
    assert_eq!(
        ids(&sandbox, &["list", "-l", "api"]),
        std::slice::from_ref(&one)
    );
    assert_eq!(
        ids(&sandbox, &["list", "--parent", &one]),
        std::slice::from_ref(&part)
    );

    let claimed = by(&sandbox, "ann", &["bead", "claim"]).succeeds().stdout;
    assert_eq!(claimed, "claimed t-one: Implement it\n");
    let lost = by(&sandbox, "bob", &["bead", "claim", "t-one"])
        .exits_with(5)
        .stderr;
    assert!(
        lost.starts_with(
            "error: `t-one` is claimed by ann (status in_progress)\nhelp: run `windlass events list --id evt-"
        ),
        "{lost}"
    );
    let cycle = by(&sandbox, "ann", &["bead", "dep", "add", "t-one", &two])
        .exits_with(2)
        .stderr;
    assert!(cycle.contains("would close a cycle"), "{cycle}");

    by(
        &sandbox,
        "ann",
        &["bead", "close", &part, &one, "--reason", "done"],
    )
    .succeeds();
    assert_eq!(ids(&sandbox, &["ready"]), std::slice::from_ref(&two));
    let shown = by(
        &sandbox,
        "ann",
        &["bead", "show", "t-one", "--format", "json"],
    )
    .succeeds()
    .json();
    assert_eq!(
        (&shown["status"], &shown["close_reason"]),
        (&json!("closed"), &json!("done"))
    );
    assert_eq!(
        (&shown["children"], &shown["dependents"]),
        (&json!([part]), &json!([two]))
    );
    by(&sandbox, "ann", &["bead", "close", "t-one"]).exits_with(5);
    by(&sandbox, "ann", &["bead", "reopen", "t-one"]).succeeds();
    let missing = by(&sandbox, "ann", &["bead", "show", "t-onf"])
        .exits_with(3)
        .stderr;
    assert!(missing.contains("did you mean `t-one`?"), "{missing}");

    let update = [
        "bead", "update", &two, "--set", "points=3", "-a", "bob", "-p", "0", "--title", "Prove it",
    ];
    by(&sandbox, "ann", &update).succeeds();
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    let row = sandbox.read(".beads/issues.jsonl");
    let row = row.lines().find(|line| line.contains("Prove it")).unwrap();
    let row: Value = serde_json::from_str(row).unwrap();
    assert_eq!(
        (
            &row["priority"],
            &row["metadata"]["points"],
            &row["assignee"]
        ),
        (&json!(0), &json!(3), &json!("bob"))
    );
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

#[test]
fn change_without_actor_is_refused() {
    let sandbox = Sandbox::git();
    assert_eq!(ids(&sandbox, &["list"]).len(), 0);
    for title in ["", "two\nlines", &"x".repeat(101)] {
        by(&sandbox, "ann", &["bead", "create", title]).exits_with(2);
    }
    by(&sandbox, "a b", &["bead", "create", "x"]).exits_with(2);
    // Refused changes leave no event in the log.
    assert!(
        !sandbox.root().join(".beads/events.jsonl").exists()
            || sandbox.read(".beads/events.jsonl").is_empty()
    );
}

#[test]
fn mail_hooks_and_agents_work_together() {
    let sandbox = Sandbox::folder();
    let bead = create(&sandbox, &["Work"]);
    let polecat = "rig/polecats/slot0";
    let wrong = by(
        &sandbox,
        polecat,
        &["mail", "send", "mayor", "-t", "POLECAT_DONE"],
    )
    .exits_with(2)
    .stderr;
    assert!(
        wrong.contains("POLECAT_DONE goes from a polecat to a witness"),
        "{wrong}"
    );
    by(
        &sandbox,
        polecat,
        &[
            "mail",
            "send",
            "rig/witness",
            "-t",
            "POLECAT_DONE",
            "-m",
            "look",
            "--bead",
            &bead,
        ],
    )
    .succeeds();
    let inbox = by(
        &sandbox,
        "rig/witness",
        &["mail", "inbox", "--format", "json"],
    )
    .succeeds()
    .json();
    assert_eq!(inbox["unread"], 1);
    let id = inbox["messages"][0]["id"].as_str().unwrap().to_owned();
    by(&sandbox, "mayor", &["mail", "read", &id]).exits_with(2);
    let read = by(&sandbox, "rig/witness", &["mail", "read", &id])
        .succeeds()
        .stdout;
    assert!(
        read.contains(&format!("bead_id = \"{bead}\"")) && read.ends_with("\nlook\n"),
        "{read}"
    );
    let inbox = by(
        &sandbox,
        "rig/witness",
        &["mail", "inbox", "--format", "json"],
    )
    .succeeds()
    .json();
    assert_eq!((&inbox["unread"], &inbox["total"]), (&json!(0), &json!(0)));

    by(&sandbox, polecat, &["hook", "check"]).exits_with(3);
    by(
        &sandbox,
        "mayor",
        &["hook", "set", polecat, &format!("bead:{bead}")],
    )
    .succeeds();
    assert_eq!(
        sandbox.read(".beads/.hook-rig-polecats-slot0"),
        format!("bead:{bead}\n")
    );
    let found = by(&sandbox, polecat, &["hook", "check"]).succeeds().stdout;
    assert!(
        found.starts_with(&format!("bead:{bead}  {polecat}  ")),
        "{found}"
    );
    // A bead can be on one hook only, and a hook holds a single item.
    by(
        &sandbox,
        "mayor",
        &["hook", "set", "rig/crew/ann", &format!("bead:{bead}")],
    )
    .exits_with(5);
    by(
        &sandbox,
        "mayor",
        &["hook", "set", polecat, &format!("mail:{id}")],
    )
    .exits_with(5);
    by(
        &sandbox,
        polecat,
        &["agent", "start", "--profile", "polecat"],
    )
    .succeeds();
    by(&sandbox, polecat, &["agent", "work", &bead]).succeeds();
    let agents = by(&sandbox, "mayor", &["agent", "list", "--format", "json"])
        .succeeds()
        .json();
    let agent = &agents["agents"][polecat];
    assert_eq!(
        (&agent["state"], &agent["bead_id"]),
        (&json!("working"), &json!(bead))
    );
    by(&sandbox, polecat, &["bead", "claim", &bead]).succeeds();
    by(&sandbox, polecat, &["bead", "close", &bead]).succeeds();
    // Closing the bead has emptied the hook.
    assert!(
        !sandbox
            .root()
            .join(".beads/.hook-rig-polecats-slot0")
            .exists()
    );
    let types = by(&sandbox, "mayor", &["events", "stats", "--format", "json"])
        .succeeds()
        .json();
    // Both checks are in the log, even the one that found nothing.
    assert_eq!(types["by_type"]["agent.hook_checked"], 2);
    let about = by(
        &sandbox,
        "mayor",
        &["events", "list", "--about", &bead, "-t", "bead.*"],
    )
    .succeeds()
    .stdout;
    assert_eq!(about.lines().count(), 4, "{about}");
    let export = by(&sandbox, "mayor", &["events", "export"])
        .succeeds()
        .stdout;
    assert_eq!(export, sandbox.read(".beads/events.jsonl"));
}

#[test]
fn foreign_folder_is_imported_on_request() {
    let sandbox = Sandbox::git();
    let record = r#"{"id":"bd-7","title":"old","status":"deferred","priority":1,"issue_type":"chore","created_at":"2025-10-14T01:02:03.123456-07:00","design":"how"}"#;
    sandbox
        .write(".beads/metadata.json", "{\"backend\":\"dolt\"}")
        .write(".beads/issues.jsonl", format!("{record}\nnonsense\n"));
    for args in [
        &["bead", "list"][..],
        &["bead", "create", "x"],
        &["bead", "import", ".beads/issues.jsonl"],
    ] {
        let refused = by(&sandbox, "ann", args).exits_with(4).stderr;
        assert!(refused.contains("--adopt"), "{refused}");
    }
    // The refusals came before any file was written.
    assert_eq!(
        std::fs::read_dir(sandbox.root().join(".beads"))
            .unwrap()
            .count(),
        2
    );
    let import = ["bead", "import", ".beads/issues.jsonl"];
    let look = by(&sandbox, "ann", &[&import[..], &["--dry-run"]].concat());
    assert!(look.exits_with(1).stdout.starts_with("would be added 1,"));
    // The folder isn't adopted by a dry run either.
    by(&sandbox, "ann", &["bead", "list"]).exits_with(4);
    let taken = by(&sandbox, "ann", &[&import[..], &["--adopt"]].concat()).exits_with(1);
    assert_eq!(
        taken.stdout,
        "added 1, changed 0, 0 unchanged, 0 changed here since\n\
         new beads are named `bd-…` from now on; `bead create --prefix` overrides that\n"
    );
    assert!(
        taken.stderr.contains(".beads/issues.jsonl:2: "),
        "{}",
        taken.stderr
    );
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    // The strict export knows neither `deferred` nor `chore`, so the bead is exported as an open
    // task. The ledger keeps the original values (see below).
    let row: Value = serde_json::from_str(&sandbox.read(".beads/issues.jsonl")).unwrap();
    assert_eq!(
        (&row["status"], &row["issue_type"], &row["design"]),
        (&json!("open"), &json!("task"), &json!("how"))
    );
    assert_eq!(
        row["metadata"]["imported"]["created_at"],
        "2025-10-14T01:02:03.123456-07:00"
    );
    assert_eq!(ids(&sandbox, &["list", "-t", "chore"]), ["bd-7"]);
    assert_eq!(ids(&sandbox, &["ready"]).len(), 0);
    // We can import our own strict export unchanged.
    let strict = sandbox.read(".beads/issues.jsonl");
    sandbox.write("again.jsonl", &strict);
    let again = by(&sandbox, "ann", &["bead", "import", "again.jsonl"])
        .succeeds()
        .stdout;
    assert_eq!(
        again,
        "added 0, changed 0, 1 unchanged, 0 changed here since\n"
    );
}

#[test]
fn import_keeps_prefix_of_new_beads() {
    let sandbox = Sandbox::git();
    create(&sandbox, &["Own", "--id", "own-1"]);
    sandbox.write("far.jsonl", "{\"id\":\"far-1\",\"title\":\"Far\"}\n");
    let taken = by(&sandbox, "ann", &["bead", "import", "far.jsonl"]).succeeds();
    assert_eq!(taken.stdout.lines().count(), 1, "{}", taken.stdout);
    let next = create(&sandbox, &["Next"]);
    assert!(next.starts_with("own-"), "{next}");
}

#[test]
fn backup_round_trip_keeps_every_field() {
    let sandbox = Sandbox::git();
    let issue = |id: &str, more: &str| format!("{{\"id\":\"{id}\",\"title\":\"T\"{more}}}\n");
    sandbox
        .write(
            "backup/issues.jsonl",
            [
                issue("x-1", ",\"spec_id\":\"s\""),
                issue("x-2", ",\"priority\":1,\"dependencies\":[{\"id\":\"x-1\",\"type\":\"blocks\"}]"),
                issue("x-3", ",\"priority\":1,\"dependencies\":[{\"issue_id\":\"x-3\",\"depends_on_id\":\"x-3\",\"type\":\"blocks\"}]"),
                issue("x-4", ",\"status\":\"closed\",\"close_reason\":\"done\",\"closed_at\":\"2026-01-01T00:00:00.1234Z\""),
            ]
            .concat(),
        )
        .write("backup/dependencies.jsonl", "{\"issue_id\":\"x-4\",\"depends_on_issue_id\":\"x-1\",\"type\":\"related\"}\n")
        .write("backup/labels.jsonl", "{\"issue_id\":\"x-1\",\"label\":\"l\"}\n")
        .write("backup/comments.jsonl", "{\"id\":7,\"issue_id\":\"x-1\",\"text\":\"hi\"}\n");
    let look = by(&sandbox, "ann", &["bead", "import", "backup", "--dry-run"]).succeeds();
    let taken = by(&sandbox, "ann", &["bead", "import", "backup"]).succeeds();
    for said in [&look.stderr, &taken.stderr] {
        let warning =
            "warning: `x-3` needs `x-3`: a bead cannot wait for itself; kept as `related`";
        assert!(said.contains(warning), "{said}");
    }
    assert_eq!(
        ids(&sandbox, &["ready"]),
        ["x-1", "x-3"],
        "the most important first"
    );
    by(&sandbox, "ann", &["bead", "claim", "x-2"]).succeeds();
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--all", "-o", "out.jsonl"],
    )
    .succeeds();
    let lines = sandbox.read("out.jsonl");
    let rows: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let said = |at: usize, name: &str| rows[at][name].clone();
    assert_eq!(
        (said(0, "priority"), said(0, "spec_id")),
        (Value::Null, json!("s"))
    );
    assert_eq!(
        (said(0, "labels"), said(0, "comments")[0]["id"].clone()),
        (json!(["l"]), json!(7))
    );
    assert_eq!(
        said(1, "dependencies"),
        json!([{ "id": "x-1", "type": "blocks" }])
    );
    assert_eq!(
        (said(1, "assignee"), said(1, "status")),
        (json!("ann"), json!("in_progress"))
    );
    assert_eq!(said(2, "dependencies")[0]["type"], "blocks");
    assert_eq!(
        (said(3, "close_reason"), said(3, "closed_at")),
        (json!("done"), json!("2026-01-01T00:00:00.1234Z"))
    );
    // The export is imported as the same beads.
    let again = by(&sandbox, "ann", &["bead", "import", "out.jsonl"])
        .succeeds()
        .stdout;
    assert_eq!(
        again,
        "added 0, changed 0, 4 unchanged, 0 changed here since\n"
    );
}

#[test]
fn database_folder_needs_an_export() {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/beads.db", "SQLite format 3");
    let refused = by(&sandbox, "ann", &["bead", "list"]).exits_with(4).stderr;
    assert!(refused.contains("bd export -o FILE"), "{refused}");
    sandbox.write(
        ".beads/beads.jsonl",
        "{\"id\":\"bd-1\",\"title\":\"Old\"}\n",
    );
    let refused = by(&sandbox, "ann", &["bead", "list"]).exits_with(4).stderr;
    let command = "windlass --actor ann bead import .beads/beads.jsonl --adopt";
    assert!(refused.contains(command), "{refused}");
    let import: Vec<&str> = command.split(' ').skip(1).collect();
    sandbox.windlass(&import).succeeds();
    assert_eq!(ids(&sandbox, &["list"]), ["bd-1"]);
}

#[test]
fn routed_bead_is_found() {
    let (here, there) = (Sandbox::git(), Sandbox::git());
    create(&there, &["Far away", "--id", "far-1"]);
    by(&here, "ann", &["bead", "show", "far-1"]).exits_with(3);
    let folder = there.root().to_str().unwrap().to_owned();
    by(&here, "ann", &["route", "add", "far", &folder]).succeeds();
    let shown = by(&here, "ann", &["bead", "show", "far-1"])
        .succeeds()
        .stdout;
    assert!(
        shown.starts_with("far-1  P2  open  task  Far away\n"),
        "{shown}"
    );
    by(&here, "ann", &["bead", "claim", "far-1"]).succeeds();
    // The claim is an event in the ledger of the other repository.
    assert!(
        there
            .read(".git/windlass/ledger/events.jsonl")
            .contains("\"claim\":true")
    );
    by(&here, "ann", &["route", "resolve", "near-1"]).exits_with(3);
    assert_eq!(ids(&here, &["list"]).len(), 0);
}

#[test]
fn routed_bead_blocks_until_closed() {
    let (here, far) = (Sandbox::git(), Sandbox::git());
    let folder = far.root().to_string_lossy().into_owned();
    create(&here, &["Here", "--id", "near-1"]);
    create(&far, &["There", "--id", "far-1"]);
    let add = ["bead", "dep", "add", "near-1", "far-1"];
    let needs = ["bead", "create", "Waits", "--needs", "far-1"];
    for args in [&add, &needs] {
        let missing = by(&here, "ann", args).exits_with(3).stderr;
        assert!(missing.contains("there is no bead `far-1`"), "{missing}");
    }
    by(&here, "ann", &["route", "add", "far", &folder]).succeeds();
    by(&here, "ann", &add).succeeds();
    let shown = by(&here, "ann", &["bead", "show", "near-1"])
        .succeeds()
        .stdout;
    assert!(shown.contains("  needs    far-1\n"), "{shown}");
    let blocked = || by(&here, "ann", &["bead", "blocked"]).succeeds().stdout;
    assert_eq!(ids(&here, &["ready"]), [""; 0]);
    assert!(blocked().contains("far-1"), "{}", blocked());
    by(&far, "bo", &["bead", "close", "far-1", "--reason", "done"]).succeeds();
    assert!(!blocked().contains("far-1"), "{}", blocked());
    assert_eq!(ids(&here, &["ready"]), ["near-1"]);
    by(&here, "ann", &["bead", "claim"]).succeeds();
}

/// Starts eight concurrent claims. Checks that one succeeds and that the others are told so.
fn one_of_eight_gets(sandbox: &Sandbox, call: &[&str]) {
    let claims: Vec<_> = (0..8)
        .map(|agent| {
            let actor = format!("rig/polecats/slot{agent}");
            let mut command = sandbox.command(sandbox.root(), &["--actor", &actor]);
            command
                .args(call)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let codes: Vec<_> = claims
        .into_iter()
        .map(|mut claim| claim.wait().unwrap().code())
        .collect();
    let won = codes.iter().filter(|code| **code == Some(0)).count();
    let lost = codes.iter().filter(|code| **code == Some(5)).count();
    assert_eq!((won, lost), (1, 7), "{codes:?}");
}

#[test]
fn one_of_eight_claims_succeeds() {
    let sandbox = Sandbox::git();
    for round in 0..rounds(6) {
        let id = create(&sandbox, &["Wanted", "--id", &format!("t-{round}")]);
        one_of_eight_gets(&sandbox, &["bead", "claim", &id]);
    }
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

/// An older ignore file gets the new patterns, and the user's own lines stay.
#[test]
fn older_ignore_file_is_completed() {
    let sandbox = Sandbox::git();
    let older = "# Made from events.jsonl at any time, or of use on one machine alone.\n.windlass/\n.hook-*\nfeed.jsonl\n";
    sandbox.write(".beads/.gitignore", format!("{older}# my own\nnotes/\n"));
    create(&sandbox, &["Work"]);
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    assert_eq!(
        sandbox.read(".beads/.gitignore"),
        format!("{older}# my own\nnotes/\nmols/\n")
    );
    // Nothing is added to a file that we haven't written, or that mentions the pattern in any form.
    for mine in ["only/mine\n", &format!("{older}!mols/\n")] {
        sandbox.write(".beads/.gitignore", mine);
        create(&sandbox, &["More work"]);
        by(&sandbox, "ann", &["events", "sync"]).succeeds();
        assert_eq!(sandbox.read(".beads/.gitignore"), mine);
    }
}
