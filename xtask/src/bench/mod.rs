//! Benchmarks that compare the command with its peers in the same run.

mod anchor_check;
mod anchor_history;
mod cold_run;
mod context;
mod determinism;
mod formula;
mod ledger;
mod mcp;
mod measure;
mod memory;
mod noop_steps;
mod notebook;
mod plugin;
mod processes;
mod redact;
mod report;
mod search;
mod suggest;
mod tokens;
mod tree;
mod tron;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Error;
use report::Row;
use world::World;

struct Benchmark {
    name: &'static str,
    what: &'static str,
    run: fn(&World) -> Result<Vec<Row>, Error>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "cold-run",
        what: "a runbook of three sections on a repository of 60 files",
        run: cold_run::run,
    },
    Benchmark {
        name: "anchor-check",
        what: "5,000 anchors in 500 files",
        run: anchor_check::run,
    },
    Benchmark {
        name: "anchor-history",
        what: "1,000 anchors in 300 files, 500 commits old",
        run: anchor_history::run,
    },
    Benchmark {
        name: "noop-steps",
        what: "steps that do nothing, and large plans",
        run: noop_steps::run,
    },
    Benchmark {
        name: "processes",
        what: "steps that start `true`",
        run: processes::run,
    },
    Benchmark {
        name: "search",
        what: "the `search` step over a tree of at least 5,000 files",
        run: search::run,
    },
    Benchmark {
        name: "notebook",
        what: "5,000 anchors shown, and one of them changed",
        run: notebook::run,
    },
    Benchmark {
        name: "ledger",
        what: "10,000 beads and 100,000 events: single commands, durable appends",
        run: ledger::run,
    },
    Benchmark {
        name: "memory",
        what: "a memory of 10,000 records: recalled cold and warm, and written to",
        run: memory::run,
    },
    Benchmark {
        name: "mcp",
        what: "the server for agents: start, packs, 100 calls at once, memory",
        run: mcp::run,
    },
    Benchmark {
        name: "context",
        what: "a context pack of 6,000 tokens on a repository of 5,000 files, and made again",
        run: context::run,
    },
    Benchmark {
        name: "redact",
        what: "64 MB of source text looked through for secret values",
        run: redact::run,
    },
    Benchmark {
        name: "formula",
        what: "formulas cooked to 1,025 and to 100,000 steps",
        run: formula::run,
    },
    Benchmark {
        name: "plugin",
        what: "WebAssembly steps: calls, threads, deadlines, memory, and the size of the command",
        run: plugin::run,
    },
    Benchmark {
        name: "suggest",
        what: "suggestions for a repository of 5,000 files",
        run: suggest::run,
    },
    Benchmark {
        name: "determinism",
        what: "the same bytes for every `--jobs`",
        run: determinism::run,
    },
    Benchmark {
        name: "tron",
        what: "TRON read and written, against serde_json and the reference implementation",
        run: tron::run,
    },
    Benchmark {
        name: "tokens",
        what: "budgets of tokens, against characters and a library that counts tokens",
        run: tokens::run,
    },
];

/// Runs `cargo xtask bench`.
pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let options = Options::parse(args)?;
    if options.list {
        for benchmark in BENCHMARKS {
            println!("{:14} {}", benchmark.name, benchmark.what);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let world = World::new(&options)?;
    let mut rows = Vec::new();
    for benchmark in options.chosen()? {
        eprintln!("{}: {} …", benchmark.name, benchmark.what);
        let more =
            (benchmark.run)(&world).map_err(|error| format!("{}: {error}", benchmark.name))?;
        rows.extend(more);
    }
    print!("{}", report::table(&rows));
    if let Some(file) = options.json {
        std::fs::write(file, format!("{:#}\n", report::json(&rows)))?;
    }
    let missed = rows.iter().any(|row| row.met() == Some(false));
    Ok(ExitCode::from(u8::from(options.check && missed)))
}

#[derive(Default)]
struct Options {
    names: Vec<String>,
    repeat: Option<usize>,
    repo: Option<PathBuf>,
    files: Option<usize>,
    /// Programs that others are measured by, by what they are called.
    peers: Vec<(&'static str, PathBuf)>,
    debug: bool,
    json: Option<String>,
    check: bool,
    list: bool,
}

impl Options {
    fn parse(args: Vec<String>) -> Result<Self, Error> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` takes a value"));
            match arg.as_str() {
                "--repeat" => options.repeat = Some(value()?.parse()?),
                "--repo" => options.repo = Some(value()?.into()),
                "--files" => options.files = Some(value()?.parse()?),
                "--peer" => {
                    let value = value()?;
                    let (name, program) = value
                        .split_once('=')
                        .ok_or_else(|| format!("`--peer` takes NAME=PROGRAM, not `{value}`"))?;
                    let name = name.to_owned().leak();
                    options.peers.push((name, program.into()));
                }
                "--debug" => options.debug = true,
                "--json" => options.json = Some(value()?),
                "--check" => options.check = true,
                "--list" => options.list = true,
                flag if flag.starts_with('-') => {
                    return Err(format!("there is no `{flag}`\n\n{}", crate::USAGE).into());
                }
                _ => options.names.push(arg),
            }
        }
        Ok(options)
    }

    fn chosen(&self) -> Result<Vec<&'static Benchmark>, Error> {
        if self.names.is_empty() {
            return Ok(BENCHMARKS.iter().collect());
        }
        let named = |name: &String| {
            let names = || BENCHMARKS.iter().map(|benchmark| benchmark.name);
            let known = || names().collect::<Vec<_>>().join(", ");
            BENCHMARKS
                .iter()
                .find(|benchmark| benchmark.name == name)
                .ok_or_else(|| format!("there is no `{name}`; there are {}", known()).into())
        };
        self.names.iter().map(named).collect()
    }
}
