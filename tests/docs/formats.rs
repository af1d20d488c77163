//! The table of formats. The built program must read the files in each row just as the row says.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::support::Sandbox;

/// The table's rows. Each has commands to try on files of the repository.
const FORMATS: &str = include_str!("formats.json");

const PAGE: &str = "docs/reference/formats.md";

/// The table's columns, as title and field.
const COLUMNS: [(&str, &str); 5] = [
    ("format", "name"),
    ("version", "version"),
    ("read", "read"),
    ("written", "written"),
    ("lost", "lost"),
];

fn rows() -> Vec<Value> {
    serde_json::from_str(FORMATS).unwrap()
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

#[test]
fn formats_are_read_as_their_table_says() {
    let sandbox = Sandbox::git();
    for row in rows() {
        let tries = row["tries"].as_array().unwrap();
        assert!(!tries.is_empty(), "{row}");
        for one in tries {
            for file in texts(&one["files"]) {
                let name = Path::new(file).file_name().unwrap().to_str().unwrap();
                sandbox.write(name, std::fs::read(repository().join(file)).unwrap());
                let command = [texts(&one["command"]), vec![name]].concat();
                let exit = one["exit"].as_i64().unwrap_or(0);
                let answer = sandbox
                    .windlass(&command)
                    .exits_with(exit.try_into().unwrap());
                let said = format!("{}{}", answer.stdout, answer.stderr);
                let expected = one["says"].as_str().unwrap();
                assert!(
                    said.contains(expected),
                    "{command:?} does not say {expected}:\n{said}"
                );
            }
        }
    }
}

/// Run with `UPDATE_FORMATS=1` to write the table into the page.
#[test]
fn formats_page_has_the_table() {
    let titles: Vec<&str> = COLUMNS.iter().map(|(title, _)| *title).collect();
    let mut table = format!(
        "| {} |\n|{}\n",
        titles.join(" | "),
        "---|".repeat(COLUMNS.len())
    );
    for row in rows() {
        let cells = COLUMNS.map(|(_, field)| row[field].as_str().unwrap().replace('|', "\\|"));
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    let page = repository().join(PAGE);
    let text = std::fs::read_to_string(&page).unwrap();
    let start = text.find("| format |").unwrap();
    let end = text[start..]
        .find("\n\n")
        .map_or(text.len(), |end| start + end + 1);
    if std::env::var_os("UPDATE_FORMATS").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        std::fs::write(&page, text).unwrap();
        return;
    }
    assert_eq!(
        &text[start..end],
        table,
        "run this test with `UPDATE_FORMATS=1`"
    );
}
