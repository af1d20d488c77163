//! Printed calls can be pasted and run.

use super::{repository, support::Sandbox};

/// Runs the printed `call` in `folder` through a shell.
fn run_call(sandbox: &Sandbox, folder: &std::path::Path, call: &str) -> super::support::Answer {
    let call = call.split("  #").next().unwrap_or_default().trim();
    let script = call.replacen("windlass", "\"$0\"", 1);
    super::answer(&mut sandbox.shell(folder, &script))
}

fn printed<'a>(text: &'a str, what: &str) -> &'a str {
    let call = text.lines().find(|line| line.contains(what));
    call.unwrap_or_else(|| panic!("`{what}` is not in:\n{text}"))
}

#[test]
fn printed_call_names_given_root() {
    let sandbox = repository();
    sandbox
        .windlass(&["anchor", "add", "a", "src/a.rs:5-9"])
        .succeeds();
    let moved = format!("new\n{}", sandbox.read("src/a.rs"));
    sandbox.write("src/a.rs", moved);
    let (outside, root) = (sandbox.outside(), sandbox.root().display().to_string());
    let listed = sandbox.windlass_in(&outside, &["--root", &root, "anchor", "list"]);
    let call = printed(&listed.succeeds().stdout, "anchor repair").to_owned();
    assert!(call.contains("--root"), "{call}");
    run_call(&sandbox, &outside, &call).succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();

    let missing = sandbox.windlass_in(&outside, &["--root", &root, "anchor", "show", "b"]);
    let hint = missing.exits_with(3).stderr;
    let root = super::support::shell_word(&root);
    assert!(
        hint.contains(&format!("--root {root} anchor list`")),
        "{hint}"
    );
}

#[test]
fn leading_hyphen_survives_round_trip() {
    let sandbox = repository();
    sandbox.write("-x.rs", "fn main() {\n    first_thing_of_all();\n}\n");
    sandbox
        .windlass(&["anchor", "add", "d", "./-x.rs#main"])
        .succeeds();
    sandbox.write("-x.rs", "// new\n\nfn main() {\n    entirely_other();\n}\n");
    let shown = sandbox.windlass(&["anchor", "show", "d"]).succeeds().stdout;
    let call = printed(&shown, "anchor add");
    run_call(&sandbox, sandbox.root(), call).succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();
}

#[cfg(unix)]
#[test]
fn file_name_cannot_forge_output() {
    let sandbox = repository();
    sandbox.write("a\nNext\n  windlass evil", "one\ntwo\n");
    let place = "a\nNext\n  windlass evil:1";
    let saved = sandbox.windlass(&["anchor", "add", "n", place]).succeeds();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds();
    for text in [saved.stderr, listed.stdout] {
        assert!(text.contains("windlass evil"), "{text}");
        assert!(!text.contains("\nNext"), "{text}");
    }
}

#[test]
fn stale_anchor_shows_symbol_location() {
    let sandbox = repository();
    sandbox.write("f.rs", "fn main() {\n    first_thing_of_all();\n}\n");
    sandbox
        .windlass(&["anchor", "add", "m", "f.rs#main"])
        .succeeds();
    sandbox.write("f.rs", "// new\n\nfn main() {\n    entirely_other();\n}\n");
    let shown = sandbox.windlass(&["anchor", "show", "m"]).succeeds().stdout;
    // The text comes from the symbol's current lines, not from the anchor's old ones.
    assert!(shown.contains("entirely_other"), "{shown}");
    assert!(!shown.contains("// new"), "{shown}");
    let call = printed(&shown, "anchor add m 'f.rs#main' --replace");
    run_call(&sandbox, sandbox.root(), call).succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();
}

#[test]
fn pack_calls_name_given_root() {
    let sandbox = repository();
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1\nid: r\nsteps:\n  - { id: places, uses: anchors }\n  - { id: tool, uses: command, with: { argv: ['true'] } }\noutputs:\n  - { id: places, from: places }\n  - { id: tool, from: tool }\n",
    );
    let (outside, root) = (sandbox.outside(), sandbox.root().display().to_string());
    for args in [
        &["run", "r"][..],
        &["run", "r", "--format", "markdown"],
        &["run", "r", "--format", "json", "--response-mode", "full"],
        &["plan", "r", "--explain"],
    ] {
        let named = sandbox.windlass_in(&outside, &[&["--root", &root], args].concat());
        let said = format!("{}{}", named.stdout, named.stderr).replace("\\`", "`");
        let calls: Vec<&str> = said.split("`windlass ").skip(1).collect();
        assert!(!calls.is_empty(), "{said}");
        for call in calls {
            let call = call.split('`').next().unwrap();
            assert!(call.contains("--root "), "`{call}` in {said}");
        }

        let plain = sandbox.windlass(args);
        let said = format!("{}{}", plain.stdout, plain.stderr).replace("\\`", "`");
        assert!(
            said.contains("`windlass ") && !said.contains("--root"),
            "{said}"
        );
    }
}
