//! Anchor lists, page by page.

use crate::repository;
use crate::support::Sandbox;

#[test]
fn every_next_page_makes_progress() {
    let sandbox = repository();
    for nr in 1..=6 {
        let (id, place) = (format!("a{nr}"), format!("src/a.rs:{nr}"));
        let label = if nr % 2 == 0 {
            "long ".repeat(200)
        } else {
            "short".to_owned()
        };
        let args = ["anchor", "add", &id, &place, "--label", &label];
        sandbox.windlass(&args).succeeds();
    }
    for (format, max) in [("text", "200"), ("text", "600"), ("json", "700")] {
        let mut args: Vec<String> = ["anchor", "list", "--max-chars", max, "--format", format]
            .map(str::to_owned)
            .into();
        let mut pages = 0;
        loop {
            let words: Vec<&str> = args.iter().map(String::as_str).collect();
            let page = sandbox.windlass(&words).succeeds().stdout;
            pages += 1;
            assert!(pages <= 7, "{page}");
            let call = match format {
                "json" => {
                    let page: serde_json::Value = serde_json::from_str(&page).unwrap();
                    let call = page["next_actions"]
                        .as_array()
                        .and_then(|calls| calls.last());
                    call.map(|call| {
                        let text = |key: &str| call["args"][key].to_string().replace('"', "");
                        let (max, cursor) = (text("max_chars"), text("cursor"));
                        format!("anchor list --format json --max-chars {max} --cursor={cursor}")
                    })
                }
                _ => {
                    let call = page.lines().find_map(|line| line.split_once("windlass "));
                    call.map(|(_, call)| call.split("  #").next().unwrap().to_owned())
                }
            };
            match call {
                Some(call) => args = call.split_whitespace().map(str::to_owned).collect(),
                None => break,
            }
        }
    }
}

/// Creates thirty anchors. The third has moved, the fifth has changed, and the seventh is gone.
fn thirty_anchors() -> Sandbox {
    let sandbox = repository();
    let lines: Vec<String> = (1..=30)
        .map(|n| {
            format!(r#"{{"id":"a{n:02}","file":"src/a.rs","start_line":{n},"label":"Number {n}"}}"#)
        })
        .collect();
    sandbox.write("many.jsonl", lines.join("\n"));
    sandbox
        .windlass(&["anchor", "add", "--from", "many.jsonl"])
        .succeeds();
    sandbox.write("src/c.rs", "one\ntwo\n");
    for (id, place) in [("gone", "src/c.rs:1"), ("changed", "src/b.rs:5")] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    sandbox.edit("src/b.rs", "line number 35", "line of number 5");
    sandbox.edit("src/a.rs", "line number 30\n", "new\nline number 30\n");
    sandbox.remove("src/c.rs");
    sandbox
}

#[test]
fn list_starts_with_count_and_worst() {
    let sandbox = thirty_anchors();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines[0], "29 of 32 fresh: 1 missing, 1 edited, 1 moved");
    for (line, start) in
        lines[1..]
            .iter()
            .zip(["missing  gone", "edited   changed", "moved    a30"])
    {
        assert!(line.starts_with(start), "{line}");
    }
    let checked = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert_eq!(checked.lines().next(), lines.first().copied());
    assert!(!checked.contains("a01"), "{checked}");
    // Every printed call can be run unchanged.
    for call in ["anchor repair a30", "anchor show gone changed"] {
        assert!(
            checked.contains(&format!("\n  windlass {call}  # ")),
            "{call} in:\n{checked}"
        );
        sandbox
            .windlass(&call.split(' ').collect::<Vec<_>>())
            .succeeds();
    }
    let again = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(
        again.starts_with("30 of 32 fresh: 1 missing, 1 edited\n"),
        "{again}"
    );
}

#[test]
fn pages_cover_each_anchor_once() {
    let sandbox = thirty_anchors();
    for format in ["text", "json"] {
        let first = format!("anchor list --max-chars 1200 --format {format}");
        let mut calls = vec![first];
        let mut seen = String::new();
        while let Some(call) = calls.pop() {
            // Make each next call exactly as printed.
            let page = sandbox
                .windlass(&call.split(' ').collect::<Vec<_>>())
                .succeeds();
            assert!(page.stdout.chars().count() <= 1_200, "{}", page.stdout);
            let next = if format == "json" {
                let page = page.json();
                assert_eq!((&page["total"], &page["fresh"]), (&32.into(), &29.into()));
                page.get("next_cursor").map(|_| {
                    let args = &page["next_actions"].as_array().unwrap().last().unwrap()["args"];
                    let text = |name: &str| args[name].as_str().unwrap().to_owned();
                    let (format, cursor) = (text("format"), text("cursor"));
                    let max = &args["max_chars"];
                    format!("anchor list --format {format} --max-chars {max} --cursor {cursor}")
                })
            } else {
                assert!(
                    page.stdout.starts_with("29 of 32 fresh: "),
                    "{}",
                    page.stdout
                );
                let more = page
                    .stdout
                    .lines()
                    .find(|line| line.contains(" more  windlass "));
                more.map(|line| line.split_once("windlass ").unwrap().1.to_owned())
            };
            let entries = page.stdout.split("\nNext\n").next().unwrap();
            seen.push_str(entries);
            calls.extend(next);
        }
        for n in 1..=30 {
            let name = format!("Number {n}{}", if format == "json" { "\"" } else { "\n" });
            assert_eq!(seen.matches(&name).count(), 1, "{format} {name}:\n{seen}");
        }
    }
    let all = sandbox
        .windlass(&["anchor", "list", "--format", "jsonl"])
        .succeeds();
    assert_eq!(all.stdout.lines().count(), 32);
    assert!(
        all.stdout.starts_with(r#"{"id":"a01""#),
        "in the order they were saved"
    );
}

#[test]
fn cursor_of_changed_list_is_refused() {
    let sandbox = thirty_anchors();
    let page = |args: &[&str]| {
        let args = [&["anchor", "list", "--max-chars", "900"], args].concat();
        sandbox.windlass(&args)
    };
    let first = page(&["--format", "json"]).succeeds().json();
    let cursor = first["next_cursor"].as_str().unwrap().to_owned();
    let next = ["--format", "json", "--cursor", cursor.as_str()];
    page(&next).succeeds();
    page(&["--format", "json", "--kind", "ci", "--cursor", &cursor]).exits_with(3);
    sandbox.edit("src/a.rs", "line number 3\n", "changed\n");
    let refused = page(&next).exits_with(3);
    assert!(
        refused.stderr.contains("changed since this cursor")
            && refused.stderr.contains("without `--cursor`"),
        "{}",
        refused.stderr
    );
    page(&["--cursor", "nonsense"]).exits_with(2);
    page(&["--format", "jsonl"]).exits_with(2);
    let small = sandbox
        .windlass(&["anchor", "list", "--max-chars", "10"])
        .exits_with(2);
    assert!(small.stderr.contains("takes at least"), "{}", small.stderr);
}
