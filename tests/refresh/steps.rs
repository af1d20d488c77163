//! Steps in combination: references, lists, conditions, nested runbooks.

use serde_json::Value;

use crate::support::Sandbox;

fn run(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [
        &["run", "r", "--format", "json", "--max-chars", "50000"],
        args,
    ]
    .concat();
    sandbox.windlass(&args).succeeds().json()
}

fn values(pack: &Value, at: usize) -> Vec<Value> {
    pack["sections"][at]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["value"].clone())
        .collect()
}

#[test]
fn for_each_runs_over_found_list() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.md", "# Use\nof a\n# Rest\n")
        .write("b.md", "# Use\nof b\n")
        .write("c.md", "no headings\n")
        .write(
            "runbooks/r.yaml",
            "
schema_version: 1
id: r
steps:
  - { id: docs, uses: files, with: { globs: ['*.md', '!c.md'] } }
  - id: uses
    uses: read
    for_each: { $ref: '#/steps/docs/output/files' }
    with: { file: { $ref: '#/item' }, heading: Use }
outputs:
  - { id: uses, title: Uses, from: uses }
",
        );
    let pack = run(&sandbox, &[]);
    let items = pack["sections"][0]["items"].as_array().unwrap();
    let texts: Vec<&str> = items
        .iter()
        .map(|item| item["evidence"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["# Use\nof a", "# Use\nof b"]);
}

#[test]
fn conditions_skip_and_defaults_apply() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "x\n").write(
        "runbooks/r.yaml",
        "
schema_version: 1
id: r
inputs:
  deep: { type: boolean, default: false }
steps:
  - { id: files, uses: files, with: { globs: ['*.txt'] }, if: inputs.deep }
  - id: picked
    uses: select
    with: { from: { $ref: '#/steps/files/output/files', $default: [nothing] } }
outputs:
  - { id: files, title: Files, from: files }
  - { id: picked, title: Picked, from: picked }
",
    );
    let shallow = run(&sandbox, &[]);
    assert_eq!(shallow["sections"][0]["status"], "skipped");
    assert_eq!(values(&shallow, 1), ["nothing"]);
    let deep = run(&sandbox, &["--input", "deep=true"]);
    assert_eq!(values(&deep, 1), ["a.txt"]);
}

#[test]
fn nested_runbook_runs_and_cycle_fails() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.txt", "one\ntwo\n")
        .write(
            "runbooks/r.yaml",
            "schema_version: 1\nid: r\nsteps:\n  - { id: i, uses: runbook, with: { name: inner, inputs: { word: two } } }\noutputs:\n  - { id: i, from: i }\n",
        )
        .write(
            "runbooks/inner.yaml",
            "schema_version: 1\nid: inner\ninputs:\n  word: { type: string }\nsteps:\n  - { id: s, uses: search, with: { pattern: { $ref: '#/inputs/word' }, globs: ['*.txt'] } }\noutputs:\n  - { id: s, from: s }\n",
        );
    let pack = run(&sandbox, &[]);
    assert_eq!(
        pack["sections"][0]["items"][0]["evidence"][0]["text"],
        "two"
    );

    sandbox.write(
        "runbooks/inner.yaml",
        "schema_version: 1\nid: inner\ninputs:\n  word: { type: string }\nsteps:\n  - { id: i, uses: runbook, with: { name: r } }\noutputs:\n  - { id: i, from: i }\n",
    );
    let refused = sandbox.windlass(&["run", "r"]).exits_with(2);
    assert!(
        refused.stderr.contains("in a circle: r -> inner -> r"),
        "{}",
        refused.stderr
    );

    // The nested runbook's name becomes known only during the run.
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1\nid: r\ninputs:\n  next: { default: r }\nsteps:\n  - { id: i, uses: runbook, with: { name: { $ref: '#/inputs/next' } } }\noutputs:\n  - { id: i, from: i }\n",
    );
    let answer = sandbox.windlass(&["run", "r"]).exits_with(1);
    assert!(
        answer.stdout.contains("nested more than 8 deep"),
        "{}",
        answer.stdout
    );
}

