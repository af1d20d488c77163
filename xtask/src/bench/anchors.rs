//! Benchmarks for checking anchors: many fresh ones, and fewer ones that are many commits old.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::bench_times::{Row, in_turn, output};
use super::bench_world::World;
use super::made_sources::{Numbers, settle, source_path, write_sources};
use crate::Error;

const COMMITS: usize = 500;

/// Number of files that each commit changes.
const CHANGED: usize = 3;

/// Checks 5,000 anchors in unchanged files. A hook does this after every change, so it has to be
/// fast.
pub(crate) fn check(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("anchor-check")?;
    write_sources(&root, 500, 200)?;
    add(world, &root, 5_000, 500, 14)?;
    settle();
    let mut ours = || checked(world, &root, 5_000);
    let [ours] = in_turn([&mut ours], world.repeat(21))?;
    Ok(vec![Row::within(
        "anchor-check",
        ours,
        Duration::from_millis(50),
    )])
}

/// Checks 1,000 anchors that are 500 commits old: for the first time, again with a cache, and after
/// one more commit.
pub(crate) fn history(world: &World) -> Result<Vec<Row>, Error> {
    const FILES: usize = 300;
    let root = world.repository("anchor-history")?;
    write_sources(&root, FILES, 200)?;
    world.git(&root, &["add", "-A"])?;
    world.git(&root, &["commit", "-q", "-m", "start"])?;
    add(world, &root, 1_000, FILES, 35)?;
    let start = world.git(&root, &["rev-parse", "HEAD"])?;
    import(world, &root, &commits(&root, start.trim(), FILES)?)?;
    // Leave the last commit for the third measurement.
    world.git(&root, &["checkout", "-q", "--detach", "later~1"])?;
    let (cache, kept) = (world.cache(), world.cache().with_file_name("kept"));
    let mut first = || {
        let _ = std::fs::remove_dir_all(&cache);
        checked(world, &root, 1_000)
    };
    let [first] = in_turn([&mut first], world.repeat(5))?;
    copy(&cache, &kept)?;
    let mut next = || {
        let _ = std::fs::remove_dir_all(&cache);
        copy(&kept, &cache)?;
        checked(world, &root, 1_000)
    };
    let [again] = in_turn([&mut next], world.repeat(11))?;
    world.git(&root, &["checkout", "-q", "--detach", "later"])?;
    let [next] = in_turn([&mut next], world.repeat(11))?;
    Ok(vec![
        Row::within("anchor-history first", first, Duration::from_secs(1)),
        Row::within("anchor-history again", again, Duration::from_millis(100)),
        Row::within("anchor-history next", next, Duration::from_millis(100)),
    ])
}

fn add(world: &World, root: &Path, count: usize, files: usize, apart: usize) -> Result<(), Error> {
    let mut anchors = String::new();
    for at in 0..count {
        let (file, first) = (source_path(at % files), 5 + at / files * apart);
        let last = first + 4;
        let _ = writeln!(
            anchors,
            "{{\"id\":\"a{at}\",\"file\":\"{file}\",\"start_line\":{first},\"end_line\":{last}}}"
        );
    }
    let list = root.with_extension("jsonl");
    std::fs::write(&list, anchors)?;
    let mut command = world.windlass(root, ["anchor", "add", "--from"]);
    output(command.arg(list)).map(drop)
}

/// Returns the time of one check of `count` anchors.
///
/// Some anchors are stale, so the command fails and we cannot rely on its exit code. We count the
/// reported anchors instead.
fn checked(world: &World, root: &Path, count: usize) -> Result<Duration, Error> {
    let mut command = world.windlass(root, ["anchor", "check", "--format", "jsonl"]);
    command.stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output()?;
    let took = started.elapsed();
    let told = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    match told >= count {
        true => Ok(took),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{told} anchors are told of: {said}").into())
        }
    }
}

/// Returns the commits of the branch `later` as input for `git fast-import`, which is much faster
/// than committing one by one. They insert functions, edit lines and rename files.
fn commits(root: &Path, start: &str, count: usize) -> Result<String, Error> {
    let mut numbers = Numbers::new(7);
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for path in (0..count).map(source_path) {
        let text = std::fs::read_to_string(root.join(&path))?;
        files.push((path, text.lines().map(str::to_owned).collect()));
    }
    let mut stream = String::new();
    for nr in 0..=COMMITS {
        let _ = write!(
            stream,
            "commit refs/heads/later\ncommitter a <a@b> {} +0000\ndata 1\nx\n",
            1_600_000_000 + nr
        );
        if nr == 0 {
            let _ = writeln!(stream, "from {start}");
        }
        for _ in 0..CHANGED {
            let (path, lines) = &mut files[numbers.below(count)];
            let at = numbers.below(lines.len());
            if nr % 25 == 0 && !path.contains("renamed") {
                let _ = writeln!(stream, "D {path}");
                *path = path.replace("module", "renamed");
            } else if nr % 2 == 0 {
                lines[at] = format!("    // Changed by {nr}: {}", lines[at].trim());
            } else {
                let new = format!("fn put_in_by_{nr}() -> usize {{\n    {nr}\n}}\n");
                lines.splice(at..at, new.lines().map(str::to_owned));
            }
            let text = lines.join("\n") + "\n";
            let length = text.len();
            let _ = write!(stream, "M 100644 inline {path}\ndata {length}\n{text}\n");
        }
    }
    Ok(stream)
}

fn import(world: &World, root: &Path, stream: &str) -> Result<(), Error> {
    let mut command = world.program("git", root);
    command
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(stream.as_bytes())?;
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err("the history cannot be imported".into()),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &there)?,
            false => drop(std::fs::copy(entry.path(), there)?),
        }
    }
    Ok(())
}
