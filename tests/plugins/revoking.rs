//! Revoking trust in a plugin by any of its names.

use windlass_base::PluginDigest;

use crate::support::{Answer, Sandbox};
use crate::{LISTS, lister, oci};

const FILE: &str = ".windlass/plugins/lister.wasm";
const LAYOUT: &str = ".windlass/plugins/oci/ghcr.io/acme/lister";
const ARTIFACT: &str = "oci://ghcr.io/acme/lister:1.4.0";

/// Creates a repository that has the same plugin in a file of its name, in another file, and as an
/// artifact.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.rs", "fn a() {}\n")
        .write(FILE, lister("1.4.0"))
        .write("tools/other.wasm", lister("1.4.0"))
        .write("runbooks/lists.yaml", LISTS);
    oci::put(&sandbox, LAYOUT, "1.4.0", &lister("1.4.0"));
    for (name, plugin) in [("by-path", "tools/other.wasm"), ("by-reference", ARTIFACT)] {
        let text = LISTS
            .replace("id: lists", &format!("id: {name}"))
            .replace("{ lister: [list] }", &format!("{{ '{plugin}': [list] }}"))
            .replace("plugin:lister@1", &format!("plugin:{plugin}@1"));
        sandbox.write(&format!("runbooks/{name}.yaml"), text);
    }
    sandbox
}

fn runs(sandbox: &Sandbox) -> [Answer; 3] {
    ["lists", "by-path", "by-reference"].map(|name| sandbox.windlass(&["run", name]))
}

#[test]
fn plugin_is_revoked_by_any_name() {
    let digest = PluginDigest::of(&lister("1.4.0")).to_string();
    let versioned = format!("plugin:{ARTIFACT}@1");
    let names = [
        "plugin:lister@1",
        FILE,
        "tools/other.wasm",
        "plugin:tools/other.wasm@1",
        ARTIFACT,
        &versioned,
    ];
    let revoked_by = names
        .into_iter()
        .chain(["plugin:lister", "lister", &digest]);
    let sandbox = sandbox();
    for run in runs(&sandbox) {
        run.exits_with(4);
    }
    for (n, revoked_by) in revoked_by.enumerate() {
        let granted_by = names[(n + 2) % names.len()];
        sandbox.windlass(&["trust", granted_by]).succeeds();
        for run in runs(&sandbox) {
            run.succeeds();
        }
        sandbox
            .windlass(&["trust", revoked_by, "--revoke"])
            .succeeds();
        for run in runs(&sandbox) {
            run.exits_with(4);
        }
        // A second revocation finds nothing.
        let again = sandbox
            .windlass(&["trust", revoked_by, "--revoke"])
            .exits_with(3);
        assert!(again.stderr.contains("was trusted"), "{}", again.stderr);
    }
}

#[test]
fn revoking_covers_all_versions() {
    let sandbox = sandbox();
    sandbox.windlass(&["trust", "plugin:lister@1"]).succeeds();
    sandbox.write(FILE, lister("1.5.0"));
    sandbox.windlass(&["trust", "plugin:lister@1"]).succeeds();
    sandbox.windlass(&["trust", FILE, "--revoke"]).succeeds();
    for run in runs(&sandbox) {
        run.exits_with(4);
    }
}

#[test]
fn missing_plugin_is_revoked_by_path() {
    for (granted, place) in [
        ("tools/other.wasm", "tools/other.wasm"),
        ("plugin:tools/other.wasm@1", "tools/other.wasm"),
        (ARTIFACT, &format!("{LAYOUT}/index.json")),
    ] {
        for became in [None, Some("no component")] {
            let sandbox = sandbox();
            sandbox.windlass(&["trust", granted]).succeeds();
            match became {
                Some(text) => {
                    sandbox.write(place, text);
                }
                None => {
                    sandbox.remove(place);
                }
            }
            let revoked = sandbox.windlass(&["trust", granted, "--revoke"]);
            assert!(
                revoked.succeeds().stderr.contains("1 version"),
                "{granted} {became:?}"
            );
            sandbox.windlass(&["run", "lists"]).exits_with(4);
        }
    }
    // The list shows it as changed, at its path.
    let sandbox = sandbox();
    sandbox.windlass(&["trust", "tools/other.wasm"]).succeeds();
    sandbox.remove(FILE);
    sandbox.write("tools/other.wasm", lister("1.5.0"));
    let listed = sandbox.windlass(&["trust", "--list"]).succeeds().stdout;
    assert!(
        listed.contains("changed since, and not trusted"),
        "{listed}"
    );
}

#[test]
fn trust_list_shows_state_of_each_file() {
    let sandbox = sandbox();
    let listed = |sandbox: &Sandbox| {
        let listed = sandbox.windlass(&["trust", "--list", "--format", "json"]);
        let listed = listed.succeeds().json();
        let plugins = listed["plugins"].as_array().unwrap().iter();
        let told = plugins.map(|row| format!("{} {}", row["file"], row["state"]).replace('"', ""));
        told.collect::<Vec<_>>()
    };
    sandbox.write("tools/same.wasm", lister("9.0.0"));
    sandbox.write("tools/copy.wasm", lister("9.0.0"));
    sandbox.windlass(&["trust", "tools/same.wasm"]).succeeds();
    sandbox.windlass(&["trust", "tools/copy.wasm"]).succeeds();
    let both = ["tools/same.wasm current", "tools/copy.wasm current"];
    assert_eq!(listed(&sandbox), both);
    sandbox.remove("tools/copy.wasm");
    assert_eq!(listed(&sandbox)[1], "tools/copy.wasm gone");
    sandbox.write("tools/same.wasm", "no component");
    assert_eq!(listed(&sandbox)[0], "tools/same.wasm gone");
    // A bare name is assumed to be a plugin's.
    let told = sandbox.windlass(&["trust", "lister"]).exits_with(3).stderr;
    assert!(
        told.contains("windlass trust plugin:lister --dry-run"),
        "{told}"
    );
}
