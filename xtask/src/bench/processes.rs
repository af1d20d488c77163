//! Steps that start a process which does nothing: what is left is the engine.

use std::path::{Path, PathBuf};

use super::measure::{in_turn, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

/// The needs of each step, by number.
type Graph = Vec<Vec<usize>>;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let chain = (0..200_usize).map(|at| at.checked_sub(1).into_iter().collect());
    let layers = |at: usize| match at / 100 {
        0 => Vec::new(),
        layer => ((layer - 1) * 100..layer * 100).collect(),
    };
    let graphs: [(&str, Graph, usize); 3] = [
        (
            "processes: 10 layers of 100",
            (0..1_000).map(layers).collect(),
            7,
        ),
        ("processes: chain of 200", chain.collect(), 11),
        ("processes: one", vec![Vec::new()], 41),
    ];
    let mut rows = Vec::new();
    for (at, (name, graph, repeat)) in graphs.into_iter().enumerate() {
        let folder = world.folder(&format!("processes-{at}"))?;
        std::fs::create_dir_all(folder.join("runbooks"))?;
        std::fs::write(folder.join("runbooks/graph.yaml"), runbook(&graph))?;
        std::fs::write(folder.join("build.ninja"), ninja(&graph))?;
        rows.push(compare(world, name, &folder, world.repeat(repeat))?);
    }
    Ok(rows)
}

fn compare(world: &World, name: &str, folder: &Path, repeat: usize) -> Result<Row, Error> {
    if !world.has("ninja") {
        return Ok(Row::skipped(name, "ninja is not installed"));
    }
    let args = ["run", "graph", "--jobs", "2", "--allow-commands"];
    let mut ours = || time(&mut world.windlass(folder, args));
    let mut ninja = || {
        // Its log would tell it what it did the last time.
        for log in [".ninja_log", ".ninja_deps"] {
            let log: PathBuf = folder.join(log);
            if log.exists() {
                std::fs::remove_file(log)?;
            }
        }
        time(world.program("ninja", folder).arg("-j2"))
    };
    let mut samples = in_turn(&mut [&mut ours, &mut ninja], repeat)?;
    let (ninja, ours) = (samples.remove(1), samples.remove(0));
    Ok(Row::times(
        name,
        ours,
        Some(("ninja", ninja)),
        Goal::Times(1.0),
    ))
}

fn names(numbers: impl IntoIterator<Item = usize>, between: &str) -> String {
    let names: Vec<String> = numbers.into_iter().map(|at| format!("s{at}")).collect();
    names.join(between)
}

fn runbook(graph: &Graph) -> String {
    let mut text = "schema_version: 1\nid: graph\nsteps:\n".to_owned();
    for (at, needs) in graph.iter().enumerate() {
        let needs = names(needs.iter().copied(), ", ");
        text += &format!(
            "  - {{ id: s{at}, uses: command, with: {{ argv: ['true'] }}, needs: [{needs}] }}\n"
        );
    }
    text
}

fn ninja(graph: &Graph) -> String {
    let mut text = "rule nothing\n  command = true\n".to_owned();
    for (at, needs) in graph.iter().enumerate() {
        text += &format!(
            "build s{at}: nothing {}\n",
            names(needs.iter().copied(), " ")
        );
    }
    // What nobody needs is what to ask for.
    let mut last = vec![true; graph.len()];
    for need in graph.iter().flatten() {
        last[*need] = false;
    }
    let wanted = (0..graph.len()).filter(|at| last[*at]);
    text += &format!("default {}\n", names(wanted, " "));
    text
}
