//! Stores written by released versions. Each opens unchanged, gives the same lists, and accepts
//! changes.
//!
//! `make.sh` writes the fixtures of a release, and documents their layout.
#![cfg(unix)]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::Sandbox;
use windlass_base::Digest;
use windlass_repo::{Owner, Repo};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/stores/fixtures");

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let own = path.strip_prefix(folder).unwrap().to_owned();
                files.insert(own, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// A repository with a release's stores.
struct Placed {
    sandbox: Sandbox,
    /// Placeholders in the fixtures, with the paths that replace them.
    places: [(&'static str, String); 4],
    /// The cursor of a cut pack.
    cursor: String,
    /// True if the shipped plugin hasn't changed since that release.
    has_same_plugin: bool,
}

impl Placed {
    fn of(fixtures: &Path) -> Self {
        let read = |name| {
            let text = std::fs::read_to_string(fixtures.join(name)).unwrap();
            text.trim().to_owned()
        };
        let sandbox = Sandbox::git();
        let mut placed = Self {
            sandbox,
            places: Default::default(),
            cursor: read("cursor"),
            has_same_plugin: false,
        };
        placed.copy(&fixtures.join("tree"), placed.sandbox.root());
        placed.sandbox.commit("first");
        let commit = placed.sandbox.run_git(&["rev-parse", "HEAD"]);
        assert_eq!(
            commit.trim(),
            read("commit"),
            "the stores belong to another repository"
        );
        let repo = Repo::open(placed.sandbox.root()).unwrap();
        let identity = repo.identity();
        placed.places = [
            (
                "@FOLDER@",
                repo.root().parent().unwrap().to_str().unwrap().to_owned(),
            ),
            ("@REPO_ID@", identity.repo_id.clone()),
            ("@FINGERPRINT@", identity.root_fingerprint.clone()),
            (
                "@BIRTH@",
                serde_json::to_string(&Owner::without_lineage(&repo).birth).unwrap(),
            ),
        ];
        let root = placed.sandbox.root().to_owned();
        placed.copy(&fixtures.join("git"), &root.join(".git/windlass"));
        placed.copy(&fixtures.join("home"), &placed.sandbox.home());
        placed.copy(&fixtures.join("repo"), &root);
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/codeowners");
        let plugin = root.join("plugins/codeowners");
        std::fs::create_dir_all(&plugin).unwrap();
        for name in ["codeowners.wasm", "codeowners.wasm.sha256"] {
            std::fs::copy(shipped.join(name), plugin.join(name)).unwrap();
        }
        let digest = std::fs::read_to_string(plugin.join("codeowners.wasm.sha256")).unwrap();
        placed.has_same_plugin = digest.trim() == read("plugin");
        placed
    }

    /// Copies `from` to `to`, and replaces the placeholders in texts and names.
    fn copy(&self, from: &Path, to: &Path) {
        for (path, mut bytes) in files(from) {
            if let Ok(text) = std::str::from_utf8(&bytes) {
                bytes = self.filled(text).into_bytes();
            }
            let mut name = self.filled(path.to_str().unwrap()).replace("dot-", ".");
            // A blob starts with the digest of its contents, which we don't keep in the fixture.
            if let Some(blob) = name.strip_suffix(".blob") {
                bytes.splice(0..0, *Digest::of_bytes(&bytes).as_bytes());
                name = blob.to_owned();
            }
            let path = to.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }

    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, place) in &self.places {
            if !name.is_empty() {
                text = text.replace(name, place);
            }
        }
        text
    }

    /// Returns the strings in all fields `field` of a command's JSON.
    #[track_caller]
    fn values(&self, field: &str, command: &[&str]) -> BTreeSet<String> {
        let args = [command, &["--format", "json"]].concat();
        let answer = self.sandbox.windlass(&args);
        assert_eq!(answer.stderr, "", "{command:?}");
        let mut values = BTreeSet::new();
        collect(&answer.json(), field, &mut values);
        values
    }

    fn context_pack(&self) -> String {
        let state = self.sandbox.home().join(".local/state/windlass/repos");
        let kept = files(&state);
        let mut kept = kept
            .keys()
            .filter(|path| path.to_str().unwrap().contains("/context/"));
        let pack = kept.next().unwrap().file_name().unwrap();
        format!("pack:{}", pack.to_str().unwrap())
    }

    /// Returns all files of the repository and the home, except git's own.
    fn stores(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = files(self.sandbox.root().parent().unwrap());
        all.retain(|path, _| {
            !path.starts_with("repo/.git") || path.starts_with("repo/.git/windlass")
        });
        all
    }
}

fn collect(value: &Value, field: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, field, into)),
        Value::Object(fields) => {
            if let Some(text) = fields.get(field).and_then(Value::as_str) {
                into.insert(text.to_owned());
            }
            fields
                .values()
                .for_each(|value| collect(value, field, into));
        }
        _ => {}
    }
}

