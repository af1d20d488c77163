use serde_json::Value;

use super::remembering;
use crate::support::Sandbox;

fn ask(sandbox: &Sandbox, question: &str) -> Value {
    sandbox
        .windlass(&["memory", "recall", question, "--format", "json"])
        .succeeds()
        .json()
}

#[test]
fn natural_questions_give_evidence() {
    let sandbox = remembering();
    for (question, id) in [
        (
            "Continue the settings refactor.",
            "finish-the-settings-refactor",
        ),
        (
            "why do we sync the settings through one store?",
            "one-store-owns-the-settings",
        ),
        ("prepare the next release", "releases-leave-on-thursdays"),
    ] {
        let found = ask(&sandbox, question);
        assert_eq!(
            (&found["level"], &found["matches"][0]["id"]),
            (&"strong".into(), &id.into()),
            "{found}"
        );
        let place = &found["loaded"][0];
        let file = sandbox.read(place["file"].as_str().unwrap());
        let first = file
            .lines()
            .nth(place["start_line"].as_u64().unwrap() as usize - 1);
        assert_eq!(first, place["text"].as_str().unwrap().lines().next());
        assert!(
            place["source_hash"]
                .as_str()
                .unwrap()
                .starts_with("sha256:")
        );
        // The stored index gives the same answer.
        assert_eq!(ask(&sandbox, question), found);
    }
    for question in ["do it", "migrate the cluster to arm nodes"] {
        let found = ask(&sandbox, question);
        assert_eq!(
            (&found["level"], &found["loaded"]),
            (&"none".into(), &serde_json::json!([])),
            "{found}"
        );
    }
}

#[test]
fn memory_is_found_from_subfolders() {
    let sandbox = Sandbox::folder();
    sandbox.write("src/deep/a.txt", "text\n");
    sandbox.windlass(&["memory", "init"]).succeeds();
    let folder = sandbox.root().join("src/deep");
    let below = |arguments: &[&str]| {
        let mut command = sandbox.command(&folder, arguments);
        crate::support::answer(&mut command).succeeds().stdout
    };
    below(&["memory", "remember", "decision", "Grain is weighed twice"]);
    let found = below(&["memory", "recall", "how often is grain weighed?"]);
    assert!(found.contains("grain-is-weighed-twice"), "{found}");
    assert!(!folder.join("memory").exists());
}

#[test]
fn possible_answers_are_only_weak() {
    let sandbox = remembering();
    let question = "which writers lost the colour theme of their window yesterday";
    let found = ask(&sandbox, question);
    assert_eq!(found["level"], "weak", "{found}");
    let place = &found["loaded"][0];
    assert_eq!(
        place["file"],
        "memory/decisions/one-store-owns-the-settings.md"
    );
    let said = |field: &str| place[field].as_str().unwrap();
    assert!(said("text").contains("lost each other's edits"), "{place}");
    assert!(said("why").starts_with("may be meant: "), "{place}");
    let text = sandbox.windlass(&["memory", "recall", question]).succeeds();
    assert!(
        text.stdout.starts_with("weak: ") && text.stdout.contains("# may be meant"),
        "{}",
        text.stdout
    );
}

