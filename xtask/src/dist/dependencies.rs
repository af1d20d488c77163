//! The crates from which the program is built, as cargo resolves them for a platform.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::release::{CRATE, Release};
use super::target::Target;
use super::{cargo, output};
use crate::Error;

pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) version: String,
    /// SPDX expression.
    pub(super) licence: Option<String>,
    /// The folder of the sources.
    pub(super) folder: PathBuf,
    /// SHA-256 digest of the downloaded archive, or `None` for the crates of this repository.
    pub(super) checksum: Option<String>,
    /// Indices of the crates that this one uses.
    pub(super) uses: Vec<usize>,
}

/// Returns the crates from which the program is built on `target`, starting with its own. Crates
/// that only tests use are left out.
pub(super) fn of(release: &Release, target: &Target) -> Result<Vec<Dependency>, Error> {
    let metadata = output(cargo(&release.root).args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        target.triple,
    ]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let packages = by_id(&metadata["packages"]);
    let checksums = checksums(release)?;
    let root = packages
        .iter()
        .find(|(_, package)| package["name"] == CRATE);
    let root = *root.ok_or(format!("no crate `{CRATE}`"))?.0;
    let mut order = vec![root];
    let mut seen = BTreeSet::from([root]);
    let mut at = 0;
    while let Some(id) = order.get(at) {
        let next = used_by(nodes[id]);
        order.extend(next.into_iter().filter(|id| seen.insert(id)));
        at += 1;
    }
    let places: BTreeMap<&str, usize> = order.iter().copied().zip(0..).collect();
    let dependency = |id: &&str| {
        let package = packages[id];
        let text = |name: &str| package[name].as_str().map(str::to_owned);
        let name = text("name").unwrap_or_default();
        let version = text("version").unwrap_or_default();
        Dependency {
            licence: text("license"),
            folder: Path::new(package["manifest_path"].as_str().unwrap_or_default())
                .parent()
                .map(Path::to_owned)
                .unwrap_or_default(),
            checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
            uses: used_by(nodes[id]).iter().map(|id| places[id]).collect(),
            name,
            version,
        }
    };
    Ok(order.iter().map(dependency).collect())
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|item| Some((item["id"].as_str()?, item)))
        .collect()
}

/// Returns the IDs of the crates that a node needs for building, in order.
fn used_by(node: &Value) -> BTreeSet<&str> {
    let uses = node["deps"].as_array().into_iter().flatten();
    let builds = uses.filter(|used| {
        let kinds = used["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    });
    builds.filter_map(|used| used["pkg"].as_str()).collect()
}

fn checksums(release: &Release) -> Result<BTreeMap<(String, String), String>, Error> {
    let lock: toml::Table = release.text("Cargo.lock")?.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let of = |package: &toml::Value| {
        let text = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    Ok(packages.into_iter().flatten().filter_map(of).collect())
}
