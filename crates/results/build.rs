//! Writes the table of programs as JSON, which needs no reader of its own: in a plugin each one counts.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment where to write"
)]

use std::error::Error;
use std::path::PathBuf;

const TABLE: &str = "src/printed/programs.toml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    let table: toml::Table = std::fs::read_to_string(TABLE)?.parse()?;
    let out = std::env::var_os("OUT_DIR").ok_or("there is no folder to write to")?;
    let json = serde_json::to_string(&table)?;
    std::fs::write(PathBuf::from(out).join("programs.json"), json)?;
    Ok(())
}
