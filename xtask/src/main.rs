//! Development tasks that would otherwise need a shell script: `cargo xtask ablate`, `attack`,
//! `bench`, `dist`, `drift`, `fuzz`, `outputs`, `plugins`, `recall`, `relevance`, `same`, `secrets`
//! and `torture`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for those who work on the code: it reads and writes folders of its own, measures time and prints"
)]

mod ablate;
mod bench;
mod built;
mod campaign;
mod dist;
mod fuzz;
mod plugins;
mod quality;
#[cfg(unix)]
mod same;

use std::process::ExitCode;

/// Reason why a task failed.
type Error = Box<dyn std::error::Error>;

const USAGE: &str = "\
cargo xtask ablate AREA --repos DIR [--program FILE] [--date DAY] [--write]

  Measures the heuristics of an area (`context`, `evidence`, `find`, `recall`, `redact`) with each one turned off, then by backward
  elimination, and prints the cost of each beside the lines of code that would go. Builds the measuring program with switches, in `target/ablate`.
  --repos DIR      folder with the folders `tune` and `decide`, each with clones of repositories, which are only read
  --program FILE   measuring program that was built before
  --date DAY       day of the measurement, for the table
  --write          write the table to the repository

cargo xtask attack

  Attacks the command: hostile git folders, planted links, documents that grow without end, terminal controls, abuse of the
  servers' protocols, plugins. Runs the tests `attack`, `doors` and those of hostile plugins.

cargo xtask bench [NAME…] [--windlass FILE] [--repeat N] [--check] [--record DAY]

  Builds the release binary and runs the benchmarks, all or those named, in one table beside their peers (`rg`, `jq`, `git`).
  --windlass FILE  use this command instead of building it
  --repeat N    how often each is measured
  --check       exit with 1 when a goal is not met, or the speed beside a peer falls by a fifth
  --record DAY  add the ratios to `xtask/src/bench/history.txt`

cargo xtask bench shared [SECONDS [BACKEND]]

  Measures claims per second of 1, 4 and 16 long-lived workers on two machines for each backend of a shared ledger, beside a bare
  append under one row lock and `SKIP LOCKED` on the same server. Needs Debian's package `postgresql`.

cargo xtask dist [--profile NAME] [--target TRIPLE…] [--binary FILE] [--out DIR] [--check] [--quick]
                  [--collect]

  Builds the program and makes every package of a release: archive, Debian package, wheel, npm packages, container image,
  checksums, Homebrew formula, and `server.json` at the root.
  --profile NAME   cargo profile of the build; `dist` if not given
  --target TRIPLE  platform to build for; this machine's if not given; may be repeated
  --binary FILE    pack this program instead of building one
  --out DIR        folder of the packages; `target/distributed` if not given
  --check          install each package in an empty environment and run it there; exit code 1 if one fails
  --quick          compress little; not for a release
  --collect        make no packages, only the files that name those in DIR

cargo xtask drift ARGUMENT…

  Measures how well spans are found again after a repository has moved on: `cargo xtask drift --help`.

cargo xtask fuzz [TARGET…] [--minutes N | --seconds N] [--keep]

  Fuzzes the targets in `fuzz/fuzz_targets` with coverage feedback, all or those named. Needs a C++ compiler.
  --minutes N    time for all targets together; one minute if not given
  --keep         add inputs that reach new code to `fuzz/corpus`

cargo xtask outputs [--windlass PROGRAM] [--write]

  Records what a build of windlass prints, as `cargo xtask same` does, and compares it with the digests in `xtask/src/same/outputs.txt`;
  exit code 1 with the names of the commands if some differ. On Unix only.
  --windlass PROGRAM  the build; `target/debug/windlass` if not given
  --write        write the digests

cargo xtask recall [--repo DIR…] [--set FILE…] [--each] [--records N] [--features FILE]

  Makes a memory of every other commit of a repository (what its message says below the first line, and the files it changed),
  asks it the first lines of all commits, and scores what is recalled: how well it ranks against BM25 with stop words and stemming,
  how often it says rightly that nothing is known, and what feedback changes for the better and for the worse.
  --repo DIR     a git repository, which is only read; may be repeated
  --set FILE     records and questions that were written by hand, such as `eval-zoo/questions/harbour.toml`; may be repeated
  --each         of a set, say what became of each question
  --records N    how many commits at most, the newest; 2000 if not given
  --features FILE  also write what each question and its best record have in common, for fitting

cargo xtask relevance find|pack --repo DIR…

  Checks out a repository as it was some hundred commits ago, and gives the messages of the commits since then to `find`, or makes
  them goals of context packs. Prints how often a file that the commit modified is named first, or among the first five.
  --repo DIR     a git repository, which is only read; may be repeated

cargo xtask same record --windlass PROGRAM --out DIR [SECTION…]
cargo xtask same compare DIR DIR
cargo xtask same --windlass PROGRAM --against PROGRAM [SECTION…]

  Records what a build of windlass prints for the commands of `xtask/src/same/commands.txt` on sample repositories, one file a
  command, and compares the records of two builds; exit code 1 if they differ. Times and drawn names are left out. A SECTION
  is a heading of that file; all if none is given. On Unix only.

cargo xtask secrets ARGS

  Forwards to `cargo bench -p windlass-redact --bench secrets -- ARGS`: recall, false alarms and speed of redaction.

cargo xtask torture [--seconds N] [--seed S]

  Writes to every store while the writers are killed, out of file descriptors, unable to write, off by days (with Debian's
  `faketime`) or have their folders exchanged for links; looks for everything acknowledged after each round.
  --seconds N    time of all rounds; one minute if not given
  --seed S       number of the first round, which depends on it alone; 1 if not given

cargo xtask plugins [--windlass FILE] [--update] [--python] [--all] [--need-rust]

  Builds the shipped plugins from their sources with the toolchains that are here, runs their examples with what came
  out, and says whether it has the bytes of what is shipped; then writes, builds and tries a new plugin in each language.
  --windlass FILE  use this command instead of building it
  --update       put what was built in the place of what is shipped, with its digest
  --python       a new plugin in Python as well, which takes minutes
  --all          exit with 1 when a toolchain is missing";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let task = args.next();
    let args: Vec<String> = args.collect();
    let ended = match task.as_deref() {
        Some("ablate") => ablate::main(&args),
        Some("attack") => campaign::attack(),
        Some("bench") => bench::main(args),
        Some("dist") => dist::main(&args),
        Some("drift") => quality::run("windlass-evidence", "drift", &args),
        Some("fuzz") => fuzz::main(&args),
        #[cfg(unix)]
        Some("outputs") => same::outputs_main(&args),
        Some("recall") => quality::run("windlass-memory", "recall", &args),
        Some("relevance") => quality::run("windlass-context", "relevance", &args),
        #[cfg(unix)]
        Some("same") => same::main(&args),
        Some("secrets") => quality::run("windlass-redact", "secrets", &args),
        Some("torture") => campaign::torture(args),
        Some("plugins") => plugins::main(&args),
        Some("-h" | "--help") => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(USAGE.into()),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
