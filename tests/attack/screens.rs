//! Terminal controls and changes of text direction in everything that a repository or another agent
//! can write.

use windlass_base::is_harmful;

use crate::support::Sandbox;

/// A color, a window title, a direction override and isolate, C1 controls, a line separator and an
/// invisible tag.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;T\u{7}\u{202e}\u{2066}\u{9b}2J\u{9d}\u{2028}\u{e0041}";

/// Commands that print what was planted; `@` stands for [`HOSTILE`].
const COMMANDS: [&[&str]; 52] = [
    &["run", "r"],
    &["runs", "list"],
    &["runs", "show", "last"],
    &["plan", "r"],
    &["plan", "r", "--format", "svg"],
    &["check"],
    &["check", "bad.yaml"],
    &["bead", "import", "beads.jsonl"],
    &["bead", "create", "x@", "--description", "@"],
    &["bead", "list"],
    &["bead", "show", "t-1"],
    &["bead", "show", "@"],
    &["events", "list"],
    &["mail", "send", "bob", "--subject", "@", "--body", "@"],
    &["mail", "inbox"],
    &["formula", "list"],
    &["formula", "show", "f"],
    &["formula", "show", "@"],
    &["formula", "lint"],
    &["mol", "pour", "f"],
    &["mol", "list"],
    &["mol", "ready"],
    &["doc", "show", "list.json"],
    &["doc", "check", "list.json"],
    &["doc", "check", "list.tron"],
    &["doc", "diff", "list.json", "d.md"],
    &["doc", "item", "add", "list.json", "@"],
    &["anchor", "add", "x", "src/a.rs:1-2", "--label", "@"],
    &["anchor", "add", "y", "src/@.rs:1"],
    &["anchor", "list"],
    &["anchor", "show", "x"],
    &["anchor", "scan"],
    &["notebook", "show"],
    &["notebook", "history"],
    &["impact", "--base", "HEAD"],
    &["find", "word"],
    &["pack", "build", "word @", "--results", "results.txt"],
    &["pack", "list"],
    &["pack", "show", "last"],
    &["memory", "init"],
    &["memory", "remember", "decision", "t @", "--text", "@"],
    &["memory", "recall", "word"],
    &["memory", "check"],
    &["suggest"],
    &["trust", "--list"],
    &["hook", "set", "ann", "bead:@"],
    &["route", "add", "zz", "@"],
    &["plugin", "inspect", "@"],
    &["--root", "/nowhere/@", "status"],
    &["@"],
    &["status"],
    &["doctor"],
];

/// Creates a repository with hostile names and texts in files of each kind that we read.
fn planted() -> Sandbox {
    let sandbox = Sandbox::git();
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    let escaped: String = HOSTILE
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect();
    let list = format!(
        "{{\"vContextInfo\":{{\"version\":\"0.4\",\"author\":{quoted}}},\"todoList\":{{\"title\":{quoted},\
         \"items\":[{{\"title\":{quoted},\"status\":\"pending\",\"description\":{quoted}}}]}}}}"
    );
    let runbook = format!(
        "schema_version: 1\nid: r\ntitle: \"{escaped}\"\npurpose: \"{escaped}\"\nsteps:\n  - {{ id: a, uses: search, with: {{ pattern: word }} }}\n  \
         - {{ id: l, uses: git, with: {{ show: log }} }}\n  - {{ id: f, uses: files }}\noutputs:\n  \
         - {{ id: a, title: \"{escaped}\", from: a }}\n  - {{ id: l, from: l }}\n  - {{ id: f, from: f }}\n"
    );
    let failed = format!(
        "test a::{HOSTILE} ... FAILED\n\nfailures:\n    a::{HOSTILE}\n\ntest result: FAILED. 0 passed; 1 failed\n"
    );
    let formula = format!(
        "formula = \"f\"\nversion = 1\ndescription = \"{escaped}\"\n[[steps]]\nid = \"a\"\ntitle = \"{escaped}\"\n"
    );
    let bead = format!(
        "{{\"id\":\"t-1\",\"title\":{quoted},\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"description\":{quoted},\"labels\":[{quoted}]}}\n"
    );
    sandbox
        .write(
            &format!("src/{HOSTILE}.rs"),
            format!("// {HOSTILE} word\nfn word() {{}}\n"),
        )
        .write(
            "src/a.rs",
            format!("// {HOSTILE} word\nfn word() {{}}\nword\r over\u{8}\u{8}\n"),
        )
        .write("runbooks/r.yaml", runbook)
        .write(
            "bad.yaml",
            format!(
                "schema_version: 1\nid: \"{escaped}\"\n\"{escaped}\": 1 # {}\n",
                HOSTILE.replace(['\u{1b}', '\u{7}'], "")
            ),
        )
        .write(
            "list.tron",
            list.replace("\"items\"", &format!("{HOSTILE}items")),
        )
        .write("list.json", list)
        .write(".beads/formulas/f.formula.toml", formula)
        .write(
            "d.md",
            format!("# {HOSTILE}\n\n[{HOSTILE}](src/a.rs#L1) and `src/a.rs:2` {HOSTILE}\n"),
        )
        .write("beads.jsonl", bead)
        .write("results.txt", failed)
        .commit(&format!("subject {HOSTILE}\n\nbody {HOSTILE}"));
    sandbox.run_git(&["checkout", "--quiet", "-b", "branch\u{202e}"]);
    sandbox
}

#[test]
fn nothing_printed_controls_the_terminal() {
    let sandbox = planted();
    let mut failed = Vec::new();
    for command in COMMANDS {
        let given: Vec<String> = command
            .iter()
            .map(|arg| arg.replace('@', HOSTILE))
            .collect();
        let given: Vec<&str> = ["--actor", "ann"]
            .into_iter()
            .chain(given.iter().map(String::as_str))
            .collect();
        let answer = sandbox.windlass(&given);
        assert!(
            (0..=6).contains(&answer.code),
            "{command:?}: {}",
            answer.stderr
        );
        for text in [answer.stdout, answer.stderr] {
            let lines = text.lines().filter(|line| line.contains(is_harmful));
            failed.extend(lines.map(|line| format!("{command:?}: {line:?}")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
