//! Writes the tables of programs and reports as JSON. The crate is built into plugins, whose size
//! matters, and with JSON they need no TOML parser. Each pattern gets the text that all of its
//! matches contain, so that most patterns never have to be compiled.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment where to write"
)]

use std::error::Error;
use std::path::PathBuf;

use regex_syntax::hir::{Hir, HirKind, Look};
use serde_json::{Value, json};

const TABLES: [(&str, &str); 2] = [
    ("src/printed/programs.toml", "programs.json"),
    ("src/reports/reports.toml", "reports.json"),
];

/// Fields of a program or rule with a pattern.
const PATTERNS: [&str; 6] = ["line", "next", "until", "while", "says", "strip"];

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::var_os("OUT_DIR").ok_or("there is no folder to write to")?;
    for (source, name) in TABLES {
        println!("cargo::rerun-if-changed={source}");
        let table: toml::Table = std::fs::read_to_string(source)?.parse()?;
        let mut table = serde_json::to_value(&table)?;
        if let Some(programs) = table.get_mut("program") {
            add_needles(programs)?;
        }
        std::fs::write(PathBuf::from(&out).join(name), table.to_string())?;
    }
    Ok(())
}

fn add_needles(value: &mut Value) -> Result<(), Box<dyn Error>> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(add_needles),
        Value::Object(members) => members.iter_mut().try_for_each(|(key, member)| {
            let source = member.as_str().filter(|_| PATTERNS.contains(&key.as_str()));
            let Some(source) = source else {
                return add_needles(member);
            };
            *member = json!({ "source": source, "needle": needle(source)? });
            Ok(())
        }),
        _ => Ok(()),
    }
}

/// Returns the text at the start of all matches, or else the longest text in all of them.
fn needle(source: &str) -> Result<Value, Box<dyn Error>> {
    let hir = regex_syntax::parse(source)?;
    let mut runs = vec![String::new()];
    add_runs(&hir, &mut runs)?;
    let is_anchored = hir.properties().look_set_prefix().contains(Look::Start);
    if let Some(first) = runs.first().filter(|run| is_anchored && !run.is_empty()) {
        return Ok(json!({ "start": first }));
    }
    let longest = runs.into_iter().max_by_key(String::len);
    Ok(json!({ "anywhere": longest.unwrap_or_default() }))
}

/// Adds the literal texts in `hir`. The last of `runs` goes on with the next literal.
fn add_runs(hir: &Hir, runs: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Capture(group) => add_runs(&group.sub, runs)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| add_runs(part, runs))?,
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0)?;
            if let Some(last) = runs.last_mut() {
                last.push_str(text);
            }
        }
        // These match various texts, so the next literal belongs to another run.
        HirKind::Class(_) | HirKind::Repetition(_) | HirKind::Alternation(_) => {
            runs.push(String::new());
        }
    }
    Ok(())
}
