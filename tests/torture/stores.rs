//! A writing command for each store, and the check that what it wrote is there.

use crate::support::Sandbox;

/// A store with the command that writes item `N` to it.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    pub(crate) name: &'static str,
    /// Arguments of the writer; `@` stands for the item's number.
    pub(crate) writer: &'static [&'static str],
    /// Arguments of a command that succeeds if the item exists, or prints it.
    reader: &'static [&'static str],
    /// Text that the reader prints for the item; the output of the writer if there is none.
    shown: Option<&'static str>,
}

pub(crate) const STORES: [Store; 7] = [
    Store {
        name: "beads",
        writer: &["bead", "create", "Item @", "--id", "t-@"],
        reader: &["bead", "show", "t-@"],
        shown: Some("Item @"),
    },
    Store {
        name: "mail",
        writer: &[
            "mail",
            "send",
            "ann",
            "--subject",
            "Item @.",
            "--body",
            "text",
        ],
        reader: &["mail", "inbox", "--all", "--limit", "100000"],
        shown: Some("Item @."),
    },
    Store {
        name: "notebook",
        writer: &["anchor", "add", "item-@", "src/a.rs:1-3"],
        reader: &["anchor", "show", "item-@"],
        shown: Some("item-@"),
    },
    Store {
        name: "memory",
        writer: &[
            "memory",
            "remember",
            "decision",
            "Item @",
            "--text",
            "It is so.",
        ],
        reader: &["check", "memory/decisions/item-@.md"],
        shown: Some(""),
    },
    Store {
        name: "documents",
        writer: &["doc", "item", "add", "list.json", "Item @."],
        reader: &["doc", "show", "list.json", "--max-chars", "1000000"],
        shown: Some("Item @."),
    },
    Store {
        name: "packs",
        writer: &["pack", "build", "look at item @", "--format", "json"],
        reader: &["pack", "show", "ID"],
        shown: None,
    },
    Store {
        name: "runs",
        writer: &["run", "check"],
        reader: &["runs", "show", "last"],
        shown: Some("ok"),
    },
];

impl Store {
    pub(crate) fn writer_of(self, item: u64) -> Vec<String> {
        let actor = ["--actor", "ann"].into_iter();
        let args = actor.chain(self.writer.iter().copied());
        args.map(|arg| arg.replace('@', &item.to_string()))
            .collect()
    }

    /// Checks that the item is there. `printed` is the output of its writer.
    #[track_caller]
    pub(crate) fn check(self, sandbox: &Sandbox, item: u64, printed: &str) {
        let number = item.to_string();
        // The output of a killed writer may end anywhere, so that only a whole one names the pack.
        let pack: Option<serde_json::Value> = serde_json::from_str(printed).ok();
        let id = pack.as_ref().and_then(|pack| pack["id"].as_str());
        if self.shown.is_none() && id.is_none() {
            return;
        }
        let args = self.reader.iter().map(|arg| match *arg {
            "ID" => id.unwrap_or_default().to_owned(),
            arg => arg.replace('@', &number),
        });
        let args: Vec<String> = ["--actor", "ann"]
            .map(str::to_owned)
            .into_iter()
            .chain(args)
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer = sandbox.windlass(&args).succeeds();
        let shown = self.shown.unwrap_or_default().replace('@', &number);
        assert!(
            answer.stdout.contains(&shown),
            "{args:?}: no `{shown}` in\n{}",
            answer.stdout
        );
    }
}
