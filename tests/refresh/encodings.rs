//! Files in other encodings or with odd bytes: how they're shown, and the notes about them.

use crate::support::Sandbox;

fn sandbox(steps: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    let text = format!(
        "schema_version: 1\nid: r\nsteps:\n{steps}outputs:\n  - {{ id: out, title: Out, from: out }}\n"
    );
    sandbox.write("runbooks/r.yaml", text);
    sandbox
}

#[test]
fn odd_bytes_are_noted_in_every_format() {
    for step in [
        "  - { id: out, uses: read, with: { file: a.txt } }\n",
        "  - { id: out, uses: search, with: { pattern: first, paths: [a.txt] } }\n",
        "  - { id: out, uses: anchors }\n",
    ] {
        let sandbox = sandbox(step);
        sandbox.write("a.txt", b"\xEF\xBB\xBFfirst caf\xE9 \r of it\r\nplain\n");
        sandbox
            .windlass(&["anchor", "add", "a", "a.txt:1"])
            .succeeds();
        for format in ["text", "json", "markdown"] {
            let shown = sandbox
                .windlass(&["run", "r", "--format", format])
                .succeeds()
                .stdout;
            for said in [
                "shown as U+FFFD: a.txt",
                "not treated as line ends: a.txt",
                "the byte order mark is not shown: a.txt",
                "CR LF line ends are shown and hashed as LF: a.txt",
            ] {
                assert!(shown.contains(said), "{format}: {said}\n{shown}");
            }
        }
    }
}

#[test]
fn unshown_lines_have_no_notes() {
    let sandbox = sandbox("  - { id: out, uses: read, with: { file: a.txt, lines: '2' } }\n");
    sandbox.write("a.txt", b"\xEF\xBB\xBFfirst caf\xE9 \r of it\r\nplain\n");
    let pack = sandbox
        .windlass(&["run", "r", "--format", "json"])
        .succeeds()
        .json();
    assert!(pack.get("notes").is_none(), "{pack}");
}

#[test]
fn line_end_notes_are_limited() {
    let sandbox = sandbox("  - { id: out, uses: search, with: { pattern: needle } }\n");
    for at in 1..=8 {
        sandbox.write(&format!("{at}.txt"), "needle\r\n");
    }
    sandbox.write("mixed.txt", "needle\nstraw\r\n");
    let pack = sandbox
        .windlass(&["run", "r", "--format", "json"])
        .succeeds()
        .json();
    let said = "CR LF line ends are shown and hashed as LF: \
                1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 3 more";
    assert_eq!(pack["notes"], serde_json::json!([said]));
}

#[test]
fn other_encoding_is_named() {
    let wide: Vec<u8> = "\u{feff}needle\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for step in [
        "  - { id: out, uses: read, with: { file: wide.txt } }\n",
        "  - { id: out, uses: search, with: { pattern: needle, paths: [wide.txt] } }\n",
    ] {
        let sandbox = sandbox(step);
        sandbox.write("wide.txt", &wide);
        let failed = sandbox.windlass(&["run", "r"]).exits_with(1);
        assert!(
            failed.stdout.contains("in UTF-16") && failed.stdout.contains("iconv"),
            "{}",
            failed.stdout
        );
        let refused = sandbox
            .windlass(&["anchor", "add", "a", "wide.txt:1"])
            .exits_with(2);
        assert!(refused.stderr.contains("in UTF-16"), "{}", refused.stderr);
    }
    // A search over all files makes no claim about this one.
    let sandbox =
        sandbox("  - { id: out, uses: search, with: { pattern: needle, globs: ['*.txt'] } }\n");
    sandbox.write("wide.txt", &wide);
    let shown = sandbox.windlass(&["run", "r"]).succeeds().stdout;
    assert!(shown.contains("in UTF-16 or UTF-32"), "{shown}");
}

#[test]
fn changes_before_first_commit_are_all_files() {
    let sandbox = sandbox("  - { id: out, uses: git, with: { show: changes } }\n");
    let shown = sandbox.windlass(&["run", "r"]).succeeds().stdout;
    assert!(shown.contains("runbooks/r.yaml"), "{shown}");
}
