//! A context pack of 6,000 tokens, put together on a repository of 5,000 files, and made again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::measure::{Samples, in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::{init_git, settle, source_path, write_sources};
use super::world::World;
use crate::Error;

/// Files of a generated repository, and lines of each.
const FILES: usize = 5_000;
const LINES: usize = 80;
/// The commits change so many files.
const FEWEST: usize = 21;

const PLAN: &str = "# Plan\n\nHow the winch is kept.\n\n## The budget of the cable\n\nThe drum moves the rope within the budget of the cable, as `src/part000/module6.rs` says.\n\n## Other\n\nNothing.\n";
const ACCEPTANCE: &str =
    "# Acceptance\n\n- [ ] the cable never takes more than its budget\n- [ ] the drum says so\n";
const GOAL: &str = "Keep the drum within the budget of the cable when the tide moves the anchor";

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = match world.repo() {
        Some(repo) => repo.canonicalize()?,
        None => generated(world)?,
    };
    settle();
    let build = || {
        let args = [
            "pack",
            "build",
            GOAL,
            "--max-tokens",
            "6000",
            "--format",
            "json",
        ];
        world.windlass(&root, args)
    };
    let pack: Value = serde_json::from_slice(&output(&mut build())?)?;
    let used = pack["budget"]["used"].as_u64().unwrap_or_default();
    let id = pack["packId"].as_str().unwrap_or_default().to_owned();
    let rebuild = || world.windlass(&root, ["pack", "rebuild", &id]);
    let mut builds = || time(&mut build());
    let mut rebuilds = || time(&mut rebuild());
    let mut bare = || time(&mut world.windlass(&root, ["--version"]));
    let took = in_turn(
        &mut [&mut builds, &mut rebuilds, &mut bare],
        world.repeat(11),
    )?;
    let [built, rebuilt, bare] =
        <[Samples; 3]>::try_from(took).map_err(|_| Error::from("each has its samples"))?;
    let peer = |samples| Some(("a process that does nothing", samples));
    Ok(vec![
        Row::times(
            format!("context: a pack of {used} tokens put together"),
            built,
            peer(bare.clone()),
            Goal::Within(Duration::from_millis(300)),
        ),
        Row::times(
            "context: it is made again",
            rebuilt,
            peer(bare),
            Goal::Within(Duration::from_millis(100)),
        ),
    ])
}

/// A repository with documents, code and some commits.
fn generated(world: &World) -> Result<PathBuf, Error> {
    let root = world.folder("context")?;
    write_sources(&root, world.files(FILES).max(FEWEST), LINES)?;
    std::fs::create_dir_all(root.join("docs"))?;
    std::fs::write(root.join("docs/PLAN.md"), PLAN)?;
    std::fs::write(root.join("docs/ACCEPTANCE.md"), ACCEPTANCE)?;
    init_git(world, &root)?;
    commit(world, &root, "all")?;
    for number in 0..20 {
        for file in [number, number + 1] {
            let path = root.join(source_path(file));
            let text = std::fs::read_to_string(&path)?;
            std::fs::write(&path, format!("{text}// Change {number}.\n"))?;
        }
        commit(world, &root, "some")?;
    }
    let path = root.join(source_path(6));
    let text = std::fs::read_to_string(&path)?;
    std::fs::write(&path, text.replacen("wrapping_mul", "wrapping_add", 1))?;
    Ok(root)
}

fn commit(world: &World, root: &Path, message: &str) -> Result<(), Error> {
    output(world.program("git", root).args(["add", "-A"]))?;
    let mut git = world.program("git", root);
    git.args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"]);
    output(git.args(["commit", "-q", "-m", message])).map(|_| ())
}
