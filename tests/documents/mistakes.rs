//! Mistakes in runbooks. Each is reported with its place and a remedy before anything runs.

use crate::GOOD;
use crate::support::Sandbox;

/// Checks `text`, which must be refused, and returns the messages.
#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", text);
    let checked = sandbox.windlass(&["check", "r"]).exits_with(2);
    let run = sandbox.windlass(&["run", "r"]).exits_with(2);
    assert!(run.stdout.is_empty() && checked.stdout.is_empty());
    assert!(!sandbox.home().exists(), "nothing is written");
    checked.stderr
}

#[test]
fn every_mistake_has_place_and_remedy() {
    let text = "schema_version: 1
id: r
steps:
  - { id: a, uses: serach, with: { pattern: x } }
  - { id: b, uses: search, with: { patern: x } }
  - { id: c, uses: select, with: { from: { $ref: '#/steps/d/output/x' } } }
  - { id: e, uses: files, needs: [f] }
  - { id: f, uses: files, needs: [e] }
outputs:
  - { id: z, from: nothing }
";
    let said = refused(text);
    for wanted in [
        "runbooks/r.yaml:4:",
        "did you mean `search`?",
        "did you mean `pattern`?",
        "`d`",
        "e -> f -> e",
        "nothing",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
}

#[test]
fn hostile_documents_are_refused() {
    let deep_flow = format!(
        "schema_version: 1\nid: r\nsteps: {}{}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let deep_block = format!(
        "schema_version: 1\nid: r\nsteps:\n{}x\n",
        (0..10_000).map(|_| "- ").collect::<String>()
    );
    let huge = format!("{GOOD}# {}\n", "x".repeat(5 << 20));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let previous = format!("*a{}", n - 1);
        bomb.push_str(&format!(
            "a{n}: &a{n} [{}]\n",
            vec![previous; 10].join(", ")
        ));
    }
    let cases: [(&str, Vec<u8>); 10] = [
        ("deep flow", deep_flow.into()),
        ("deep block", deep_block.into()),
        ("huge", huge.into()),
        ("alias bomb", format!("{bomb}{GOOD}").into()),
        ("tag", GOOD.replace("id: r", "id: !!python/object r").into()),
        ("merge key", GOOD.replace("id: r", "<<: {}\nid: r").into()),
        (
            "duplicate key",
            GOOD.replace("id: r", "id: r\nid: s").into(),
        ),
        (
            "not a number",
            GOOD.replace("schema_version: 1", "schema_version: .inf")
                .into(),
        ),
        (
            "truncated",
            GOOD[..GOOD.len() / 2]
                .trim_end_matches(' ')
                .to_owned()
                .into_bytes(),
        ),
        ("not UTF-8", [GOOD.as_bytes(), b"# \xff\xfe\n"].concat()),
    ];
    for (what, text) in cases {
        let said = refused(text);
        assert!(said.contains("runbooks/r.yaml"), "{what}: {said}");
    }
}

#[test]
fn newer_version_is_refused_and_names_suggested() {
    assert!(refused(GOOD.replace("schema_version: 1", "schema_version: 2")).contains("newer"));
    let sandbox = Sandbox::git();
    let contracts = GOOD.replace("id: r\n", "id: contracts\n");
    sandbox.write("runbooks/contracts.yaml", &contracts);
    let answer = sandbox.windlass(&["run", "contrats"]).exits_with(3);
    assert!(
        answer.stderr.contains("did you mean `contracts`?"),
        "{}",
        answer.stderr
    );
    let answer = sandbox
        .windlass(&["run", "runbooks/none.yaml"])
        .exits_with(3);
    assert!(
        answer.stderr.contains("does not exist"),
        "{}",
        answer.stderr
    );
    sandbox.write(".windlass/contracts.yaml", &contracts);
    let answer = sandbox.windlass(&["run", "contracts"]).exits_with(2);
    assert!(
        answer.stderr.contains(".windlass/contracts.yaml"),
        "{}",
        answer.stderr
    );
}

#[test]
fn inputs_are_checked_before_run() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/r.yaml",
        GOOD.replace("steps:", "inputs:\n  depth: { type: integer }\nsteps:")
            .replace(
                "uses: files }",
                "uses: select, with: { from: { $ref: '#/inputs/depth' } } }",
            ),
    );
    assert!(
        sandbox
            .windlass(&["run", "r"])
            .exits_with(2)
            .stderr
            .contains("required")
    );
    assert!(
        sandbox
            .windlass(&["run", "r", "-i", "depth=x"])
            .exits_with(2)
            .stderr
            .contains("integer")
    );
    assert!(
        sandbox
            .windlass(&["run", "r", "-i", "dpeth=1"])
            .exits_with(2)
            .stderr
            .contains("did you mean `depth`?")
    );
    sandbox.windlass(&["run", "r", "-i", "depth=3"]).succeeds();
}

