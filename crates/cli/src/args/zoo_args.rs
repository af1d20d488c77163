//! Arguments of `windlass zoo`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum ZooCommand {
    /// Measure recall, noise and repair on sample repositories, or on your own repository.
    Run(ZooRunArgs),
    /// Write the results of the last run as a web page, or for other programs.
    Report(ZooReportArgs),
    /// Run, and check the results against the gates; exit code 1 if one fails.
    Gate(ZooGateArgs),
    /// List the sample repositories, the compared systems, and the metrics.
    List,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooWork {
    /// Also measure this program, which speaks JSON Lines: `NAME=PROGRAM ARGUMENT…`; repeatable.
    ///
    /// Arguments are separated by spaces; a space within an argument is written `\ `.
    ///
    /// Each question starts the program. It reads the question from its standard input, in one line: `{"v": 1, "root":
    /// "/…", "question": "…", "max_tokens": 2000}`. It writes the answer to its standard output, in one line, the best
    /// place first: `{"places": [{"file": "src/a.rs", "start_line": 1, "end_line": 9}]}`, without places if nothing
    /// answers the question; it may then list the nearest files, `"nearest": ["src/b.rs"]`. Paths are relative to
    /// `root`, or below it. Places may have a `score`, all of an answer or none: files are then ranked by it. An answer
    /// may have a `confidence` from 0 to 1 that its first place is right (or, without places, that an answer exists).
    /// Its output counts as the lines of these places, its latency includes the start.
    ///
    /// If a program fails, the last line of its standard error is shown. Its child processes end with it, and git
    /// variables (`GIT_…`) are not passed to it.
    ///
    /// For your own repository, `root` is a copy of the files that a search may read and show, without history:
    /// questions are commit messages, and could be looked up there; a file of cases contains the answers. This is no
    /// sandbox: a program that searches the machine for the repository finds it.
    #[arg(long = "system", value_name = "NAME=PROGRAM")]
    pub(crate) systems: Vec<String>,
    /// Timeout of a program for one answer, in seconds.
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = windlass_zoo::TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// Number of parallel jobs; the number of processors by default.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Spread the run over the machines that share the ledger of this repository.
    ///
    /// Makes a molecule with a step for each archetype and works on it together with all workers (`mol drive --watch`).
    /// Each machine needs `windlass` in its `PATH`, in the same version. With `=MOL`, go on with a molecule that was
    /// interrupted, or report one that has ended: it decides on archetypes and systems.
    #[arg(long, value_name = "MOL", num_args = 0..=1, require_equals = true)]
    pub(crate) fleet: Option<Option<String>>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooRunArgs {
    /// Sample repositories; all by default.
    #[arg(value_name = "ARCHETYPE", conflicts_with = "repo")]
    pub(crate) archetypes: Vec<String>,
    /// Repository to measure instead, with questions mined from its commit messages.
    #[arg(long, value_name = "DIR", conflicts_with = "fleet")]
    pub(crate) repo: Option<PathBuf>,
    /// Ask the questions in this file of the repository, instead of commit messages.
    ///
    /// A case has a name, a question, and the places that answer it, or none if nothing does; `memory = true` asks the
    /// memory: `[[case]]`, `id = "idle"`, `question = "who ends idle sessions"`, and for each place `[[case.answer]]`,
    /// `file = "src/a.rs"`, `start_line = 3`, `end_line = 9`. The file starts with `schema_version = 1`. Keep it
    /// outside of searched folders, as in `.windlass/cases.toml`: it contains the words of each question.
    #[arg(long, value_name = "FILE", requires = "repo")]
    pub(crate) cases: Option<PathBuf>,
    /// Only this case, with the expected answer and the answer of each system; not recorded for `zoo report`.
    #[arg(long, value_name = "NAME", conflicts_with = "fleet")]
    pub(crate) case: Option<String>,
    /// Measure only a part of the cases; takes about ten seconds.
    #[arg(long, conflicts_with = "case")]
    pub(crate) quick: bool,
    /// Do not record the results for `zoo report`.
    #[arg(long)]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) work: ZooWork,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ZooFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooReportArgs {
    /// Repository whose results to report, instead of the sample repositories.
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// Output format; by default from the file extension (`.html`, `.md`, `.json`, `.xml`), else text.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ZooFormat>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooGateArgs {
    /// Sample repositories; all by default.
    #[arg(value_name = "ARCHETYPE")]
    pub(crate) archetypes: Vec<String>,
    /// File with gates; those shipped with Windlass by default.
    #[arg(long, value_name = "FILE")]
    pub(crate) gates: Option<PathBuf>,
    /// Baseline to compare with, written by `--write-baseline`: required by gates with `lose_at_most`. The one shipped
    /// with Windlass if neither this nor `--gates` is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the means of this run to this file as a baseline for later runs, and print the entry for the changelog.
    ///
    /// The baseline is written regardless of the results: failed gates are reported, those that a new baseline does not
    /// settle again at the end, and the exit code is 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// File that must mention the compared baseline and its changes, as printed by `--write-baseline`.
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    pub(crate) changelog: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: ZooWork,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ZooFormat,
}

/// Output format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ZooFormat {
    /// For people.
    Text,
    /// For documents, and for a comment on a proposed change.
    Markdown,
    /// Web page in one file.
    Html,
    /// For programs: every case.
    Json,
    /// For build servers.
    Junit,
}
