//! TRON against JSON as serde_json reads and writes it, and against the reference implementation of TRON.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use windlass::base::Limit;
use windlass::packs::Measure;
use windlass_tron::{Value, WriteOptions};

use super::measure::{Samples, in_turn, output};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

const ITEMS: usize = 10_000;

/// At least half of serde_json's throughput in reading, in bytes of JSON a second; at least three tenths in writing.
const READING: Goal = Goal::Times(2.0);
const WRITING: Goal = Goal::Times(1.0 / 0.3);

/// The reference implementation, and how many times as fast reading should be.
const REFERENCE: &str = "@tron-format/tron@0.1.3";
const FASTER: Goal = Goal::Times(0.1);

/// Of the long examples of the vContext specification: what the reference implementation makes of them, in tokens.
const EXAMPLES: [(&str, f64); 3] = [
    ("todo-incident", 1_151.0),
    ("plan-webhooks", 1_414.0),
    ("playbook-reliability", 658.0),
];

#[derive(Serialize, Deserialize)]
struct Document {
    items: Vec<Item>,
}

#[derive(Serialize, Deserialize)]
struct Item {
    id: String,
    uid: String,
    title: String,
    status: String,
    priority: String,
    created: String,
    #[serde(rename = "percentComplete")]
    percent_complete: u32,
    tags: Vec<String>,
    agent: Option<Agent>,
    sequence: u64,
}

#[derive(Serialize, Deserialize)]
struct Agent {
    id: String,
    r#type: String,
    name: String,
}

impl Document {
    fn new() -> Self {
        let item = |nr: usize| Item {
            id: format!("t{nr}"),
            uid: format!("8c0d8b2f-2d08-4e4a-a34f-{nr:012x}"),
            title: format!("Look at part {nr} of \"the whole\" and say what it is"),
            status: ["pending", "inProgress", "completed"][nr % 3].to_owned(),
            priority: ["low", "high"][nr % 2].to_owned(),
            created: format!("2025-12-28T07:{:02}:00Z", nr % 60),
            percent_complete: u32::try_from(nr % 101).unwrap_or_default(),
            tags: vec!["observability".to_owned(), "alerts".to_owned()],
            agent: (!nr.is_multiple_of(4)).then(|| Agent {
                id: format!("human-{}", nr % 7),
                r#type: "human".to_owned(),
                name: "somebody".to_owned(),
            }),
            sequence: nr as u64 * 1_001,
        };
        let items = (0..ITEMS).map(item).collect();
        Self { items }
    }
}

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let document = Document::new();
    let json = serde_json::to_string(&document)?;
    let tron = windlass_tron::to_string(&document)?;
    let mut rows = reading(world, &json, &tron)?;
    rows.extend(writing(world, &document, &json)?);
    rows.push(reference(world, &tron)?);
    rows.extend(tokens()?);
    rows.extend(packs(world)?);
    Ok(rows)
}

/// The time `work` takes; what it gives is dropped afterwards.
fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<Duration, Error> {
    let started = Instant::now();
    let value = black_box(work()?);
    let took = started.elapsed();
    drop(value);
    Ok(took)
}

/// One row of `ours` against what serde_json does.
fn against_json(
    world: &World,
    name: &str,
    goal: Goal,
    mut ours: impl FnMut() -> Result<Duration, Error>,
    mut peer: impl FnMut() -> Result<Duration, Error>,
) -> Result<Row, Error> {
    let mut samples = in_turn(&mut [&mut ours, &mut peer], world.repeat(21))?;
    let (peer, ours) = (samples.remove(1), samples.remove(0));
    Ok(Row::times(name, ours, Some(("serde_json", peer)), goal))
}

fn reading(world: &World, json: &str, tron: &str) -> Result<Vec<Row>, Error> {
    let any_json = || timed(|| Ok(serde_json::from_str::<serde_json::Value>(json)?));
    let type_json = || timed(|| Ok(serde_json::from_str::<Document>(json)?));
    let any = |text| move || timed(|| Ok(Value::parse(text)?));
    let typed = |text| move || timed(|| Ok(windlass_tron::from_str::<Document>(text)?));
    Ok(vec![
        against_json(world, "tron: read any value", READING, any(tron), any_json)?,
        against_json(world, "tron: read a type", READING, typed(tron), type_json)?,
        against_json(
            world,
            "tron: read JSON, any value",
            READING,
            any(json),
            any_json,
        )?,
        against_json(
            world,
            "tron: read JSON, a type",
            READING,
            typed(json),
            type_json,
        )?,
    ])
}

