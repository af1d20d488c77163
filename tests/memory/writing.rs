use super::remembering;
use crate::support::Sandbox;

#[test]
fn new_memory_passes_its_check() {
    let sandbox = remembering();
    let checked = sandbox
        .windlass(&["memory", "check", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(
        (&checked["valid"], &checked["warnings"]),
        (&true.into(), &0.into()),
        "{checked}"
    );
    let again = sandbox.windlass(&["memory", "init"]).succeeds().stdout;
    assert!(
        again.contains("already exists") && !again.contains("wrote"),
        "{again}"
    );
    let index = sandbox.windlass(&["memory", "index"]).succeeds().stdout;
    assert!(index.contains("match the records"), "{index}");
}

#[test]
fn concurrent_writers_lose_nothing() {
    let sandbox = remembering();
    // Half of the writers have their own home.
    let by = |number: usize, args: &[&str]| {
        let mut command = sandbox.command(sandbox.root(), args);
        if number.is_multiple_of(2) {
            command.env("HOME", sandbox.outside().join(format!("home-{number}")));
        }
        crate::support::answer(&mut command).succeeds();
    };
    std::thread::scope(|scope| {
        for number in 0..16 {
            let by = &by;
            scope.spawn(move || {
                let title = format!("Choice number {number} about part{number}");
                let event = format!("Made choice {number}");
                let text = ["--text", "So it is."];
                by(
                    number,
                    &[&["memory", "remember", "decision", &title], &text[..]].concat(),
                );
                by(number, &["memory", "remember", "event", &event]);
            });
        }
    });
    let impressions = sandbox.read("memory/impressions.jsonl");
    let index = sandbox.read("memory/index.md");
    for number in 0..16 {
        assert!(
            impressions.contains(&format!("choice-number-{number}-about-part{number}\"")),
            "{number}"
        );
        assert!(
            index.contains(&format!("[Choice number {number} ")),
            "{number}"
        );
    }
    let stats = sandbox
        .windlass(&["memory", "stats", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(stats["records"]["decision"]["active"], 17);
    assert_eq!(stats["faulty_lines"], 0);
    let found = sandbox
        .windlass(&["memory", "check", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(found["errors"], 0, "{found}");
}

#[test]
fn failed_write_leaves_no_folder() {
    let sandbox = Sandbox::git();
    sandbox
        .windlass(&["memory", "remember", "event", "Something"])
        .exits_with(3);
    assert!(!sandbox.root().join("memory").exists());
}

#[test]
fn superseded_record_leads_to_successor() {
    let sandbox = remembering();
    sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Preferences live in the cloud",
            "--text",
            "Moved.",
            "--supersedes",
            "one-store-owns-the-settings",
        ])
        .succeeds();
    let found = sandbox
        .windlass(&[
            "memory",
            "recall",
            "which store owns the settings?",
            "--format",
            "json",
        ])
        .succeeds()
        .json();
    let best = &found["matches"][0];
    assert_eq!(best["id"], "preferences-live-in-the-cloud", "{found}");
    assert_eq!(best["instead_of"], "one-store-owns-the-settings");
    sandbox
        .windlass(&[
            "memory",
            "supersede",
            "preferences-live-in-the-cloud",
            "one-store-owns-the-settings",
        ])
        .exits_with(5);
    sandbox.windlass(&["memory", "check"]).succeeds();
}

#[test]
fn duplicate_record_is_refused() {
    let sandbox = remembering();
    let mut args = vec![
        "memory",
        "remember",
        "open-loop",
        "Finish the settings refactor",
        "--text",
        "The old path still writes  the file directly.",
    ];
    // The text only differs in its white space.
    let told = sandbox.windlass(&args).exits_with(2).stderr;
    assert!(
        told.contains("memory remember update finish-the-settings-refactor"),
        "{told}"
    );
    args[5] = "Nobody has begun.";
    sandbox.windlass(&args).succeeds();
}

#[test]
fn interrupted_change_is_finished_by_next() {
    let sandbox = remembering();
    let before = sandbox.read("memory/summary.md");
    // This journal was left by a change that was interrupted before it wrote a file. The hash of
    // `summary.md` doesn't fit because the file has been changed by someone else since.
    let journal = serde_json::json!({
        "schema_version": 1,
        "files": [
            {"path": "memory/decisions/new.md", "before": null, "text": "---\nid: new\n---\n"},
            {"path": "memory/summary.md", "before": "blake3:0000", "text": "never"},
        ],
    });
    sandbox.write("memory/.change.json", journal.to_string());
    // Next comes another user, who doesn't have the first one's stored state.
    let mut other = sandbox.command(sandbox.root(), &["memory", "stats"]);
    other.env("HOME", sandbox.outside().join("another-home"));
    let told = crate::support::answer(&mut other).succeeds();
    assert!(
        told.stderr.contains("memory/summary.md changed since"),
        "{}",
        told.stderr
    );
    assert_eq!(
        sandbox.read("memory/decisions/new.md"),
        "---\nid: new\n---\n"
    );
    assert_eq!(sandbox.read("memory/summary.md"), before);
    assert!(!sandbox.root().join("memory/.change.json").exists());
}

#[test]
fn secrets_and_outside_paths_are_refused() {
    let sandbox = remembering();
    let before = sandbox.read("memory/impressions.jsonl");
    let token = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let refused = sandbox
        .windlass(&["memory", "remember", "decision", "Token", "--text", token])
        .exits_with(4);
    assert!(!refused.stderr.contains(token), "{}", refused.stderr);
    // Besides secrets, we don't store whole prompts or addresses of people.
    let prompt = "please look at all of this ".repeat(20);
    for query in [token, prompt.as_str(), "ask jane.doe@bigcorp.com"] {
        let refused = sandbox
            .windlass(&["memory", "feedback", "missed", "--query", query])
            .exits_with(4);
        assert!(!refused.stderr.contains(token), "{}", refused.stderr);
    }
    assert_eq!(sandbox.read("memory/impressions.jsonl"), before);
    assert_eq!(sandbox.read("memory/recall-feedback.jsonl"), "");
    sandbox
        .windlass(&[
            "memory", "feedback", "helpful", "--query", "settings", "--id", "nothing",
        ])
        .exits_with(3);
}

#[test]
fn missing_memory_names_next_step() {
    let sandbox = Sandbox::git();
    for args in [
        ["memory", "recall", "x"],
        ["memory", "remember", "event"],
        ["memory", "stats", "-q"],
    ] {
        let args: Vec<&str> = args
            .into_iter()
            .chain((args[1] == "remember").then_some("title"))
            .collect();
        let told = sandbox.windlass(&args).exits_with(3).stderr;
        assert!(told.contains("windlass memory init"), "{args:?}: {told}");
    }
    sandbox.windlass(&["memory", "check"]).exits_with(1);
}

#[test]
fn second_successor_is_refused() {
    let sandbox = remembering();
    for title in ["Choice c", "Choice d"] {
        sandbox
            .windlass(&["memory", "remember", "decision", title, "--text", "So."])
            .succeeds();
    }
    let old = "one-store-owns-the-settings";
    sandbox
        .windlass(&["memory", "supersede", old, "choice-c"])
        .succeeds();
    let before = (
        sandbox.read("memory/index.md"),
        sandbox.read("memory/decisions/choice-d.md"),
    );
    let refused = sandbox
        .windlass(&["memory", "supersede", old, "choice-d"])
        .exits_with(5);
    assert!(
        refused.stderr.contains("superseded by `choice-c`"),
        "{}",
        refused.stderr
    );
    sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Choice e",
            "--supersedes",
            old,
        ])
        .exits_with(5);
    assert_eq!(
        before,
        (
            sandbox.read("memory/index.md"),
            sandbox.read("memory/decisions/choice-d.md")
        )
    );
    // Repeating the call changes nothing, and a record that supersedes itself isn't fixed.
    sandbox
        .windlass(&["memory", "supersede", old, "choice-c"])
        .succeeds();
    sandbox.windlass(&["memory", "check"]).succeeds();
    sandbox.edit(
        "memory/decisions/choice-d.md",
        "title:",
        "superseded_by: choice-d\ntitle:",
    );
    let spoiled = sandbox.read("memory/decisions/choice-d.md");
    let checked = sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1)
        .stderr;
    assert!(checked.contains("supersession-cycle"), "{checked}");
    assert_eq!(sandbox.read("memory/decisions/choice-d.md"), spoiled);
}

#[test]
fn personal_data_is_warned_of() {
    let sandbox = remembering();
    let told = sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Who to ask",
            "--text",
            "Ask bob.smith@gmail.com",
        ])
        .succeeds();
    assert!(
        told.stderr.contains("address or number of a person"),
        "{}",
        told.stderr
    );
    assert!(!told.stdout.contains("smith"), "{}", told.stdout);
    // A query that looks like a conversation isn't stored either.
    let conversation = "user: fix\nassistant: ok\nuser: thanks";
    sandbox
        .windlass(&["memory", "feedback", "missed", "--query", conversation])
        .exits_with(4);
    sandbox
        .windlass(&[
            "memory",
            "remember",
            "decision",
            "Merge",
            "--text",
            "<<<<<<< HEAD\na\n",
        ])
        .exits_with(2);
}