#[test]
fn budget_is_kept_in_every_format() {
    let sandbox = remembering();
    for format in ["text", "json", "tron"] {
        for max in [1_000usize, 1_200, 1_400, 3_000] {
            let args = [
                "memory",
                "recall",
                "settings refactor store",
                "--format",
                format,
                "--max-chars",
                &max.to_string(),
            ];
            let printed = sandbox.windlass(&args).succeeds().stdout;
            assert!(
                printed.chars().count() <= max,
                "{format} {max}: {}",
                printed.chars().count()
            );
            if format == "json" {
                let value: Value = serde_json::from_str(&printed).unwrap();
                assert_eq!(value["budget"]["used"], printed.chars().count());
            }
        }
    }
    // An answer without room for any evidence is refused.
    let tight = [
        "memory",
        "recall",
        "settings refactor store",
        "--max-chars",
        "750",
        "--format",
        "json",
    ];
    let told = sandbox.windlass(&tight).exits_with(2).stderr;
    assert!(told.contains("it takes at least"), "{told}");
    let told = sandbox
        .windlass(&["memory", "recall", "settings", "--max-chars", "10"])
        .exits_with(2)
        .stderr;
    assert!(told.contains("too small"), "{told}");
    // The minimum named in the refusal is enough.
    for format in ["text", "json", "tron"] {
        for unit in ["--max-chars", "--max-tokens"] {
            let recall = |max: &str| {
                let args = ["memory", "recall", "settings store", "--format", format];
                let args: Vec<&str> = args.into_iter().chain([unit, max]).collect();
                sandbox.windlass(&args)
            };
            let told = recall("1").exits_with(2).stderr;
            let least = told.split("at least ").nth(1).unwrap();
            let digits = least.trim_start_matches(|c: char| c.is_ascii_digit());
            recall(&least[..least.len() - digits.len()]).succeeds();
        }
    }
    sandbox
        .windlass(&[
            "memory",
            "recall",
            "settings",
            "--max-tokens",
            "320",
            "--format",
            "tron",
        ])
        .succeeds();
}

#[test]
fn feedback_changes_the_next_recall() {
    let sandbox = remembering();
    let question = "colours of the preferences window";
    assert_eq!(ask(&sandbox, question)["level"], "none");
    sandbox
        .windlass(&[
            "memory",
            "feedback",
            "missed",
            "--query",
            "preferences window colours",
            "--id",
            "one-store-owns-the-settings",
        ])
        .succeeds();
    let found = ask(&sandbox, question);
    assert_eq!(
        found["matches"][0]["id"], "one-store-owns-the-settings",
        "{found}"
    );
    assert_ne!(found["level"], "none");
    let explained = sandbox
        .windlass(&["memory", "recall", question, "--explain"])
        .succeeds()
        .stdout;
    assert!(
        explained.contains("feedback moves it closer"),
        "{explained}"
    );
}

#[test]
fn secret_values_are_not_shown_or_found() {
    let sandbox = remembering();
    let token = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let file = "memory/decisions/one-store-owns-the-settings.md";
    sandbox.write(
        file,
        format!("{}\nsettings token: {token}\n", sandbox.read(file)),
    );
    for question in ["settings store", token] {
        for format in ["text", "json"] {
            let printed = sandbox
                .windlass(&[
                    "memory",
                    "recall",
                    question,
                    "--format",
                    format,
                    "--max-chars",
                    "9000",
                ])
                .succeeds()
                .stdout;
            assert!(!printed.contains(token), "{printed}");
        }
    }
    // Asking for the token itself mustn't confirm that it's in the memory.
    let none = ask(&sandbox, token);
    assert_eq!(none["matches"], serde_json::json!([]), "{none}");
}

