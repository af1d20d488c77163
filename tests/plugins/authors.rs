//! From an empty folder to a plugin, with the commands for plugin authors.

use crate::support::{Answer, Sandbox, answer};

fn new(sandbox: &Sandbox, args: &[&str]) -> Answer {
    sandbox.windlass(&[&["plugin", "new"], args].concat())
}

#[test]
fn new_plugin_sources_are_written_once() {
    let sandbox = Sandbox::folder();
    let told = new(&sandbox, &["count-it", "--lang", "c"]).succeeds();
    assert_eq!(
        told.stdout,
        "plugins/count-it\n  windlass plugin build plugins/count-it\n  windlass plugin test plugins/count-it/count-it.wasm\n"
    );
    assert!(
        sandbox
            .read("plugins/count-it/plugin.c")
            .contains("TEXT(\"count-it\")")
    );
    let again = new(&sandbox, &["count-it"]).exits_with(2);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
    new(&sandbox, &["Count"]).exits_with(2);
    new(&sandbox, &["other", "--lang", "js", "--sdk", "sdk"]).exits_with(2);
    let no_sdk = new(&sandbox, &["other", "--sdk", "plugins"]).exits_with(2);
    assert!(
        no_sdk.stderr.contains(": no `Cargo.toml`"),
        "{}",
        no_sdk.stderr
    );
}

#[test]
fn missing_tool_is_named_with_remedy() {
    let sandbox = Sandbox::folder();
    for (language, says) in [
        ("js", "install Node.js 20 or later"),
        ("python", "pip install componentize-py=="),
        ("c", "apt install clang lld"),
    ] {
        new(&sandbox, &[language, "--lang", language]).succeeds();
        let source = format!("plugins/{language}");
        let mut build = sandbox.command(sandbox.root(), &["plugin", "build", &source]);
        // With this path, there are no programs at all.
        let told = answer(build.env("PATH", sandbox.root())).exits_with(3);
        assert!(told.stderr.contains(says), "{}", told.stderr);
    }
    let none = sandbox
        .windlass(&["plugin", "build", "plugins"])
        .exits_with(3);
    assert!(
        none.stderr.contains("no plugin sources in `plugins`"),
        "{}",
        none.stderr
    );
}

#[test]
fn build_writes_only_usable_components() {
    let sandbox = Sandbox::folder();
    // A core module, as emitted by a compiler without component support. Its description is empty.
    let module = r#"(module
        (memory (export "memory") 1)
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0))
        (func (export "windlass:step/handler@1.0.0#describe") (result i32) (i32.const 0))
        (func (export "windlass:step/handler@1.0.0#run") (param i32 i32) (result i32) (i32.const 0)))"#;
    sandbox.write("made/empty.wasm", wat::parse_str(module).unwrap());
    let told = sandbox
        .windlass(&[
            "plugin",
            "build",
            "made/empty.wasm",
            "--out",
            "plugins-are-here.wasm",
        ])
        .exits_with(2);
    assert!(
        told.stderr
            .contains("/made/empty.wasm is not a plugin: invalid description"),
        "{}",
        told.stderr
    );
    assert!(!sandbox.root().join("plugins-are-here.wasm").exists());
    assert!(!sandbox.root().join(".new-plugin.wasm").exists());
    // A file that's already a component is checked, and copied under the name in its description.
    sandbox.write("made/any.wasm", crate::speaker());
    let told = sandbox
        .windlass(&["plugin", "build", "made/any.wasm"])
        .succeeds();
    assert!(
        told.stdout.starts_with("plugin:speaker@1  sha256:"),
        "{}",
        told.stdout
    );
    assert_eq!(
        std::fs::read(sandbox.root().join("made/speaker.wasm")).unwrap(),
        crate::speaker()
    );
}

#[test]
fn missing_source_is_not_found() {
    let sandbox = Sandbox::folder();
    let told = sandbox.windlass(&["plugin", "build", "nope"]).exits_with(3);
    assert!(
        told.stderr.contains("no such file or folder `nope`"),
        "{}",
        told.stderr
    );
}

#[cfg(unix)]
#[test]
fn build_writes_through_no_link() {
    let sandbox = Sandbox::folder();
    sandbox.write("any.wasm", crate::speaker());
    sandbox.write("outside/precious", "mine");
    let [precious, link] =
        ["outside/precious", "made/speaker.wasm"].map(|path| sandbox.root().join(path));
    std::fs::create_dir(sandbox.root().join("made")).unwrap();
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    std::os::unix::fs::symlink(&precious, sandbox.root().join("made/.new-plugin.wasm")).unwrap();
    sandbox
        .windlass(&["plugin", "build", "any.wasm", "--out", "made/speaker.wasm"])
        .succeeds();
    assert_eq!(sandbox.read("outside/precious"), "mine");
    assert_eq!(std::fs::read(&link).unwrap(), crate::speaker());
    assert!(link.symlink_metadata().unwrap().is_file());
}

#[test]
fn new_plugins_get_the_shipped_files() {
    let sandbox = Sandbox::folder();
    new(&sandbox, &["fresh", "--lang", "js"]).succeeds();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/commits");
    for file in [
        "windlass.js",
        "wit/world.wit",
        "wit/deps/windlass-step/step.wit",
    ] {
        let own = std::fs::read_to_string(format!("{shipped}/{file}")).unwrap();
        assert_eq!(
            sandbox.read(&format!("plugins/fresh/{file}")),
            own,
            "{file}"
        );
    }
}