#[test]
fn text_may_start_with_hyphen_or_be_stdin() {
    use std::io::Write as _;
    let sandbox = remembering();
    sandbox
        .windlass(&[
            "memory", "remember", "decision", "A list", "--text", "- one",
        ])
        .succeeds();
    assert!(
        sandbox
            .read("memory/decisions/a-list.md")
            .contains("\n- one\n")
    );
    let args = [
        "memory",
        "remember",
        "decision",
        "From a pipe",
        "--text",
        "-",
    ];
    let mut child = sandbox
        .command(sandbox.root(), &args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"Piped words.\n")
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        sandbox
            .read("memory/decisions/from-a-pipe.md")
            .contains("Piped words.")
    );
}

#[test]
fn next_actions_can_be_run() {
    let sandbox = remembering();
    let actions = |more: &[&str]| {
        let args = ["memory", "remember", "decision", "Keep logs", "--text", "A"];
        let args = [&args[..], &["--format", "json"], more].concat();
        sandbox.windlass(&args).succeeds().json()["next_actions"].clone()
    };
    assert!(actions(&["--dry-run"]).is_null());
    assert_eq!(actions(&[])[0]["args"]["args"][1], "keep-logs");
    // A line break in the question becomes a space in the printed call.
    let asked = sandbox.windlass(&["memory", "recall", "settings\n store\n", "--explain"]);
    let said = asked.succeeds().stdout;
    assert!(
        said.contains("next: windlass memory feedback helpful --query 'settings store' --id"),
        "{said}"
    );
}

