//! The rules in `deny.toml` that need no download: licences, sources and bans. The release workflow
//! runs cargo-deny, which also knows advisories.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

use crate::sources::root;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn cargo(args: &[&str]) -> Vec<u8> {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(args).current_dir(root()).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    output.stdout
}

/// Returns the packages built on this platform. Those of other platforms, and of features that are
/// off, may not be downloaded.
fn packages() -> Vec<Value> {
    let version = String::from_utf8(cargo(&["-vV"])).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let printed = cargo(&[
        "metadata",
        "--format-version=1",
        "--offline",
        "--filter-platform",
        host.unwrap(),
    ]);
    let metadata: Value = serde_json::from_slice(&printed).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn table(name: &str) -> toml::Table {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    text.parse().unwrap()
}

/// Returns the texts in the list at `section.key` of `deny.toml`. In a list of tables, it's the
/// text in their field `crate`.
fn listed(section: &str, key: &str) -> BTreeSet<String> {
    let rules = table("deny.toml");
    let list = rules[section][key].as_array().unwrap().iter();
    let text = |item: &toml::Value| {
        let text = item.get("crate").unwrap_or(item).as_str();
        text.unwrap().to_owned()
    };
    list.map(text).collect()
}

/// Returns what's wrong with a package's requirements or licence, if anything is.
fn fault(package: &Value, licences: &BTreeSet<String>) -> Option<String> {
    let name = package["name"].as_str()?;
    let is_ours = package["source"].is_null();
    let mut uses = package["dependencies"].as_array()?.iter();
    let is_open = |used: &&Value| used["req"] == "*" && !used["source"].is_null();
    if let Some(open) = uses.find(is_open).filter(|_| is_ours) {
        return Some(format!("{name} uses any version of {}", open["name"]));
    }
    let Some(licence) = package["license"].as_str() else {
        return Some(format!("{name} names no licence"));
    };
    let parsed = Expression::parse_mode(licence, ParseMode::LAX);
    let is_allowed = parsed.is_ok_and(|it| it.evaluate(|one| licences.contains(&one.to_string())));
    (!is_allowed).then(|| format!("{name} has the licence {licence}"))
}

#[test]
fn licences_of_dependencies_are_allowed() {
    let licences = listed("licenses", "allow");
    let packages = packages();
    let faults = packages.iter().filter_map(|one| fault(one, &licences));
    assert_eq!(Vec::from_iter(faults), Vec::<String>::new());
    let serde = packages.iter().find(|one| one["name"] == "serde").unwrap();
    let refused = fault(serde, &BTreeSet::new()).unwrap();
    assert!(refused.contains("has the licence"), "{refused}");
}

#[test]
fn locked_dependencies_are_from_crates_io() {
    let banned = listed("bans", "deny");
    for package in table("Cargo.lock")["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        assert!(!banned.contains(name), "{name} is banned");
        let source = package.get("source").and_then(toml::Value::as_str);
        let is_ours = source.is_none_or(|source| source == CRATES_IO);
        assert!(is_ours, "{name}: {source:?}");
    }
}
