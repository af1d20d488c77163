//! Anchors: adding, listing, checking and removing them, one and many.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod calls;
#[cfg(unix)]
mod owner;
mod repair;

use std::io::Write as _;
use std::process::Stdio;

use support::{Sandbox, answer, numbered};

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 30))
        .write("src/b.rs", numbered(31, 60))
        .commit("x");
    sandbox
}

#[test]
fn an_anchor_lives_from_add_to_remove() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "src/b.rs:1",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(listed["anchors"][0]["id"], "core");
    assert_eq!(listed["anchors"][0]["kind"], "contract");
    assert_eq!(
        listed["anchors"][0]["evidence"].as_array().unwrap().len(),
        2
    );
    assert_eq!(
        sandbox
            .windlass(&["anchor", "list", "-k", "ci"])
            .succeeds()
            .stdout,
        "no anchors\n"
    );

    let shown = sandbox
        .windlass(&["anchor", "show", "core"])
        .succeeds()
        .stdout;
    assert!(
        shown.contains("line number 5") && shown.contains("line number 31"),
        "{shown}"
    );

    sandbox.windlass(&args).exits_with(5);
    let again = [&args[..], &["--replace"]].concat();
    sandbox.windlass(&again).succeeds();
    sandbox.windlass(&["anchor", "remove", "core"]).succeeds();
    let gone = sandbox
        .windlass(&["anchor", "remove", "core"])
        .exits_with(3);
    assert!(gone.stderr.contains("anchor list"), "{}", gone.stderr);
}

#[test]
fn paths_are_meant_from_where_the_user_stands() {
    let sandbox = repository();
    sandbox
        .windlass_in(
            &sandbox.root().join("src"),
            &["anchor", "add", "x", "a.rs:1"],
        )
        .succeeds();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert!(listed.contains("src/a.rs:1"), "{listed}");
}

#[cfg(unix)]
#[test]
fn files_with_signs_in_their_names_can_be_named() {
    let sandbox = repository();
    for name in ["a:3.txt", "a:3", "x#y.rs"] {
        sandbox.write(name, "const FIRST: u8 = 1;\nfn first_of_all() {}\n");
    }
    for (id, place, saved) in [
        ("one", "a:3.txt:1", "a:3.txt:1\n"),
        ("two", "./a:3:1-2", "a:3:1-2\n"),
        ("three", "x#y.rs#first_of_all", "x#y.rs:2\n"),
        ("four", "x#y.rs:1", "x#y.rs:1\n"),
    ] {
        let added = sandbox.windlass(&["anchor", "add", id, place]).succeeds();
        assert!(
            added.stderr.contains(&format!("saved {id} at {saved}")),
            "{}",
            added.stderr
        );
        sandbox.windlass(&["anchor", "check", id]).succeeds();
    }
}