#[test]
fn other_sources_are_merged_into_recall() {
    let sandbox = remembering();
    sandbox.write(
        "src/settings.rs",
        "pub fn save_settings() {\n    todo()\n}\n",
    );
    sandbox
        .windlass(&[
            "anchor",
            "add",
            "settings-writer",
            "src/settings.rs:1-3",
            "--label",
            "Where settings are saved",
        ])
        .succeeds();
    sandbox
        .windlass(&[
            "anchor",
            "add",
            "store-decision",
            "memory/decisions/one-store-owns-the-settings.md:1-20",
            "--label",
            "The decision on settings",
        ])
        .succeeds();
    let args = [
        "memory",
        "recall",
        "where are settings saved?",
        "--also",
        "notebook,playbook",
        "--format",
        "json",
        "--matches",
        "9",
    ];
    let found = sandbox.windlass(&args).succeeds().json();
    let matches = found["matches"].as_array().unwrap();
    let of = |id: &str| {
        matches
            .iter()
            .find(|one| one["id"] == id)
            .unwrap_or_else(|| panic!("{id}: {found}"))
    };
    assert_eq!(
        of("settings-writer")["sources"],
        serde_json::json!(["notebook"])
    );
    assert_eq!(of("settings-writer")["state"], "fresh");
    assert_eq!(
        of("one-store-owns-the-settings")["sources"],
        serde_json::json!(["memory", "notebook"])
    );
    // An anchor on a memory record is merged into the record.
    assert!(matches.iter().all(|one| one["id"] != "store-decision"));
    // An anchor that no longer matches is named but not shown.
    sandbox.remove("src/settings.rs");
    let found = sandbox.windlass(&args).succeeds().json();
    assert!(!found.to_string().contains("save_settings"), "{found}");
    sandbox
        .windlass(&["memory", "recall", "x", "--also", "notbook"])
        .exits_with(2);
}

/// Creates a repository with an anchor on lines 10 to 13 of a file and another one on 100 lines of
/// it.
fn anchored() -> Sandbox {
    let sandbox = remembering();
    let lines = |word: &str, count: u32| -> String {
        let line = |at| format!("    {word}_{at}(value_{at});\n");
        (1..=count).map(line).collect()
    };
    let text = format!(
        "{}fn sign_cookie() {{\n{}}}\n{}fn rotate_tapes() {{\n{}}}\n",
        lines("before", 9),
        lines("signed", 2),
        lines("between", 5),
        lines("tape", 98)
    );
    sandbox.write("src/signing.rs", text).commit("signing");
    for (id, lines, label) in [
        ("cookie-signing", "10-13", "How session cookies are signed"),
        ("tape-rotation", "19-118", "How tapes are rotated"),
    ] {
        let place = format!("src/signing.rs:{lines}");
        let args = ["anchor", "add", id, &place, "--label", label];
        sandbox.windlass(&args).succeeds();
    }
    sandbox
}

fn ask_notebook(sandbox: &Sandbox, question: &str) -> (Value, String) {
    let args = ["memory", "recall", question, "--also", "notebook"];
    let printed = sandbox.windlass(&args).succeeds().stdout;
    let args = [&args[..], &["--format", "json"]].concat();
    (sandbox.windlass(&args).succeeds().json(), printed)
}

/// Returns the loaded lines of the file, after comparing their text with the file.
fn loaded_lines(sandbox: &Sandbox, found: &Value) -> Vec<Value> {
    let loaded = found["loaded"].as_array().unwrap();
    let own = loaded.iter().filter(|it| it["file"] == "src/signing.rs");
    let own: Vec<Value> = own.cloned().collect();
    let file = sandbox.read("src/signing.rs");
    let lines: Vec<&str> = file.lines().collect();
    for place in &own {
        let number = |field: &str| place[field].as_u64().unwrap() as usize;
        let there = lines[number("start_line") - 1..number("end_line")].join("\n");
        assert_eq!(place["text"], there, "{found}");
    }
    own
}

