//! A memory of 10,000 records: recalled by a new process, and again and again by one; and written to.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use windlass::{Environment, RecallFormat, RecallRequest, Seeds, Workspace};

use super::measure::{Samples, in_turn, output, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

const RECORDS: usize = 10_000;

/// So many times what looking at the files takes a write may take: all that is known of them is read, the lists of the index and
/// the summary are read twice each, before and after, and four files are made durable.
const REMEMBER: f64 = 20.0;
/// So many times what a recall takes where nothing changed the first one after a write may take: all that is known of the files
/// is read, compared with the index, and written.
const AFTER_WRITE: f64 = 10.0;

/// What the records are about, in words that are made of these.
const PARTS: [&str; 24] = [
    "parser", "queue", "cache", "socket", "index", "session", "schema", "cursor", "retry", "lease",
    "digest", "budget", "router", "buffer", "shard", "token", "worker", "layout", "signal",
    "ledger", "anchor", "plugin", "window", "journal",
];

const QUESTIONS: [&str; 4] = [
    "why does the parser of part77 keep its cursor in the journal?",
    "continue the retry queue of part4242",
    "what did we decide about leases and shards",
    "migrate the kitchen to induction",
];

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("memory")?;
    output(world.program("git", &root).args(["init", "--quiet"]))?;
    write(&root)?;
    let recall = |question: &'static str| vec!["memory", "recall", question, "--format", "json"];
    // The first one makes the index, once the files are no longer brand new.
    std::thread::sleep(Duration::from_secs(3));
    let begun = Instant::now();
    output(&mut world.windlass(&root, recall(QUESTIONS[0])))?;
    let made = Samples::of(vec![begun.elapsed()]);
    let mut at = 0;
    let mut cold = || {
        at += 1;
        time(&mut world.windlass(&root, recall(QUESTIONS[at % QUESTIONS.len()])))
    };
    let mut bare = || time(&mut world.windlass(&root, ["--version"]));
    let mut look = || look_at_files(&root);
    let mut took = in_turn(&mut [&mut cold, &mut bare, &mut look], world.repeat(21))?;
    let look = took.remove(2);
    let start = took.remove(1);
    let cold = took.remove(0);
    let mut rows = vec![
        Row::times(
            "memory: recall, the index made",
            made,
            None,
            Goal::Within(Duration::from_secs(5)),
        ),
        Row::times(
            "memory: recall, a new process",
            cold,
            Some(("a process that does nothing", start)),
            Goal::Within(Duration::from_millis(50)),
        ),
    ];
    rows.push(Row::times(
        "memory: recall, a process that goes on",
        warm(&root, world)?,
        None,
        Goal::Within(Duration::from_millis(5)),
    ));
    rows.extend(written(&root, world, &recall, &look)?);
    rows.push(Row::times(
        "memory: looking at its files",
        look,
        None,
        Goal::Control,
    ));
    Ok(rows)
}

