//! A notebook of many anchors: shown by a new process, and changed by one anchor.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass::notebook::{EditMode, NotebookError, NotebookFile, Writer};
use windlass::repo::Repo;
use windlass::store::{Disk, Durability};

use super::anchor_check::{ANCHORS, many_anchors};
use super::measure::{Samples, in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::settle;
use super::world::World;
use crate::Error;

const SHOW: [&str; 2] = ["notebook", "show"];

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("notebook")?;
    many_anchors(world, &root)?;
    let shown = String::from_utf8(output(&mut world.windlass(&root, SHOW))?)?;
    if !shown.contains(&ANCHORS.to_string()) {
        return Err(format!("it does not show {ANCHORS} anchors: {shown}").into());
    }
    settle();
    let mut show = || time(&mut world.windlass(&root, SHOW));
    let shown = in_turn(&mut [&mut show], world.repeat(21))?.remove(0);
    let (edit, copy) = edit(world, &root)?;
    let within = |ms| Goal::Within(Duration::from_millis(ms));
    Ok(vec![
        Row::times("notebook: show", shown, None, within(60)),
        Row::times("notebook: one edit", edit, Some(("copy", copy)), within(10)),
    ])
}

/// One anchor changed without waiting for the disk, and the file copied, which is the least that has to be done.
fn edit(world: &World, root: &Path) -> Result<(Samples, Samples), Error> {
    let repo = Repo::open(root)?;
    let file = NotebookFile::new(&world.data(), Arc::new(repo), true)
        .on(Disk::default(), Durability::Relaxed);
    let mut nr = 0;
    let mut ours = || {
        nr += 1;
        let started = Instant::now();
        file.edit::<_, NotebookError>(&Writer::default(), EditMode::Write, |edit| {
            if let Some(mut anchor) = edit.anchor("a77") {
                anchor.label = format!("Label {nr}");
                edit.put_anchor(&anchor)?;
            }
            Ok(())
        })?;
        Ok(started.elapsed())
    };
    let into = file.path().with_extension("copy");
    let mut copy = || {
        let started = Instant::now();
        std::fs::write(&into, std::fs::read(file.path())?)?;
        Ok(started.elapsed())
    };
    let mut samples = in_turn(&mut [&mut ours, &mut copy], world.repeat(21))?;
    let copy = samples.remove(1);
    Ok((samples.remove(0), copy))
}