#[test]
fn many_are_added_at_once_or_not_at_all() {
    let sandbox = repository();
    let lines = |last: &str| {
        format!(
            "{{\"id\":\"one\",\"file\":\"src/a.rs\",\"start_line\":1,\"end_line\":2,\"symbol\":\"f\"}}\n{last}\n"
        )
    };
    sandbox.write(
        "bad.jsonl",
        lines(r#"{"id":"two","file":"src/a.rs","start_line":99}"#),
    );
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2);
    assert!(
        refused
            .stderr
            .contains("error[anchor-capture]: `two`: `src/a.rs` has 30 lines")
            && refused.stderr.contains("bad.jsonl:2:1"),
        "{}",
        refused.stderr
    );
    sandbox.write(
        "bad.jsonl",
        lines(r#"{"id":"two","fiel":"src/a.rs","start_line":9}"#),
    );
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("bad.jsonl:2:13")
            && refused.stderr.contains("did you mean `file`?"),
        "{}",
        refused.stderr
    );
    assert_eq!(
        sandbox.windlass(&["anchor", "list"]).succeeds().stdout,
        "no anchors\n"
    );

    let good = lines(r#"{"id":"two","file":"src/b.rs","start_line":3}"#);
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "--from", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(good.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    let checked = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .succeeds()
        .stdout;
    let ids: Vec<String> = checked
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            format!(
                "{} {}",
                value["id"].as_str().unwrap(),
                value["status"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(ids, ["one fresh", "two fresh"]);
}

#[test]
fn checking_says_what_no_longer_stands_and_fails() {
    let sandbox = repository();
    sandbox
        .windlass(&["anchor", "add", "up", "src/a.rs:10-12"])
        .succeeds();
    sandbox
        .windlass(&["anchor", "add", "down", "src/b.rs:10-12"])
        .succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();
    sandbox.write("src/a.rs", format!("new\n{}", numbered(1, 30)));
    sandbox.edit("src/b.rs", "line number 41", "other");
    let checked = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(checked.contains("now at src/a.rs:11-13"), "{checked}");
    assert!(checked.contains("0 of 2 fresh"), "{checked}");
    let lines = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    let down: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(down["repair"]["outcome"], "edited");
    assert_eq!(down["repair"]["evidence"]["start_line"], 10);
    let named = sandbox
        .windlass(&["anchor", "check", "down", "up", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    assert!(
        named.lines().next().unwrap().contains("\"down\""),
        "in the order they were named: {named}"
    );
}

#[test]
fn what_cannot_be_captured_is_refused_with_the_reason() {
    let sandbox = repository();
    sandbox.write("bin", b"a\0b");
    for (place, code, reason) in [
        ("src/a.rs:99", 2, "30 lines"),
        ("src/none.rs:1", 3, "does not exist"),
        ("src:1", 2, "folder"),
        ("bin:1", 2, "binary"),
        ("../etc:1", 2, "leads upwards"),
        ("src/a.rs", 2, "names no lines"),
        ("src/a.rs:0", 2, "counted from 1"),
        ("src/a.rs:5-2", 2, "before the first"),
    ] {
        let answer = sandbox
            .windlass(&["anchor", "add", "x", place])
            .exits_with(code);
        assert!(answer.stderr.contains(reason), "{place}: {}", answer.stderr);
    }
    assert_eq!(
        sandbox.windlass(&["anchor", "list"]).succeeds().stdout,
        "no anchors\n"
    );
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let sandbox = repository();
    let children: Vec<_> = (0..8)
        .map(|n| {
            let place = format!("src/a.rs:{}", n + 1);
            let id = format!("a{n}");
            sandbox
                .command(sandbox.root(), &["anchor", "add", &id, &place])
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert_eq!(listed.lines().count(), 1 + 8, "{listed}");
}

#[test]
fn a_home_that_cannot_be_written_is_said_and_loses_nothing() {
    let sandbox = repository();
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "x", "src/a.rs:1"]);
    let refused = answer(command.env("XDG_DATA_HOME", "/proc/nowhere"));
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("/proc/nowhere"),
        "{}",
        refused.stderr
    );
    // That there are no anchors would not be true.
    let mut command = sandbox.command(sandbox.root(), &["anchor", "list"]);
    let refused = answer(command.env_remove("HOME")).exits_with(1);
    assert!(refused.stderr.contains("`HOME`"), "{}", refused.stderr);
}

#[test]
fn capturing_again_keeps_what_is_not_given() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    sandbox
        .windlass(&["anchor", "add", "core", "src/a.rs:6-10", "--replace"])
        .succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let core = &listed["anchors"][0];
    assert_eq!(core["evidence"][0]["start_line"], 6);
    assert_eq!(
        (&core["kind"], &core["label"], &core["tags"][0]),
        (&"contract".into(), &"The core".into(), &"api".into())
    );
}

#[test]
fn a_mistake_that_is_repeated_is_shown_a_few_times_and_named_everywhere() {
    let sandbox = repository();
    let line = |nr: usize| match nr {
        30 => "nothing\n".to_owned(),
        _ => format!("{{\"id\":\"a{nr}\",\"fiel\":\"src/a.rs\",\"line\":{nr}}}\n"),
    };
    sandbox.write("bad.jsonl", (1..=60).map(line).collect::<String>());
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2)
        .stderr;
    assert_eq!(refused.matches(" --> bad.jsonl:").count(), 6, "{refused}");
    assert!(
        refused.contains("231 more findings of `anchor-field`: lines 2-29, 31-60"),
        "{refused}"
    );
    assert!(refused.contains("bad.jsonl:30:1"), "{refused}");

    let checked = sandbox
        .windlass(&["check", "bad.jsonl", "--format", "json"])
        .exits_with(2)
        .stdout;
    for nr in 1..=60 {
        assert!(checked.contains(&format!("\"line\":{nr},")), "{nr}");
    }
}

#[test]
fn what_stands_at_an_anchor_now_is_shown_to_programs_as_well() {
    let sandbox = repository();
    for (id, place) in [
        ("same", "src/a.rs:1-2"),
        ("moved", "src/a.rs:12"),
        ("gone", "src/b.rs:5"),
    ] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let moved = sandbox.read("src/a.rs").lines().nth(11).unwrap().to_owned();
    sandbox.edit("src/a.rs", &moved, &format!("new\n{moved}"));
    let lost = sandbox.read("src/b.rs").lines().nth(4).unwrap().to_owned();
    sandbox.edit("src/b.rs", &lost, &format!("other {secret}"));
    let shown = sandbox
        .windlass(&[
            "anchor", "show", "same", "moved", "gone", "--format", "json",
        ])
        .succeeds();
    let now = |at: usize| shown.json()["anchors"][at]["now"][0].clone();
    assert_eq!(now(0)["is"], "captured");
    assert_eq!(now(0)["text"].as_str().unwrap().lines().count(), 2);
    assert_eq!(
        (&now(1)["is"], &now(1)["start_line"]),
        (&"moved".into(), &13.into())
    );
    assert_eq!(now(1)["text"], moved);
    assert_eq!(now(2)["is"], "other");
    assert!(now(2)["text"].as_str().unwrap().starts_with("other "));
    assert!(!shown.stdout.contains(&secret[4..]));
}

#[test]
fn every_call_that_goes_on_in_a_list_makes_progress() {
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

/// Thirty anchors: the third moved, the fifth changed, the seventh is gone.
fn many() -> Sandbox {
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
fn a_list_begins_with_a_count_and_the_worst() {
    let sandbox = many();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines[0], "29 of 32 fresh: 1 missing, 1 stale, 1 moved");
    for (line, start) in
        lines[1..]
            .iter()
            .zip(["missing  gone", "stale    changed", "moved    a30"])
    {
        assert!(line.starts_with(start), "{line}");
    }
    let checked = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert_eq!(checked.lines().next(), lines.first().copied());
    assert!(!checked.contains("a01"), "{checked}");
    // All that it calls for can be run as it is printed.
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
        again.starts_with("30 of 32 fresh: 1 missing, 1 stale\n"),
        "{again}"
    );
}

#[test]
fn pages_of_a_list_show_every_anchor_once_within_the_budget() {
    let sandbox = many();
    for format in ["text", "json"] {
        let first = format!("anchor list --max-chars 1200 --format {format}");
        let mut calls = vec![first];
        let mut seen = String::new();
        while let Some(call) = calls.pop() {
            // Each further call is made as it was printed.
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
fn a_list_that_changed_is_not_gone_on_with() {
    let sandbox = many();
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

#[test]
fn an_anchor_can_be_what_defines_a_symbol() {
    let sandbox = repository();
    sandbox.write(
        "src/c.rs",
        "struct A;\nimpl A {\n    /// Runs.\n    fn run() {\n    }\n}\nimpl B {\n    fn run() {}\n}\n",
    );
    sandbox
        .windlass(&["anchor", "add", "run", "src/c.rs#A::run"])
        .succeeds();
    let shown = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let evidence = &shown["anchors"][0]["evidence"][0];
    assert_eq!(
        (&evidence["start_line"], &evidence["end_line"]),
        (&3.into(), &5.into())
    );

    let several = ["anchor", "add", "other", "src/c.rs#run"];
    let answer = sandbox.windlass(&several).exits_with(2);
    assert!(
        answer.stderr.contains("`B::run` on lines 8"),
        "{}",
        answer.stderr
    );
    let none = ["anchor", "add", "other", "src/c.rs#rnu"];
    let answer = sandbox.windlass(&none).exits_with(3);
    assert!(
        answer.stderr.contains("did you mean `run`?"),
        "{}",
        answer.stderr
    );
}

#[test]
fn printed_calls_mean_the_same_files_from_a_subfolder() {
    let sandbox = repository();
    // A file of the same name stands where the caller does.
    sandbox.write("src/README.md", "another\nfile\n");
    sandbox.write("README.md", "# Use\n\nthe anchored line of the main file\n");
    sandbox
        .windlass(&["anchor", "add", "main", "README.md#Use"])
        .succeeds();
    sandbox.write("README.md", "one\n\n# Use\n\nquite another text by now\n");
    let inside = sandbox.root().join("src");
    let shown = sandbox.windlass_in(&inside, &["anchor", "show", "main"]);
    let shown = shown.succeeds().stdout;
    let call = "windlass anchor add main README.md#Use --replace --root ..";
    assert!(shown.replace('\'', "").contains(call), "{shown}");
    let words: Vec<&str> = call.split(' ').skip(1).collect();
    sandbox.windlass_in(&inside, &words).succeeds();
    sandbox
        .windlass_in(&inside, &["anchor", "check", "main"])
        .succeeds();
    // What a person types there is meant from there.
    let typed = sandbox
        .windlass_in(&inside, &["anchor", "add", "own", "README.md:1"])
        .succeeds();
    let said = format!("{}{}", typed.stdout, typed.stderr);
    assert!(said.contains("src/README.md:1"), "{said}");
}

#[test]
fn what_was_edited_or_taken_to_another_file_is_found_and_explained() {
    let sandbox = repository();
    for (id, place) in [("near", "src/a.rs:5-14"), ("far", "src/a.rs:20-29")] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    let old = sandbox.read("src/a.rs");
    let lines: Vec<&str> = old.lines().collect();
    let kept = lines[..19]
        .join("\n")
        .replace("number 8", "of another kind");
    sandbox
        .write("src/a.rs", format!("// new\n{kept}\n{}\n", lines[29]))
        .write("src/c.rs", lines[19..29].join("\n") + "\n");

    let checked = sandbox.windlass(&["anchor", "check", "--format", "json"]);
    let checked = checked.exits_with(1).json();
    let repair = |id: &str| {
        let anchors = checked["anchors"].as_array().unwrap().iter();
        let mut anchors = anchors.filter(|anchor| anchor["id"] == id);
        anchors.next().unwrap()["repair"].clone()
    };
    let (near, far) = (repair("near"), repair("far"));
    assert_eq!(near["outcome"], "edited");
    assert_eq!(near["method"], "diff_edited");
    assert_eq!(near["evidence"]["start_line"], 6);
    assert_eq!(near["evidence"]["end_line"], 15);
    assert_eq!(far["outcome"], "moved");
    assert_eq!(far["evidence"]["file"], "src/c.rs");
    assert_eq!(far["confidence"], 100);

    let text = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(text.contains("now at src/a.rs:6-15, 9"), "{text}");
    assert!(text.contains("now at src/c.rs:1-10"), "{text}");
    let explained = sandbox.windlass(&["anchor", "check", "far", "--explain"]);
    let explained = explained.exits_with(1).stdout;
    assert!(explained.starts_with("moved  far\n  src/a.rs:20-29\n    place: "));
    assert!(
        explained.contains("    history: src/c.rs:1-10 has 100 %"),
        "{explained}"
    );
    sandbox
        .windlass(&["anchor", "check", "--explain", "--format", "json"])
        .exits_with(2);
}

/// What the notebook says of the anchor `core`.
fn core(sandbox: &Sandbox) -> serde_json::Value {
    let shown = sandbox.windlass(&["anchor", "show", "core", "--format", "json"]);
    shown.succeeds().json()["anchors"][0]["anchor"].clone()
}

#[test]
fn what_a_replacement_does_not_say_stays_and_the_locator_only_where_it_is_true() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.rs", "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n")
        .write(
            "lines.jsonl",
            "{\"id\":\"core\",\"file\":\"a.rs\",\"start_line\":1,\"end_line\":2}\n",
        )
        .write(
            "far.jsonl",
            "{\"id\":\"core\",\"file\":\"a.rs\",\"start_line\":6}\n",
        );
    let edit = |at: &str| {
        format!(
            "{{\"operations\": [{{\"op\": \"upsert_anchor\", \"anchor\": {{\"id\": \"core\", \"at\": [\"{at}\"]}}}}]}}"
        )
    };
    sandbox
        .write("near.json", edit("a.rs:1-2"))
        .write("far.json", edit("a.rs:6"));
    let first = [
        "anchor",
        "add",
        "core",
        "a.rs#one",
        "-k",
        "contract",
        "-l",
        "Core",
        "-t",
        "api",
        "--zone",
        "*.rs",
        "--replace",
    ];
    for (near, far) in [
        (
            &["anchor", "add", "core", "a.rs:1-2", "--replace"][..],
            &["anchor", "add", "core", "a.rs:6", "--replace"][..],
        ),
        (
            &["anchor", "add", "--from", "lines.jsonl", "--replace"],
            &["anchor", "add", "--from", "far.jsonl", "--replace"],
        ),
        (
            &["notebook", "edit", "near.json"],
            &["notebook", "edit", "far.json"],
        ),
    ] {
        sandbox.windlass(&first).succeeds();
        for (call, symbol) in [(near, Some("one")), (far, None)] {
            sandbox.windlass(call).succeeds();
            let anchor = core(&sandbox);
            assert_eq!(
                anchor["locator"]["value"].as_str(),
                symbol,
                "{call:?}: {anchor}"
            );
            for (field, value) in [
                ("kind", serde_json::json!("contract")),
                ("label", "Core".into()),
                ("tags", serde_json::json!(["api"])),
                ("zone", serde_json::json!(["*.rs"])),
            ] {
                assert_eq!(anchor[field], value, "{call:?}");
            }
        }
    }
}

#[test]
fn a_zone_that_is_no_glob_is_refused_however_it_is_given() {
    let sandbox = repository();
    sandbox
        .write("z.jsonl", "{\"id\":\"z\",\"file\":\"src/a.rs\",\"start_line\":1,\"zone\":[\"[\"]}\n")
        .write(
            "z.json",
            "{\"operations\": [{\"op\": \"upsert_anchor\", \"anchor\": {\"id\": \"z\", \"at\": [\"src/a.rs:1\"], \"zone\": [\"[\"]}}]}",
        );
    for call in [
        &["anchor", "add", "z", "src/a.rs:1", "--zone", "["][..],
        &["anchor", "add", "--from", "z.jsonl"],
        &["notebook", "edit", "z.json"],
    ] {
        let refused = sandbox.windlass(call).exits_with(2);
        assert!(
            refused.stderr.contains("`[` is not a glob"),
            "{call:?}: {}",
            refused.stderr
        );
    }
    sandbox.windlass(&["anchor", "show", "z"]).exits_with(3);
}

#[cfg(unix)]
#[test]
fn lines_may_come_through_a_pipe() {
    let sandbox = Sandbox::git();
    sandbox.write("a.rs", "fn a() {}\nfn b() {}\n");
    let lines = r#"{"id":"one","file":"a.rs","start_line":1}"#;
    let fifo = sandbox.outside().join("lines");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let writer = {
        let fifo = fifo.clone();
        std::thread::spawn(move || std::fs::write(fifo, format!("{lines}\n")).unwrap())
    };
    let name = fifo.to_string_lossy().into_owned();
    sandbox
        .windlass(&["anchor", "add", "--from", &name])
        .succeeds();
    writer.join().unwrap();

    let edit = r#"[{"op":"delete_anchor","id":"one"}]"#;
    let writer = std::thread::spawn(move || std::fs::write(fifo, format!("{edit}\n")).unwrap());
    sandbox.windlass(&["notebook", "edit", &name]).succeeds();
    writer.join().unwrap();
    let list = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert!(!list.contains("one"), "{list}");
}

#[test]
fn bytes_that_are_not_shown_as_they_stand_are_told_of() {
    let sandbox = Sandbox::git();
    sandbox
        .write("bom.txt", b"\xef\xbb\xbffirst line with a mark before it\n")
        .write("latin.txt", b"one caf\xe9 line that is long enough\n")
        .write("cr.txt", "first part of it\rsecond part that follows\n")
        .write("crlf.txt", "first line of a file\r\n")
        .write("long.txt", format!("a long line {}\n", "x".repeat(50_000)));
    let names = ["bom", "cr", "crlf", "latin", "long"];
    for name in names {
        let place = format!("{name}.txt:1");
        sandbox
            .windlass(&["anchor", "add", name, &place])
            .succeeds();
    }
    let mut show = vec!["anchor", "show"];
    show.extend(names);
    let shown = sandbox.windlass(&show).succeeds();
    show.extend(["--format", "json"]);
    let json = sandbox.windlass(&show).succeeds().json();
    for (at, note) in [
        (0, "begins with a byte order mark"),
        (1, "carriage returns"),
        (3, "not UTF-8"),
    ] {
        let line = shown.stdout.lines().find(|line| line.contains(note));
        assert!(line.is_some_and(|line| line.ends_with(&format!(": {}.txt", names[at]))));
        let notes = &json["anchors"][at]["now"][0]["notes"];
        assert!(notes[0].as_str().unwrap().contains(note), "{notes}");
    }
    let now = |at: usize| &json["anchors"][at]["now"][0];
    let notes = &now(2)["notes"];
    assert!(notes[0].as_str().unwrap().contains("CR LF"), "{notes}");
    assert_eq!(now(4)["long_lines_cut"], 1);
}
