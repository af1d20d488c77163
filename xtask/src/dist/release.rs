//! Facts about a release, which all packages take from here.
//!
//! None of the packages has a version or a description of its own, so a release cannot contradict
//! itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{cargo, output};
use crate::Error;

/// Name of the program and its packages.
pub(super) const NAME: &str = "windlass";
/// The program's crate, whose manifest has the description.
pub(super) const CRATE: &str = "windlass-cli";
/// Oldest GNU C library that released programs support.
///
/// Debian 10, RHEL 8 and Ubuntu 18.10 have it. If you raise this, mention in the changelog which
/// systems are no longer supported.
pub(super) const GLIBC: &str = "2.28";

/// Facts about a release, such as its version.
pub(super) struct Release {
    /// The folder of the sources.
    pub(super) root: PathBuf,
    pub(super) version: String,
    /// One sentence of at most 100 characters, since the MCP registry does not accept more.
    pub(super) summary: String,
    /// SPDX expression.
    pub(super) licence: String,
    pub(super) authors: String,
    /// The address of the sources.
    pub(super) repository: String,
    /// Time of the commit, in seconds since 1970. All packaged files get this time, because the
    /// same sources have to give the same packages.
    pub(super) time: u64,
}

impl Release {
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

    /// Returns the owner of the repository, which is also the owner of the packages.
    pub(super) fn owner(&self) -> &str {
        self.repository.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Returns the name of the MCP server in registries.
    pub(super) fn server(&self) -> String {
        format!("io.github.{}/{NAME}", self.owner())
    }

    /// Returns the address from which this release can be downloaded.
    pub(super) fn download(&self) -> String {
        format!("{}/releases/download/v{}", self.repository, self.version)
    }

    pub(super) fn text(&self, path: &str) -> Result<String, Error> {
        let read = std::fs::read_to_string(self.root.join(path));
        Ok(read.map_err(|error| format!("cannot read `{path}`: {error}"))?)
    }
}

fn time(root: &Path) -> Result<u64, Error> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(time.parse()?);
    }
    let mut git = Command::new("git");
    let printed = output(git.current_dir(root).args(["log", "-1", "--format=%ct"]))?;
    Ok(String::from_utf8(printed)?.trim().parse()?)
}
