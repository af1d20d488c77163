//! Checking anchors that are many commits old: the first time, and after one more commit.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::measure::{in_turn, output};
use super::report::{Goal, Row};
use super::tree::{Numbers, init_git, source_path, write_sources};
use super::world::World;
use crate::Error;

const FILES: usize = 300;
const LINES: usize = 200;
const ANCHORS: usize = 1_000;
const COMMITS: usize = 500;

/// How many files a commit changes.
const CHANGED: usize = 3;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("anchor-history")?;
    init_git(world, &root)?;
    write_sources(&root, FILES, LINES)?;
    git(world, &root, &["add", "-A"])?;
    git(world, &root, &["commit", "-q", "-m", "start"])?;
    add_anchors(world, &root)?;
    let start = git(world, &root, &["rev-parse", "HEAD"])?;
    import(world, &root, &history(&root, start.trim())?)?;
    let cache = world.cache();
    let kept = cache.with_file_name("kept-for-the-next");

    // The last of them is the new one.
    git(world, &root, &["checkout", "-q", "--detach", "later~1"])?;
    let mut first = || {
        remove(&cache)?;
        check(world, &root)
    };
    let mut firsts = in_turn(&mut [&mut first], world.repeat(5))?;
    copy(&cache, &kept)?;
    let mut next = || {
        remove(&cache)?;
        copy(&kept, &cache)?;
        check(world, &root)
    };
    let mut same = in_turn(&mut [&mut next], world.repeat(11))?;
    git(world, &root, &["checkout", "-q", "--detach", "later"])?;
    let mut nexts = in_turn(&mut [&mut next], world.repeat(11))?;
    let within = |limit| Goal::Within(Duration::from_millis(limit));
    Ok(vec![
        Row::times(
            "anchor-history first",
            firsts.remove(0),
            None,
            within(3_000),
        ),
        Row::times("anchor-history again", same.remove(0), None, within(100)),
        Row::times("anchor-history next", nexts.remove(0), None, within(100)),
    ])
}

fn add_anchors(world: &World, root: &Path) -> Result<(), Error> {
    let mut anchors = String::new();
    for at in 0..ANCHORS {
        let (file, first) = (source_path(at % FILES), 5 + at / FILES * 35);
        let last = first + 6;
        let _ = writeln!(
            anchors,
            "{{\"id\":\"a{at}\",\"file\":\"{file}\",\"start_line\":{first},\"end_line\":{last}}}"
        );
    }
    let file = root.with_extension("jsonl");
    std::fs::write(&file, anchors)?;
    let file = file.to_string_lossy().into_owned();
    output(&mut world.windlass(root, ["anchor", "add", "--from", &file])).map(drop)
}

/// The time of one check. That anchors do not stand is what it is to find.
fn check(world: &World, root: &Path) -> Result<Duration, Error> {
    let mut command = world.windlass(root, ["anchor", "check", "--format", "jsonl"]);
    command.stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output()?;
    let took = started.elapsed();
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let told = lines.filter(|line| !line.is_empty()).count();
    if told < ANCHORS {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{told} anchors are told of: {said}").into());
    }
    Ok(took)
}

/// Commits on the branch `later` after `start`, as `git fast-import` takes them: functions are put in, lines edited, files renamed.
fn history(root: &Path, start: &str) -> Result<String, Error> {
    let mut numbers = Numbers::new(7);
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for at in 0..FILES {
        let path = source_path(at);
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
            let (path, lines) = &mut files[numbers.below(FILES)];
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
            let _ = write!(
                stream,
                "M 100644 inline {path}\ndata {}\n{text}\n",
                text.len()
            );
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

fn git(world: &World, root: &Path, args: &[&str]) -> Result<String, Error> {
    let mut command = world.program("git", root);
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    let said = output(command.args(args))?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn copy(from: &Path, to: &PathBuf) -> Result<(), Error> {
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
