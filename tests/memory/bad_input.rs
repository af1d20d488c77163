use super::remembering;

#[test]
fn odd_files_give_findings_and_answers() {
    let sandbox = remembering();
    let deep = format!("{}x\n", "> ".repeat(3_000));
    let long = "word ".repeat(200_000);
    sandbox
        .write("memory/decisions/merge.md", "---\nid: a\n<<<<<<< HEAD\ntitle: b\n=======\ntitle: c\n>>>>>>> x\n---\n")
        .write("memory/decisions/latin.md", b"---\nid: caf\xe9\n---\n".as_slice())
        .write("memory/decisions/binary.md", [0u8, 1, 2, 255].as_slice())
        .write("memory/decisions/empty.md", "")
        .write("memory/decisions/deep.md", deep)
        .write("memory/decisions/long.md", long)
        .write("memory/decisions/crlf.md", "\u{feff}---\r\nid: crlf\r\ntitle: Carriage\r\nstatus: active\r\nscope: project:demo\r\nupdated: 2026-01-01\r\n---\r\nx\r\n")
        .write("memory/private/notes.md", "mine");
    let file = "memory/impressions.jsonl";
    sandbox.write(
        file,
        format!(
            "{}{{\"id\":\"half\nnull\n{{\"id\":\"crlf\",\"record_path\":\"../../etc/passwd\"}}\n",
            sandbox.read(file)
        ),
    );
    let found = sandbox
        .windlass(&["memory", "check", "--format", "json"])
        .exits_with(1)
        .json();
    let rules: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    for rule in [
        "conflict-marker",
        "unreadable-file",
        "missing-frontmatter",
        "impression-syntax",
        "route-outside",
        "long-file",
    ] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
    let answer = sandbox
        .windlass(&["memory", "recall", "settings refactor", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(answer["level"], "strong", "{answer}");
    sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    sandbox.windlass(&["memory", "stats"]).succeeds();
    assert!(
        sandbox.read(file).contains("{\"id\":\"half\nnull\n"),
        "what cannot be read is kept"
    );
    assert!(
        sandbox
            .windlass(&["check", "memory/decisions/merge.md"])
            .exits_with(2)
            .stderr
            .contains("conflict-marker")
    );
}

#[cfg(unix)]
#[test]
fn links_out_of_repo_are_not_followed() {
    let sandbox = remembering();
    let outside = sandbox.outside().join("record.md");
    std::fs::write(&outside, "---\nid: outside\n---\nelsewhere kept words\n").unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.root().join("memory/decisions/outside.md"))
        .unwrap();
    let answer = sandbox
        .windlass(&[
            "memory",
            "recall",
            "elsewhere kept words",
            "--format",
            "json",
        ])
        .succeeds()
        .json();
    assert_eq!(answer["level"], "none", "{answer}");
    // Writing through a link is refused too.
    std::fs::rename(
        sandbox.root().join("memory"),
        sandbox.outside().join("memory"),
    )
    .unwrap();
    std::os::unix::fs::symlink(
        sandbox.outside().join("memory"),
        sandbox.root().join("memory"),
    )
    .unwrap();
    let refused = sandbox
        .windlass(&["memory", "remember", "event", "something"])
        .exits_with(4);
    assert!(
        refused.stderr.contains("`memory` cannot be used"),
        "{}",
        refused.stderr
    );
}

#[cfg(unix)]
#[test]
fn index_keeps_records_behind_links() {
    use std::os::unix::fs::symlink;
    for name in ["decisions", "decisions/linked-matter.md"] {
        let sandbox = remembering();
        sandbox
            .windlass(&[
                "memory",
                "remember",
                "decision",
                "Linked matter",
                "--text",
                "It lies elsewhere.",
            ])
            .succeeds();
        let place = sandbox.root().join("memory").join(name);
        let elsewhere = sandbox.outside().join("elsewhere");
        std::fs::rename(&place, &elsewhere).unwrap();
        symlink(&elsewhere, &place).unwrap();
        let (index, summary) = (
            sandbox.read("memory/index.md"),
            sandbox.read("memory/summary.md"),
        );
        assert!(index.contains("linked-matter.md"), "{index}");
        sandbox
            .windlass(&["memory", "check", "--fix"])
            .exits_with(1);
        sandbox.windlass(&["memory", "index"]).succeeds();
        assert_eq!(sandbox.read("memory/index.md"), index, "{name}");
        assert_eq!(sandbox.read("memory/summary.md"), summary, "{name}");
        // Even a check of just the index reports the link.
        let checked = sandbox.windlass(&["check", "memory/index.md"]);
        let checked = checked.exits_with(2).stderr;
        assert!(checked.contains("is a link, so it is neither"), "{checked}");
        sandbox
            .windlass(&[
                "memory",
                "remember",
                "open-loop",
                "Something is open",
                "--text",
                "Why not.",
            ])
            .succeeds();
        for list in ["memory/index.md", "memory/summary.md"] {
            let text = sandbox.read(list);
            assert!(
                text.contains("linked-matter.md") && text.contains("something-is-open.md"),
                "{text}"
            );
        }
        let refused = sandbox
            .windlass(&[
                "memory",
                "remember",
                "update",
                "linked-matter",
                "--text",
                "Another.",
            ])
            .exits_with(2);
        assert!(
            refused
                .stderr
                .contains(&format!("`memory/{name}` cannot be read: it is a link")),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn secret_values_are_no_recall_words() {
    let sandbox = remembering();
    let value = "9f86d081884c7d659a2feaa0c55ad015";
    let record = |id: &str, says: &str| {
        format!(
            "---\nid: {id}\ntitle: Staging login {id}\nstatus: active\nscope: project:demo\nupdated: 2026-01-01\ndate: 2026-01-01\n---\n\n# Staging login {id}\n\n## Decision\n\n{says}\n"
        )
    };
    sandbox
        .write(
            "memory/decisions/one.md",
            record("one", &format!("password = \"{value}\"")),
        )
        .write(
            "memory/decisions/two.md",
            record("two", "Kept by the vault."),
        );
    let fixed = sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    let lines = sandbox.read("memory/impressions.jsonl");
    // Only the record without a secret gets an impression.
    assert!(
        !lines.contains(value) && !lines.contains("decisions/one.md"),
        "{lines}"
    );
    assert!(lines.contains("decisions/two.md"), "{}", fixed.stdout);
    let asked = sandbox
        .windlass(&["memory", "recall", value, "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(
        (&asked["level"], &asked["total"]),
        (&"none".into(), &0.into()),
        "{asked}"
    );
    let words = sandbox
        .windlass(&["memory", "recall", "staging login"])
        .succeeds();
    assert!(words.stdout.contains("one"), "{}", words.stdout);
}

#[test]
fn unreadable_record_lowers_confidence() {
    let sandbox = remembering();
    // The impression still matches, but its record isn't UTF-8 anymore.
    let text = sandbox.read("memory/context/releases-leave-on-thursdays.md");
    let latin = [text.as_bytes(), b"caf\xe9\n"].concat();
    sandbox.write("memory/context/releases-leave-on-thursdays.md", latin);
    let ask = || {
        sandbox
            .windlass(&[
                "memory",
                "recall",
                "releases leave thursdays",
                "--format",
                "json",
            ])
            .succeeds()
            .json()
    };
    let answer = ask();
    assert_eq!(answer["level"], "weak", "{answer}");
    let told = answer["diagnostics"].to_string();
    assert!(told.contains("releases-leave-on-thursdays.md"), "{told}");
    let stats = sandbox.windlass(&["memory", "stats"]).succeeds().stdout;
    assert!(stats.contains("releases-leave-on-thursdays.md"), "{stats}");
    // A file that isn't a record is shown in full.
    sandbox.remove("memory/context/releases-leave-on-thursdays.md");
    sandbox.write("docs/release.md", "# How we release\n");
    sandbox.edit(
        "memory/impressions.jsonl",
        "memory/context/releases-leave-on-thursdays.md",
        "docs/release.md",
    );
    let answer = ask();
    assert_eq!(answer["level"], "strong", "{answer}");
    assert!(
        answer["loaded"].to_string().contains("How we release"),
        "{answer}"
    );
}

#[test]
fn bad_byte_sets_only_its_line_aside() {
    let sandbox = remembering();
    let file = sandbox.root().join("memory/impressions.jsonl");
    let bad = b"{\"id\":\"caf\xe9\",\"record_path\":\"x\"}\n";
    let with_bad = [
        &bad[..],
        sandbox.read("memory/impressions.jsonl").as_bytes(),
    ]
    .concat();
    sandbox.write("memory/impressions.jsonl", with_bad);
    let answer = sandbox
        .windlass(&["memory", "recall", "settings refactor", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(answer["level"], "strong", "{answer}");
    assert!(
        answer["diagnostics"]
            .to_string()
            .contains("impressions.jsonl:1"),
        "{answer}"
    );
    let checked = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    assert!(
        checked.contains("memory/impressions.jsonl:1:") && checked.contains("UTF-8"),
        "{checked}"
    );
    sandbox
        .windlass(&["memory", "remember", "decision", "Another choice"])
        .succeeds();
    sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    let now = std::fs::read(&file).unwrap();
    assert!(now.starts_with(bad) && String::from_utf8_lossy(&now).contains("another-choice"));
    // A file that's unreadable as a whole is never replaced.
    let wide: Vec<u8> = "\u{feff}{}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    sandbox.write("memory/impressions.jsonl", &wide);
    let refused = sandbox
        .windlass(&["memory", "remember", "decision", "One more"])
        .exits_with(1);
    assert!(refused.stderr.contains("UTF-16"), "{}", refused.stderr);
    sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    assert_eq!(std::fs::read(&file).unwrap(), wide);
}

#[test]
fn unreadable_files_leave_room_for_answer() {
    let sandbox = remembering();
    for number in 0..5 {
        let name = format!("memory/decisions/unreadable-{number}.md");
        sandbox.write(&name, [0xff_u8, 0xfe, 0x00, 0x41].as_slice());
    }
    let args = [
        "memory",
        "recall",
        "finish the settings refactor",
        "--matches",
        "1",
        "--max-chars",
    ];
    for max in ["800", "900", "1100"] {
        let shown = sandbox.windlass(&[&args[..], &[max]].concat()).succeeds();
        let shown = shown.stdout;
        assert!(shown.chars().count() <= max.parse().unwrap(), "{shown}");
        // Five warnings would take up the budget, so they're summed up in one.
        assert!(
            shown.contains("not all of the memory can be read"),
            "{shown}"
        );
        assert!(
            shown.contains("The old path still writes the file directly."),
            "{max}: {shown}"
        );
    }
}

#[test]
fn every_finding_has_its_place() {
    let sandbox = remembering();
    for number in 0..40 {
        let path = format!("memory/decisions/d{number}.md");
        sandbox.write(&path, "# Nothing said\n");
    }
    let data = [
        "memory",
        "check",
        "--format",
        "json",
        "--max-chars",
        "999999",
    ];
    let data = sandbox.windlass(&data).exits_with(1).json();
    let shown = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    let findings = data["findings"].as_array().unwrap();
    assert!(findings.len() > 40, "{data}");
    for one in findings.iter().filter(|one| one["file"].is_string()) {
        let place = format!(
            "{}:{}:{}",
            one["file"].as_str().unwrap(),
            one["line"],
            one["column"]
        );
        assert!(shown.contains(&place), "{place} {shown}");
    }
}

#[test]
fn leftover_files_are_named_and_removed() {
    let sandbox = remembering();
    let left = "memory/decisions/.tmp-aB3dE6";
    sandbox
        .write(left, "half")
        .write("memory/.tmp-mine.md", "# Mine\n");
    let checked = sandbox.windlass(&["memory", "check"]).succeeds().stderr;
    assert!(
        checked.contains(left) && checked.contains("leftover-file"),
        "{checked}"
    );
    let fixed = sandbox
        .windlass(&["memory", "check", "--fix"])
        .succeeds()
        .stdout;
    assert!(fixed.contains(left), "{fixed}");
    assert!(!sandbox.root().join(left).exists());
    sandbox.write(left, "half");
    sandbox
        .windlass(&["memory", "remember", "event", "Something"])
        .succeeds();
    assert!(!sandbox.root().join(left).exists());
    // The name of this file isn't one that we'd give to a temporary file.
    assert!(sandbox.root().join("memory/.tmp-mine.md").exists());
}

#[test]
fn private_file_in_git_is_reported() {
    let sandbox = remembering();
    sandbox.commit("one");
    sandbox
        .write("memory/private/staged.md", "mine")
        .write("memory/private/kept.md", "mine, and left out");
    sandbox.run_git(&["add", "-f", "memory/private/staged.md"]);
    let staged = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    assert!(
        staged.contains("`memory/private/staged.md` is private, but tracked by git"),
        "{staged}"
    );
    assert!(!staged.contains("kept.md"), "{staged}");
    sandbox.run_git(&["commit", "-qm", "two"]);
    let committed = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    assert!(
        committed.contains("staged.md` is private, but tracked by git"),
        "{committed}"
    );
    sandbox.run_git(&["rm", "-q", "--cached", "memory/private/staged.md"]);
    sandbox.windlass(&["memory", "check"]).succeeds();
    // The same is true before the first commit.
    let sandbox = remembering();
    sandbox.write("memory/private/first.md", "mine");
    sandbox.run_git(&["add", "-f", "memory/private/first.md"]);
    let staged = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    assert!(
        staged.contains("`memory/private/first.md` is private, but tracked by git"),
        "{staged}"
    );
}

#[test]
fn ignored_shared_file_is_reported() {
    let sandbox = remembering();
    let ignore = sandbox.read(".gitignore");
    sandbox.write(".gitignore", format!("{ignore}memory/**/one-*\n"));
    let checked = sandbox.windlass(&["memory", "check"]).exits_with(1).stderr;
    assert!(
        checked.contains("excludes `memory/decisions/one-store-owns-the-settings.md`"),
        "{checked}"
    );
    // Ignore patterns of other forms protect private files too.
    sandbox.write(
        ".gitignore",
        "memory/private/**\nlocal/\nraw\n**/transcripts/\n*.secret.*\n",
    );
    sandbox.windlass(&["memory", "check"]).succeeds();
    // So do ignore files within the memory. In that case, the root ignore file isn't changed.
    let own = "private/\nlocal/\nraw/\ntranscripts/\n*.secret.*\n";
    sandbox
        .write(".gitignore", "target/\n")
        .write("memory/.gitignore", own);
    let checked = sandbox.windlass(&["memory", "check", "--fix"]).succeeds();
    assert!(!checked.stderr.contains("excludes"), "{}", checked.stderr);
    assert_eq!(sandbox.read(".gitignore"), "target/\n");
}

#[test]
fn ignored_files_are_not_recalled_or_written() {
    let sandbox = remembering();
    let question = ["memory", "recall", "settings refactor"];
    let store = "memory/decisions/one-store-owns-the-settings.md";
    let before = sandbox.windlass(&question).succeeds().stdout;
    assert!(before.contains(store), "{before}");
    let ignore = sandbox.read(".gitignore");
    sandbox.write(
        ".gitignore",
        format!("{ignore}memory/decisions/\nmemory/recall-feedback.jsonl\n"),
    );
    let after = sandbox.windlass(&question).succeeds().stdout;
    assert!(!after.contains(store), "{after}");
    let feedback = ["memory", "feedback", "missed", "--query", "preferences"];
    let said = sandbox.windlass(&feedback).exits_with(2).stderr;
    assert!(
        said.contains("an ignore file excludes `memory/recall-feedback.jsonl`"),
        "{said}"
    );
    let another = [
        "memory", "remember", "decision", "Another", "--text", "It is.",
    ];
    let said = sandbox.windlass(&another).exits_with(2).stderr;
    assert!(
        said.contains("excludes `memory/decisions/another.md`"),
        "{said}"
    );
    assert!(!sandbox.root().join("memory/decisions/another.md").exists());
    // Even if the whole memory is ignored, no command claims that there is none.
    sandbox.write("memory/.gitignore", "*\n");
    for command in [&["memory", "check"][..], &question, &["memory", "init"]] {
        let said = sandbox.windlass(command).exits_with(2).stderr;
        assert!(
            said.contains("an ignore file excludes `memory/"),
            "{command:?}: {said}"
        );
    }
}

#[test]
fn binary_ignore_file_does_not_stop_fixes() {
    let sandbox = remembering();
    let ignore = [sandbox.read(".gitignore").as_bytes(), b"caf\xe9\n"].concat();
    sandbox.write(".gitignore", &ignore);
    let lines = sandbox.read("memory/impressions.jsonl");
    sandbox.write(
        "memory/impressions.jsonl",
        lines.replacen("\"schema_version\":1,", "", 1),
    );
    let mended = sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    assert!(
        mended.stderr.contains("`.gitignore` cannot be read"),
        "{}",
        mended.stderr
    );
    assert_eq!(
        sandbox
            .read("memory/impressions.jsonl")
            .matches("schema_version")
            .count(),
        3
    );
    assert_eq!(
        std::fs::read(sandbox.root().join(".gitignore")).unwrap(),
        ignore
    );
    sandbox.windlass(&["memory", "init"]).succeeds();
}

#[test]
fn unmerged_record_is_never_strong() {
    let sandbox = remembering();
    let store = "memory/decisions/one-store-owns-the-settings.md";
    let question = [
        "memory",
        "recall",
        "who owns the settings store",
        "--format",
        "json",
    ];
    assert_eq!(
        sandbox.windlass(&question).succeeds().json()["level"],
        "strong"
    );
    let text = sandbox.read(store);
    sandbox.write(
        store,
        format!("{text}\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n"),
    );
    let answer = sandbox.windlass(&question).succeeds().json();
    assert_eq!(answer["level"], "weak", "{answer}");
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("conflict markers"),
        "{answer}"
    );
}

#[test]
fn non_ascii_digits_are_accepted() {
    let sandbox = remembering();
    // These are Arabic digits, grouped like a US social security number.
    let number = "\u{661}\u{662}\u{663}-\u{664}\u{665}-\u{666}\u{667}\u{668}\u{669}";
    sandbox
        .windlass(&["memory", "remember", "decision", "Digits", "--text", number])
        .succeeds();
    sandbox
        .windlass(&[
            "memory",
            "feedback",
            "missed",
            "--query",
            &format!("ticket {number}"),
        ])
        .succeeds();
    sandbox.windlass(&["memory", "check"]).succeeds();
    sandbox
        .windlass(&["check", "memory/decisions/digits.md"])
        .succeeds();
}

#[cfg(unix)]
#[test]
fn pipes_links_and_folders_are_reported() {
    let sandbox = remembering();
    let place = |name: &str| sandbox.root().join("memory").join(name);
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo")
            .arg(place(name))
            .status();
        assert!(made.unwrap().success(), "{name}");
    };
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, place(name)).unwrap();
    pipe("decisions/pipe.md");
    sandbox.write("other.md", "---\nid: other\n---\nzebra words\n");
    link("../../other.md", "decisions/link.md");
    link("nowhere", "decisions/nowhere.md");
    link("../decisions", "decisions/again");
    std::fs::create_dir(place("decisions/folder.md")).unwrap();
    std::fs::remove_file(place("impressions.jsonl")).unwrap();
    pipe("impressions.jsonl");
    let found = sandbox
        .windlass(&["memory", "check", "--format", "json"])
        .exits_with(1)
        .json();
    let findings = found["findings"].as_array().unwrap();
    let odd = findings.iter().filter(|one| one["rule"] == "no-file");
    let odd: Vec<&str> = odd.map(|one| one["file"].as_str().unwrap()).collect();
    let wanted = [
        "decisions/again",
        "decisions/folder.md",
        "decisions/link.md",
        "decisions/nowhere.md",
        "decisions/pipe.md",
        "impressions.jsonl",
    ];
    assert_eq!(odd, wanted.map(|name| format!("memory/{name}")), "{found}");
    // A pipe has taken the place of the file, which isn't reported as missing on top of that.
    assert!(
        findings
            .iter()
            .all(|one| one["rule"] != "missing-impressions")
    );
    sandbox
        .windlass(&["memory", "recall", "settings refactor"])
        .succeeds();
    let refused = sandbox
        .windlass(&["memory", "remember", "decision", "Another", "--text", "x"])
        .exits_with(1);
    assert!(refused.stderr.contains("a pipe"), "{}", refused.stderr);
}

fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if std::fs::read(&path).is_ok_and(|bytes| {
                bytes
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            }) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn secrets_are_never_copied_to_indexes() {
    let sandbox = remembering();
    let token = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let record = sandbox.read("memory/decisions/one-store-owns-the-settings.md");
    let record = record.replace("id: one-store-owns-the-settings", "id: other");
    sandbox.write(&format!("memory/decisions/{token}.md"), record);
    let log = "memory/recall-feedback.jsonl";
    sandbox.write(
        log,
        format!("{{\"schema_version\":1,\"query\":\"settings {token}\",\"outcome\":\"helpful\",\"created\":\"2026-01-01\",\"matched_id\":\"one-store-owns-the-settings\"}}\n"),
    );
    let told = sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1);
    assert!(
        told.stderr
            .contains("the name of this file holds a secret value"),
        "{}",
        told.stderr
    );
    assert!(!format!("{}{}", told.stdout, told.stderr).contains(token));
    sandbox
        .windlass(&["memory", "recall", "settings store"])
        .succeeds();
    let memory = sandbox.root().join("memory");
    // Nothing but the log that had the token from the start still has it.
    assert_eq!(files_with(&memory, token), [sandbox.root().join(log)]);
    let kept = files_with(&sandbox.home(), token);
    assert!(kept.is_empty(), "{kept:?}");
}

#[cfg(unix)]
#[test]
fn unreadable_folder_keeps_its_links() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = remembering();
    let folder = sandbox.root().join("memory/decisions");
    let mode = |mode: u32| {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o000);
    // The superuser can read the folder, so there's nothing to test.
    if std::fs::read_dir(&folder).is_ok() {
        mode(0o755);
        return;
    }
    let lists = ["memory/index.md", "memory/summary.md"];
    let before = lists.map(|list| sandbox.read(list));
    let told = sandbox
        .windlass(&["memory", "check", "--fix"])
        .exits_with(1)
        .stderr;
    let remember = ["memory", "remember", "open-loop", "Something open"];
    for args in [&["memory", "index"][..], &remember] {
        let refused = sandbox.windlass(args).exits_with(1).stderr;
        assert!(refused.contains("memory/decisions"), "{refused}");
    }
    let after = lists.map(|list| sandbox.read(list));
    mode(0o755);
    assert!(
        told.contains("`memory/decisions` cannot be listed"),
        "{told}"
    );
    assert!(
        !told.contains("broken-link") && !told.contains("does not exist"),
        "{told}"
    );
    assert_eq!(before, after);
}

#[test]
fn invalid_number_of_matches_is_refused() {
    let sandbox = remembering();
    for matches in ["0", "-1", "x"] {
        let args = ["memory", "recall", "settings", "--matches", matches];
        let refused = sandbox.windlass(&args).exits_with(2).stderr;
        let named = format!("invalid value '{matches}' for '--limit <N>'");
        assert!(refused.contains(&named), "{refused}");
    }
}