#[test]
fn files_of_running_change_are_no_findings() {
    let sandbox = remembering();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..20 {
                let title = format!("Thing {number} of the pager subsystem");
                let args = [
                    "memory",
                    "remember",
                    "context",
                    &title,
                    "--text",
                    "So it is.",
                ];
                sandbox.windlass(&args).succeeds();
            }
        });
        // Any temporary file found here belongs to the writer, so it isn't a leftover yet.
        while !writer.is_finished() {
            let checked = sandbox.windlass(&["memory", "check", "--format", "json"]);
            let found = checked.stdout;
            for rule in ["leftover-file", "memory-ignored"] {
                assert!(!found.contains(rule), "{found}");
            }
        }
    });
    // A leftover file is reported.
    sandbox.write("memory/.tmp-a1B2c3", "half");
    let checked = sandbox.windlass(&["memory", "check", "--format", "json"]);
    assert!(checked.stdout.contains("leftover-file"));
}

#[test]
fn missing_text_is_listed_beside_warnings() {
    let sandbox = Sandbox::git();
    sandbox.windlass(&["memory", "init"]).succeeds();
    let last_line = || {
        let said = sandbox.windlass(&["memory", "check"]).succeeds().stdout;
        said.lines().last().unwrap_or_default().to_owned()
    };
    let told = last_line();
    assert!(told.contains("1 warning"), "{told}");
    assert!(
        told.contains("missing text: memory/summary.md (Current objective"),
        "{told}"
    );
    sandbox.windlass(&["memory", "init", "--rules"]).succeeds();
    let told = last_line();
    assert!(told.contains("no errors; missing text"), "{told}");
}

