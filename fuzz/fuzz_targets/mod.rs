//! Fuzz targets. Each takes any bytes and checks an oracle stronger than "doesn't panic": for
//! example, that a parsed condition reads back as its own text.
//!
//! `cargo xtask fuzz` runs them with coverage feedback. The test `replay` needs no special
//! compiler. It runs each target on its seeds, on its corpus, and on mutations of both.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "an oracle panics if it does not hold, and the inputs are files of this repository"
)]

mod citations;
mod code_owners;
mod condition;
mod cursor;
mod document;
mod document_change;
mod events;
mod formula;
mod git_output;
mod junit;
mod mcp;
mod memory;
mod mutate;
mod notebook;
mod outline;
mod plugin;
mod redaction;
mod results;
mod runbook;
mod schedule;
mod secret_files;
mod selector;
mod tron;
mod unified_diff;

use std::fs;
use std::path::{Path, PathBuf};

pub use mutate::Mutator;

/// A fuzz target: a check for any bytes, with the inputs to start from. To add one, write its check
/// in a file of its own, and list it in [`TARGETS`].
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name on the command line, and of the target's folder in `corpus/`.
    pub name: &'static str,
    /// Checks the oracle on any bytes.
    ///
    /// # Panics
    /// Panics if the oracle doesn't hold.
    pub check: fn(&[u8]),
    /// Files of the repository that serve as seeds, as pairs of a folder and a file ending.
    seeds: &'static [(&'static str, &'static str)],
    /// Fragments of the syntax, inserted by mutations.
    pub words: &'static [&'static str],
}

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    Target {
        name: "citations",
        check: citations::check,
        seeds: &[("docs/how-to", "md")],
        words: &[
            "[a](b.rs#L1-L2)",
            "`a/b.rs:3`",
            "```rs title=a.rs",
            "\n> ",
            "#L",
            ":1-2",
        ],
    },
    Target {
        name: "code_owners",
        check: code_owners::check,
        seeds: &[(".github", "CODEOWNERS")],
        words: &["* @a\n", "/a/**/b", "\\ ", "[a-z]", "!", "#"],
    },
    Target {
        name: "condition",
        check: condition::check,
        seeds: &[],
        words: &[
            "inputs.a",
            "steps.b.output",
            " and ",
            " not ",
            "|length",
            "is defined",
            "range(9)",
            "~",
            "[",
        ],
    },
    Target {
        name: "cursor",
        check: cursor::check,
        seeds: &[("tests/stores/fixtures/0.1.0", "cursor")],
        words: &["-", "_", "AAAA"],
    },
    Target {
        name: "document",
        check: document::check,
        seeds: DOCUMENTS,
        words: TRON_WORDS,
    },
    Target {
        name: "document_change",
        check: document_change::check,
        seeds: DOCUMENTS,
        words: TRON_WORDS,
    },
    Target {
        name: "events",
        check: events::check,
        seeds: &[
            ("tests/stores/fixtures/0.1.0/git/ledger", "events.jsonl"),
            ("tests/stores/fixtures/0.1.0/repo/dot-beads", "events.jsonl"),
        ],
        words: &[
            "\n",
            "\"seq\":",
            "\"event_id\":",
            "\"timestamp\":",
            "null",
            "1e9",
        ],
    },
    Target {
        name: "formula",
        check: formula::check,
        seeds: &[],
        words: &[
            "[[steps]]\n",
            "needs = [",
            "{{a}}",
            "extends = ",
            "[vars.",
            "loop = ",
            "count = 99",
            "on_complete",
        ],
    },
    Target {
        name: "git_output",
        check: git_output::check,
        seeds: &[],
        words: &[
            "M\u{0}a\u{0}",
            "R100\u{0}",
            "\u{0}",
            "\u{1}0123456789012345678901234567890123456789 ",
            ":100644 100644 ",
            " 1 1 1\n",
            "filename ",
            "previous ",
            "boundary\n",
            "\n\t",
        ],
    },
    Target {
        name: "junit",
        check: junit::check,
        seeds: &[],
        words: &["\u{1}", "]]>", "<!--", "&amp;", "\u{0}", "\n"],
    },
    Target {
        name: "mcp",
        check: mcp::check,
        seeds: &[],
        words: &[
            "\n",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"",
            "\"params\":{",
            "tools/call",
            "tools/list",
            "resources/read",
            "prompts/get",
            "notifications/cancelled",
            "\"arguments\":{",
            "null",
            "[",
        ],
    },
    Target {
        name: "memory",
        check: memory::check,
        seeds: &[],
        words: &[
            "\u{1}",
            "---\n",
            "superseded_by: ",
            "[a](b.md)",
            "## ",
            "```\n",
            "\r\n",
        ],
    },
    Target {
        name: "notebook",
        check: notebook::check,
        seeds: &[(
            "tests/stores/fixtures/0.1.0/home/dot-local/share/windlass/repos/@REPO_ID@",
            "notebook.json",
        )],
        words: &[
            "{\"id\":",
            "\"anchors\":[",
            "\"runbooks\":[",
            "\"repo\":",
            "]",
            "}",
            ",",
            "\"",
            "\\",
            "\u{0}",
        ],
    },
    Target {
        name: "outline",
        check: outline::check,
        seeds: &[("crates/outline/src", "rs"), ("docs/how-to", "md")],
        words: &[
            "fn a() {", "class A:", "#", "/*", "*/", "{", "}", "\"\"\"", "<", "impl ",
        ],
    },
    Target {
        name: "plugin",
        check: plugin::check,
        seeds: &[],
        words: &[
            "(component ",
            "(core module ",
            "(func ",
            "(import \"windlass:step/evidence@1.0.0\" (instance))",
            "(export \"windlass:step/handler@1.0.0\" (instance 0))",
            "(instance)",
            "br_table 0 0 0",
            "(local i64)",
            ")",
            "\"purity\":\"pure\"",
        ],
    },
    Target {
        name: "redaction",
        check: redaction::check,
        seeds: &[],
        words: &[
            "password = ",
            "token: ",
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "://u:p4ssW0rd@h",
            "Zq7vulture9Kx93",
            "\"",
            "'",
            "\\n",
        ],
    },
    Target {
        name: "results",
        check: results::check,
        seeds: &[],
        words: &[
            "FAILED ",
            "test a ... ok\n",
            "--- FAIL: ",
            "not ok 1",
            "error[E0",
            "<testsuite",
            "```\n",
            "\x1b[31m",
            "\r",
        ],
    },
    Target {
        name: "runbook",
        check: runbook::check,
        seeds: &[("runbooks", "yaml")],
        words: &[
            "$ref: '#/steps/",
            "needs: [",
            "if: ",
            "for_each: ",
            "- ",
            ": ",
            "&a ",
            "*a",
            "finally:",
            "!!",
        ],
    },
    Target {
        name: "schedule",
        check: schedule::check,
        seeds: &[],
        words: &["\u{0}", "\u{1}", "\u{7f}"],
    },
    Target {
        name: "secret_list",
        check: secret_files::check_list,
        seeds: &[],
        words: &["!", "**/", "*.pem", "\\", "[", "#", "\n"],
    },
    Target {
        name: "secret_rules",
        check: secret_files::check_rules,
        seeds: &[],
        words: &[
            "[[rules]]\n",
            "regex = '''",
            "keywords = [",
            "(a+)+",
            "secretGroup = ",
            "allowlist",
        ],
    },
    Target {
        name: "selector",
        check: selector::check,
        seeds: &[],
        words: &[
            "$", "..", "[*]", "[?", "@.a", "==", "&&", "[0:9:2]", "length(", "match(",
        ],
    },
    Target {
        name: "tron_read",
        check: tron::check_read,
        seeds: DOCUMENTS,
        words: TRON_WORDS,
    },
    Target {
        name: "tron_write",
        check: tron::check_write,
        seeds: DOCUMENTS,
        words: TRON_WORDS,
    },
    Target {
        name: "unified_diff",
        check: unified_diff::check,
        seeds: &[("crates/outline/src", "mod.rs")],
        words: &[
            "\u{1}",
            "\n",
            "@@ -1 +1 @@\n",
            "+",
            "-",
            "\\ No newline at end of file\n",
            "a\n",
        ],
    },
];

const DOCUMENTS: &[(&str, &str)] = &[
    ("crates/tron/tests/data/spec", "json"),
    ("crates/tron/tests/data/spec", "tron"),
];

const TRON_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    ";",
    "=",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "#",
    "\n",
    "\r\n",
    "\u{feff}",
    "null",
    "true",
    "class ",
    "class A: x\n",
    "A(",
    "1e999",
    "-",
    "01",
    "0.10",
    "\u{0}",
];

/// Returns the target called `name`.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Returns the folder of the target's corpus.
    #[must_use]
    pub fn corpus(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(self.name)
    }

    /// Returns the target's seeds and corpus, sorted by path.
    ///
    /// # Panics
    /// Panics if a folder of seeds can't be read.
    #[must_use]
    pub fn inputs(&self) -> Vec<Vec<u8>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for (folder, ending) in self.seeds {
            files.extend(files_in(&root.join(folder), ending));
        }
        files.extend(files_in(&self.corpus(), ""));
        files.sort();
        files
            .iter()
            .map(|file| fs::read(file).expect("a readable seed"))
            .collect()
    }
}

fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    files
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
        .collect()
}
