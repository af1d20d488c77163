//! Plugins as step kinds: lookup, checks, permissions and runs.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod authors;
#[expect(dead_code, reason = "made for other tests as well")]
#[path = "../../crates/plugin/tests/it/support.rs"]
mod guests;
mod oci;
mod revoking;
#[path = "../support/mod.rs"]
mod support;

use guests::{Guest, PASS_ON, READS};
use serde_json::{Value, json};
use support::Sandbox;

fn lister(version: &'static str) -> Vec<u8> {
    let mut guest = Guest {
        name: "lister",
        version,
        purity: READS,
        input_schema: json!({ "type": "object", "properties": { "globs": { "type": "array" } }, "additionalProperties": false }).to_string(),
        imports: r#"(import "windlass:step/files@1.0.0" "names" (func $ask (param i32 i32 i32)))"#.to_owned(),
        ..Guest::default()
    };
    guest.run = "(call $ask (local.get $at) (local.get $len) (i32.const 256))".to_owned() + PASS_ON;
    guest.bytes()
}

fn speaker() -> Vec<u8> {
    let guest = Guest {
        name: "speaker",
        output_schema: json!({ "type": "object", "properties": { "said": { "type": "string" } }, "required": ["said"] }).to_string(),
        ..Guest::default()
    };
    guest.answering("{\"said\":\"hello\"}").bytes()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.rs", "fn a() {}\n")
        .write("b.md", "# B\n")
        .write(".windlass/plugins/lister.wasm", lister("1.4.0"))
        .write("plugins/speaker/speaker.wasm", speaker());
    sandbox
}

const LISTS: &str = "schema_version: 1
id: lists
permissions: { plugins: { lister: [list] } }
steps:
  - { id: list, uses: 'plugin:lister@1', with: { globs: ['*.rs'] } }
outputs:
  - { id: list, title: List, from: list, select: '$.files[*]' }
";

const SPEAKS: &str = "schema_version: 1
id: speaks
steps:
  - { id: speak, uses: 'plugin:speaker@1' }
outputs:
  - { id: said, title: Said, from: speak, select: '$.said' }
";

fn values(pack: &Value) -> Vec<Value> {
    let items = pack["sections"][0]["items"].as_array().unwrap();
    items.iter().map(|item| item["value"].clone()).collect()
}