#[test]
fn anchor_is_shown_at_location_or_hidden() {
    let sandbox = anchored();
    let question = "how are session cookies signed?";
    let (found, printed) = ask_notebook(&sandbox, question);
    let [place] = &loaded_lines(&sandbox, &found)[..] else {
        panic!("{found}");
    };
    assert_eq!(
        (&place["state"], &place["start_line"]),
        (&"fresh".into(), &10.into())
    );
    assert!(!printed.contains("(fresh)"), "{printed}");
    let hash = place["source_hash"].clone();
    // Moved text is shown with its current location.
    sandbox.edit(
        "src/signing.rs",
        "    before_3(value_3);\n    before_4(value_4);\n",
        "",
    );
    let (found, printed) = ask_notebook(&sandbox, question);
    let [place] = &loaded_lines(&sandbox, &found)[..] else {
        panic!("{found}");
    };
    assert_eq!(
        (&place["state"], &place["start_line"]),
        (&"moved".into(), &8.into())
    );
    assert_eq!(place["source_hash"], hash);
    assert_eq!(found["matches"][0]["evidence"][0]["start_line"], 8);
    assert!(
        printed.contains("src/signing.rs:8-11  How session cookies are signed  (moved)"),
        "{printed}"
    );
    // Stale text is hidden, both the captured and the current one. Only its state is shown.
    for (old, new) in [
        ("signed_1(value_1)", "forged(value_1)"),
        (
            "fn sign_cookie() {\n    forged(value_1);\n    signed_2(value_2);\n}\n",
            "",
        ),
    ] {
        sandbox.edit("src/signing.rs", old, new);
        let (found, printed) = ask_notebook(&sandbox, question);
        assert!(loaded_lines(&sandbox, &found).is_empty(), "{found}");
        let state = found["matches"][0]["state"].as_str().unwrap();
        assert!(!["fresh", "moved"].contains(&state), "{found}");
        assert_ne!(found["level"], "strong", "{found}");
        let told = format!("({state}, not shown)");
        assert!(
            printed.contains(&told) && !printed.contains("value_"),
            "{printed}"
        );
        assert_eq!(found["next_actions"][0]["tool"], "anchor show", "{found}");
    }
}

#[test]
fn long_anchor_names_its_shown_lines() {
    let sandbox = anchored();
    let args = |question| {
        let rest = [
            "--also",
            "notebook",
            "--format",
            "json",
            "--max-chars",
            "20000",
        ];
        [&["memory", "recall", question][..], &rest].concat()
    };
    // The second question is about a line far down, so an excerpt from the start isn't enough.
    for (question, has) in [
        ("how are tapes rotated?", "fn rotate_tapes() {"),
        ("tapes are rotated where value_88 is", "value_88"),
    ] {
        let found = sandbox.windlass(&args(question)).succeeds().json();
        let [place] = &loaded_lines(&sandbox, &found)[..] else {
            panic!("{found}");
        };
        let text = place["text"].as_str().unwrap();
        assert!(text.contains(has) && text.lines().count() < 100, "{found}");
        assert!(
            place["truncated"] == true || place["begins_within"] == true,
            "{found}"
        );
    }
}

#[test]
fn recall_runs_as_a_runbook_step() {
    let sandbox = remembering();
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1\nid: r\nsteps:\n  - { id: a, uses: recall, with: { query: continue the settings refactor } }\noutputs:\n  - { id: a, from: a }\n",
    );
    let pack = sandbox
        .windlass(&["run", "r", "--format", "json"])
        .succeeds()
        .json();
    let item = &pack["sections"][0]["items"][0];
    assert_eq!(item["id"], "finish-the-settings-refactor", "{pack}");
    assert_eq!(item["evidence"][0]["status"], "fresh", "{pack}");
}

#[test]
fn small_budget_cuts_and_reports() {
    let sandbox = remembering();
    let ask = |max: &str| {
        sandbox
            .windlass(&[
                "memory",
                "recall",
                "who owns the settings store",
                "--max-tokens",
                max,
            ])
            .succeeds()
            .stdout
    };
    let small = ask("150");
    assert!(
        small.contains("SettingsStore writes the file") && !small.contains("next:"),
        "{small}"
    );
    assert!(!ask("2000").contains("cut to the budget"));
}

