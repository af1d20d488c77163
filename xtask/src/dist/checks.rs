//! Checks what the sources say about the release: the entry in the MCP registry, cargo-binstall's
//! table and the crates that can be published.

use std::path::Path;

use serde_json::{Value, json};

use super::kinds::{NPM_LAUNCHER, archive_folder, archive_name};
use super::release::{CRATE, NAME, Release};
use super::target::Target;
use super::{cargo, output};
use crate::Error;

/// Longest summary that the MCP registry accepts, in characters.
const MAX_SUMMARY: usize = 100;

/// Checks the descriptions in the sources, and returns the problems. Unless `only_check` is true,
/// this also writes the generated ones.
pub(super) fn tree(release: &Release, only_check: bool) -> Result<Vec<String>, Error> {
    let mut failures = Vec::new();
    if release.summary.len() > MAX_SUMMARY {
        failures.push(format!(
            "the description of `{CRATE}` is longer than {MAX_SUMMARY} characters"
        ));
    }
    let path = release.root.join("server.json");
    let entry = serde_json::to_string_pretty(&registry_entry(release))? + "\n";
    if !only_check {
        std::fs::write(&path, entry)?;
    } else if std::fs::read_to_string(&path).ok() != Some(entry) {
        failures.push(
            "`server.json` is not of this release\nhelp: run `cargo xtask dist --collect`"
                .to_owned(),
        );
    }
    failures.extend(binstall(release)?);
    if only_check {
        failures.extend(crates(release)?);
    }
    Ok(failures)
}

fn registry_entry(release: &Release) -> Value {
    let Release {
        version,
        repository,
        ..
    } = release;
    let owner = release.owner();
    let package = |kind: &str, identifier: String, runtime: &str| {
        json!({
            "registryType": kind,
            "identifier": identifier,
            "version": version,
            "runtimeHint": runtime,
            "packageArguments": [{ "type": "positional", "value": "mcp" }],
            "transport": { "type": "stdio" },
        })
    };
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": release.server(),
        "title": "Windlass",
        "description": release.summary,
        "version": version,
        "repository": { "url": repository, "source": "github" },
        "packages": [
            package("npm", format!("@{owner}/{NPM_LAUNCHER}"), "npx"),
            package("pypi", NAME.to_owned(), "uvx"),
        ],
    })
}

/// Compares the addresses that cargo-binstall would form with the names of our archives. If they
/// differ, users only notice it after the release.
fn binstall(release: &Release) -> Result<Vec<String>, Error> {
    let manifest: toml::Table = release.text("crates/cli/Cargo.toml")?.parse()?;
    let metadata = manifest
        .get("package")
        .and_then(|package| package.get("metadata"));
    let table = metadata.and_then(|metadata| metadata.get("binstall"));
    let table = table.ok_or("`crates/cli/Cargo.toml` has no `package.metadata.binstall`")?;
    let mut failures = Vec::new();
    for target in Target::all() {
        let overridden = table
            .get("overrides")
            .and_then(|all| all.get(target.triple));
        let format = overridden
            .unwrap_or(table)
            .get("pkg-fmt")
            .and_then(toml::Value::as_str);
        let suffix = if format == Some("zip") {
            ".zip"
        } else {
            ".tar.xz"
        };
        let extension = if target.is_windows() { ".exe" } else { "" };
        let formed = |name: &str| {
            let template = table
                .get(name)
                .and_then(toml::Value::as_str)
                .unwrap_or_default();
            let values = [
                ("{ repo }", &*release.repository),
                ("{ version }", &release.version),
                ("{ target }", target.triple),
                ("{ archive-suffix }", suffix),
                ("{ bin }", NAME),
                ("{ binary-ext }", extension),
            ];
            values
                .iter()
                .fold(template.to_owned(), |text, (name, value)| {
                    text.replace(name, value)
                })
        };
        let wanted = [
            (
                "pkg-url",
                format!("{}/{}", release.download(), archive_name(release, target)),
            ),
            (
                "bin-dir",
                format!("{}/{}", archive_folder(release, target), target.program()),
            ),
        ];
        for (name, wanted) in wanted {
            let formed = formed(name);
            if formed != wanted {
                failures.push(format!(
                    "cargo-binstall forms `{formed}` from `{name}`; it has to be `{wanted}`"
                ));
            }
        }
    }
    Ok(failures)
}

/// Packs the crates that others may use, in an order in which they can be published.
fn crates(release: &Release) -> Result<Vec<String>, Error> {
    let mut failures = Vec::new();
    for manifest in ["Cargo.toml", "plugins/Cargo.toml"] {
        let root = release.root.join(manifest);
        for name in publishable(&root)? {
            let mut package = cargo(root.parent().unwrap_or(Path::new(".")));
            // Verifying an unpacked crate means compiling it, and the tests have already done that.
            package.args([
                "package",
                "--quiet",
                "--no-verify",
                "--allow-dirty",
                "--locked",
                "--package",
                &name,
            ]);
            match output(&mut package) {
                Ok(_) => println!("crate {name}: can be published"),
                Err(error) => failures.push(format!("crate {name}: {error}")),
            }
        }
    }
    Ok(failures)
}

/// Returns the names of a workspace's crates that can be published. They can be published in this
/// order, because none of them uses another.
fn publishable(manifest: &Path) -> Result<Vec<String>, Error> {
    let root = manifest.parent().unwrap_or(Path::new("."));
    let metadata =
        output(cargo(root).args(["metadata", "--format-version=1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let open = packages.filter(|package| package["publish"].is_null());
    Ok(open
        .filter_map(|package| package["name"].as_str().map(str::to_owned))
        .collect())
}
