//! Incomplete or unproven evidence keeps its status wherever it's used.

use crate::support::Sandbox;

fn with_steps(steps: &str, outputs: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    let text = format!("schema_version: 1\nid: r\nsteps:\n{steps}outputs:\n{outputs}");
    sandbox.write("runbooks/r.yaml", text);
    sandbox
}

#[test]
fn values_of_stale_evidence_are_stale() {
    for (steps, output) in [
        ("", "from: anchors, select: '$.anchors[*].label'"),
        (
            "  - { id: labels, uses: select, with: { from: { $ref: '#/steps/anchors/output/anchors' }, path: '$[*].label' } }\n",
            "from: labels",
        ),
    ] {
        let sandbox = with_steps(
            &format!("  - {{ id: anchors, uses: anchors }}\n{steps}"),
            &format!("  - {{ id: out, {output} }}\npolicy: {{ freshness: strict }}\n"),
        );
        sandbox.write("a.rs", "fn a() {}\n");
        sandbox
            .windlass(&["anchor", "add", "a", "a.rs:1"])
            .succeeds();
        let fresh = sandbox.windlass(&["run", "r"]).succeeds().stdout;
        assert!(fresh.contains("out  observed"), "{fresh}");
        sandbox.remove("a.rs");
        let gone = sandbox.windlass(&["run", "r"]).exits_with(6).stdout;
        assert!(
            gone.contains("out  stale  1: it depends on stale evidence of step `anchors`"),
            "{gone}"
        );
    }
}

#[test]
fn cut_list_taints_derived_lists() {
    let join = |id: &str, keep: &str| {
        format!(
            "  - {{ id: {id}, uses: join, with: {{ left: {{ $ref: '#/steps/all/output/matches' }}, right: {{ $ref: '#/steps/some/output/matches' }}, on: /file, keep: {keep} }} }}\n"
        )
    };
    let steps = "  - { id: all, uses: search, with: { pattern: needle } }\n  - { id: some, uses: search, with: { pattern: needle, max_matches: 2 } }\n";
    let sandbox = with_steps(
        &format!(
            "{steps}{}{}",
            join("both", "matched"),
            join("without", "unmatched")
        ),
        "  - { id: both, from: both }\n  - { id: without, from: without }\n",
    );
    for at in 0..5 {
        sandbox.write(&format!("f{at}.txt"), "a needle\n");
    }
    let pack = sandbox.windlass(&["run", "r", "--format", "json"]).json();
    let section = |at: usize| {
        let section = &pack["sections"][at];
        (section["status"].clone(), section["reason"].to_string())
    };
    let ((both, why), (without, why_not)) = (section(0), section(1));
    // A match in a cut list is certain, but a missing match may just be beyond the cut.
    assert_eq!(
        (both, without),
        ("fresh".into(), "unknown".into()),
        "{pack}"
    );
    for reason in [why, why_not] {
        assert!(
            reason.contains("step `some`: only a part of the"),
            "{reason}"
        );
    }
}