#[test]
fn reasons_and_next_steps_are_accurate() {
    let sandbox = remembering();
    let empty = sandbox
        .windlass(&["memory", "recall", ""])
        .succeeds()
        .stdout;
    assert!(!empty.contains("next:"), "{empty}");
    sandbox
        .windlass(&[
            "memory",
            "feedback",
            "missed",
            "--query",
            "thursday deployment ritual",
            "--id",
            "one-store-owns-the-settings",
        ])
        .succeeds();
    for _ in 0..3 {
        sandbox
            .windlass(&[
                "memory",
                "feedback",
                "missed",
                "--query",
                "deployment ritual",
                "--id",
                "one-store-owns-the-settings",
            ])
            .succeeds();
    }
    let tied = ask(&sandbox, "deployment ritual");
    assert!(
        !tied["reason"].as_str().unwrap().trim_end().ends_with(':'),
        "{tied}"
    );
    sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Zeppelin moorings",
            "--text",
            "Gone.",
        ])
        .succeeds();
    sandbox.edit(
        "memory/decisions/zeppelin-moorings.md",
        "status: active",
        "status: archived",
    );
    let gone = ask(&sandbox, "zeppelin moorings");
    assert!(
        gone["reason"].as_str().unwrap().contains("archived"),
        "{gone}"
    );
    // The best match comes from a playbook, so no next step names a memory record.
    let playbook = r#"{"vContextInfo":{"version":"0.4"},"plan":{"title":"p","status":"draft","narratives":{"proposal":"x"},"playbook":{"version":1,"items":[{"eventId":"e1","targetId":"t1","operation":"initial","kind":"strategy","title":"Rehearse zeppelin landings at dusk","narrative":{"Guidance":"Rehearse zeppelin landings at dusk in settings."},"status":"active","createdAt":"2026-01-01T00:00:00Z"}]}}}"#;
    // A playbook is recognised by its contents rather than its name.
    sandbox.write("docs/learned.json", playbook);
    let args = [
        "memory",
        "recall",
        "rehearse zeppelin landings at dusk settings",
        "--also",
        "playbook",
        "--format",
        "json",
    ];
    let also = sandbox.windlass(&args).succeeds().json();
    assert_eq!(also["matches"][0]["id"], "t1", "{also}");
    assert_eq!(also["next_actions"], serde_json::json!([]), "{also}");
}

#[test]
fn playbook_entries_on_one_line_are_distinct() {
    let sandbox = remembering();
    let entry = |id: &str, title: &str| {
        format!(
            r#"{{"eventId":"e-{id}","targetId":"{id}","operation":"initial","kind":"strategy","title":"{title}","narrative":{{"Guidance":"{title}, always."}},"status":"active","createdAt":"2026-01-01T00:00:00Z"}}"#
        )
    };
    let playbook = |entries: &[String]| {
        format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"plan":{{"title":"p","status":"draft","narratives":{{"proposal":"x"}},"playbook":{{"version":1,"items":[{}]}}}}}}"#,
            entries.join(",")
        )
    };
    let one = [
        entry("t1", "Rehearse zeppelin landings"),
        entry("t2", "Log zeppelin landings"),
    ];
    sandbox
        .write("docs/playbook.vcontext.json", playbook(&one))
        .write(
            "old/playbook.vcontext.json",
            playbook(&[entry("t1", "Paint zeppelin hulls")]),
        );
    let args = [
        "memory",
        "recall",
        "zeppelin landings and hulls",
        "--also",
        "playbook",
        "--format",
        "json",
    ];
    let found = sandbox.windlass(&args).succeeds().json();
    let matches = found["matches"].as_array().unwrap();
    let mut told: Vec<(&str, &str)> = matches
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["title"].as_str().unwrap()))
        .collect();
    told.sort_unstable();
    // Both playbooks have an entry `t1`, so the ID of the second one includes the file.
    assert_eq!(
        told,
        [
            ("old/playbook.vcontext.json#t1", "Paint zeppelin hulls"),
            ("t1", "Rehearse zeppelin landings"),
            ("t2", "Log zeppelin landings"),
        ],
        "{found}"
    );
    assert!(
        matches
            .iter()
            .all(|one| one["sources"] == serde_json::json!(["playbook"])),
        "{found}"
    );
}

