//! The `search` step against `rg`: the same lines, in how much more time.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::measure::{Samples, in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::{settle, write_sources};
use super::world::World;
use crate::Error;

/// A tree with fewer files is too small to say much.
const MIN_FILES: usize = 5_000;

/// A pattern with few matches, and one with many.
const PATTERNS: [(&str, &str); 2] = [("few", r"fn \w+_digest\("), ("many", r"\bfn \w+")];

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    if !world.has("rg") {
        return Ok(vec![Row::skipped("search", "rg is not installed")]);
    }
    let tree = tree(world)?;
    let work = world.folder("search-runbooks")?;
    settle();
    let mut rows = Vec::new();
    for (name, pattern) in PATTERNS {
        rows.extend(compare(world, &tree, &work, name, pattern)?);
    }
    Ok(rows)
}

/// The sources that cargo has downloaded, where there are enough, else a generated tree.
fn tree(world: &World) -> Result<PathBuf, Error> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    if let Some(sources) = home.map(|home| home.join("registry").join("src"))
        && sources.is_dir()
        && count(rg(world, &sources).arg("--files"))? >= MIN_FILES as u64
    {
        return Ok(sources.canonicalize()?);
    }
    let root = world.folder("search-tree")?;
    write_sources(&root, 6_000, 400)?;
    Ok(root)
}

fn compare(
    world: &World,
    tree: &Path,
    work: &Path,
    name: &str,
    pattern: &str,
) -> Result<[Row; 2], Error> {
    let runbook = work.join(format!("{name}.yaml"));
    let text = format!(
        "schema_version: 1\nid: {name}\nsteps:\n  - {{ id: found, uses: search, with: {{ pattern: '{pattern}', max_matches: 50 }} }}\n  \
         - {{ id: total, uses: select, with: {{ from: {{ $ref: '#/steps/found/output/total' }} }} }}\n\
         outputs:\n  - {{ id: found, from: found }}\n  - {{ id: total, from: total, select: '$.items[*]' }}\n"
    );
    std::fs::write(&runbook, text)?;
    let windlass = || {
        let mut command = world.windlass(work, ["run"]);
        command.arg(&runbook).arg("--root").arg(tree);
        command
    };
    let count_matches = || {
        let mut command = rg(world, tree);
        command.args(["--count", pattern, "."]);
        command
    };
    same_answer(windlass().args(["--format", "json"]), &mut count_matches())?;
    let print_matches = || {
        let mut command = rg(world, tree);
        command.args(["--line-number", pattern, "."]);
        command
    };
    let mut ours = || time(&mut windlass());
    let mut counts = || time(&mut count_matches());
    let mut prints = || time(&mut print_matches());
    let samples = in_turn(&mut [&mut ours, &mut counts, &mut prints], world.repeat(21))?;
    let [ours, counts, prints] =
        <[Samples; 3]>::try_from(samples).map_err(|_| Error::from("each has its samples"))?;
    let row = |title: &str, ours, peer| {
        let name = format!("search: {name} matches, {title}");
        Row::times(name, ours, Some(("rg", peer)), Goal::Times(1.1))
    };
    Ok([
        row("rg prints them", ours.clone(), prints),
        row("rg counts them", ours, counts),
    ])
}

/// `rg` with the rules of a runbook: only what lies in the tree decides which files are left out.
fn rg(world: &World, tree: &Path) -> Command {
    let mut command = world.program("rg", tree);
    command.args([
        "--no-config",
        "--no-ignore-parent",
        "--no-ignore-global",
        "--no-require-git",
    ]);
    command
}

fn count(command: &mut Command) -> Result<u64, Error> {
    let output = output(command)?;
    Ok(output.iter().filter(|byte| **byte == b'\n').count() as u64)
}

/// Both must find the same number of lines.
fn same_answer(ours: &mut Command, rg: &mut Command) -> Result<(), Error> {
    let pack: Value = serde_json::from_slice(&output(ours)?)?;
    let counted = String::from_utf8(output(rg)?)?;
    let of_file = |line: &str| {
        line.rsplit(':')
            .next()
            .and_then(|count| count.parse::<u64>().ok())
    };
    let theirs: u64 = counted.lines().filter_map(of_file).sum();
    let total = pack["sections"][1].to_string();
    if total.contains(&format!("{theirs}")) {
        Ok(())
    } else {
        Err(format!("rg finds {theirs} lines, the step says {total}").into())
    }
}
