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
    let sources = texts(world, most, &SOURCE, |at| source(at, LINES))?;
    let documents = texts(world, most / 4, &DOCUMENTS, |at| document(at, LINES))?;
    // As one text, what one file has a word of is looked for in all: so a filter gets them.
    let one: Vec<u8> = documents.concat();
    let mut rows = measure(world, "source", &sources)?;
    rows.extend(measure(world, "documents", &documents)?);
    rows.extend(measure(world, "documents in one text", &[one])?);
    Ok(rows)
}

/// How fast secret values are looked for in `texts`.
fn measure(world: &World, what: &str, texts: &[Vec<u8>]) -> Result<Vec<Row>, Error> {
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let mut secrets = 0;
    let mut looks = || {
        let files: Vec<SourceFile> = texts.iter().cloned().map(SourceFile::from_bytes).collect();
        let begun = Instant::now();
        secrets = files.iter().map(|file| file.shown().findings().len()).sum();
        Ok(begun.elapsed())
    };
    // Two limits: the bytes are moved once, and each is compared once.
    let mut copies = || {
        let begun = Instant::now();
        for text in texts {
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
        "redact: {:.0} MB of {what} at {:.0} MB/s, {secrets} values",
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

/// The text of document number `at`, with about `lines` lines, which speaks of what has to do with secrets as the
/// documents of a server or a client do.
fn document(at: usize, lines: usize) -> String {
    const LINES: [&str; 8] = [
        "Each request has an `Authorization` header, which names who asks, and a cookie for the session.",
        "See [the guide](https://example.com/guide/tokens.html) for what a token may do, or ask `curl`:",
        "",
        "    curl -s https://api.example.com/v1/items -H 'accept: application/json' | jq .",
        "The password is kept by whoever set it; the key identified by its name is read from the environment.",
        "| option | default | what it does |",
        "- `secretName`: what the secret is called, and `passwordFile`: where it stands",
        "Basic authentication, discord and facebook are told in [another](https://example.com/other) page.",
    ];
    let mut text = format!("# Document {at}\n\n");
    for line in 0..lines {
        text.push_str(LINES[(line * 5 + at) % LINES.len()]);
        text.push('\n');
    }
    text
}

/// Texts of about `most` bytes that have one of some endings: of the repository that was named, else of what cargo has downloaded, else generated.
fn texts(
    world: &World,
    most: usize,
    endings: &[&str],
    generated: impl Fn(usize) -> String,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut texts = Vec::new();
    let mut left = most;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let downloaded = home.map(|home| home.join("registry").join("src"));
    let folder = world.repo().map(Path::to_owned).or(downloaded);
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        take(&folder, endings, &mut left, &mut texts)?;
    }
    let mut at = 0;
    while left > 0 {
        let text = generated(at).into_bytes();
        left = left.saturating_sub(text.len());
        texts.push(text);
        at += 1;
    }
    Ok(texts)
}

fn take(
    folder: &Path,
    endings: &[&str],
    left: &mut usize,
    texts: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
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
            take(&path, endings, left, texts)?;
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
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

/// Endings of documents.
const DOCUMENTS: [&str; 4] = ["md", "mdx", "rst", "adoc"];
