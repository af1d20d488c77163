//! Exit codes and messages at the end of a command.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::Sandbox;

const STEPS: [(&str, &str); 4] = [
    (
        "fine",
        "steps: [{ id: s, uses: files }]\noutputs: [{ id: s, from: s }]\n",
    ),
    (
        "fails",
        "steps: [{ id: s, uses: command, with: { argv: ['false'] } }]\noutputs: [{ id: s, from: s }]\n",
    ),
    (
        "strict",
        "policy: { freshness: strict }\nsteps: [{ id: s, uses: anchors }]\noutputs: [{ id: s, from: s }]\n",
    ),
    (
        "waits",
        "steps: [{ id: s, uses: command, with: { argv: [sh, -c, 'echo x > ready; sleep 600'] } }]\noutputs: [{ id: s, from: s }]\n",
    ),
];

#[test]
fn exit_codes_match_their_meaning() {
    let sandbox = Sandbox::git();
    for (id, text) in STEPS {
        let text = format!("schema_version: 1\nid: {id}\n{text}");
        sandbox.write(&format!("runbooks/{id}.yaml"), text);
    }
    sandbox
        .write("a.txt", "one line that is long enough\n")
        .write(".env", "KEY=1\n");
    sandbox
        .windlass(&["anchor", "add", "a", "a.txt:1"])
        .succeeds();
    sandbox.write("a.txt", "another line, which is as long\n");
    for (code, args) in [
        (0, &["run", "fine"][..]),
        (1, &["run", "fails", "--allow-commands"]),
        (1, &["anchor", "check"]),
        (2, &["run", "fine", "--no-such-option"]),
        (2, &["run", "fine", "--input", "no=1"]),
        (3, &["run", "nothing"]),
        (3, &["anchor", "show", "nothing"]),
        (4, &["run", "fails"]),
        (4, &["anchor", "add", "b", ".env:1"]),
        (5, &["anchor", "add", "a", "a.txt:1"]),
        (6, &["run", "strict"]),
    ] {
        let answer = sandbox.windlass(args);
        assert_eq!(answer.code, code, "{args:?}: {}", answer.stderr);
    }
}

/// A function with enough text to be located after a move.
const PARSE: &str = "fn parse(input: &str) -> Vec<Word> {\n    let mut words = Vec::new();\n    for part in input.split(' ') {\n        \
                     words.push(Word::of(part));\n    }\n    words\n}\n";

#[test]
fn freshness_policy_decides_on_moves() {
    let sandbox = Sandbox::git();
    for policy in ["repair", "report", "strict"] {
        let text = format!(
            "schema_version: 1\nid: {policy}\npolicy: {{ freshness: {policy} }}\nsteps: [{{ id: s, uses: anchors }}]\n\
             outputs: [{{ id: s, from: s }}]\n"
        );
        sandbox.write(&format!("runbooks/{policy}.yaml"), text);
    }
    sandbox.write(
        "src/a.rs",
        format!("{}{PARSE}", crate::support::numbered(1, 20)),
    );
    sandbox.commit("x");
    sandbox
        .windlass(&["anchor", "add", "parse", "src/a.rs:21-27"])
        .succeeds();
    let run = |policy: &str, code: i32| {
        let pack = sandbox.windlass(&["run", policy, "--format", "json"]);
        let pack = pack.exits_with(code).json();
        let section = pack["sections"][0].clone();
        let tools = pack["next_actions"].as_array().cloned().unwrap_or_default();
        let tools: Vec<String> = tools
            .iter()
            .map(|next| next["tool"].as_str().unwrap().to_owned())
            .collect();
        (section, tools.join(", "))
    };
    for policy in ["repair", "report", "strict"] {
        assert_eq!(run(policy, 0).0["status"], "fresh");
    }
    // The function moves to another file with its text.
    sandbox.write("src/a.rs", crate::support::numbered(1, 20));
    sandbox.write("src/words.rs", format!("// moved\n{PARSE}"));
    for (policy, code, shown) in [
        ("repair", 0, true),
        ("report", 0, false),
        ("strict", 6, false),
    ] {
        let (section, tools) = run(policy, code);
        let evidence = &section["items"][0]["evidence"][0];
        assert_eq!(section["status"], "moved", "{policy}: {section}");
        assert_eq!(evidence["repair"]["evidence"]["file"], "src/words.rs");
        assert_eq!(evidence.get("text").is_some(), shown, "{policy}: {section}");
        assert_eq!(tools, "anchor repair", "{policy}");
    }
    // The function is edited. Its location is known, but its text isn't the captured one.
    sandbox.edit("src/words.rs", "Word::of(part)", "Word::new(part)");
    for (policy, code) in [("repair", 0), ("report", 0), ("strict", 6)] {
        let (section, tools) = run(policy, code);
        assert_eq!(section["status"], "stale", "{policy}: {section}");
        assert!(section["items"][0]["evidence"][0].get("text").is_none());
        assert_eq!(tools, "anchor show, anchor repair", "{policy}");
    }
    sandbox
        .windlass(&["anchor", "repair", "--edited"])
        .succeeds();
    assert_eq!(run("strict", 0).0["status"], "fresh");
}