#[test]
fn summary_only_text_is_found() {
    let sandbox = remembering();
    let none = ask(&sandbox, "what is the key objective?");
    assert_eq!(none["level"], "none", "nobody said anything yet: {none}");
    let text = "Ship the quokka importer before the winter.";
    sandbox
        .windlass(&["memory", "remember", "summary", "--text", text])
        .succeeds();
    let found = ask(&sandbox, "when is the quokka importer to be shipped?");
    assert_ne!(found["level"], "none", "{found}");
    assert_eq!(found["matches"][0]["id"], "summary", "{found}");
    let loaded = found["loaded"].as_array().unwrap();
    assert_eq!(loaded.len(), 1, "{found}");
    assert!(loaded[0]["text"].as_str().unwrap().contains(text));
    // Links in the summary don't count as text.
    let found = ask(&sandbox, "one store owns the settings");
    let ids: Vec<&str> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert!(!ids.contains(&"summary"), "{found}");
}

#[test]
fn rare_word_in_long_question_is_found() {
    let sandbox = remembering();
    let question = "yesterday evening the nightly pipeline on the new staging machine broke, and colleagues from \
                    the other office wonder whether SettingsStore or their own network proxy is to blame";
    let found = ask(&sandbox, question);
    assert_ne!(found["level"], "none", "{found}");
    assert_eq!(
        found["matches"][0]["id"], "one-store-owns-the-settings",
        "{found}"
    );
    // Without that one word, nothing in the question points to a record.
    let other = question.replace("SettingsStore", "KubernetesOperator");
    assert_eq!(ask(&sandbox, &other)["level"], "none");
}

#[test]
fn confidence_ignores_number_of_matches() {
    let sandbox = remembering();
    for question in [
        "settings refactor",
        "release settings",
        "which file writer?",
    ] {
        let level = |matches: &str| {
            let args = [
                "memory",
                "recall",
                question,
                "--format",
                "json",
                "--matches",
            ];
            let found = sandbox.windlass(&[&args[..], &[matches]].concat());
            let found = found.succeeds().json();
            (found["level"].clone(), found["confidence"].clone())
        };
        assert_eq!(level("1"), level("9"), "{question}");
    }
}

#[test]
fn nearest_record_is_marked_as_no_answer() {
    let sandbox = remembering();
    let question = "which colour has the logo of the settings page of the website";
    let found = ask(&sandbox, question);
    assert_eq!(
        (&found["level"], &found["loaded"]),
        (&"none".into(), &serde_json::json!([])),
        "{found}"
    );
    let text = sandbox
        .windlass(&["memory", "recall", question])
        .succeeds()
        .stdout;
    assert!(text.contains("nearest matches, not an answer:\n"), "{text}");
    let known = sandbox
        .windlass(&["memory", "recall", "settings refactor"])
        .succeeds()
        .stdout;
    assert!(!known.contains("not an answer"), "{known}");
}

#[test]
fn versions_are_compared_exactly() {
    let sandbox = remembering();
    sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Version 3.2.1 dropped the importer",
            "--text",
            "Nobody used it.",
        ])
        .succeeds();
    // The digits are the same, but it's a different version.
    assert_eq!(ask(&sandbox, "which version is 1.2.3")["level"], "none");
    let found = ask(&sandbox, "what did 3.2.1 drop");
    assert_eq!(
        found["matches"][0]["id"], "version-3-2-1-dropped-the-importer",
        "{found}"
    );
    assert_ne!(found["level"], "none", "{found}");
}

