//! Peak memory of each parser of foreign input, as a multiple of the input's size.
//!
//! For each syntax, we try the inputs that are densest in it, i.e. with the most values or elements
//! per byte.

use std::fmt::Write as _;
use std::sync::LazyLock;

use peak_alloc::PeakAlloc;
use windlass_formula::{CookOptions, FormulaLookup, FormulaRef, FormulaText, cook_formula};
use windlass_memory::{Files, Memory};
use windlass_plan::{Catalog, load_runbook};
use windlass_vcontext::Document;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

static CATALOG: LazyLock<Catalog> = LazyLock::new(windlass_steps::catalog);

/// Size of each input, in bytes.
const SIZE: usize = 128 << 10;

/// Memory that does not depend on the input, in bytes.
const FIXED: usize = 1 << 20;

/// A parser, with the parts that its inputs repeat (`@` in a part is its number).
///
/// `multiple` limits the peak memory as a multiple of the input. It's a quarter more than measured
/// on 2026-11-29, so raise it only after finding out why a parser needs more.
struct Parser {
    name: &'static str,
    read: fn(&str),
    multiple: usize,
    head: &'static str,
    parts: &'static [&'static str],
}

/// Values as small as the syntax allows.
const JSON: &[&str] = &[
    "[],",
    "{},",
    "0,",
    "\"\",",
    "[[0]],",
    "{\"a\":0},",
    "\"\\u0041\",",
];

const PARSERS: &[Parser] = &[
    Parser {
        name: "runbook",
        read: |text| drop(load_runbook("r.yaml", text.as_bytes(), &CATALOG)),
        multiple: 60,
        head: "schema_version: 1\nid: r\ntitle: R\nsteps:\n",
        parts: &[
            "  - a\n",
            "  - { id: a@, uses: files }\n",
            "  - {}\n",
            "  - [,]\n",
            " x",
        ],
    },
    Parser {
        name: "formula",
        read: |text| {
            drop(cook_formula(
                &Text(text),
                FormulaRef::Name("a"),
                &CookOptions::default(),
            ));
        },
        multiple: 240,
        head: "formula = \"a\"\nversion = 1\n",
        parts: &[
            "a@=1\n",
            "[[steps]]\n",
            "[[steps]]\nid = \"a@\"\ntitle = \"A\"\n",
            "[a@]\n",
            "a@.b=[]\n",
        ],
    },
    Parser {
        name: "TRON",
        read: |text| drop(windlass_tron::Value::parse(text).map(|value| value.to_string())),
        multiple: 60,
        head: "[",
        parts: JSON,
    },
    Parser {
        name: "vContext",
        read: |text| drop(Document::parse("d.json", text.as_bytes())),
        multiple: 105,
        head: "{\"vContextInfo\":{\"version\":\"0.4\"},\"todoList\":{\"items\":[",
        parts: JSON,
    },
    Parser {
        name: "memory",
        read: |text| {
            let files = [("memory/decisions/a.md", text)];
            drop(Memory::read(Files::of_texts(files)));
        },
        multiple: 3,
        head: "---\nid: a\ntitle: A\nstatus: active\nscope: project:x\nupdated: 2026-01-01\n---\n",
        parts: &[
            "# a\n",
            "- b\n",
            "[a](b.md) ",
            "> ",
            "```\n",
            "* _",
            "word@ ",
        ],
    },
    Parser {
        name: "results",
        read: |text| drop(windlass_results::read_results(text)),
        multiple: 15,
        head: "",
        parts: &[
            "test a@ ... FAILED\n",
            "FAILED a.py::b@ - c\n",
            "--- FAIL: a@ (0.00s)\n",
            "not ok @\n",
            "error[E1]: x\n --> a.rs:1:1\n",
        ],
    },
    Parser {
        name: "JUnit XML",
        read: |text| drop(windlass_results::read_results(text)),
        multiple: 70,
        head: "<testsuite>",
        parts: &[
            "<testcase name=\"a@\"><failure/></testcase>",
            "<a/>",
            "<a b=\"\"/>",
            "&amp;",
        ],
    },
    Parser {
        name: "citations",
        read: |text| drop(windlass_cite::scan(text)),
        multiple: 95,
        head: "",
        parts: &["[a](b.rs#L1) ", "`a.rs:1` ", "# a\n", "> ", "[", "*a_"],
    },
    Parser {
        name: "redaction",
        read: |text| drop(windlass_redact::redact_for_cache(text)),
        multiple: 12,
        head: "",
        parts: &[
            "password = Zq7vulture9Kx@\n",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a ",
            "a=b\n",
            "\"",
            "A1b2C3d4",
        ],
    },
];

/// Lookup that finds one text under every name.
struct Text<'a>(&'a str);

impl FormulaLookup for Text<'_> {
    fn formula(&self, _name: &str) -> Result<Option<FormulaText>, String> {
        Ok(Some(FormulaText {
            file: "a.formula.toml".to_owned(),
            bytes: self.0.as_bytes().to_vec(),
        }))
    }
}

fn input(head: &str, part: &str, size: usize) -> String {
    let mut text = head.to_owned();
    let mut number = 0;
    while text.len() < size {
        let _ = write!(text, "{}", part.replace('@', &number.to_string()));
        number += 1;
    }
    text
}

#[test]
fn parser_memory_is_bounded_by_input() {
    let mut failed = Vec::new();
    for parser in PARSERS {
        // Some tables are made on the first call. They don't count.
        (parser.read)(&input(parser.head, "", 0));
        for part in parser.parts {
            (parser.read)(&input(parser.head, part, parser.head.len() + 64));
            let text = input(parser.head, part, SIZE);
            let before = ALLOCATED.current_usage();
            ALLOCATED.reset_peak_usage();
            (parser.read)(&text);
            let used = ALLOCATED.peak_usage().saturating_sub(before);
            let multiple = used.saturating_sub(FIXED).div_ceil(text.len());
            println!("{:<10} {part:?} {multiple}", parser.name);
            if multiple > parser.multiple {
                failed.push(format!(
                    "{} {part:?}: {multiple} times the input",
                    parser.name
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
