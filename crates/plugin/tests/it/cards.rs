//! Tests how plugins describe themselves, and files that aren't plugins.

use windlass_plugin::{Component, Host, HostOptions, Plugin, PluginError};

use crate::support::{Guest, LIMITS, host};

fn refused(guest: &Guest) -> PluginError {
    let component = Component::read(guest.bytes()).unwrap();
    Plugin::load(component, &host(), &windlass_base::Cancel::default()).unwrap_err()
}

#[test]
fn plugin_is_a_step_kind() {
    let guest = Guest {
        purity: crate::support::READS,
        ..Guest::default()
    };
    let plugin = guest.plugin(&host());
    let kind = plugin.kind("plugin:guest@1");
    assert_eq!(
        (&*kind.name, &*kind.summary),
        ("plugin:guest@1", "do what its test is about")
    );
    assert!(kind.effects.reads_files && kind.effects.reproducible && !kind.effects.runs_processes);
    assert_eq!(
        (plugin.card().major(), plugin.title()),
        (1, "guest 1.2.3".to_owned())
    );
    assert!(plugin.component().asks().imports().is_empty());
}

#[test]
fn description_is_cached_per_file() {
    let dir = tempfile::tempdir().unwrap();
    let cache = windlass_store::RootedPath::new(dir.path()).join("plugins");
    let host = || {
        Host::new(HostOptions {
            cache: Some(cache.clone()),
            slots: 1,
            limits: LIMITS,
        })
    };
    let card = Guest::default().plugin(&host()).card().clone();
    let code = || windlass_store::files_in(&cache.join("code"), |_| true).unwrap();
    for file in code() {
        std::fs::remove_file(file.place.path()).unwrap();
    }
    assert_eq!(*Guest::default().plugin(&host()).card(), card);
    // If the description is cached, nothing gets compiled.
    assert_eq!(code().len(), 0);
    let other = Guest {
        version: "2.0.0",
        ..Guest::default()
    };
    assert_eq!(other.plugin(&host()).card().version, "2.0.0");
}

#[test]
fn description_has_no_access() {
    let mut guest = crate::support::asking("files", "names");
    guest.describe = "(call $ask (i32.const 0) (i32.const 0) (i32.const 256))".to_owned();
    let error = refused(&guest).to_string();
    assert!(
        error.contains("it called `files.names` during its self-description"),
        "{error}"
    );
    let endless = Guest {
        describe: "(loop $on (br $on)) (unreachable)".to_owned(),
        ..Guest::default()
    };
    let error = refused(&endless).to_string();
    assert!(error.contains("`describe`: it took too long"), "{error}");
}

#[test]
fn invalid_description_is_refused() {
    let name = Guest {
        name: "No Name",
        ..Guest::default()
    };
    assert!(
        refused(&name)
            .to_string()
            .contains("`No Name` is not a valid name")
    );
    let schema = Guest {
        input_schema: "{".to_owned(),
        ..Guest::default()
    };
    assert!(
        refused(&schema)
            .to_string()
            .contains("the schema of its input")
    );
    let purity = Guest {
        purity: 7,
        ..Guest::default()
    };
    let said = refused(&purity).to_string();
    assert!(said.contains("`describe`") && said.contains("7"), "{said}");
}

#[test]
fn non_plugin_files_are_explained() {
    let read = |bytes: &[u8]| Component::read(bytes.to_vec()).unwrap_err();
    let module = wat::parse_str("(module)").unwrap();
    assert!(read(&module).to_string().contains("it is a core module"));
    assert!(read(&module).help().unwrap().contains("plugin build"));
    for bytes in [&b""[..], b"text", b"\0asm", b"\0asm\x0d\0\x01\0\xff\xff"] {
        assert!(
            matches!(read(bytes), PluginError::NotAComponent { .. }),
            "{bytes:?}"
        );
    }
    let empty = wat::parse_str("(component)").unwrap();
    assert!(matches!(read(&empty), PluginError::NoHandler { .. }));
    let wasi =
        wat::parse_str(r#"(component (import "wasi:cli/environment@0.2.0" (instance)))"#).unwrap();
    assert!(
        read(&wasi)
            .to_string()
            .contains("`wasi:cli/environment@0.2.0`")
    );
    assert!(read(&wasi).help().unwrap().contains("without WASI"));
    let later =
        wat::parse_str(r#"(component (instance (export "windlass:step/handler@2.0.0")))"#).unwrap();
    assert!(
        read(&later)
            .to_string()
            .contains("it exports `windlass:step/handler@2.0.0`")
    );
}

#[test]
fn damaged_component_is_refused() {
    let whole = Guest::default().bytes();
    let host = host();
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        if let Ok(component) = Component::read(damaged) {
            let _ = Plugin::load(component, &host, &windlass_base::Cancel::default());
        }
        if let Ok(component) = Component::read(whole[..at].to_vec()) {
            assert!(
                Plugin::load(component, &host, &windlass_base::Cancel::default()).is_err(),
                "{at}"
            );
        }
    }
}

#[test]
fn foreign_interface_is_refused() {
    // The component's `run` has no parameters.
    let other = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func $run (canon lift (core func $i "run")))
        (instance $handler (export "run" (func $run)))
        (export "windlass:step/handler@1.0.0" (instance $handler)))"#;
    let read = Component::read(wat::parse_str(other).unwrap()).unwrap();
    let error = Plugin::load(read, &host(), &windlass_base::Cancel::default()).unwrap_err();
    assert!(matches!(error, PluginError::NoHandler { .. }), "{error}");
}
