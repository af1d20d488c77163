//! Speed of redaction.

use std::time::{Duration, Instant};

use windlass_repo::SourceFile;

use super::bench_times::{Row, in_turn};
use super::bench_world::World;
use super::made_sources::source;
use crate::Error;

/// Lines of a text.
const LINES: usize = 400;
/// Bytes in a second that have to be looked through.
const LEAST: f64 = 200e6;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let texts = |make: fn(usize, usize) -> String, count| -> Vec<Vec<u8>> {
        (0..count).map(|at| make(at, LINES).into_bytes()).collect()
    };
    let documents = texts(document, 500);
    // As one text, what one file has a word of is looked for in all: so a filter gets them.
    let one = vec![documents.concat()];
    Ok(vec![
        measured(world, "source", &texts(source, 2_000))?,
        measured(world, "documents", &documents)?,
        measured(world, "documents in one text", &one)?,
    ])
}

/// How fast secret values are looked for in `texts`.
fn measured(world: &World, what: &str, texts: &[Vec<u8>]) -> Result<Row, Error> {
    let bytes = texts.iter().map(Vec::len).sum::<usize>() as f64;
    let mut secrets = 0;
    let mut looks = || {
        let files: Vec<SourceFile> = texts.iter().cloned().map(SourceFile::from_bytes).collect();
        let begun = Instant::now();
        secrets = files.iter().map(|file| file.shown().findings().len()).sum();
        Ok(begun.elapsed())
    };
    let [looks] = in_turn([&mut looks], world.repeat(7))?;
    let rate = bytes / looks.median().as_secs_f64() / 1e6;
    let name = format!(
        "redact: {:.0} MB of {what} at {rate:.0} MB/s, {secrets} values",
        bytes / 1e6
    );
    let limit = Duration::from_secs_f64(bytes / LEAST);
    Ok(Row::within(name, looks, limit))
}

/// The text of document number `at`, with about `lines` lines, which speaks of what has to do with secrets as the
/// documents of a server or a client do.
fn document(at: usize, lines: usize) -> String {
    const SAID: [&str; 8] = [
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
        text.push_str(SAID[(line * 5 + at) % SAID.len()]);
        text.push('\n');
    }
    text
}