#[test]
fn filtered_out_anchor_is_reported() {
    for (more, code, said) in [
        ("", 0, ""),
        ("kinds: [ci, contract]", 0, ""),
        ("tags: [api]", 0, ""),
        ("kinds: [ci]", 6, "its kind `contract` is not in `kinds`"),
        ("tags: [api, slow]", 6, "it does not have the tag `slow`"),
    ] {
        let sandbox = with_steps(
            &format!("  - {{ id: s, uses: anchors, with: {{ ids: [a], {more} }} }}\n"),
            "  - { id: s, from: s }\npolicy: { freshness: strict }\n",
        );
        sandbox.write("a.rs", "fn a_function() {}\n");
        let add = [
            "anchor", "add", "a", "a.rs:1", "--kind", "contract", "--tag", "api",
        ];
        sandbox.windlass(&add).succeeds();
        let pack = sandbox.windlass(&["run", "r"]).exits_with(code).stdout;
        assert_eq!(pack.contains("s  unknown"), code == 6, "{more}: {pack}");
        assert!(pack.contains(said), "{more}: {pack}");
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn absence_needs_a_complete_search() {
    let sandbox = with_steps(
        "  - { id: found, uses: search, with: { pattern: needle, paths: [{ $ref: '#/inputs/where' }] } }\n",
        "  - { id: found, from: found }\ninputs: { where: { type: string, default: d } }\n",
    );
    sandbox
        .write("d/wide.txt", utf16("needle\n"))
        .write("e/wide.txt", utf16("straw\n"))
        .write("d/plain.txt", "straw\n")
        .write("picture.png", b"\x89PNG\0\0");
    let section = |place: &str, code: i32| {
        let input = format!("where={place}");
        let answer = sandbox.windlass(&["run", "r", "-i", &input]);
        answer.exits_with(code).stdout
    };
    let folder = section("d", 0);
    assert!(
        folder.contains("found  unknown: 1 file could not be searched: 1 in UTF-16"),
        "{folder}"
    );
    // UTF-16 text can be searched well enough to prove that nothing matches.
    let other = section("e", 0);
    assert!(other.contains("found  empty"), "{other}");
    assert!(section("d/plain.txt", 0).contains("found  empty"));
    for (named, what) in [("d/wide.txt", "in UTF-16"), ("picture.png", "binary")] {
        let failed = section(named, 1);
        let why = format!("`{named}` cannot be searched: it is {what}");
        assert!(failed.contains(&why), "{failed}");
    }
    std::process::Command::new("mkfifo")
        .arg(sandbox.root().join("pipe"))
        .status()
        .unwrap();
    assert!(section("pipe", 1).contains("`pipe` cannot be searched: it is a pipe"));
}

#[test]
#[cfg(unix)]
fn unreadable_is_not_empty() {
    use std::os::unix::fs::PermissionsExt as _;
    for (step, why) in [
        (
            "outline, with: { paths: [d] }",
            "not searched: 1 not readable",
        ),
        (
            "outline, with: { paths: [d/e] }",
            "not searched: 1 not readable",
        ),
        (
            "outline, with: { paths: [f.rs] }",
            "`f.rs` is not outlined: the operating system refuses access",
        ),
        ("files, with: { paths: [d] }", "1 not readable"),
        ("search, with: { pattern: x, paths: [d] }", "1 not readable"),
    ] {
        let sandbox = with_steps(
            &format!("  - {{ id: s, uses: {step} }}\n"),
            "  - { id: s, from: s }\npolicy: { freshness: strict }\n",
        );
        sandbox
            .write("f.rs", "fn f() {}\n")
            .write("d/e/g.rs", "fn g() {}\n");
        let lock = |path: &str, mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(sandbox.root().join(path), mode).unwrap();
        };
        let place = if step.contains("d/e") { "d/e" } else { "d" };
        lock("f.rs", 0o000);
        lock(place, 0o000);
        // The superuser can read everything, so nothing would fail.
        let reads_all = std::fs::read_dir(sandbox.root().join(place)).is_ok();
        let answer = sandbox.windlass(&["run", "r"]);
        if !reads_all {
            let pack = answer.exits_with(6).stdout;
            assert!(pack.contains("s  unknown"), "{step}: {pack}");
            assert!(pack.contains(why), "{step}: {pack}");
        }
        lock("f.rs", 0o644);
        lock(place, 0o755);
    }
}

#[test]
fn search_and_read_agree_on_binary() {
    let sandbox = with_steps(
        "  - { id: found, uses: search, with: { pattern: needle, globs: [{ $ref: '#/inputs/glob' }] } }\n  \
           - { id: read, uses: read, with: { file: d/late.dat, lines: '1' }, on_failure: continue }\n",
        "  - { id: found, from: found }\n  - { id: read, from: read }\n\
         inputs: { glob: { type: string, default: '*.dat' } }\n",
    );
    // The NUL byte is far beyond the prefix that decides if a file is text.
    let mut late = b"needle\n".repeat(10_000);
    late.push(0);
    sandbox
        .write("d/late.dat", late)
        .write("d/a.txt", "straw\n")
        .write("e/picture.png", b"\x89PNG\0\0");
    let shown = |glob: &str| {
        let input = format!("glob={glob}");
        sandbox
            .windlass(&["run", "r", "-i", &input])
            .succeeds()
            .stdout
    };
    for glob in ["*.dat", "d/late.*", "**/late.dat", "d/**"] {
        let pack = shown(glob);
        let why = "found  unknown: 1 file could not be searched: 1 with a NUL byte after text";
        assert!(pack.contains(why), "{pack}");
        assert!(
            pack.contains("`d/late.dat` cannot be read: it is binary"),
            "{pack}"
        );
    }
    // A glob over a folder doesn't name this file in particular.
    for glob in ["e/**", "*.txt"] {
        assert!(shown(glob).contains("found  empty"), "{glob}");
    }
    let named = shown("*.png");
    let why = "found  unknown: 1 file could not be searched: 1 binary";
    assert!(named.contains(why), "{named}");
}

#[test]
fn evidence_without_hash_is_unknown() {
    let found =
        r#"{"anchors":[{"label":"x","evidence":[{"file":"a.rs","start_line":1,"end_line":1}]}]}"#;
    let sandbox = with_steps(
        "  - { id: say, uses: command, with: { argv: [cat, found.json], parse: json } }\n",
        "  - { id: out, from: say, select: '$.json.anchors[*].label' }\n",
    );
    sandbox.write("a.rs", "fn a() {}\n");
    sandbox.write("found.json", found);
    let pack = sandbox
        .windlass(&["run", "r", "--allow-commands"])
        .succeeds()
        .stdout;
    assert!(
        pack.contains("out  unknown  1: it depends on stale evidence"),
        "{pack}"
    );
}

/// Runs a strict runbook with `steps`, followed by a program that changes their file.
fn changed_after(steps: &str, outputs: &str) -> Sandbox {
    let change =
        "  - { id: change, uses: command, with: { argv: [cp, new.txt, a.txt] }, needs: [last] }\n";
    let sandbox = with_steps(
        &format!("{steps}{change}"),
        &format!("{outputs}policy: {{ freshness: strict }}\n"),
    );
    sandbox.write("a.txt", "old\n").write("new.txt", "needle\n");
    sandbox
}

#[test]
fn change_during_run_voids_claims() {
    for (steps, output) in [
        (
            "  - { id: read, uses: read, with: { file: a.txt } }\n  - { id: last, uses: select, with: { from: { $ref: '#/steps/read/output/items' }, path: '$[*].label' } }\n",
            "from: last",
        ),
        (
            "  - { id: last, uses: search, with: { pattern: needle, globs: [a.txt] } }\n",
            "from: last",
        ),
        (
            "  - { id: last, uses: search, with: { pattern: needle, globs: [a.txt] } }\n",
            "from: last, select: '$.total'",
        ),
    ] {
        let sandbox = changed_after(steps, &format!("  - {{ id: out, {output} }}\n"));
        let pack = sandbox
            .windlass(&["run", "r", "--allow-commands"])
            .exits_with(6)
            .stdout;
        let said = "files that it may depend on changed during the run: a.txt";
        assert!(
            pack.contains("out  unknown") && pack.contains(said),
            "{pack}"
        );
    }
}

#[test]
fn moved_evidence_must_stay_until_the_end() {
    let code = "pub fn a_name_that_nothing_else_has() -> u32 {\n    seven_and_twenty\n}\n";
    // A committed rename is followed. Without a commit, the new file is only a candidate.
    for said in ["moved", "ambiguous"] {
        for changes in [false, true] {
            let file = if changes { "b.rs" } else { "elsewhere.txt" };
            let sandbox = with_steps(
                &format!(
                    "  - {{ id: kept, uses: anchors }}\n  - {{ id: change, uses: command, with: {{ argv: [cp, other.txt, {file}] }}, needs: [kept] }}\n"
                ),
                "  - { id: kept, from: kept }\npolicy: { freshness: repair }\n",
            );
            sandbox
                .write("a.rs", code)
                .write("other.txt", "// something else\n")
                .commit("all");
            sandbox
                .windlass(&["anchor", "add", "a", "a.rs:1-3"])
                .succeeds();
            sandbox.remove("a.rs").write("b.rs", code);
            if said == "moved" {
                sandbox.commit("renamed");
            }
            let args = ["run", "r", "--allow-commands", "--format", "json"];
            let pack = sandbox.windlass(&args).succeeds().json();
            let section = &pack["sections"][0];
            let evidence = &section["items"][0]["evidence"][0];
            if changes {
                let worst = if said == "moved" { "unknown" } else { "stale" };
                assert_eq!(section["status"], worst, "{said}: {pack}");
                assert_eq!(evidence["status"], "unknown", "{said}: {pack}");
                assert_eq!(evidence["repair"], serde_json::Value::Null, "{said}");
                let reason = section["reason"].as_str().unwrap();
                assert!(reason.contains("b.rs"), "{reason}");
            } else {
                assert_eq!(evidence["repair"]["outcome"], said, "{pack}");
            }
        }
    }
}

#[test]
fn nested_strict_runbook_stays_strict() {
    let sandbox = with_steps(
        "  - { id: last, uses: runbook, with: { name: inner } }\n  - { id: change, uses: command, with: { argv: [cp, new.txt, a.txt] }, needs: [last] }\n",
        "  - { id: out, from: last }\n",
    );
    sandbox.write(
        "runbooks/inner.yaml",
        "schema_version: 1\nid: inner\npolicy: { freshness: strict }\nsteps:\n  - { id: read, uses: read, with: { file: a.txt } }\noutputs:\n  - { id: read, from: read }\n",
    );
    sandbox.write("a.txt", "old\n").write("new.txt", "new\n");
    let run = ["run", "r", "--allow-commands"];
    let pack = sandbox.windlass(&run).exits_with(6).stdout;
    assert!(pack.contains("out  unknown"), "{pack}");
    sandbox.windlass(&run).succeeds();
}
