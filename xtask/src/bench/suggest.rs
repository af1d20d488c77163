//! Suggestions for a repository nobody has made notes about.

use std::time::Duration;

use super::measure::{in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::{init_git, settle, write_sources};
use super::world::World;
use crate::Error;

const FILES: usize = 5_000;
const ARGS: [&str; 6] = [
    "notebook",
    "suggest",
    "--format",
    "json",
    "--max-chars",
    "100000",
];

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("suggest")?;
    init_git(world, &root)?;
    write_sources(&root, FILES - 64, 60)?;
    // Programs, libraries and gates, as many as a large workspace has.
    for at in 0..20 {
        let package = root.join(format!("crates/part{at}"));
        std::fs::create_dir_all(package.join("src"))?;
        let manifest = format!("[package]\nname = \"part{at}\"\nversion = \"1.0.0\"\n");
        std::fs::write(package.join("Cargo.toml"), manifest)?;
        std::fs::write(package.join("src/main.rs"), "fn main() {\n    run();\n}\n")?;
        let library = "pub mod a;\npub mod b;\npub struct Config {\n    a: u32,\n    b: u32,\n}\n";
        std::fs::write(package.join("src/lib.rs"), library)?;
    }
    let workflows = root.join(".github/workflows");
    std::fs::create_dir_all(&workflows)?;
    for at in 0..4 {
        let workflow =
            format!("on: push\njobs:\n  test:\n    steps:\n      - run: cargo test -p part{at}\n");
        std::fs::write(workflows.join(format!("ci{at}.yml")), workflow)?;
    }
    let found = output(&mut world.windlass(&root, ARGS))?;
    if !String::from_utf8_lossy(&found).contains("start-part") {
        return Err("no program is suggested".into());
    }
    settle();
    let mut ours = || time(&mut world.windlass(&root, ARGS));
    let mut samples = in_turn(&mut [&mut ours], world.repeat(11))?;
    let goal = Goal::Within(Duration::from_secs(1));
    Ok(vec![Row::times("suggest", samples.remove(0), None, goal)])
}
