//! House rules that no lint can check.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod circles;
mod dependencies;
mod prose;
mod size;
mod sources;
mod unsafe_list;

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Floor of each crate; see ARCHITECTURE.md.
const FLOORS: &[(&str, u32)] = &[
    ("windlass-base", 0),
    ("windlass-outline", 0),
    ("windlass-page", 0),
    ("windlass-results", 0),
    ("windlass-search", 0),
    ("windlass-store", 0),
    ("windlass-tokens", 0),
    ("windlass-tron", 0),
    ("windlass-plan", 1),
    ("windlass-redact", 1),
    ("windlass-repo", 2),
    ("windlass-engine", 3),
    ("windlass-evidence", 3),
    ("windlass-site", 4),
    ("windlass-formula", 5),
    ("windlass-packs", 5),
    ("windlass-plugin", 5),
    ("windlass-notebook", 6),
    ("windlass-vcontext", 6),
    ("windlass-cite", 7),
    ("windlass-ledger", 7),
    ("windlass-memory", 7),
    ("windlass-find", 8),
    ("windlass-share", 8),
    ("windlass-steps", 8),
    ("windlass-context", 9),
    ("windlass-impact", 9),
    ("windlass-runs", 10),
    ("windlass-molecule", 11),
    ("windlass", 12),
    ("windlass-render", 13),
    ("windlass-zoo", 13),
    ("windlass-mcp", 14),
    ("windlass-web", 14),
    ("windlass-cli", 15),
    ("windlass-fuzz", 16),
    ("xtask", 16),
];

fn metadata() -> Value {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--offline",
            "--manifest-path",
            manifest,
        ])
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

#[test]
fn crates_use_only_lower_floors() {
    let floors = BTreeMap::from_iter(FLOORS.iter().copied());
    let mut wrong = Vec::new();
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let Some(floor) = floors.get(name) else {
            wrong.push(format!(
                "{name} has no floor: give it one here and in ARCHITECTURE.md"
            ));
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if floors.get(used).is_some_and(|below| below >= floor) {
                wrong.push(format!(
                    "{name} (floor {floor}) uses {used} (floor {})",
                    floors[used]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn crates_share_lints_and_version() {
    for package in metadata()["packages"].as_array().unwrap() {
        let name = &package["name"];
        assert_eq!(package["rust_version"], "1.95", "{name}");
        assert_eq!(package["edition"], "2024", "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        let manifest = package["manifest_path"].as_str().unwrap();
        let text = std::fs::read_to_string(manifest).unwrap();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert!(lines.contains(&"version.workspace = true"), "{name}");
        let lints = lines.iter().position(|line| *line == "[lints]");
        let shared = lints.and_then(|at| lines.get(at + 1));
        assert_eq!(shared, Some(&"workspace = true"), "{name}");
    }
}

#[test]
fn doors_are_closed_in_other_crates() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let list = std::fs::read_to_string(format!("{root}clippy.toml")).unwrap();
    for door in [
        "std::fs::read",
        "std::fs::read_link",
        "std::fs::copy",
        "std::fs::hard_link",
        "std::fs::File::create_new",
        "rustix::fs::open",
        "rustix::fs::openat2",
        "std::fs::metadata",
        "tokio::fs::read",
        "tokio::fs::File::open",
        "tokio::fs::write",
        "tokio::process::Command::new",
        "grep_searcher::Searcher::search_path",
        "ignore::WalkBuilder::new",
        "ignore::gitignore::Gitignore::new",
    ] {
        assert!(list.contains(&format!("path = \"{door}\"")), "{door}");
    }
    let open: Vec<&str> = FLOORS
        .iter()
        .map(|(name, _)| name.strip_prefix("windlass-").unwrap_or(name))
        .filter(|name| {
            ["lib.rs", "main.rs"].iter().any(|file| {
                let path = match *name {
                    "xtask" | "fuzz" => format!("{root}{name}/src/{file}"),
                    name => format!("{root}crates/{name}/src/{file}"),
                };
                let text = std::fs::read_to_string(path).unwrap_or_default();
                text.contains("clippy::disallowed_methods")
            })
        })
        .collect();
    assert_eq!(open, ["store", "repo", "cli", "xtask"]);
}

fn files_with(text: &str) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let mut folders = vec![std::path::PathBuf::from(format!("{root}crates"))];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && std::fs::read_to_string(&path).unwrap().contains(text)
            {
                found.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn redacted_text_is_vouched_in_one_place() {
    // The lint is off in the door crates.
    assert_eq!(
        files_with("Redacted::vouch("),
        ["crates/redact/src/replace.rs"]
    );
}

#[test]
fn schema_descriptions_are_self_contained() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let elsewhere = text.lines().find(|line| line.contains("Source: "));
        assert_eq!(elsewhere, None, "{}", path.display());
    }
}
