//! How fast secret values are looked for in source text, beside what it takes to read the text at all.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_repo::SourceFile;

use super::measure::{Samples, in_turn};
use super::report::{Goal, Row};
use super::tree::source;
use super::world::World;
use crate::Error;

/// How much text is looked through, in bytes.
const MOST: usize = 64 << 20;
/// Lines of a generated file.
const LINES: usize = 400;
/// Bytes in a second that have to be looked through.
const LEAST: f64 = 200e6;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let most = world.files(MOST / (16 << 10)) * (16 << 10);
    let texts = texts(world, most)?;
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let mut secrets = 0;
    let mut looks = || {
        let files: Vec<SourceFile> = texts.iter().cloned().map(SourceFile::from_bytes).collect();
        let begun = Instant::now();
        secrets = files.iter().map(|file| file.findings().len()).sum();
        Ok(begun.elapsed())
    };
    // Two limits: the bytes are moved once, and each is compared once.
    let mut copies = || {
        let begun = Instant::now();
        for text in &texts {
            black_box(text.clone());
        }
        Ok(begun.elapsed())
    };
    let mut counts = || {
        let begun = Instant::now();
        let lines = |text: &Vec<u8>| text.iter().filter(|byte| **byte == b'\n').count();
        black_box(texts.iter().map(lines).sum::<usize>());
        Ok(begun.elapsed())
    };
    let took = in_turn(&mut [&mut looks, &mut copies, &mut counts], world.repeat(7))?;
    let [looks, copies, counts] =
        <[Samples; 3]>::try_from(took).map_err(|_| Error::from("each has its samples"))?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let bytes = bytes as f64;
    let rate = bytes / looks.median().as_secs_f64();
    let goal = Goal::Within(Duration::from_secs_f64(bytes / LEAST));
    let name = format!(
        "redact: {:.0} MB of source at {:.0} MB/s, {secrets} values",
        bytes / 1e6,
        rate / 1e6
    );
    Ok(vec![
        Row::times(name, looks.clone(), Some(("copying it", copies)), goal),
        Row::times(
            "redact: the same",
            looks,
            Some(("counting its lines", counts)),
            goal,
        ),
    ])
}

/// Texts of about `most` bytes: of the repository that was named, else of what cargo has downloaded, else generated.
fn texts(world: &World, most: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut texts = Vec::new();
    let mut left = most;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let downloaded = home.map(|home| home.join("registry").join("src"));
    let folder = world.repo().map(Path::to_owned).or(downloaded);
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        take(&folder, &mut left, &mut texts)?;
    }
    let mut at = 0;
    while left > 0 {
        let text = source(at, LINES).into_bytes();
        left = left.saturating_sub(text.len());
        texts.push(text);
        at += 1;
    }
    Ok(texts)
}

fn take(folder: &Path, left: &mut usize, texts: &mut Vec<Vec<u8>>) -> Result<(), Error> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        if *left == 0 {
            return Ok(());
        }
        let is_link = path.symlink_metadata().is_ok_and(|it| it.is_symlink());
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() && !is_link && !path.ends_with(".git") {
            take(&path, left, texts)?;
        } else if ending.is_some_and(|ending| SOURCE.contains(&ending)) {
            let text = std::fs::read(&path)?;
            *left = left.saturating_sub(text.len());
            texts.push(text);
        }
    }
    Ok(())
}

/// Endings of source files.
const SOURCE: [&str; 10] = [
    "rs", "ts", "js", "py", "go", "java", "c", "h", "cpp", "toml",
];