#[test]
fn moved_text_is_proven_on_every_path() {
    let sandbox = Sandbox::git();
    let text = "pub fn list() -> u32 {\n    7\n}";
    sandbox
        .write("a.rs", text)
        .write(
            "runbooks/inner.yaml",
            "schema_version: 1\nid: inner\nsteps:\n  - { id: a, uses: anchors }\noutputs:\n  - { id: a, from: a }\n",
        )
        .write(
            "runbooks/r.yaml",
            "
schema_version: 1
id: r
policy: { freshness: repair }
steps:
  - { id: anchors, uses: anchors }
  - { id: judged, uses: evidence, with: { items: { $ref: '#/steps/anchors/output/anchors' } } }
  - { id: inner, uses: runbook, with: { name: inner } }
outputs:
  - { id: anchors, from: anchors }
  - { id: judged, from: judged }
  - { id: inner, from: inner }
  - { id: pointers, from: anchors, select: '$.anchors[*].evidence[*]' }
  - { id: whole, from: anchors, select: '$' }
",
        );
    sandbox
        .windlass(&["anchor", "add", "list", "a.rs:1-3"])
        .succeeds();
    sandbox.write("a.rs", format!("// new\n{text}\n"));
    let pack = run(&sandbox, &[]);
    for section in pack["sections"].as_array().unwrap().iter().take(4) {
        assert_eq!(section["status"], "moved", "{section}");
        let evidence = &section["items"][0]["evidence"][0];
        assert_eq!(evidence["repair"]["evidence"]["start_line"], 2, "{section}");
        assert_eq!(evidence["text"], text, "{section}");
    }
    // An observation depends on the same evidence.
    assert_eq!(pack["sections"][4]["status"], "moved");
    let printed = pack.to_string();
    assert!(!printed.contains("copies_in_file"), "{printed}");
}

#[test]
fn git_step_shows_commits_and_changes() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "one\n").commit("first");
    sandbox.write("b.txt", "two\n").commit("second");
    sandbox
        .write("a.txt", "changed\n")
        .write("new.txt", "new\n")
        .write(
            "runbooks/r.yaml",
            "
schema_version: 1
id: r
steps:
  - { id: log, uses: git, with: { show: log } }
  - { id: changes, uses: git, with: { show: changes, since: HEAD~1 } }
outputs:
  - { id: log, title: Log, from: log }
  - { id: changes, title: Changes, from: changes }
",
        );
    let pack = run(&sandbox, &[]);
    let subjects: Vec<Value> = values(&pack, 0)
        .iter()
        .map(|commit| commit["subject"].clone())
        .collect();
    assert_eq!(subjects, ["second", "first"]);
    let changed: Vec<String> = values(&pack, 1)
        .iter()
        .map(|c| format!("{} {}", c["path"], c["status"]).replace('"', ""))
        .collect();
    assert_eq!(
        changed,
        [
            "a.txt modified",
            "b.txt added",
            "new.txt untracked",
            "runbooks/r.yaml untracked"
        ]
    );
}

#[test]
fn partial_list_is_shown_with_failures() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "x\n").write(
        "runbooks/r.yaml",
        "
schema_version: 1
id: r
steps:
  - id: each
    uses: read
    for_each: [a.txt, none.txt]
    with: { file: { $ref: '#/item' } }
    on_failure: continue
outputs:
  - { id: each, from: each }
",
    );
    let pack = run(&sandbox, &[]);
    let section = &pack["sections"][0];
    assert_eq!(
        (&section["status"], section["total_items"].as_u64()),
        (&"failed".into(), Some(1))
    );
    assert!(
        section["reason"]
            .as_str()
            .unwrap()
            .starts_with("1 of 2 instances failed"),
        "{section}"
    );
}

