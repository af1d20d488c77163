//! Writes the tables of programs and reports as JSON. The crate is built into plugins, whose size
//! matters, and with JSON they need no TOML parser.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment where to write"
)]

use std::error::Error;
use std::path::PathBuf;

/// The tables, and the names of their JSON files.
const TABLES: [(&str, &str); 2] = [
    ("src/printed/programs.toml", "programs.json"),
    ("src/reports/reports.toml", "reports.json"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::var_os("OUT_DIR").ok_or("there is no folder to write to")?;
    for (source, name) in TABLES {
        println!("cargo::rerun-if-changed={source}");
        let table: toml::Table = std::fs::read_to_string(source)?.parse()?;
        let json = serde_json::to_string(&table)?;
        std::fs::write(PathBuf::from(&out).join(name), json)?;
    }
    Ok(())
}