#[test]
fn dry_run_reports_all_fixes() {
    let sandbox = Sandbox::git();
    let remember = |kind: &str, title: &str| {
        let command = ["memory", "remember", kind, title, "--text", "It is so."];
        sandbox.windlass(&command).succeeds();
    };
    sandbox.windlass(&["memory", "init"]).succeeds();
    remember("decision", "One thing");
    remember("decision", "Other matter");
    let cues = "memory/impressions.jsonl";
    let left: String = sandbox
        .read(cues)
        .lines()
        .filter(|line| !line.contains("one-thing"))
        .map(|line| format!("{line}\n"))
        .collect();
    let record = "memory/decisions/other-matter.md";
    let replaced = sandbox.read(record).replace(
        "status: active",
        "status: superseded\nsuperseded_by: one-thing",
    );
    sandbox.write(cues, left).write(record, replaced);
    let mended = |args: &[&str]| {
        let command = [&["memory", "check", "--fix", "--format", "json"], args].concat();
        let found = sandbox.windlass(&command).json();
        (found["fixed"].clone(), found["written"].clone())
    };
    let before = sandbox.read(cues);
    let dry = mended(&["--dry-run"]);
    assert_eq!(sandbox.read(cues), before);
    // The dry run reports the same fixes as the real one.
    assert!(dry.0.as_array().unwrap().len() > 2, "{dry:?}");
    assert_eq!(dry, mended(&[]));
}

#[test]
fn empty_results_are_stated() {
    let sandbox = Sandbox::git();
    sandbox.windlass(&["memory", "init"]).succeeds();
    let stats = sandbox.windlass(&["memory", "stats"]).succeeds().stdout;
    assert!(stats.contains("impressions: none; 0 keywords\n"), "{stats}");
    let told = sandbox
        .windlass(&["memory", "remember", "summary", "--text", "Reach 1.0"])
        .succeeds()
        .stdout;
    assert!(told.starts_with("summary  update_summary\n"), "{told}");
    let file = "memory/decisions/use-redis.md";
    sandbox.write(file, b"---\nid: use-redis\n---\n\xff\n".as_slice());
    let update = ["memory", "remember", "update", "use-redis", "--text", "y"];
    let told = sandbox.windlass(&update).exits_with(2).stderr;
    assert!(
        told.contains("`memory/decisions/use-redis.md` cannot be read: "),
        "{told}"
    );
}

#[test]
fn rules_keep_line_endings_of_their_file() {
    for (agents, ignore) in [
        ("# Agents\r\n\r\nBe nice\r\n", "target\n"),
        ("# Agents\r\n\r\nBe nice\r\n\r\n", "target\n"),
        ("# Agents\nBe nice", "target\r\n"),
    ] {
        let sandbox = Sandbox::git();
        sandbox.write("AGENTS.md", agents);
        sandbox.write(".gitignore", ignore);
        sandbox.windlass(&["memory", "init", "--rules"]).succeeds();
        for (file, before) in [("AGENTS.md", agents), (".gitignore", ignore)] {
            let after = sandbox.read(file);
            let (all, crlf) = (after.matches('\n').count(), after.matches("\r\n").count());
            // Each file keeps its own line endings, whatever the other one has.
            let wanted = if before.contains('\r') { all } else { 0 };
            assert_eq!(crlf, wanted, "{file}: {after:?}");
            assert!(after.starts_with(before), "{after:?}");
        }
        let rules = sandbox.read("AGENTS.md").replace("\r\n", "\n");
        assert!(rules.contains("Be nice\n\n## Memory\n\n- "), "{rules:?}");
    }
}
