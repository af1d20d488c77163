//! The repository under trouble, and everything acknowledged in it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Dice;
use crate::stores::{STORES, Store};
use crate::support::Sandbox;
use crate::trouble::{Trouble, run};

pub(crate) const RUNBOOK: &str = "schema_version: 1\nid: check\ntitle: Check\npurpose: Something to run.\nsteps:\n  - id: found\n    uses: search\n    with: { pattern: number }\noutputs:\n  - { id: found, title: Found, from: found, select: '$.matches[*]' }\n";

const LIST: &str = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":[]}}"#;

/// Commands that open every store. Each succeeds whatever happened to the writers.
const CHECKS: [&[&str]; 9] = [
    &["bead", "list"],
    &["events", "sync"],
    &["events", "verify"],
    &["notebook", "show"],
    &["notebook", "history"],
    &["memory", "stats"],
    &["doc", "check", "list.json"],
    &["pack", "list"],
    &["runs", "list"],
];

pub(crate) struct Field {
    sandbox: Sandbox,
    /// Time of an undisturbed writer.
    usual: Duration,
    /// Our folders, in the repository and in the home of the user.
    folders: Vec<PathBuf>,
    /// Acknowledged items: the store, the item's number, and the output of its writer.
    acknowledged: Vec<(Store, u64, String)>,
    /// Number of acknowledged items that we've looked for once already.
    checked: usize,
}

impl Field {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::git();
        sandbox.write("src/a.rs", crate::support::numbered(1, 40));
        sandbox.write(".windlass/secrets", "# none\n");
        sandbox
            .write("runbooks/check.yaml", RUNBOOK)
            .write("list.json", LIST)
            .commit("first");
        sandbox.windlass(&["memory", "init"]).succeeds();
        let mut field = Self {
            sandbox,
            usual: Duration::ZERO,
            folders: Vec::new(),
            acknowledged: Vec::new(),
            checked: 0,
        };
        for store in STORES {
            let began = Instant::now();
            field.write_undisturbed(store, 0);
            field.usual = field.usual.max(began.elapsed());
        }
        field.check(true);
        let (root, home) = (field.sandbox.root(), field.sandbox.home());
        let folders = [
            ".beads",
            "memory",
            "memory/decisions",
            ".git/windlass",
            ".git/windlass/ledger",
        ];
        field.folders = folders.map(|name| root.join(name)).to_vec();
        // The folders above are the user's, who may have made them links.
        let ours = [".local/share/windlass/repos", ".local/state/windlass/repos"];
        field.folders.extend(ours.map(|name| home.join(name)));
        field.folders.retain(|folder| folder.is_dir());
        field
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }

    /// Writes item `2 * round` under trouble, then the next one without.
    pub(crate) fn run_round(
        &mut self,
        store: Store,
        trouble: Trouble,
        round: u64,
        dice: &mut Dice,
    ) {
        let item = round * 2;
        let args = store.writer_of(item);
        let ended = run(
            &self.sandbox,
            &args,
            trouble,
            (self.usual, &self.folders),
            dice,
        );
        let is_crash = ended.code.is_some_and(|code| !(0..=6).contains(&code));
        assert!(!is_crash, "{args:?}: {:?}\n{}", ended.code, ended.stderr);
        assert!(
            !ended.stderr.contains("panicked"),
            "{args:?}: {}",
            ended.stderr
        );
        if ended.code == Some(0) || ended.code.is_none() && !ended.stdout.is_empty() {
            store.check(&self.sandbox, item, &ended.stdout);
            self.acknowledged.push((store, item, ended.stdout));
        }
        self.write_undisturbed(store, item + 1);
    }

    fn write_undisturbed(&mut self, store: Store, item: u64) {
        let args = store.writer_of(item);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer = self.sandbox.windlass(&args).succeeds();
        self.acknowledged.push((store, item, answer.stdout));
    }

    /// Opens every store, and looks for the items acknowledged since the last check, or for all of
    /// them if `ever` is set.
    pub(crate) fn check(&mut self, ever: bool) {
        for command in CHECKS {
            self.sandbox
                .windlass(&[&["--actor", "ann"], command].concat())
                .succeeds();
        }
        let from = if ever { 0 } else { self.checked };
        for (store, item, printed) in &self.acknowledged[from..] {
            store.check(&self.sandbox, *item, printed);
        }
        self.checked = self.acknowledged.len();
    }
}