#[test]
#[cfg(unix)]
fn interrupted_run_exits_with_130() {
    let sandbox = Sandbox::git();
    let (_, text) = STEPS[3];
    sandbox.write(
        "runbooks/waits.yaml",
        format!("schema_version: 1\nid: waits\n{text}"),
    );
    let ready = sandbox.root().join("ready");
    std::process::Command::new("mkfifo")
        .arg(&ready)
        .status()
        .unwrap();
    let mut command = sandbox.command(sandbox.root(), &["run", "waits", "--allow-commands"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Opening the pipe waits until the step has started.
    let mut word = String::new();
    std::fs::File::open(ready)
        .unwrap()
        .read_to_string(&mut word)
        .unwrap();
    let pid = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn plan_explanation_uses_given_inputs() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1\nid: r\ninputs: { word: { type: string, required: true } }\nsteps:\n  - { id: s, uses: search, if: \"inputs.word != 'none'\", with: { pattern: { $ref: '#/inputs/word' } } }\noutputs: [{ id: s, from: s }]\n",
    );
    let explain = |args: &[&str]| {
        let args = [&["plan", "r", "--explain"], args].concat();
        sandbox.windlass(&args).succeeds().stdout
    };
    let open = explain(&[]);
    assert!(
        open.contains("not given yet") && !open.contains("needle"),
        "{open}"
    );
    let given = explain(&["--input", "word=needle"]);
    assert!(
        given.contains("needle") && !given.contains("not given yet"),
        "{given}"
    );
    let args = ["plan", "r", "--explain", "--input", "other=1"];
    sandbox.windlass(&args).exits_with(2);
}

#[test]
#[cfg(unix)]
fn doctor_reports_unwritable_disk() {
    let sandbox = Sandbox::git();
    let healthy = sandbox.windlass(&["doctor"]).stdout;
    let mut limited = sandbox.shell(sandbox.root(), "ulimit -f 0; exec \"$0\" doctor");
    let answer = crate::support::answer(&mut limited);
    assert_ne!(answer.stdout, healthy);
    assert!(answer.stdout.contains("cannot"), "{}", answer.stdout);
}

#[test]
fn run_without_name_lists_runbooks() {
    let sandbox = Sandbox::git();
    let none = sandbox.windlass(&["run"]).exits_with(2);
    assert!(none.stderr.contains("windlass init"), "{}", none.stderr);
    for (id, text) in &STEPS[..2] {
        let text = format!("schema_version: 1\nid: {id}\n{text}");
        sandbox.write(&format!("runbooks/{id}.yaml"), text);
    }
    for args in [&["run"][..], &["run", "--jobs", "2"], &["run", "--list"]] {
        let some = sandbox.windlass(args).succeeds();
        let names = "fails  runbooks/fails.yaml\nfine  runbooks/fine.yaml\n";
        assert_eq!(some.stdout, names);
    }
}

#[test]
fn calls_name_file_from_working_folder() {
    let sandbox = Sandbox::git();
    let steps =
        "steps: [{ id: s, uses: read, with: { file: nope } }]\noutputs: [{ id: s, from: s }]\n";
    sandbox.write(
        "docs/deep/y.yaml",
        format!("schema_version: 1\nid: y\n{steps}"),
    );
    let folder = sandbox.root().join("docs/deep");
    let run = sandbox.windlass_in(&folder, &["run", "y.yaml", "--format", "json"]);
    let pack: serde_json::Value = serde_json::from_str(&run.exits_with(1).stdout).unwrap();
    let action = &pack["next_actions"][0];
    assert_eq!(action["tool"], "plan", "{pack}");
    let file = action["args"]["args"][0].as_str().unwrap();
    let plan = sandbox.windlass_in(&folder, &["plan", file, "--explain"]);
    assert!(plan.succeeds().stdout.contains("nope"));
    let list = sandbox.windlass_in(&folder, &["runs", "list", "--runbook", "y.yaml"]);
    assert!(list.succeeds().stdout.contains("docs/deep/y.yaml"));
}
