use super::remembering;

#[test]
fn whatever_is_in_the_folder_gives_findings_and_answers() {
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
fn links_out_of_the_repository_are_followed_by_nobody() {
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
    // Nothing is written through a link either.
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
    sandbox
        .windlass(&["memory", "remember", "event", "something"])
        .exits_with(2);
}
