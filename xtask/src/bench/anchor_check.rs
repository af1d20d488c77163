//! Checking many anchors: what a hook does after every change.

use std::path::Path;
use std::time::Duration;

use super::measure::{in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::{init_git, settle, source_path, write_sources};
use super::world::World;
use crate::Error;

const FILES: usize = 500;
const ANCHORS_A_FILE: usize = 10;
const ARGS: [&str; 4] = ["anchor", "check", "--format", "jsonl"];

/// How many there are in all.
pub(crate) const ANCHORS: usize = FILES * ANCHORS_A_FILE;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("anchor-check")?;
    many_anchors(world, &root)?;
    let checked = output(&mut world.windlass(&root, ARGS))?;
    let fresh = String::from_utf8_lossy(&checked)
        .lines()
        .filter(|line| line.contains("\"status\":\"fresh\""))
        .count();
    if fresh != ANCHORS {
        return Err(format!("{fresh} anchors are fresh").into());
    }
    settle();
    let mut ours = || time(&mut world.windlass(&root, ARGS));
    let mut samples = in_turn(&mut [&mut ours], world.repeat(21))?;
    let goal = Goal::Within(Duration::from_millis(50));
    Ok(vec![Row::times(
        "anchor-check",
        samples.remove(0),
        None,
        goal,
    )])
}

/// Makes a repository at `root` with [`ANCHORS`] anchors in its notebook.
pub(crate) fn many_anchors(world: &World, root: &Path) -> Result<(), Error> {
    init_git(world, root)?;
    write_sources(root, FILES, 200)?;
    let mut anchors = String::new();
    for at in 0..ANCHORS {
        let (file, first) = (
            source_path(at / ANCHORS_A_FILE),
            5 + at % ANCHORS_A_FILE * 14,
        );
        let last = first + 4;
        anchors += &format!(
            "{{\"id\":\"a{at}\",\"file\":\"{file}\",\"start_line\":{first},\"end_line\":{last}}}\n"
        );
    }
    std::fs::write(root.join("anchors.jsonl"), anchors)?;
    output(&mut world.windlass(root, ["anchor", "add", "--from", "anchors.jsonl"]))?;
    Ok(())
}