#[test]
fn pure_plugin_runs_without_permission() {
    let sandbox = sandbox();
    sandbox.write("runbooks/speaks.yaml", SPEAKS);
    let run = || {
        sandbox
            .windlass(&["run", "speaks", "--format", "json"])
            .succeeds()
            .json()
    };
    let first = run();
    assert_eq!(values(&first), [json!("hello")]);
    // The cached output has the same bytes.
    assert_eq!(run(), first);
    let nested = "schema_version: 1
id: outer
steps:
  - { id: inner, uses: runbook, with: { name: speaks } }
outputs:
  - { id: said, title: Said, from: inner }
";
    sandbox.write("runbooks/outer.yaml", nested);
    let outer = sandbox
        .windlass(&["run", "outer", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(values(&outer), [json!("hello")]);
    let explained = sandbox
        .windlass(&["plan", "speaks", "--explain"])
        .succeeds();
    assert!(
        explained
            .stdout
            .contains("plugin:speaker@1: do what its test is about"),
        "{}",
        explained.stdout
    );
}

#[test]
fn plugin_output_references_are_checked() {
    let sandbox = sandbox();
    let wrong = SPEAKS.replace("$.said", "$.sayd").replace(
        "outputs:",
        "  - { id: pick, uses: select, with: { from: { $ref: '#/steps/speak/output/other' } } }\noutputs:",
    );
    sandbox.write("runbooks/speaks.yaml", wrong);
    let checked = sandbox
        .windlass(&["check", "runbooks/speaks.yaml"])
        .exits_with(2);
    let told = format!("{}{}", checked.stdout, checked.stderr);
    assert!(told.contains("other") && told.contains("said"), "{told}");
    for (uses, says) in [
        (
            "plugin:speaker@2",
            "requires version 2, but plugins/speaker/speaker.wasm is 1.2.3",
        ),
        ("plugin:speaker", "has no version"),
        ("plugin:speeker@1", "unknown plugin `speeker`"),
    ] {
        sandbox.write(
            "runbooks/speaks.yaml",
            SPEAKS.replace("plugin:speaker@1", uses),
        );
        let run = sandbox.windlass(&["run", "speaks"]).exits_with(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
}

#[test]
fn plugin_needs_runbook_and_user_grant() {
    let sandbox = sandbox();
    sandbox.write(
        "runbooks/lists.yaml",
        LISTS.replace("permissions: { plugins: { lister: [list] } }\n", ""),
    );
    let run = || sandbox.windlass(&["run", "lists", "--format", "json"]);
    let refused = run().exits_with(2);
    assert!(
        refused
            .stderr
            .contains("requires permissions that the runbook does not grant: list"),
        "{}",
        refused.stderr
    );

    sandbox.write("runbooks/lists.yaml", LISTS);
    let refused = run().exits_with(4);
    assert!(
        refused
            .stdout
            .contains("imports `windlass:step/files@1.0.0`, but `list` is not granted"),
        "{}",
        refused.stdout
    );
    assert!(
        refused
            .stdout
            .contains("windlass trust plugin:lister@1 --dry-run"),
        "{}",
        refused.stdout
    );
    // The next action trusts the plugin, because the runbook itself starts nothing.
    let next = &refused.json()["next_actions"][0];
    assert_eq!(next["tool"], "trust");
    assert_eq!(next["args"]["args"], json!(["plugin:lister@1"]));
    let explained = sandbox.windlass(&["plan", "lists", "--explain"]).succeeds();
    assert!(
        explained
            .stdout
            .contains("it requests `list`, which is not granted"),
        "{}",
        explained.stdout
    );

    let looked = sandbox
        .windlass(&["trust", "plugin:lister@1", "--dry-run"])
        .succeeds();
    assert!(
        looked.stdout.contains("may list files: `list`"),
        "{}",
        looked.stdout
    );
    // A dry run grants nothing.
    run().exits_with(4);
    let digest = sandbox
        .windlass(&["plugin", "inspect", "lister", "--format", "json"])
        .succeeds()
        .json();
    let digest = digest["digest"].as_str().unwrap();
    let other = format!("sha256:{}", "0".repeat(64));
    sandbox
        .windlass(&["trust", "plugin:lister@1", "--digest", &other])
        .exits_with(5);
    sandbox
        .windlass(&["trust", "plugin:lister@1", "--digest", digest])
        .succeeds();
    assert_eq!(values(&run().succeeds().json()), [json!("a.rs")]);
    let listed = sandbox.windlass(&["trust", "--list"]).succeeds();
    assert!(
        listed
            .stdout
            .contains(&format!("plugin:lister 1.4.0  {digest}")),
        "{}",
        listed.stdout
    );

    // Another file is another plugin, which has to be trusted separately.
    sandbox.write(".windlass/plugins/lister.wasm", lister("1.5.0"));
    run().exits_with(4);
    let listed = sandbox.windlass(&["trust", "--list"]).succeeds();
    assert!(
        listed.stdout.contains("changed since, and not trusted"),
        "{}",
        listed.stdout
    );
    sandbox.write(".windlass/plugins/lister.wasm", lister("1.4.0"));
    run().succeeds();
    sandbox
        .windlass(&["trust", "plugin:lister", "--revoke"])
        .succeeds();
    run().exits_with(4);
}

#[test]
fn plugin_sees_the_files_of_its_run() {
    let sandbox = sandbox();
    sandbox.write("runbooks/lists.yaml", LISTS.replace("*.rs", "*.md"));
    sandbox.windlass(&["trust", "plugin:lister@1"]).succeeds();
    let first = sandbox
        .windlass(&["run", "lists", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(values(&first), [json!("b.md")]);
    // Reads are recorded. As long as the files and the plugin don't change, the cached output is
    // used.
    let kept = || {
        sandbox.windlass(&["runs", "resume"]).succeeds();
        let shown = sandbox
            .windlass(&["runs", "show", "--format", "json"])
            .succeeds()
            .json();
        shown["steps"][0]["kept"] == true
    };
    assert!(kept());
    // The plugin has listed the files, so a new one makes its output invalid.
    sandbox.write("c.md", "# C\n");
    assert!(!kept());
    assert!(kept());
    sandbox.write(".windlass/plugins/lister.wasm", lister("1.5.0"));
    sandbox.windlass(&["trust", "plugin:lister@1"]).succeeds();
    assert!(!kept());
}

#[test]
fn plugins_are_listed_and_inspected() {
    let sandbox = sandbox();
    sandbox.write("plugins/none.wasm", "no component");
    let listed = sandbox.windlass(&["plugin", "list"]).succeeds().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(
        lines[0],
        "plugin:lister@1  1.4.0  .windlass/plugins/lister.wasm  do what its test is about  (requests: list)"
    );
    assert!(
        lines[1].starts_with("plugins/none.wasm is not a plugin: not a WebAssembly component"),
        "{listed}"
    );
    assert!(
        lines[2].starts_with("plugin:speaker@1  1.2.3  plugins/speaker/speaker.wasm"),
        "{listed}"
    );
    let inspected = sandbox
        .windlass(&["plugin", "inspect", "plugins/speaker/speaker.wasm"])
        .succeeds()
        .stdout;
    assert!(
        inspected.contains("  purity   pure\n  imports  nothing\n"),
        "{inspected}"
    );
    sandbox
        .windlass(&["plugin", "inspect", "nobody"])
        .exits_with(3);
    let none = sandbox.windlass(&["plugin", "inspect", "none"]);
    assert!(none.stderr.contains("not a WebAssembly component"));
}

#[test]
fn list_shows_which_duplicate_is_used() {
    let sandbox = sandbox();
    // This file comes first by name, and has another version of the same plugin.
    sandbox.write(".windlass/plugins/aaa.wasm", lister("1.9.0"));
    let listed = sandbox.windlass(&["plugin", "list"]).succeeds().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].starts_with("plugin:.windlass/plugins/aaa.wasm@1  1.9.0  "),
        "{listed}"
    );
    assert!(
        lines[1].starts_with("plugin:lister@1  1.4.0  .windlass/plugins/lister.wasm"),
        "{listed}"
    );
    for command in [
        &["plugin", "inspect", "lister"][..],
        &["trust", "plugin:lister", "--dry-run"],
    ] {
        let shown = sandbox.windlass(command).succeeds().stdout;
        assert!(shown.contains(".windlass/plugins/lister.wasm"), "{shown}");
    }
}

#[test]
fn formula_may_use_pure_plugins() {
    let sandbox = sandbox();
    let formula = |uses: &str| {
        let text = format!(
            "formula = \"speaks\"\nversion = 1\n\n[[steps]]\nid = \"say\"\ntitle = \"Say it\"\nuses = \"{uses}\"\n"
        );
        sandbox.write(".beads/formulas/speaks.formula.toml", text);
    };
    formula("plugin:speaker@1");
    sandbox.windlass(&["formula", "lint", "speaks"]).succeeds();
    sandbox
        .windlass(&["--actor", "anna", "mol", "pour", "speaks"])
        .succeeds();
    let driven = sandbox
        .windlass(&["--actor", "anna", "mol", "drive"])
        .succeeds();
    assert!(driven.stdout.contains("say"), "{}", driven.stdout);
    formula("plugin:lister@1");
    let refused = sandbox
        .windlass(&["formula", "lint", "speaks"])
        .exits_with(2);
    let said = refused.stdout + &refused.stderr;
    assert!(
        said.contains("needs permissions that a formula cannot grant: list"),
        "{said}"
    );
    formula("plugin:speaker@2");
    let refused = sandbox
        .windlass(&["formula", "lint", "speaks"])
        .exits_with(2);
    let said = refused.stdout + &refused.stderr;
    assert!(said.contains("requires version 2"), "{said}");
}

#[test]
fn examples_are_compared_with_output() {
    let sandbox = sandbox();
    let example = |name: &str, text: &str| {
        sandbox.write(&format!(".windlass/plugins/examples/{name}"), text);
    };
    example("one.input.json", "{ \"globs\": [\"*.md\"] }");
    example(
        "one.output.json",
        "{ \"files\": [\"x.md\"], \"total\": 1, \"truncated\": false }",
    );
    example("one.files/x.md", "text\n");
    example("wrong.input.json", "{ \"glob\": 1 }");
    example("wrong.error.txt", "the input does not fit its schema");
    let test = || sandbox.windlass(&["plugin", "test", "lister"]);
    assert_eq!(test().succeeds().stdout, "ok  one\nok  wrong\n");
    example(
        "one.output.json",
        "{ \"files\": [\"x.md\"], \"total\": 2, \"truncated\": false }",
    );
    assert_eq!(
        test().exits_with(1).stdout,
        "FAILED  one: at `/total`: got 1, expected 2\nok  wrong\n"
    );
    // An incomplete example fails.
    example("one.error.txt", "x");
    example("wrong.error.txt", " \n");
    example("lone.output.json", "{}");
    let said = test().exits_with(1).stdout;
    for wrong in [
        "FAILED  one: it has both `one.output.json` and `one.error.txt`",
        "FAILED  wrong: `wrong.error.txt` is empty",
        "FAILED  lone: missing `lone.input.json`",
    ] {
        assert!(said.contains(wrong), "{said}");
    }
}

/// Runs the examples of each shipped component and compares its digest.
#[test]
fn shipped_plugins_pass_their_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins");
    let mut shipped = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let component = path.join(format!("{name}.wasm"));
        let Ok(bytes) = std::fs::read(&component) else {
            continue;
        };
        let digest = std::fs::read_to_string(path.join(format!("{name}.wasm.sha256"))).unwrap();
        let sandbox = Sandbox::git();
        sandbox.write(&format!("plugins/{name}/{name}.wasm"), bytes);
        let report = sandbox
            .windlass(&["plugin", "inspect", &name, "--format", "json"])
            .succeeds()
            .json();
        assert_eq!(report["digest"], digest.trim(), "{name}");
        let examples = path.join("examples");
        let examples = examples.to_str().unwrap();
        sandbox
            .windlass(&["plugin", "test", &name, "--examples", examples])
            .succeeds();
        shipped.push(name);
    }
    shipped.sort();
    let all = [
        "api-diff",
        "codeowners",
        "commits",
        "coverage",
        "test-report",
    ];
    assert_eq!(shipped, all);
}
