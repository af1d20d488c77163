//! npm packages: one per platform with the program, and one that starts the program of the user's
//! platform.
//!
//! npm only downloads the package of the user's own platform, since the others are optional
//! dependencies with another `os` or `cpu`. None of the packages runs a script on installation.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::super::documents;
use super::super::output;
use super::super::release::{NAME, Release};
use super::super::tree::{self, Tree};
use super::{Files, Installed, Kind, Product, Target};
use crate::Error;

/// Name of the package that users install, without its scope.
pub(crate) const LAUNCHER: &str = NAME;

pub(super) const KIND: Kind = Kind {
    name: "npm package",
    suits: |target| !target.is_musl(),
    tools: &[],
    make,
    installers: &["npm"],
    install,
    is_trial: |_| false,
};

fn platform(target: &Target) -> String {
    let (system, processor) = target.node;
    format!("{NAME}-{system}-{processor}")
}

/// Returns a package's manifest, with the fields that all packages have.
fn manifest(release: &Release, name: &str) -> Value {
    json!({
        "name": format!("@{}/{name}", release.owner()),
        "version": release.version,
        "description": release.summary,
        "license": release.licence,
        "author": release.authors,
        "repository": { "type": "git", "url": format!("git+{}.git", release.repository) },
    })
}

fn make(product: &Product<'_>) -> Result<Files, Error> {
    let Product {
        release, target, ..
    } = product;
    let name = platform(target);
    let mut package = manifest(release, &name);
    package["os"] = json!([target.node.0]);
    package["cpu"] = json!([target.node.1]);
    if target.is_gnu() {
        package["libc"] = json!(["glibc"]);
    }
    package["preferUnplugged"] = json!(true);
    let mut program = Tree::new(release.time);
    program.add(
        "package/package.json",
        serde_json::to_string_pretty(&package)?,
    );
    program.add_program(
        format!("package/{}", target.program()),
        product.program.clone(),
    );
    documents::add_licences(&mut program, "package", product.documents);
    Ok(vec![
        pack(product, LAUNCHER, &launcher(product)?)?,
        pack(product, &name, &program)?,
    ])
}

/// Packs a package under the same file name as `npm pack`.
fn pack(product: &Product<'_>, name: &str, tree: &Tree) -> Result<(String, Vec<u8>), Error> {
    let release = product.release;
    let file = format!("{}-{name}-{}.tgz", release.owner(), release.version);
    Ok((file, tree::gzip(&tree.tar()?, product.quick)?))
}

fn launcher(product: &Product<'_>) -> Result<Tree, Error> {
    let release = product.release;
    let mut programs = Map::new();
    for target in Target::all().iter().filter(|target| (KIND.suits)(target)) {
        let name = format!("@{}/{}", release.owner(), platform(target));
        programs.insert(name, json!(release.version));
    }
    let mut package = manifest(release, LAUNCHER);
    package["bin"] = json!({ NAME: "launch.js" });
    package["engines"] = json!({ "node": ">=18" });
    package["mcpName"] = json!(release.server());
    package["optionalDependencies"] = Value::Object(programs);
    let mut tree = Tree::new(release.time);
    tree.add(
        "package/package.json",
        serde_json::to_string_pretty(&package)?,
    );
    tree.add_program("package/launch.js", include_str!("launch.js"));
    documents::add_licences(&mut tree, "package", &[]);
    for document in product.documents {
        if document.name.starts_with("LICENSE-") {
            tree.add(format!("package/{}", document.name), document.bytes.clone());
        }
    }
    Ok(tree)
}

fn install(_: &Product<'_>, files: &[PathBuf], room: &Path) -> Result<Installed, Error> {
    let prefix = room.join("prefix");
    std::fs::create_dir(&prefix)?;
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]);
    output(
        npm.arg("--prefix")
            .arg(&prefix)
            .args(files)
            .env("npm_config_cache", room.join("cache")),
    )?;
    let scripts = prefix.join("node_modules/.bin");
    Ok(Installed::program(scripts.join(NAME), room))
}
