//! A container image in the OCI layout. A static build needs nothing else, so the image only has
//! the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::super::documents;
use super::super::release::NAME;
use super::super::tree::{self, Tree, sha256};
use super::super::{binary, is_installed, output};
use super::{Files, Installed, Kind, Product};
use crate::Error;

pub(super) const KIND: Kind = Kind {
    name: "container image",
    suits: |target| target.is_linux(),
    tools: &[],
    make,
    installers: &["tar", "chroot"],
    install,
    // Such an image includes shared libraries of this machine, and those aren't ours to distribute.
    is_trial: |target| target.is_gnu(),
};

const PROGRAM: &str = "usr/bin/windlass";

fn make(product: &Product<'_>) -> Result<Files, Error> {
    let Product {
        release, target, ..
    } = product;
    let mut root = Tree::new(release.time);
    root.add_program(PROGRAM, product.program.clone());
    documents::add_licences(
        &mut root,
        &format!("usr/share/doc/{NAME}"),
        product.documents,
    );
    if target.is_gnu() {
        let room = tempfile::tempdir()?;
        let program = room.path().join(NAME);
        std::fs::write(&program, &product.program)?;
        for library in binary::libraries(&program)? {
            let path = library.display().to_string();
            root.add_program(path.trim_start_matches('/'), std::fs::read(&library)?);
        }
    }
    let layer = root.tar()?;
    let packed = tree::gzip(&layer, product.quick)?;
    let configuration = json!({
        "architecture": target.container(),
        "os": "linux",
        "config": {
            "Entrypoint": [format!("/{PROGRAM}")],
            "WorkingDir": "/repository",
            "Env": ["PATH=/usr/bin", "HOME=/home"],
            "Labels": {
                "org.opencontainers.image.title": NAME,
                "org.opencontainers.image.description": release.summary,
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": release.licence,
                "org.opencontainers.image.source": release.repository,
                "io.modelcontextprotocol.server.name": release.server(),
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", sha256(&layer))] },
    });
    let image = layout(product, &serde_json::to_vec(&configuration)?, &packed)?;
    let name = format!("{NAME}-{}-{}.oci.tar", release.version, target.triple);
    Ok(vec![(name, image.tar()?)])
}

fn layout(product: &Product<'_>, configuration: &[u8], layer: &[u8]) -> Result<Tree, Error> {
    let release = product.release;
    let mut tree = Tree::new(release.time);
    let mut blob = |kind: &str, bytes: &[u8]| -> Value {
        let digest = sha256(bytes);
        tree.add(format!("blobs/sha256/{digest}"), bytes);
        json!({
            "mediaType": format!("application/vnd.oci.image.{kind}"),
            "digest": format!("sha256:{digest}"),
            "size": bytes.len(),
        })
    };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob("config.v1+json", configuration),
        "layers": [blob("layer.v1.tar+gzip", layer)],
    });
    let mut entry = blob("manifest.v1+json", &serde_json::to_vec(&manifest)?);
    entry["platform"] = json!({ "architecture": product.target.container(), "os": "linux" });
    entry["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    let index = json!({ "schemaVersion": 2, "manifests": [entry] });
    tree.add("index.json", serde_json::to_vec(&index)?);
    tree.add("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#);
    Ok(tree)
}

/// Unpacks the layers below `room`, like a container engine.
fn install(_: &Product<'_>, files: &[PathBuf], room: &Path) -> Result<Installed, Error> {
    let layout = room.join("layout");
    let root = room.join("root");
    std::fs::create_dir(&layout)?;
    std::fs::create_dir_all(root.join("tmp"))?;
    output(
        Command::new("tar")
            .arg("-xf")
            .args(files)
            .current_dir(&layout),
    )?;
    let blob = |descriptor: &Value| {
        let digest = descriptor["digest"].as_str().unwrap_or_default();
        layout.join("blobs").join(digest.replace(':', "/"))
    };
    let json = |path: &Path| -> Result<Value, Error> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    };
    let index = json(&layout.join("index.json"))?;
    let manifest = json(&blob(&index["manifests"][0]))?;
    for layer in manifest["layers"].as_array().into_iter().flatten() {
        let mut tar = Command::new("tar");
        output(tar.arg("-xzf").arg(blob(layer)).current_dir(&root))?;
    }
    let configuration = json(&blob(&manifest["config"]))?;
    let entry = configuration["config"]["Entrypoint"][0].as_str();
    let mut command = Vec::new();
    // Without privileges, we can only change the root in a user namespace.
    if !output(Command::new("id").arg("-u"))?.starts_with(b"0\n") && is_installed("unshare") {
        command.extend(["unshare".into(), "--map-root-user".into()]);
    }
    command.extend([
        "chroot".into(),
        root.clone().into(),
        entry.unwrap_or_default().into(),
    ]);
    Ok(Installed {
        command,
        repository: root.join("repository"),
        seen_repository: "/repository".into(),
        home: "/home".into(),
    })
}
