//! Speed of redaction.

use std::time::{Duration, Instant};

use windlass_repo::SourceFile;

use super::bench_times::{Row, in_turn};
use super::bench_world::World;
use super::made_sources::source;
use crate::Error;

/// Number of lines of a text.
const LINES: usize = 400;
/// Minimum rate, in bytes per second.
const LEAST: f64 = 200e6;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let texts = |make: fn(usize, usize) -> String, count| -> Vec<Vec<u8>> {
        (0..count).map(|at| make(at, LINES).into_bytes()).collect()
    };
    let documents = texts(document, 500);
    // In one large text, a keyword of one file enables its rules for all of them, as when redacting
    // a stream.
    let one = vec![documents.concat()];
    Ok(vec![
        measured(world, "source", &texts(source, 2_000))?,
        measured(world, "documents", &documents)?,
        measured(world, "documents in one text", &one)?,
    ])
}

/// Measures the search for secret values in `texts`.
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

/// Returns the document with the number `at` and about `lines` lines, which mentions secrets as the
/// documentation of a server or a client does.
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
