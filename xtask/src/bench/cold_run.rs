//! What a person waits for: a usual runbook on a small repository, from the start of the process to its end.

use std::path::Path;
use std::time::Duration;

use super::measure::{in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::{init_git, settle, source_path, write_sources};
use super::world::World;
use crate::Error;

const FILES: usize = 60;

/// What the search looks for, in a runbook of each: a word, and what takes `rg` some work to get ready as well.
const PATTERNS: [(&str, &str); 2] = [("word", "fn"), ("class", "fn rope_\\w+")];

fn runbook(name: &str, pattern: &str) -> String {
    format!(
        "\
schema_version: 1
id: {name}
title: A usual runbook
steps:
  - {{ id: contracts, uses: anchors, with: {{ kinds: [contract] }} }}
  - {{ id: routes, uses: search, with: {{ pattern: '{pattern}', max_matches: 40 }} }}
  - {{ id: readme, uses: read, with: {{ file: README.md, heading: Layout }} }}
outputs:
  - {{ id: contracts, title: Contracts, from: contracts }}
  - {{ id: routes, title: Routes, from: routes, limit: 20 }}
  - {{ id: readme, title: Layout, from: readme }}
"
    )
}

const README: &str = "# Harbour\n\nWhat holds the ships.\n\n## Layout\n\nParts lie in `src`.\nEach has twenty modules.\n\n## Use\n\nRaise it.\n";

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("cold-run")?;
    init_git(world, &root)?;
    write_sources(&root, FILES - 2, 120)?;
    std::fs::write(root.join("README.md"), README)?;
    std::fs::create_dir_all(root.join("runbooks"))?;
    for (name, pattern) in PATTERNS {
        let file = root.join(format!("runbooks/{name}.yaml"));
        std::fs::write(file, runbook(name, pattern))?;
    }
    let anchors: String = (0..5).map(anchor).collect();
    std::fs::write(root.join("anchors.jsonl"), anchors)?;
    output(&mut world.windlass(&root, ["anchor", "add", "--from", "anchors.jsonl"]))?;
    std::fs::remove_file(root.join("anchors.jsonl"))?;
    settle();
    PATTERNS
        .iter()
        .map(|(name, pattern)| compare(world, &root, name, pattern))
        .collect()
}

fn compare(world: &World, root: &Path, name: &str, pattern: &str) -> Result<Row, Error> {
    shows_what_it_should(&output(
        &mut world.windlass(root, ["run", name, "--format", "json"]),
    )?)?;
    let mut ours = || time(&mut world.windlass(root, ["run", name]));
    let mut rg = || time(world.program("rg", root).args(["-c", pattern, "."]));
    let repeat = world.repeat(41);
    let limit = Duration::from_millis(10);
    let row = format!("cold-run: {name}");
    if world.has("rg") {
        let mut samples = in_turn(&mut [&mut ours, &mut rg], repeat)?;
        let (rg, ours) = (samples.remove(1), samples.remove(0));
        let goal = Goal::TimesOrWithin(1.5, limit);
        Ok(Row::times(row, ours, Some(("rg", rg)), goal))
    } else {
        let mut samples = in_turn(&mut [&mut ours], repeat)?;
        let row = format!("{row} (rg is not installed)");
        Ok(Row::times(
            row,
            samples.remove(0),
            None,
            Goal::Within(limit),
        ))
    }
}

/// All three sections have something in them.
fn shows_what_it_should(pack: &[u8]) -> Result<(), Error> {
    let pack: serde_json::Value = serde_json::from_slice(pack)?;
    let empty = |section: &serde_json::Value| section["total_items"].as_u64().unwrap_or(0) == 0;
    let sections = pack["sections"].as_array().map_or(&[][..], Vec::as_slice);
    if pack["status"] == "ok" && sections.len() == 3 && !sections.iter().any(empty) {
        Ok(())
    } else {
        Err(format!("the runbook does not show what it should: {pack}").into())
    }
}

fn anchor(at: usize) -> String {
    let (file, first) = (source_path(at * 7), 5 + at * 7);
    format!(
        "{{\"id\":\"contract-{at}\",\"kind\":\"contract\",\"file\":\"{file}\",\"start_line\":{first},\"end_line\":{}}}\n",
        first + 4
    )
}
