//! `zoo`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum ZooCommand {
    /// Measure recall, noise and repair on sample repositories, or on a repository of one's own.
    Run(ZooRunArgs),
    /// Write what the last run found as a web page, or for other programs.
    Report(ZooReportArgs),
    /// Run, and hold it against the gates; exit code 1 if one of them does not hold.
    Gate(ZooGateArgs),
    /// Write a sample repository and its questions into a folder, to be looked at, and to be changed for cases of one's own.
    Sample(ZooSampleArgs),
    /// Name the sample repositories, the systems they are compared with, and the metrics.
    List,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooWork {
    /// Also measure this program, which speaks JSON Lines: `NAME=PROGRAM ARGUMENT…`; may be repeated.
    ///
    /// Words are what stands between blanks; a blank within one has a `\` before it. One that cannot be started is told before anything is
    /// measured.
    ///
    /// It reads questions from its standard input, one a line: `{"v": 1, "id": 7, "root": "/…", "question": "…", "max_tokens": 2000}`.
    /// It writes answers to its standard output, one a line, the best place first: `{"id": 7, "places": [{"file": "src/a.rs",
    /// "start_line": 1, "end_line": 9}]}`, without places where nothing answers; it may then name files that come nearest, `"nearest":
    /// ["src/b.rs"]`. A file is named from `root`, or by its absolute path. Places may have a `score`, all of an answer or none: files are then ranked by it. An answer may have a `confidence` from 0 to 1 that its first place is meant (or, without a place, that one is). What
    /// it shows are the lines of these places. One that
    /// ends with an error fails in the question that comes next; the last line that it wrote to standard error is shown. To see whether answers
    /// are stable, another process of it is asked while the first lives on. What it starts ends with it, and variables of git (`GIT_…`) are not
    /// passed on to it.
    ///
    /// Of a repository of one's own, `root` is a copy of the files that a search reads, as they may be shown, in one commit: questions are what
    /// commits say, and could be looked up in the history; a file of cases has the answers. That is no sandbox: who looks for the repository
    /// elsewhere on the machine finds it.
    #[arg(long = "system", value_name = "NAME=PROGRAM")]
    pub(crate) systems: Vec<String>,
    /// How long a program may take for an answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = windlass_zoo::PATIENCE, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
    /// Ask the questions in this file of the repository, not what its commits say. `zoo sample` writes such files.
    ///
    /// A case has a name, a question, and the places that answer it; none where nothing does; `memory = true` asks the memory: `[[case]]`, `id = "idle"`, `question = "who
    /// ends idle sessions"`, and for each place `[[case.answer]]`, `file = "src/a.rs"`, `start_line = 3`, `end_line = 9`. Above them
    /// stands `schema_version = 1`. The file has to lie where nobody looks, as in `.windlass/cases.toml`: it has the words of each
    /// question.
    #[arg(long, value_name = "FILE", requires = "repo")]
    pub(crate) cases: Option<PathBuf>,
    /// How many pieces of work at once; as many as there are processors if not given.
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooSampleArgs {
    /// Which one: `zoo list` names them.
    pub(crate) archetype: String,
    /// A folder that is new, or empty.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooRunArgs {
    /// The sample repositories; all if not given.
    #[arg(value_name = "ARCHETYPE", conflicts_with = "repo")]
    pub(crate) archetypes: Vec<String>,
    /// Ask this repository instead, questions mined from what its commits say.
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// Only this case, with what was expected and what each system shows; it is not remembered for `zoo report`.
    #[arg(long, value_name = "NAME")]
    pub(crate) case: Option<String>,
    #[command(flatten)]
    pub(crate) work: ZooWork,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub(crate) format: ZooFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooReportArgs {
    /// What was found in this repository, and not on the sample repositories.
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// How to write it.
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ZooFormat,
    /// The file to write; standard output if not given.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ZooGateArgs {
    /// The sample repositories; all if not given.
    #[arg(value_name = "ARCHETYPE", conflicts_with = "repo")]
    pub(crate) archetypes: Vec<String>,
    /// Ask this repository instead, questions mined from what its commits say; gates are then about it as a whole.
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// The gates; those that come with Windlass if not given.
    #[arg(long, value_name = "FILE")]
    pub(crate) gates: Option<PathBuf>,
    /// What to compare with, as `--write-baseline` wrote it: gates with `lose_at_most` need it. The one that comes with
    /// Windlass if neither this nor `--gates` is given.
    ///
    /// One of a repository of one's own holds for its clones, whatever their folders are called, and for the same questions: of another
    /// repository, or of other questions (mined ones are others after a commit; `--cases` asks the same; one that is answered by nothing now, or is
    /// of another kind, is another), nothing is compared, and that fails.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the means of this run to this file, for later runs to be compared with, and say what the changelog has to say of it.
    ///
    /// It is written of whatever was found: gates that do not hold are told, those that a new baseline does not settle once more at the end,
    /// and the exit code is 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// This file must name the baseline that is compared with, and what changed with it, as `--write-baseline` said it.
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    pub(crate) changelog: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: ZooWork,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub(crate) format: ZooFormat,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ZooFormat {
    /// For people, and for a comment under a proposed change.
    Markdown,
    /// A page for a browser, in one file.
    Html,
    /// For programs: every case.
    Json,
    /// For build servers.
    Junit,
}
