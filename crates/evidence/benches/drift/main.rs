//! Benchmark of finding spans again: `cargo xtask drift`, or
//! `cargo bench -p windlass-evidence --bench drift -- ARGS`.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark clones the repositories it is given, and prints"
)]

mod measure;

use std::process::ExitCode;

use measure::DriftRequest;

/// Error of a benchmark run, which is only reported.
type Error = Box<dyn std::error::Error>;

const USAGE: &str = "\
cargo xtask drift --repo DIR… --commits N… [--spans N] [--seed N] [--ends N] [--show WORD…] [--explain]

  Captures spans of a repository N commits back, judges them at HEAD, and scores the verdicts by git's own tracking of lines.
  --repo DIR     git repository, which is only read; may be repeated
  --commits N…   distances, along first parents; `20 100` and `20,100` are both read
  --between A B  two revisions instead
  --spans N      number of spans drawn for each distance (default: 200)
  --seed N       seed of the draw (default: 1)
  --ends N       number of states that are judged: HEAD, HEAD~97, and so on (default: 1)
  --show WORD    also name the spans with this score or label: `gaveup`, `falselygone`, `deleted`, `replaced`, `edited`
  --keep DIR     cache git's tracking of lines in this folder
  --jobs N       number of threads (default: the number of processors)
  --explain      explain each verdict that is named
  --off NAME     turn a heuristic off, in a build with the feature `windlass-base/ablate`; may be repeated
  --ablate       with --commits: answer `cargo xtask ablate` on the standard input

cargo xtask drift --scripted --repo DIR… [--spans N] [--seed N] [--show WORD…] [--explain]

  Captures spans of a repository, makes N edits of each kind in a clone (a copy is deleted, twins are swapped, a file is renamed
  and edited, …), and scores the verdicts before and after the edit is committed.";

fn main() -> ExitCode {
    // Cargo passes `--bench` on to every benchmark.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    if args.is_empty() || args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if args.iter().any(|arg| arg == "--ablate") {
        let args = args.into_iter().filter(|arg| arg != "--ablate").collect();
        let (requests, mut out) = (std::io::stdin().lock(), std::io::stdout());
        let answered =
            request(args).and_then(|it| measure::ablated::answer_requests(&it, requests, &mut out));
        return answered.map_or_else(failed, |()| ExitCode::SUCCESS);
    }
    let found = request(args).and_then(|request| measure::drift(&request));
    match found {
        Ok(found) => {
            found.tell(&mut |line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => failed(error),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends a chain of results")]
fn failed(error: Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

fn request(args: Vec<String>) -> Result<DriftRequest, Error> {
    let mut request = DriftRequest {
        jobs: std::thread::available_parallelism()?,
        ..DriftRequest::default()
    };
    let mut off = Vec::new();
    let mut args = args.into_iter().peekable();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--repo" => request.repos.push(value()?.into()),
            "--commits" => {
                let first = value()?;
                let more = std::iter::from_fn(|| args.next_if(|arg| !arg.starts_with("--")));
                for numbers in std::iter::once(first).chain(more) {
                    for number in numbers.split(',') {
                        request.commits.push(number.parse()?);
                    }
                }
            }
            "--between" => request.between = Some((value()?, value()?)),
            "--spans" => request.spans = value()?.parse()?,
            "--seed" => request.seed = value()?.parse()?,
            "--ends" => request.ends = value()?.parse()?,
            "--show" => request.show.push(value()?),
            "--keep" => request.cache = Some(value()?.into()),
            "--jobs" => request.jobs = value()?.parse()?,
            "--explain" => request.explain = true,
            "--off" => off.push(value()?),
            "--scripted" => request.scripted = true,
            _ => return Err(format!("unknown option `{arg}`").into()),
        }
    }
    if !off.is_empty() && !windlass_base::turn_off(off.iter().map(String::as_str)) {
        return Err("the build has no switches: add `--features windlass-base/ablate`".into());
    }
    Ok(request)
}