fn writing(world: &World, document: &Document, json: &str) -> Result<Vec<Row>, Error> {
    let any = Value::parse(json)?;
    let any_json: serde_json::Value = serde_json::from_str(json)?;
    let options = WriteOptions::default();
    Ok(vec![
        against_json(
            world,
            "tron: write any value",
            WRITING,
            || timed(|| Ok(options.value_to_string(&any))),
            || timed(|| Ok(serde_json::to_string(&any_json)?)),
        )?,
        against_json(
            world,
            "tron: write a type",
            WRITING,
            || timed(|| Ok(windlass_tron::to_string(document)?)),
            || timed(|| Ok(serde_json::to_string(document)?)),
        )?,
    ])
}

/// Reads a file as often as it takes to be quick, then once more, and prints how many microseconds that took.
const SCRIPT: &str = "\
import { TRON } from '@tron-format/tron';
import { readFileSync } from 'node:fs';
const text = readFileSync('document.tron', 'utf8');
for (let nr = 0; nr < 4; nr++) TRON.parse(text);
const started = process.hrtime.bigint();
const value = TRON.parse(text);
const took = process.hrtime.bigint() - started;
if (value.items.length === 0) throw new Error('nothing was read');
console.log(String(took / 1000n));
";

fn reference(world: &World, tron: &str) -> Result<Row, Error> {
    const NAME: &str = "tron: read any value, the reference";
    let folder = world.folder("tron-reference")?;
    if !world.has("node") || !world.has("npm") {
        return Ok(Row::skipped(NAME, "there is no `node` or no `npm`"));
    }
    let mut install = world.program("npm", &folder);
    install.args(["install", "--silent", "--no-audit", "--no-fund", REFERENCE]);
    if output(&mut install).is_err() {
        return Ok(Row::skipped(
            NAME,
            format!("npm does not get `{REFERENCE}`"),
        ));
    }
    std::fs::write(folder.join("document.tron"), tron)?;
    std::fs::write(folder.join("read.mjs"), SCRIPT)?;
    let mut ours = || timed(|| Ok(Value::parse(tron)?));
    let mut peer = || read_by_reference(world.program("node", &folder));
    let mut samples: Vec<Samples> = in_turn(&mut [&mut ours, &mut peer], world.repeat(5))?;
    let (peer, ours) = (samples.remove(1), samples.remove(0));
    Ok(Row::times(NAME, ours, Some(("JavaScript", peer)), FASTER))
}

fn read_by_reference(mut node: Command) -> Result<Duration, Error> {
    let said = output(node.arg("read.mjs"))?;
    let micros: u64 = String::from_utf8(said)?.trim().parse()?;
    Ok(Duration::from_micros(micros))
}

fn tokens() -> Result<Vec<Row>, Error> {
    let measure = Measure::of(Limit::Tokens(0));
    let weigh = |text: &str| measure.weigh(text);
    let options = WriteOptions {
        weigh: Some(&weigh),
        ..WriteOptions::default()
    };
    let example = |(name, limit): (&str, f64)| {
        let json = std::fs::read_to_string(examples().join(name).with_extension("json"))?;
        let tokens = weigh(&options.value_to_string(&Value::parse(&json)?)) as f64;
        let name = format!("tron: tokens of {name}");
        Ok(Row::number(name, tokens, limit, "tokens"))
    };
    EXAMPLES.into_iter().map(example).collect()
}

/// Runbooks of this repository, with their inputs.
const PACKS: [&[&str]; 4] = [
    &["overview"],
    &["formats"],
    &["step-kinds"],
    &[
        "crate",
        "-i",
        "name=windlass-packs",
        "-i",
        "folder=crates/packs",
    ],
];

/// What packs of this very repository take as TRON, in tokens: no more than as JSON.
fn packs(world: &World) -> Result<Vec<Row>, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let measure = Measure::of(Limit::Tokens(0));
    let tokens = |args: &[&str], format| {
        let budget = ["--max-tokens", "100000", "--format", format];
        let args = [&["run"], args, &budget].concat();
        let printed = output(&mut world.windlass(&root, args))?;
        Ok::<_, Error>(measure.weigh(&String::from_utf8(printed)?) as f64)
    };
    let pack = |args: &&[&str]| {
        let (json, tron) = (tokens(args, "json")?, tokens(args, "tron")?);
        let saved = 100.0 * (1.0 - tron / json);
        let name = format!("tron: tokens of the pack {} ({saved:.0} % saved)", args[0]);
        Ok(Row::number(name, tron, json, "tokens"))
    };
    PACKS.iter().map(pack).collect()
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tron/tests/data/spec")
}
