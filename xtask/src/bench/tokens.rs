//! Budgets of tokens: what keeping one costs a command, and counting against a library that loads a table first.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::measure::{in_turn, output, time};
use super::report::{Goal, Row};
use super::tree::source;
use super::world::World;
use crate::Error;

/// How many lines the text has that is counted, and that a runbook reads.
const LINES: usize = 2_000;

const RUNBOOK: &str = "schema_version: 1
id: text
steps:
- { id: read, uses: read, with: { file: text.rs } }
outputs:
- { id: text, from: read }
";

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let text = source(1, LINES);
    Ok(vec![command(world, &text)?, counting(world, &text)?])
}

/// The same pack within about as much, of tokens and of characters.
fn command(world: &World, text: &str) -> Result<Row, Error> {
    let root = world.folder("tokens")?;
    std::fs::create_dir_all(root.join("runbooks"))?;
    std::fs::write(root.join("runbooks/text.yaml"), RUNBOOK)?;
    std::fs::write(root.join("text.rs"), text)?;
    let with = |option: &str, budget: &str| world.windlass(&root, ["run", "text", option, budget]);
    output(&mut with("--max-tokens", "2000"))?;
    let mut tokens = || time(&mut with("--max-tokens", "2000"));
    let mut chars = || time(&mut with("--max-chars", "8000"));
    let mut samples = in_turn(&mut [&mut tokens, &mut chars], world.repeat(41))?;
    let (chars, tokens) = (samples.remove(1), samples.remove(0));
    Ok(Row::times(
        "tokens: a pack of 2,000",
        tokens,
        Some(("8,000 characters", chars)),
        Goal::TimesOrWithin(1.25, Duration::from_millis(10)),
    ))
}

/// Counting alone, once everything is in memory.
fn counting(world: &World, text: &str) -> Result<Row, Error> {
    let loading = Instant::now();
    let peer = tiktoken::get_encoding(windlass_tokens::ENCODING).ok_or("there is no vocabulary")?;
    let loading = loading.elapsed();
    if peer.count(text) != windlass_tokens::count(text) {
        return Err("the counts differ".into());
    }
    let timed = |count: &dyn Fn(&str) -> usize| {
        let started = Instant::now();
        black_box(count(black_box(text)));
        Ok(started.elapsed())
    };
    let mut ours = || timed(&windlass_tokens::count);
    let mut theirs = || timed(&|text| peer.count(text));
    let mut samples = in_turn(&mut [&mut ours, &mut theirs], world.repeat(21))?;
    let (theirs, ours) = (samples.remove(1), samples.remove(0));
    let name = format!(
        "tokens: {LINES} lines counted (tiktoken loads {} ms first)",
        loading.as_millis()
    );
    Ok(Row::times(
        name,
        ours,
        Some(("tiktoken", theirs)),
        Goal::Times(1.0),
    ))
}
