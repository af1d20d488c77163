//! Small documents that grow when they are read: nesting, aliases, entities, long conditions.

use std::fmt::Write as _;
use std::process::Stdio;

use crate::support::{Sandbox, answer};

/// Depth at which a recursive reader overflows its stack.
const DEEP: usize = 100_000;

/// Address space of a command in KiB. The program itself reserves most of it for plugins.
const MEMORY: u32 = 16 << 20;

/// Processor time of a command in seconds.
const SECONDS: u32 = 60;

/// A file, the command that reads it, and the expected refusal (the exit code and a part of the
/// message).
struct Bomb {
    file: &'static str,
    text: String,
    command: &'static [&'static str],
    code: i32,
    message: &'static str,
}

fn nested(before: &str, after: &str) -> String {
    format!("{before}{}{}{after}", "[".repeat(DEEP), "]".repeat(DEEP))
}

/// YAML with nine levels of aliases, each ten times the one before.
fn aliases() -> String {
    let mut text = "schema_version: 1\nid: bomb\ntitle: B\na0: &a0 [x, x]\n".to_owned();
    for level in 1..10 {
        let _ = writeln!(
            text,
            "a{level}: &a{level} [{}]",
            vec![format!("*a{}", level - 1); 10].join(", ")
        );
    }
    text + "steps: *a9\noutputs: []\n"
}

/// XML with twelve levels of entities.
fn entities() -> String {
    let mut text = "<?xml version=\"1.0\"?><!DOCTYPE z [<!ENTITY e0 \"aaaaaaaaaa\">".to_owned();
    for level in 1..12 {
        let _ = write!(
            text,
            "<!ENTITY e{level} \"{}\">",
            format!("&e{};", level - 1).repeat(10)
        );
    }
    text + "]><testsuite><testcase name=\"t\"><failure>&e11;</failure></testcase></testsuite>"
}

fn runbook(step: &str, output: &str) -> String {
    format!(
        "schema_version: 1\nid: bomb\ntitle: B\nsteps:\n  - {{ id: a, {step} }}\noutputs:\n  - {{ id: a, from: a{output} }}\n"
    )
}

const CHECK: &[&str] = &["check", "bomb.yaml"];
const LINT: &[&str] = &["formula", "show", "bomb"];
const FORMULA: &str = ".beads/formulas/bomb.formula.toml";
const RESULTS: &[&str] = &["pack", "build", "mend it", "--results", "bomb.xml"];

fn bomb(
    file: &'static str,
    text: String,
    command: &'static [&'static str],
    code: i32,
    message: &'static str,
) -> Bomb {
    Bomb {
        file,
        text,
        command,
        code,
        message,
    }
}

fn bombs() -> Vec<Bomb> {
    let head = "formula = \"bomb\"\nversion = 1\n";
    let vcontext = "\"vContextInfo\":{\"version\":\"0.4\"},\"todoList\":{\"items\":";
    let external = "<?xml version=\"1.0\"?><!DOCTYPE z [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><testsuite name=\"&a;\"/>";
    let condition = format!(
        "uses: files, if: '{}true{}'",
        "(".repeat(DEEP),
        ")".repeat(DEEP)
    );
    let selector = format!(", select: '${}'", "[?@".repeat(DEEP));
    let wide = runbook("uses: files }\n  - { id: b, uses: files", "").replace(
        "  - { id: b, uses: files }\n",
        &"  - { id: b, uses: files }\n".repeat(DEEP * 2),
    );
    vec![
        bomb("bomb.yaml", aliases(), CHECK, 2, "aliases repeat too much"),
        bomb(
            "bomb.yaml",
            nested("schema_version: 1\nid: bomb\ntitle: B\nsteps: ", ""),
            CHECK,
            2,
            "nested more than 64 deep",
        ),
        bomb("bomb.yaml", wide, CHECK, 2, "more than 4 MiB"),
        bomb(
            "bomb.yaml",
            runbook(&condition, ""),
            CHECK,
            2,
            "at most 1024 bytes",
        ),
        bomb(
            "bomb.yaml",
            runbook("uses: files", &selector),
            CHECK,
            2,
            "JSONPaths of this runbook are too long",
        ),
        bomb(
            FORMULA,
            nested(&format!("{head}x = "), ""),
            LINT,
            2,
            "toml-syntax",
        ),
        bomb(
            FORMULA,
            format!("{head}{} = 1\n", vec!["a"; DEEP].join(".")),
            LINT,
            2,
            "recursion limit",
        ),
        bomb(
            "bomb.json",
            nested(&format!("{{{vcontext}"), "}}"),
            &["doc", "check", "bomb.json"],
            2,
            "levels of nesting",
        ),
        bomb(
            "bomb.tron",
            nested(&format!("{{{vcontext}"), "}}"),
            &["doc", "check", "bomb.tron"],
            2,
            "levels of nesting",
        ),
        bomb(
            "bomb.jsonl",
            nested("{\"id\":\"t-1\",\"title\":", "}\n"),
            &["bead", "import", "bomb.jsonl"],
            2,
            "recursion limit",
        ),
        bomb("bomb.xml", entities(), RESULTS, 2, "DTD"),
        bomb("bomb.xml", external.to_owned(), RESULTS, 2, "DTD"),
        bomb(
            "bomb.md",
            format!("{}x\n{}\n", "> ".repeat(DEEP), "[".repeat(DEEP)),
            &["anchor", "scan"],
            0,
            "",
        ),
        bomb(
            ".windlass/plugins/bomb.wasm",
            "\0asm\u{1}\0\0\0".to_owned(),
            &["plugin", "inspect", ".windlass/plugins/bomb.wasm"],
            2,
            "is not a plugin",
        ),
    ]
}

#[test]
fn bombs_are_refused_within_memory() {
    for bomb in bombs() {
        let sandbox = Sandbox::git();
        sandbox.write(bomb.file, &bomb.text);
        let script = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
        let mut shell = sandbox.shell(sandbox.root(), &script);
        let given = answer(shell.args(bomb.command).stdin(Stdio::null()));
        let shown = format!("{} {:?}: {}", bomb.file, bomb.command, given.stderr);
        assert_eq!(given.code, bomb.code, "{shown}");
        assert!(given.stderr.contains(bomb.message), "{shown}");
        assert!(given.stderr.len() < 8_000, "{}", given.stderr.len());
    }
}