fn each(check: impl Fn(&Placed)) {
    let releases = std::fs::read_dir(FIXTURES).unwrap();
    let releases: Vec<PathBuf> = releases.map(|entry| entry.unwrap().path()).collect();
    assert!(!releases.is_empty());
    for release in releases {
        check(&Placed::of(&release));
    }
}

/// Commands that only read, each with a field of their JSON and its values in all fixtures.
const READS: [(&[&str], &str, &[&str]); 17] = [
    (&["anchor", "list"], "id", &["depth", "enter", "readme"]),
    (
        &["notebook", "show"],
        "id",
        &["depth", "enter", "readme", "saved"],
    ),
    (&["notebook", "import", "--dry-run"], "id", &[]),
    (&["trust", "--list"], "name", &["programs"]),
    (&["runs", "list", "--runbook", "tides"], "call", &["tides"]),
    (
        &["bead", "list", "--all"],
        "id",
        &["zq-one", "zq-three", "zq-two"],
    ),
    (
        &["bead", "list", "--status", "in_progress"],
        "assignee",
        &["ann"],
    ),
    (&["bead", "blocked"], "title", &["Measure it"]),
    (
        &["mail", "inbox", "--for", "bob"],
        "subject",
        &["The basin"],
    ),
    (&["hook", "show", "bob"], "reference", &["zq-two"]),
    (&["route", "list"], "prefix", &["hq"]),
    (&["agent", "list"], "session_name", &["s1"]),
    (&["mol", "list"], "title", &["Tides"]),
    (&["mol", "ready"], "step_id", &["build"]),
    (&["memory", "recall", "sill"], "id", &["sill"]),
    (
        &["doc", "playbook", "show", "playbook.json"],
        "targetId",
        &["rope"],
    ),
    (&["doc", "show", "tasks.tron"], "id", &["rope"]),
];

#[test]
fn released_stores_list_and_stay_the_same() {
    each(|placed| {
        let before = placed.stores();
        let listed = READS.map(|(command, field, _)| placed.values(field, command));
        let expected =
            READS.map(|(.., expected)| expected.iter().map(ToString::to_string).collect());
        assert_eq!(listed, expected);
        for command in [
            &["events", "verify"][..],
            &["memory", "check"],
            &["notebook", "rollback", "1", "--dry-run"],
            &["check", ".windlass/anchors.json"],
            &["runs", "show"],
            &["doc", "check", "playbook.json", "tasks.tron"],
            &["pack", "show", &placed.context_pack()],
            &["run", "--cursor", &placed.cursor],
        ] {
            placed.sandbox.windlass(command).succeeds();
        }
        let after = placed.stores();
        for (path, bytes) in &before {
            let same = after.get(path) == Some(bytes);
            assert!(
                same || may_be_replaced(path),
                "{} was changed",
                path.display()
            );
        }
    });
}

#[test]
fn released_stores_accept_changes() {
    each(|placed| {
        let sandbox = &placed.sandbox;
        for command in [
            &["anchor", "add", "more", "README.md:1"][..],
            &["anchor", "repair"],
            &["notebook", "export"],
            // The runbook is trusted and has run before.
            &["run", "programs"],
            &["run", "owners"],
            &["bead", "close", "zq-one"],
            &["bead", "update", "zq-two", "--title", "Measure more"],
            &["mol", "claim"],
            &["events", "sync"],
            &["memory", "supersede", "sill", "one-table-owns-the-tides"],
            &[
                "pack",
                "build",
                "Count more",
                "--since",
                &placed.context_pack(),
            ],
            &[
                "doc",
                "item",
                "set",
                "tasks.tron",
                "rope",
                "--status",
                "completed",
            ],
            &["notebook", "rollback", "1"],
        ] {
            let command = [&["--actor", "ann"], command].concat();
            sandbox.windlass(&command).succeeds();
        }
        // The cached result is used, so nothing was compiled.
        let compiled = sandbox.home().join(".cache/windlass/plugins/code");
        assert!(!placed.has_same_plugin || files(&compiled).is_empty());
    });
}

/// Returns true for caches and copies, which any command may rewrite.
fn may_be_replaced(path: &Path) -> bool {
    path.starts_with("home/.cache") || path.to_string_lossy().contains("checkpoint")
}
