//! Plugins in OCI image layouts, as written by `oras cp … --to-oci-layout`.

use serde_json::{Value, json};
use windlass_base::PluginDigest;

use crate::support::Sandbox;

/// Writes a component into an image layout of its own.
pub(crate) fn put(sandbox: &Sandbox, layout: &str, tag: &str, component: &[u8]) {
    let blob = |bytes: &[u8], media_type: &str| -> Value {
        let digest = PluginDigest::of(bytes).to_string();
        let file = format!("{layout}/blobs/{}", digest.replace(':', "/"));
        sandbox.write(&file, bytes);
        json!({ "mediaType": media_type, "digest": digest, "size": bytes.len() })
    };
    let layer = blob(component, "application/wasm");
    let config = blob(b"{}", "application/vnd.wasm.config.v0+json");
    let manifest = json!({ "schemaVersion": 2, "config": config, "layers": [layer] }).to_string();
    let mut entry = blob(
        manifest.as_bytes(),
        "application/vnd.oci.image.manifest.v1+json",
    );
    entry["annotations"] = json!({ "org.opencontainers.image.ref.name": tag });
    let index = json!({ "schemaVersion": 2, "manifests": [entry] });
    sandbox.write(&format!("{layout}/index.json"), index.to_string());
    sandbox.write(
        &format!("{layout}/oci-layout"),
        "{\"imageLayoutVersion\":\"1.0.0\"}",
    );
}

const SPEAKS: &str = "schema_version: 1
id: speaks
steps:
  - { id: speak, uses: 'plugin:oci://ghcr.io/acme/speaker:1.2.3@1' }
outputs:
  - { id: said, title: Said, from: speak, select: '$.said' }
";

#[test]
fn oci_artifact_runs_as_plugin() {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/speaks.yaml", SPEAKS);
    let run = || sandbox.windlass(&["run", "speaks", "--format", "json"]);
    let none = run().exits_with(2);
    assert!(
        none.stderr.contains("unknown plugin `oci://ghcr.io/acme/speaker:1.2.3`")
            && none.stderr.contains("oras cp ghcr.io/acme/speaker:1.2.3 --to-oci-layout .windlass/plugins/oci/ghcr.io/acme/speaker:1.2.3"),
        "{}",
        none.stderr
    );
    let layout = ".windlass/plugins/oci/ghcr.io/acme/speaker";
    put(&sandbox, layout, "1.2.3", &crate::speaker());
    let pack = run().succeeds().json();
    assert_eq!(pack["sections"][0]["items"][0]["value"], "hello");
    let name = "oci://ghcr.io/acme/speaker:1.2.3";
    let seen = sandbox
        .windlass(&["plugin", "inspect", name])
        .succeeds()
        .stdout;
    assert!(seen.contains(&format!("  file     {name}, ")), "{seen}");
    let digest = PluginDigest::of(&crate::speaker()).to_string();
    assert!(seen.contains(&digest), "{seen}");
    // A changed blob no longer matches its digest.
    let blob = format!("{layout}/blobs/{}", digest.replace(':', "/"));
    sandbox.write(&blob, crate::lister("1.2.3"));
    let changed = run().exits_with(2);
    assert!(
        changed.stderr.contains("changed or damaged"),
        "{}",
        changed.stderr
    );
}