/// Writing one record, and the first recall after it, once the files are no longer brand new: what a write costs whoever asks next.
fn written(
    root: &Path,
    world: &World,
    recall: &dyn Fn(&'static str) -> Vec<&'static str>,
    look: &Samples,
) -> Result<Vec<Row>, Error> {
    let (mut remembered, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..world.repeat(5) {
        let title = format!("Another decision of number {number}");
        let remember = [
            "memory",
            "remember",
            "decision",
            &title,
            "--text",
            "So it is.",
        ];
        remembered.push(time(&mut world.windlass(root, remember))?);
        std::thread::sleep(Duration::from_secs(3));
        first.push(time(&mut world.windlass(root, recall(QUESTIONS[0])))?);
        again.push(time(&mut world.windlass(root, recall(QUESTIONS[0])))?);
    }
    // An index that has to be made as a whole: of a memory nobody asked yet.
    let mut anew = Vec::new();
    for number in 0..world.repeat(3) {
        let cache = world.folder(&format!("memory-cache-{number}"))?;
        let mut command = world.windlass(root, recall(QUESTIONS[0]));
        anew.push(time(command.env("XDG_CACHE_HOME", cache))?);
    }
    let first = || Samples::of(first.clone());
    Ok(vec![
        Row::times(
            "memory: remember",
            Samples::of(remembered),
            Some(("looking at its files", look.clone())),
            Goal::TimesOrWithin(REMEMBER, Duration::from_millis(150)),
        ),
        Row::times(
            "memory: recall after one write",
            first(),
            Some(("a recall where nothing changed", Samples::of(again))),
            Goal::TimesOrWithin(AFTER_WRITE, Duration::from_millis(250)),
        ),
        Row::times(
            "memory: recall after one write",
            first(),
            Some(("one that makes the index as a whole", Samples::of(anew))),
            Goal::Times(0.25),
        ),
    ])
}

/// What nobody gets round who has to notice that any of the files was written to: their names, and the state of each, looked at by as
/// many threads as there are.
fn look_at_files(root: &Path) -> Result<Duration, Error> {
    let begun = Instant::now();
    let entries: Vec<_> =
        std::fs::read_dir(root.join("memory/decisions"))?.collect::<Result<_, _>>()?;
    let threads = std::thread::available_parallelism()?.get();
    let looked: u64 = std::thread::scope(|scope| {
        let pieces = entries.chunks(entries.len().div_ceil(threads).max(1));
        let look = |piece: &[std::fs::DirEntry]| -> u64 {
            let sizes = piece.iter().filter_map(|entry| entry.metadata().ok());
            sizes.map(|metadata| metadata.len()).sum()
        };
        let threads: Vec<_> = pieces
            .map(|piece| scope.spawn(move || look(piece)))
            .collect();
        threads.into_iter().filter_map(|one| one.join().ok()).sum()
    });
    match looked {
        0 => Err("no file was looked at".into()),
        _ => Ok(begun.elapsed()),
    }
}

fn warm(root: &Path, world: &World) -> Result<Samples, Error> {
    let environment = Environment {
        variables: std::sync::Arc::default(),
        clock: std::time::SystemTime::now,
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(|| 7),
        threads: std::thread::available_parallelism()?,
        holder: "bench".to_owned(),
    };
    let recaller = Workspace::open(root, environment)?.memory().recaller()?;
    let mut samples = Vec::new();
    for at in 0..world.repeat(21) {
        let request = RecallRequest {
            query: QUESTIONS[at % QUESTIONS.len()].to_owned(),
            matches: 5,
            explain: false,
            also: Vec::new(),
            limit: None,
            format: RecallFormat::Json,
        };
        let begun = Instant::now();
        recaller.recall(&request)?;
        samples.push(begun.elapsed());
    }
    Ok(Samples::of(samples))
}

fn write(root: &Path) -> Result<(), Error> {
    let folder = root.join("memory/decisions");
    std::fs::create_dir_all(&folder)?;
    let front = |id: &str, title: &str| {
        format!(
            "---\nid: {id}\ntitle: {title}\nstatus: active\nscope: project:bench\nupdated: 2026-01-01\ndate: 2026-01-01\n---\n\n"
        )
    };
    let mut impressions = String::new();
    for number in 0..RECORDS {
        let word = |step: usize| PARTS[(number / (step * step + 1) + number * step) % PARTS.len()];
        let (id, title) = (
            format!("d{number}"),
            format!("The {} keeps the {} of part{number}", word(1), word(2)),
        );
        let body = format!(
            "## Decision\n\nThe {} of part{number} hands its {} to the {} before the {} closes.\n\n## Rationale\n\n{}\n\n## Consequences\n\n{}\n\n## Related records\n\nNone.\n",
            word(1),
            word(2),
            word(3),
            word(4),
            format!("Otherwise the {} waits for the {}. ", word(5), word(6)).repeat(6),
            format!("Each {} carries a {} more. ", word(7), word(8)).repeat(4),
        );
        std::fs::write(
            folder.join(format!("{id}.md")),
            format!("{}# {title}\n\n{body}", front(&id, &title)),
        )?;
        let _ = writeln!(
            impressions,
            "{{\"schema_version\":1,\"id\":\"{id}\",\"scope\":\"project:bench\",\"title\":\"{title}\",\"keywords\":[\"{}\",\"{}\",\"part{number}\"],\"record_path\":\"memory/decisions/{id}.md\",\"updated\":\"2026-01-01\"}}",
            word(1),
            word(2)
        );
    }
    std::fs::write(root.join("memory/impressions.jsonl"), impressions)?;
    std::fs::write(
        root.join("memory/summary.md"),
        format!(
            "{}# Bench\n\n## Current objective\n\nTo be fast.\n",
            front("summary", "Summary")
        ),
    )?;
    Ok(())
}
