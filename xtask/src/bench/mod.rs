//! Benchmarks that compare the command with a limit, or with its peers in the same run.

mod anchors;
mod bench_times;
mod bench_world;
mod cold_commands;
mod documents;
mod history;
mod made_sources;
mod search;

use std::process::ExitCode;

use crate::{Error, built};
use bench_times::Row;
use bench_world::World;

struct Benchmark {
    name: &'static str,
    what: &'static str,
    run: fn(&World) -> Result<Vec<Row>, Error>,
}

const BENCHMARKS: [Benchmark; 8] = [
    Benchmark {
        name: "cold-run",
        what: "a runbook of three sections on a repository of 60 files",
        run: cold_commands::runbook,
    },
    Benchmark {
        name: "context",
        what: "a context pack of 6,000 tokens on a repository of 5,000 files",
        run: cold_commands::context,
    },
    Benchmark {
        name: "ledger",
        what: "single commands on 10,000 beads",
        run: cold_commands::ledger,
    },
    Benchmark {
        name: "anchor-check",
        what: "5,000 anchors in 500 files",
        run: anchors::check,
    },
    Benchmark {
        name: "anchor-history",
        what: "1,000 anchors in 300 files, 500 commits old",
        run: anchors::history,
    },
    Benchmark {
        name: "convert",
        what: "a document of 2,000 items to JSON",
        run: documents::convert,
    },
    Benchmark {
        name: "scan",
        what: "400 pages without citations in 100 commits",
        run: documents::scan,
    },
    Benchmark {
        name: "search",
        what: "the `search` step over a tree of 6,000 files",
        run: search::run,
    },
];

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    if let Some((name, rest)) = args.split_first()
        && name == "shared"
    {
        return shared(rest);
    }
    let (mut names, mut repeat, mut check, mut day) = (Vec::new(), None, false, None);
    let mut binary = None;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--repeat" => repeat = Some(args.next().ok_or("`--repeat` takes a value")?.parse()?),
            "--windlass" => binary = Some(args.next().ok_or("`--windlass` takes a file")?.into()),
            "--check" => check = true,
            "--record" => day = Some(args.next().ok_or("`--record` takes a day")?),
            name if BENCHMARKS.iter().any(|one| one.name == name) => names.push(arg),
            _ => {
                let known = BENCHMARKS.map(|one| format!("{:14} {}", one.name, one.what));
                return Err(format!("there is no `{arg}`; there are\n{}", known.join("\n")).into());
            }
        }
    }
    let binary = binary.map_or_else(|| built::windlass("release"), Ok)?;
    let world = World::new(&binary, repeat)?;
    let mut all = Vec::new();
    for benchmark in BENCHMARKS {
        if !names.is_empty() && !names.iter().any(|name| name == benchmark.name) {
            continue;
        }
        eprintln!("{}: {} …", benchmark.name, benchmark.what);
        let rows =
            (benchmark.run)(&world).map_err(|error| format!("{}: {error}", benchmark.name))?;
        rows.iter().for_each(|row| println!("{row}"));
        all.extend(rows);
    }
    let slower = history::slower(&all)?;
    slower.iter().for_each(|line| println!("SLOWER  {line}"));
    if let Some(day) = day {
        history::record(&day, &all)?;
    }
    let missed = !slower.is_empty() || !all.iter().all(Row::is_met);
    Ok(ExitCode::from(u8::from(check && missed)))
}

/// Runs the benchmark of shared ledgers, which starts workers of its own. See
/// `crates/share/benches/shared.rs`.
fn shared(args: &[String]) -> Result<ExitCode, Error> {
    let done = std::process::Command::new("cargo")
        .args([
            "bench",
            "--locked",
            "--package",
            "windlass-share",
            "--features",
            "postgres",
        ])
        .args(["--bench", "shared", "--"])
        .args(args)
        .status()?;
    Ok(ExitCode::from(u8::from(!done.success())))
}
