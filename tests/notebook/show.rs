//! `notebook show`: filters and pages.

use crate::{anchor, edit, repository, runbook};

fn filled() -> crate::support::Sandbox {
    let sandbox = repository();
    let mut saved: Vec<String> = (1..=40)
        .map(|at| anchor(&format!("a{at:02}"), &format!("src/a.rs:{at}")))
        .collect();
    saved.push(r#"{"op":"upsert_anchor","anchor":{"id":"gate","at":["lib/b.rs:1-3"],"kind":"ci","tags":["x","y"]}}"#.to_owned());
    saved.push(runbook("look", "gate"));
    edit(&sandbox, &format!("[{}]", saved.join(",")), &[]).succeeds();
    sandbox.edit("src/a.rs", "line number 7\n", "changed\n");
    sandbox
}

#[test]
fn filters_choose_by_kind_tag_state_zone() {
    let sandbox = filled();
    for (args, ids) in [
        (&["-k", "ci"][..], &["gate"][..]),
        (&["-t", "x", "-t", "y"], &["gate"]),
        (&["-t", "x", "-t", "z"], &[]),
        (&["-z", "lib"], &["gate"]),
        (&["-z", "lib/"], &["gate"]),
        (&["-z", "li"], &[]),
        (&["-z", "**/b.*"], &["gate"]),
        (&["-s", "edited", "-s", "gone", "-s", "stale"], &["a07"]),
        (&["-s", "valid"], &[]),
    ] {
        let args = [&["notebook", "show", "--format", "json"], args].concat();
        let list = sandbox.windlass(&args).succeeds().json();
        let found = list["anchors"].as_array().unwrap();
        let found: Vec<&str> = found
            .iter()
            .map(|anchor| anchor["id"].as_str().unwrap())
            .collect();
        assert_eq!(found, ids, "{args:?}");
        let runbooks = usize::from(args.contains(&"valid"));
        assert_eq!(
            list["runbooks"].as_array().unwrap().len(),
            runbooks,
            "{args:?}"
        );
    }
    let wrong = sandbox
        .windlass(&["notebook", "show", "-s", "frehs"])
        .exits_with(2)
        .stderr;
    assert!(wrong.contains("did you mean `fresh`?"), "{wrong}");
    sandbox
        .windlass(&["notebook", "show", "-z", "a[/x"])
        .exits_with(2);
}

#[test]
fn pages_cover_notebook_within_budget() {
    let sandbox = filled();
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec![
            "notebook",
            "show",
            "--format",
            "json",
            "--max-chars",
            "2500",
        ];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = sandbox.windlass(&args).succeeds();
        assert!(page.stdout.chars().count() <= 2500);
        let page = page.json();
        assert_eq!(
            (&page["total"], &page["runbooks_total"], &page["revision"]),
            (&41.into(), &1.into(), &1.into())
        );
        for list in ["runbooks", "anchors"] {
            let entries = page[list].as_array().unwrap();
            seen.extend(
                entries
                    .iter()
                    .map(|entry| entry["id"].as_str().unwrap().to_owned()),
            );
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(
        (seen.len(), seen[0].as_str(), seen[41].as_str()),
        (42, "look", "gate")
    );

    let text = sandbox
        .windlass(&["notebook", "show", "--max-chars", "600"])
        .succeeds()
        .stdout;
    assert!(text.starts_with("1 runbook\n40 of 41 fresh: 1 "), "{text}");
    assert!(
        text.contains("windlass notebook show --max-chars 600 --cursor"),
        "{text}"
    );
    let lines = sandbox
        .windlass(&["notebook", "show", "--format", "jsonl"])
        .succeeds()
        .stdout;
    assert_eq!(lines.lines().count(), 42);
}

#[test]
fn empty_notebook_names_first_call() {
    let sandbox = repository();
    let shown = sandbox.windlass(&["notebook", "show"]).succeeds();
    assert_eq!(shown.stdout, "no anchors\n");
    assert!(shown.stderr.contains("anchor add"), "{}", shown.stderr);
}