#[test]
fn literals_are_checked_before_run() {
    let said = refused(
        "schema_version: 1
id: r
steps:
  - { id: a, uses: search, with: { pattern: '(', paths: [../x] } }
  - { id: b, uses: command, with: { argv: [''] } }
",
    );
    for wanted in [
        "runbooks/r.yaml:4:45",
        "the pattern is not a regular expression: unclosed group",
        "runbooks/r.yaml:4:58",
        "`../x` leads upwards",
        "runbooks/r.yaml:5:44",
        "the name of the program is empty",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
}

#[test]
fn runbook_cycles_are_refused() {
    let runs = |name: &str, other: &str| {
        format!(
            "schema_version: 1\nid: {name}\nsteps:\n  - id: x\n    uses: runbook\n    with:\n      name: {other}\n\
             outputs:\n  - {{ id: x, from: x }}\n"
        )
    };
    let sandbox = Sandbox::git();
    for (name, other) in [
        ("self", "self"),
        ("a", "b"),
        ("b", "runbooks/c.yaml"),
        ("c", "a"),
        ("outer", "a"),
    ] {
        sandbox.write(&format!("runbooks/{name}.yaml"), runs(name, other));
    }
    for (name, chain) in [
        ("self", "self -> self"),
        ("a", "a -> b -> runbooks/c.yaml -> a"),
        ("outer", "a -> b -> runbooks/c.yaml -> a"),
    ] {
        for command in ["check", "run", "plan"] {
            let said = sandbox.windlass(&[command, name]).exits_with(2).stderr;
            assert!(
                said.contains(&format!("in a circle: {chain}\n"))
                    && said.contains(&format!("runbooks/{name}.yaml:7:13")),
                "{command} {name}:\n{said}"
            );
        }
    }
}

#[test]
fn missing_or_too_deep_runbooks_are_refused() {
    let runs = |name: &str, other: &str| {
        format!(
            "schema_version: 1\nid: {name}\nsteps:\n  - id: x\n    uses: runbook\n    with:\n      name: {other}\n\
             outputs:\n  - {{ id: x, from: x }}\n"
        )
    };
    let sandbox = Sandbox::git();
    sandbox
        .write("runbooks/lost.yaml", runs("lost", "levle-2"))
        .write("runbooks/file.yaml", runs("file", "docs/none.yaml"))
        .write(
            "runbooks/level-9.yaml",
            GOOD.replace("id: r\n", "id: level-9\n"),
        );
    for level in 0..9 {
        let (name, other) = (format!("level-{level}"), format!("level-{}", level + 1));
        sandbox.write(&format!("runbooks/{name}.yaml"), runs(&name, &other));
    }
    for command in ["check", "run", "plan"] {
        let said = sandbox.windlass(&[command, "lost"]).exits_with(2).stderr;
        assert!(
            said.contains("error[nested-runbook]: no runbook `levle-2`; did you mean `level-2`?")
                && said.contains("runbooks/lost.yaml:7:13"),
            "{said}"
        );
    }
    let said = sandbox.windlass(&["check", "file"]).exits_with(2).stderr;
    assert!(said.contains("`docs/none.yaml`"), "{said}");
    // `level-1` has eight levels of runbooks below it, which is the limit.
    sandbox.windlass(&["run", "level-1"]).succeeds();
    for command in ["check", "run"] {
        let said = sandbox.windlass(&[command, "level-0"]).exits_with(2).stderr;
        assert!(
            said.contains(
                "error[runbook-depth]: runbooks are nested more than 8 deep: level-0 -> level-1 ->"
            ),
            "{said}"
        );
    }
}

#[test]
fn suggested_calls_name_given_root() {
    let sandbox = Sandbox::git();
    sandbox.write("sub/x", "x");
    for format in ["json", "text"] {
        let checked = sandbox
            .windlass_in(
                &sandbox.root().join("sub"),
                &[
                    "--root", "..", "check", "none", "nothing", "--format", format,
                ],
            )
            .exits_with(2);
        let said = format!("{}{}", checked.stdout, checked.stderr);
        assert!(
            said.contains("`windlass --root .. init`"),
            "{format}: {said}"
        );
    }
}