#[test]
fn long_section_shows_answering_lines() {
    let sandbox = remembering();
    let mut says: String = (0..400)
        .map(|at| format!("Step {at} of the deployment is done by hand, and noted.\n"))
        .collect();
    says.push_str("The gateway listens on port 9090 for metrics.\nNobody else does.\n");
    let text = format!(
        "---\nid: deploying\ntitle: Deploying\nstatus: active\nscope: project:demo\nupdated: 2026-01-01\n---\n\n# Deploying\n\n## Facts\n\n{says}"
    );
    sandbox.write("memory/context/deploying.md", &text);
    let found = ask(
        &sandbox,
        "on which port does the gateway listen for metrics?",
    );
    let place = &found["loaded"][0];
    assert_eq!(place["file"], "memory/context/deploying.md", "{found}");
    let shown = place["text"].as_str().unwrap();
    assert!(shown.contains("port 9090"), "{found}");
    let first = place["start_line"].as_u64().unwrap() as usize;
    assert_eq!(text.lines().nth(first - 1), shown.lines().next());
    assert_eq!(place["begins_within"], true);
    let printed = sandbox.windlass(&["memory", "recall", "gateway", "metrics", "port"]);
    let printed = printed.succeeds().stdout;
    assert!(
        printed.contains("  Facts  # may be meant\n…\n"),
        "{printed}"
    );
}

#[test]
fn deleted_record_is_no_answer() {
    let sandbox = remembering();
    sandbox.remove("memory/decisions/one-store-owns-the-settings.md");
    let found = ask(&sandbox, "who writes one store settings syncing edits?");
    assert_eq!(found["level"], "weak", "{found}");
    assert_eq!(found["next_actions"][0]["tool"], "memory check");
    // The index and the summary no longer link to it.
    sandbox.windlass(&["memory", "index"]).succeeds();
    assert!(!sandbox.read("memory/index.md").contains("one-store-owns"));
    assert!(!sandbox.read("memory/summary.md").contains("one-store-owns"));
}

