//! Description of a release, from which every package is written.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{cargo, output};
use crate::Error;

/// Name of the program and of its packages.
pub(super) const NAME: &str = "windlass";
/// Crate that the program is built from, which describes it.
pub(super) const CRATE: &str = "windlass-cli";
/// Oldest GNU C library that the program of a release runs with: that of Debian 10, RHEL 8 and Ubuntu 18.10.
pub(super) const GLIBC: &str = "2.28";

/// Description of a release, from which every package is written.
pub(super) struct Release {
    /// Folder of the sources.
    pub(super) root: PathBuf,
    pub(super) version: String,
    /// One sentence of at most 100 characters.
    pub(super) summary: String,
    /// SPDX expression.
    pub(super) licence: String,
    pub(super) authors: String,
    /// Address of the sources.
    pub(super) repository: String,
    /// Time of the commit in seconds since 1970; the time of every packed file.
    pub(super) time: u64,
}

impl Release {
    /// Reads the description of the crate [`CRATE`] and the time of the commit below `root`.
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let metadata =
            output(cargo(root).args(["metadata", "--format-version=1", "--no-deps", "--locked"]))?;
        let metadata: Value = serde_json::from_slice(&metadata)?;
        let packages = metadata["packages"].as_array();
        let package = packages
            .and_then(|all| all.iter().find(|package| package["name"] == CRATE))
            .ok_or(format!("no crate `{CRATE}`"))?;
        let field = |name: &str| {
            let value = package[name].as_str().map(str::to_owned);
            value.ok_or(format!("`{CRATE}` has no `{name}`"))
        };
        let authors = package["authors"].as_array().into_iter().flatten();
        Ok(Self {
            root: root.to_owned(),
            version: field("version")?,
            summary: field("description")?,
            licence: field("license")?,
            authors: Vec::from_iter(authors.filter_map(Value::as_str)).join(", "),
            repository: field("repository")?,
            time: time(root)?,
        })
    }

    /// Owner of the repository, who owns its packages, too.
    pub(super) fn owner(&self) -> &str {
        self.repository.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Name of the MCP server in registries.
    pub(super) fn server(&self) -> String {
        format!("io.github.{}/{NAME}", self.owner())
    }

    /// Address that the files of this release are downloaded from.
    pub(super) fn download(&self) -> String {
        format!("{}/releases/download/v{}", self.repository, self.version)
    }

    /// Reads a file of the sources.
    pub(super) fn text(&self, path: &str) -> Result<String, Error> {
        let read = std::fs::read_to_string(self.root.join(path));
        Ok(read.map_err(|error| format!("cannot read `{path}`: {error}"))?)
    }
}

/// Time of the packed files: `SOURCE_DATE_EPOCH` if it is set, or the time of the commit.
fn time(root: &Path) -> Result<u64, Error> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(time.parse()?);
    }
    let mut git = Command::new("git");
    let printed = output(git.current_dir(root).args(["log", "-1", "--format=%ct"]))?;
    Ok(String::from_utf8(printed)?.trim().parse()?)
}
