//! Writes the rules and word lists as JSON. Nearly every command needs them, and JSON is parsed
//! several times as fast as TOML.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment where to write"
)]

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::var_os("OUT_DIR").ok_or("there is no folder to write to")?;
    for name in ["forms", "issuers", "shapes", "words"] {
        let source = format!("data/{name}.toml");
        println!("cargo::rerun-if-changed={source}");
        let table: toml::Table = std::fs::read_to_string(source)?.parse()?;
        let json = serde_json::to_string(&table)?;
        std::fs::write(PathBuf::from(&out).join(format!("{name}.json")), json)?;
    }
    Ok(())
}