#[test]
fn evidence_step_rechecks_matches() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "x\nx\nx\n").write(
        "runbooks/r.yaml",
        "
schema_version: 1
id: r
steps:
  - { id: found, uses: search, with: { pattern: x, globs: ['*.txt'], max_matches: 2 } }
  - { id: again, uses: evidence, with: { items: { $ref: '#/steps/found/output/matches' } } }
outputs:
  - { id: found, from: found }
  - { id: again, from: again }
",
    );
    let pack = run(&sandbox, &[]);
    assert_eq!(pack["sections"][1]["status"], "fresh");
    assert_eq!(pack["sections"][1]["total_items"], 2);
    let reason = pack["sections"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("3 lines that match"), "{reason}");
}

#[test]
fn match_in_long_line_is_shown() {
    let sandbox = Sandbox::git();
    let filler = |name: &str| {
        (0..400)
            .map(|at| format!("{name}{at};"))
            .collect::<String>()
    };
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let line = format!("{secret};{}needle();{}", filler("x"), filler("y"));
    sandbox.write("app.min.js", format!("{line}\n")).write(
        "runbooks/inner.yaml",
        "schema_version: 1\nid: inner\nsteps:\n  - { id: found, uses: search, with: { pattern: needle } }\noutputs:\n  - { id: found, from: found }\n",
    );
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1\nid: r\nsteps:\n  - { id: nested, uses: runbook, with: { name: inner } }\noutputs:\n  - { id: found, from: nested }\n",
    );
    for name in ["inner", "r"] {
        let shown = sandbox.windlass(&["run", name]).succeeds().stdout;
        let found = shown.lines().find(|line| line.contains("app.min.js:1"));
        let found = found.unwrap();
        assert!(found.contains("x399;needle();y0;"), "{found}");
        assert_eq!(found.matches('…').count(), 2, "{found}");
        assert!(!shown.contains(&secret[4..]));

        let mut all = String::new();
        let mut next = Some(shown);
        while let Some(page) = next {
            let cursor = page.split_once("--cursor ").map(|(_, rest)| rest);
            let cursor = cursor.map(|rest| rest.split_whitespace().next().unwrap().to_owned());
            all.push_str(&page);
            next = cursor.map(|cursor| {
                let page = sandbox.windlass(&["run", "--cursor", &cursor]);
                page.succeeds().stdout
            });
        }
        let text = all.replace(['…', ' ', '\n'], "");
        assert!(
            ["x0;x1;", "x200;", "y200;", "y399;"]
                .iter()
                .all(|part| text.contains(part)),
            "{all}"
        );
        assert!(!all.contains(&secret[4..]));
    }
}

#[test]
#[cfg(unix)]
fn names_and_titles_are_one_line() {
    let sandbox = Sandbox::git();
    sandbox.write("a\nb.txt", "a needle\n").write(
        "runbooks/r.yaml",
        r#"
schema_version: 1
id: r
title: "A\ntitle"
steps:
  - { id: found, uses: search, with: { pattern: needle, globs: ['*.txt'] } }
  - { id: names, uses: files, with: { globs: ['*.txt'] } }
outputs:
  - { id: found, title: "Found\nhere", from: found }
  - { id: names, title: "Na\u0007mes", from: names }
"#,
    );
    sandbox
        .windlass(&["anchor", "add", "a", "a\nb.txt:1"])
        .succeeds();
    let lines = |args: &[&str]| {
        let shown = sandbox.windlass(args).succeeds().stdout;
        assert!(
            !shown
                .lines()
                .any(|line| line.trim_start().starts_with("b.txt")),
            "{shown}"
        );
        shown.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let text = lines(&["run", "r"]);
    assert_eq!(text[0], "A\u{fffd}title  ok");
    assert!(text.contains(&"  a\u{fffd}b.txt".to_owned()), "{text:?}");
    let markdown = lines(&["run", "r", "--format", "markdown"]);
    assert!(
        markdown.contains(&"- a\u{fffd}b.txt".to_owned()),
        "{markdown:?}"
    );
    let plan = lines(&["plan", "r"]);
    assert_eq!(plan[..2], ["r", "A\u{fffd}title"]);
    assert!(
        plan.contains(&"  Found\u{fffd}here  from found".to_owned()),
        "{plan:?}"
    );
    lines(&["anchor", "list"]);
    lines(&["anchor", "show", "a"]);
}