#[test]
fn strong_answer_is_brief() {
    let sandbox = remembering();
    let question = "why do we sync the settings through one store?";
    let recall = |more: &[&str]| {
        let args = [&["memory", "recall", question][..], more].concat();
        sandbox.windlass(&args).succeeds().stdout
    };
    let said = recall(&[]);
    let record = sandbox.read("memory/decisions/one-store-owns-the-settings.md");
    assert!(said.starts_with("strong: "), "{said}");
    for word in ["next:", "%", "what the project is about", "more matches"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
    assert!(said.len() < record.len() + 120, "{said}\n{record}");
    // Even a small budget shows the lines.
    let short = recall(&["--max-chars", "300"]);
    assert!(
        short.contains("memory/decisions/one-store-owns-the-settings.md:"),
        "{short}"
    );
    assert!(
        short.lines().count() > 3 && short.chars().count() <= 300,
        "{short}"
    );
    assert!(recall(&["--explain"]).contains("of a point"));
}

#[test]
fn long_line_is_cut_to_any_budget() {
    let sandbox = remembering();
    let long = "Nobody but the release team may use it, and only on the machine that stands in the office. ".repeat(3);
    let text = format!("{long}The signing key of releases is kept in the safe. {long}");
    let remember = [
        "memory",
        "remember",
        "decision",
        "The release key",
        "--text",
        &text,
    ];
    sandbox.windlass(&remember).succeeds();
    let ask = |max: &str, format: &str| {
        let question = "where is the signing key of releases kept";
        let command = [
            "memory",
            "recall",
            question,
            "--max-chars",
            max,
            "--format",
            format,
        ];
        sandbox.windlass(&command)
    };
    for max in ["240", "300", "400", "600"] {
        let told = ask(max, "text").succeeds().stdout;
        assert!(told.starts_with("strong: "), "{told}");
        assert!(
            told.contains("The signing key of releases is kept in"),
            "{max}: {told}"
        );
        assert!(
            told.contains('…') && told.chars().count() <= max.parse().unwrap(),
            "{told}"
        );
    }
    let found: Value = ask("1200", "json").succeeds().json();
    let loaded = &found["loaded"][0];
    assert_eq!(loaded["truncated"], true, "{found}");
    // The message names the minimum budget.
    let told = ask("120", "text").exits_with(2).stderr;
    assert!(told.contains("too small"), "{told}");
}

#[test]
fn refused_budget_is_below_named_minimum() {
    let sandbox = remembering();
    let remember = [
        "memory",
        "remember",
        "decision",
        "Routes are matched in order of declaration",
        "--text",
        "Router tries each route in the order of the list, the first full match wins; partial matches are remembered for a 405.",
        "--section",
        "Rationale=Order is easy to explain.",
    ];
    sandbox.windlass(&remember).succeeds();
    let mut shown = 0;
    for max in (20..150).step_by(3) {
        let told = sandbox.windlass(&[
            "memory",
            "recall",
            "in which order is a route matched",
            "--max-tokens",
            &max.to_string(),
        ]);
        match told.stderr.split("at least ").nth(1) {
            Some(least) => {
                let digits: String = least.chars().take_while(char::is_ascii_digit).collect();
                assert!(
                    max < digits.parse::<usize>().unwrap(),
                    "{max}: {}",
                    told.stderr
                );
            }
            // The shown part comes from the line that answers best.
            None => {
                shown += 1;
                assert!(
                    told.stdout.contains("tries each route"),
                    "{max}: {}",
                    told.stdout
                );
            }
        }
    }
    assert!(shown > 20, "{shown}");
}

#[test]
fn owner_and_date_come_with_lines() {
    let sandbox = remembering();
    let open_loop = "memory/open-loops/finish-the-settings-refactor.md";
    let text = sandbox.read(open_loop);
    let owned = text.replace("owner: nobody yet", "owner: Ada Byron");
    assert_ne!(text, owned);
    sandbox.write(open_loop, &owned);
    let who = "who is the owner of the settings refactor?";
    let found = ask(&sandbox, who);
    let field = &found["loaded"][0]["fields"][0];
    let line = field["start_line"].as_u64().unwrap() as usize;
    assert_eq!(field["file"], open_loop);
    assert_eq!(field["text"], "owner: Ada Byron");
    assert_eq!(owned.lines().nth(line - 1), field["text"].as_str());
    let shown = sandbox.windlass(&["memory", "recall", who]).succeeds();
    let told = format!("  (owner: Ada Byron, line {line})\n");
    assert!(shown.stdout.contains(&told), "{}", shown.stdout);
    let when = "when was it decided which store owns the settings?";
    let shown = sandbox.windlass(&["memory", "recall", when]).succeeds();
    assert!(shown.stdout.contains("  (date: "), "{}", shown.stdout);
    // Other questions don't load these fields.
    let found = ask(&sandbox, "finish the settings refactor");
    assert_eq!(found["loaded"][0]["fields"], Value::Null, "{found}");
}

#[test]
fn misspelled_word_is_answered_and_noted() {
    let sandbox = remembering();
    let question = "the setings refactorr";
    let found = ask(&sandbox, question);
    let best = &found["matches"][0];
    assert_eq!(best["id"], "finish-the-settings-refactor", "{found}");
    assert_eq!(found["level"], "weak", "{found}");
    assert_eq!(
        best["near"],
        serde_json::json!([
            "setings (taken for settings)",
            "refactorr (taken for refactor)"
        ]),
        "{found}"
    );
    let shown = sandbox
        .windlass(&["memory", "recall", question, "--explain"])
        .succeeds();
    assert!(
        shown
            .stdout
            .lines()
            .next()
            .unwrap()
            .ends_with("setings (taken for settings), refactorr (taken for refactor)"),
        "{}",
        shown.stdout
    );
    assert!(
        shown
            .stdout
            .contains("  refactorr (refactor, corrected spelling): "),
        "{}",
        shown.stdout
    );
    // A question without misspellings has no such note.
    let found = ask(&sandbox, "the settings refactor");
    assert_eq!(found["matches"][0]["near"], Value::Null, "{found}");
}
