mod help;
mod kind;

use std::path::PathBuf;

use windlass_base::{Diagnostics, Digest, PathError, RepoPath};
use windlass_evidence::CaptureError;
use windlass_ledger::LedgerError;
use windlass_memory::MemoryError;
use windlass_notebook::NotebookError;
use windlass_notebook::shared::SHARED_ANCHORS;
use windlass_pack::{CursorError, ViewError};
use windlass_plan::InputError;
use windlass_repo::{GitError, Refusal, RepoError, SearchError};
use windlass_steps::SymbolError;
use windlass_store::{DirsError, LockError, StoreError};

pub use kind::ErrorKind;

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The repository cannot be opened.
    #[error(transparent)]
    Repo(#[from] RepoError),
    /// Git gives no answer.
    #[error(transparent)]
    Git(#[from] GitError),
    /// There is nowhere to keep things.
    #[error(transparent)]
    Dirs(#[from] DirsError),
    /// A document is not what it should be.
    #[error("{0}")]
    Document(Diagnostics),
    /// A vContext document came after the version that is known, or is none.
    #[error(transparent)]
    Migrate(#[from] windlass_vcontext::MigrateError),
    /// An item of a document cannot be added or changed.
    #[error(transparent)]
    Edit(#[from] windlass_vcontext::EditError),
    /// An event cannot be appended to a playbook.
    #[error(transparent)]
    Append(#[from] windlass_vcontext::AppendError),
    /// The tools that a pack is to allow and to block cannot be meant.
    #[error(transparent)]
    ToolPolicy(#[from] windlass_context::ToolPolicyError),
    /// What is to be done to the notebook cannot be done.
    #[error("{found}")]
    Transaction {
        /// All that is wrong, with places.
        found: Diagnostics,
        /// What it means: the same for all of it, or that it is invalid.
        kind: ErrorKind,
    },
    /// There is no notebook that could be adopted.
    #[error("no other repository with the same first commits has a notebook{}", if .0.is_empty() { String::new() } else { format!(" in that place; there are those of {}", .0.join(", ")) })]
    NothingToAdopt(Vec<String>),
    /// Nobody can say which notebooks could be adopted.
    #[error(
        "the first commits of this repository are not known, so that no notebook of another place can be said to be its own: \
         it lies outside of git, has no commits yet, or not all of its history (`git fetch --unshallow` gets that)"
    )]
    UnknownLineage,
    /// There are several notebooks that could be adopted.
    #[error("several notebooks may be meant: those of {}; name one with `--from`", .0.join(", "))]
    SeveralToAdopt(Vec<String>),
    /// Nothing is handed over in this repository.
    #[error(
        "there is no `{SHARED_ANCHORS}` in this repository, so nothing was handed over to take over"
    )]
    NothingHandedOver,
    /// A name that is neither in the notebook nor in what is handed over.
    #[error("there is neither an anchor nor a runbook `{id}` to hand over or take over{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NothingToHandOver {
        /// What was asked for.
        id: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// A name that is in the notebook, and was never handed over.
    #[error("`{0}` is in your notebook alone: `{SHARED_ANCHORS}` does not have it")]
    NotHandedOver(String),
    /// Two revisions that the notebook must be at.
    #[error(
        "`--if-revision` says {given}, and the transaction itself says {written}; leave one of them out"
    )]
    TwoRevisions {
        /// What was given.
        given: u64,
        /// What the transaction says.
        written: u64,
    },
    /// A state that neither anchors nor runbooks can be in.
    #[error("there is no state `{state}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchState {
        /// What was asked for.
        state: String,
        /// The nearest there is.
        similar: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// A plugin that is not there, or that cannot be used.
    #[error("{message}")]
    Plugin {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// Whether there is none.
        missing: bool,
    },
    /// A plugin that is not the one that was looked at.
    #[error(
        "the plugin `{name}` has the digest {found}, not {expected}: it is not as it was when you looked at it"
    )]
    OtherPlugin {
        /// Its name.
        name: String,
        /// What was looked at.
        expected: windlass_plugin::PluginDigest,
        /// What is there.
        found: windlass_plugin::PluginDigest,
    },
    /// The zoo could not be measured: why.
    #[error("{0}")]
    Zoo(String),
    /// A question without a word that says what is meant.
    #[error("the question has no word to look for")]
    NothingToFind,
    /// A glob without a meaning.
    #[error(transparent)]
    Glob(#[from] windlass_repo::ListError),
    /// Words of an anchor that hold what is kept nowhere.
    #[error(
        "the {field} of this anchor holds a secret value, and notebooks keep none: say it in other words"
    )]
    SecretWords {
        /// Which.
        field: &'static str,
    },
    /// A document that lies outside of the repository, where only those within are read and written.
    #[error(
        "`{0}` lies outside of this repository, and only what is in it is read and written here"
    )]
    Outside(String),
    /// A document or file for a pack lies outside of the repository.
    #[error("`{0}` lies outside of this repository, and a pack names only files that are in it")]
    OutsideOfPacks(String),
    /// A text that names no place of an anchor.
    #[error("{0}")]
    NoPlace(String),
    /// Lines that do not have the hash they are said to have.
    #[error(
        "the lines {0} do not have the hash that is given; capture them as they are by leaving `source_hash` out"
    )]
    OtherLines(String),
    /// The inputs that were given do not fit.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Inputs(Vec<InputError>),
    /// There is no such runbook.
    #[error("there is no runbook `{name}`{}", .similar.as_ref().map(did_you_mean_runbook).unwrap_or_default())]
    NoSuchRunbook {
        /// What was asked for.
        name: String,
        /// The nearest there is; its file as well, where that goes by the name that was asked for.
        similar: Option<(String, Option<RepoPath>)>,
        /// All there are.
        known: Vec<String>,
    },
    /// A document has no such section.
    #[error("`{file}` has no section `#{section}`{}", .similar.as_ref().map(|near| format!("; did you mean `#{near}`?")).unwrap_or_default())]
    NoSuchSection {
        /// The document.
        file: String,
        /// What was asked for.
        section: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// A folder of documents that is not there, or is none.
    #[error("the folder of documents `{given}` cannot be taken: {why}{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoDocsRoot {
        /// What was given.
        given: String,
        /// Why not.
        why: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// A file of results cannot be read.
    #[error("`{file}`, {error}")]
    Results {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: windlass_results::NotResults,
    },
    /// A join waits for more.
    #[error("{wait}{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    JoinWaits {
        /// For what.
        wait: windlass_context::NotYet,
        /// Until when, where it does not wait for ever.
        until: Option<String>,
    },
    /// There is no such context pack.
    #[error("no context pack `{name}` is kept of this repository")]
    NoSuchPack {
        /// What was asked for.
        name: String,
    },
    /// Nobody says what a pack is for.
    #[error("nobody says what is to be reached")]
    NoGoal,
    /// Only what was shown of a pack is there, and all of it is needed.
    #[error(
        "`{name}` is what was shown of pack {id} within a budget, and all of that pack is not kept here"
    )]
    PackNotWhole {
        /// What was asked for.
        name: String,
        /// The pack.
        id: windlass_context::PackId,
    },
    /// A context pack is larger than any that is kept.
    #[error("the context pack has {bytes} bytes, and none of more than {max} is kept")]
    LargePack {
        /// Its size.
        bytes: usize,
        /// The largest that is kept.
        max: u64,
    },
    /// A budget is too small for what a context pack always shows.
    #[error(transparent)]
    PackBudget(#[from] windlass_context::TooSmall),
    /// There is no such formula.
    #[error("there is no formula `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchFormula {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// The folders it was looked for in.
        searched: Vec<String>,
    },
    /// None was named.
    #[error("no runbook is named")]
    NoRunbookNamed {
        /// All there are.
        known: Vec<String>,
    },
    /// Two runbooks have the name.
    #[error("there are two runbooks `{name}`: `{first}` and `{second}`; name the file you mean")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A file that was named cannot be read.
    #[error("`{file}` cannot be used: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        why: String,
        /// Whether that is because it is not there.
        missing: bool,
        /// True if it is not permitted: it is secret, or a link leads out of the repository.
        secret: bool,
    },
    /// A file of the repository that a step starts may not be read, so that nobody can say when it changes.
    #[error("`{file}`, which a step starts, cannot be trusted: {refusal}")]
    UnknownProgram {
        /// The file.
        file: String,
        /// Why not.
        refusal: Refusal,
    },
    /// Nothing proves that what is trusted was trusted in this repository.
    #[error(
        "the list of what is trusted, at {}, belongs to the repository that was in this place before, and nothing \
         proves that it is this one: its first commits are not known; it was left as it is", path.display()
    )]
    UnprovenTrust {
        /// The file.
        path: PathBuf,
    },
    /// A file that was named is there, but is no document.
    #[error("`{0}` is not a document: those end in .yaml, .yml or .json, and anchors in .jsonl")]
    NotADocument(String),
    /// A path that leads nowhere we go.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A text that is no cursor.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// The result that a cursor pages in is gone.
    #[error("the result this cursor belongs to is no longer kept")]
    CursorExpired,
    /// A list of anchors is no longer the one that its cursor was printed with.
    #[error("what is listed changed since this cursor was printed, or it belongs to another list")]
    ListChanged,
    /// What is suggested is no longer what somebody looked at.
    #[error("the files changed since, and with them what is suggested; nothing was saved")]
    SuggestionsChanged,
    /// A name that no suggestion has.
    #[error("nothing called `{0}` is suggested")]
    NotSuggested(String),
    /// Nothing sensible fits into the budget.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The notebook.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// Something cannot be captured.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A symbol that leads to no lines.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// A search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A file of ours.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A route that a repository brought and nobody looked at yet.
    #[error("the route of `{prefix}` to `{path}` is not trusted")]
    UntrustedRoute {
        /// Prefix of the ids of its beads.
        prefix: String,
        /// Folder that it leads to.
        path: String,
    },
    /// Somebody else is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A step is not done as it asks for: it is still somebody's.
    #[error("`{step}` is not done as it asks for: {why}")]
    NotAccepted {
        /// The step.
        step: String,
        /// What does not hold.
        why: String,
        /// Whether it could not be found out, since a program was not allowed to start.
        refused: bool,
    },
    /// A text is not the one that somebody looked at before.
    #[error(
        "`{file}` is not what was looked at: its digest is {found}, not {expected}; it is not trusted"
    )]
    OtherDigest {
        /// The file.
        file: String,
        /// What was named.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// There is no such run.
    #[error("there is no run `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRun {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// Whether there is any.
        any: bool,
    },
    /// Several runs are meant.
    #[error("several runs begin with `{name}`, from `{second}` to `{first}`; write more of it")]
    AmbiguousRun {
        /// What was asked for.
        name: String,
        /// The newest.
        first: String,
        /// The oldest.
        second: String,
    },
    /// A newer Windlass wrote the record of a run.
    #[error(
        "the record of run `{id}` has schema version {found}, but this windlass knows versions up to {supported}; \
         update windlass to use it"
    )]
    NewerRecord {
        /// The run.
        id: String,
        /// Its version.
        found: u32,
        /// The newest version this program knows.
        supported: u32,
    },
    /// The beginning of a record cannot be read.
    #[error(
        "the record of run `{0}` does not begin as it should, so nothing can be said of the run"
    )]
    DamagedRecord(String),
    /// A run did not come to a pack.
    #[error(
        "run `{0}` has no pack: it ended before it came to that, goes on, or the name of a file in its pack holds a secret value"
    )]
    NoPack(String),
    /// There are no two runs to compare.
    #[error(
        "there are no two recorded runs {}to compare{}",
        runbook.as_ref().map(|name| format!("of `{name}` ")).unwrap_or_default(),
        if *other_inputs { ": no two had the same inputs" } else { "" }
    )]
    NothingToCompare {
        /// The runbook.
        runbook: Option<String>,
        /// Whether there would be two, had they had the same inputs.
        other_inputs: bool,
    },
    /// A runbook has not been run before.
    #[error("there is no recorded run of `{0}` whose outputs could be kept")]
    NoEarlierRun(String),
    /// A runbook has no such step.
    #[error("there is no step `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchStep {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// Inputs of a run were not recorded.
    #[error("the values of these inputs are not in the record, since they hold secrets: {}", .0.join(", "))]
    WithheldInputs(Vec<String>),
    /// Something is there already.
    #[error("`{0}` is there already; it was left as it is")]
    Exists(String),
    /// A document that was to begin is there already.
    #[error("`{0}` is there already; it was left as it is")]
    DocumentExists(String),
    /// A file that was to be written is not as it was read.
    #[error("`{0}` was changed while it was looked at; it was left as it is")]
    ChangedMeanwhile(RepoPath),
    /// Of several documents some were written before one could not be.
    #[error("{cause}; written already: {}", .written.join(", "))]
    PartlyWritten {
        /// The documents that are written.
        written: Vec<String>,
        /// What kept the next one from being written.
        #[source]
        cause: Box<Error>,
    },
    /// A change of the memory of which a part is written, and the rest is noted.
    #[error(
        "not all of the change could be written: {0}; it is noted, and whoever uses the memory next writes the rest of it"
    )]
    UnfinishedMemory(#[source] StoreError),
    /// A name that does not fit what is to be written.
    #[error(
        "`{0}` is called as JSON, and what is to be written is not, so that nobody could read it"
    )]
    NotJson(String),
    /// A document was changed by something that knows of no lock.
    #[error("`{0}` was changed by another program meanwhile; it was left as that wrote it")]
    DocumentChanged(String),
    /// The root is no working tree, but where git keeps its own files.
    #[error("this is a folder of git itself, such as a bare repository, and no working tree")]
    GitFolder,
    /// Git's hooks are not in its own folder.
    #[error("git takes its hooks from `{0}` here (`core.hooksPath`), so nothing was written")]
    HooksElsewhere(String),
    /// Somebody insisted on stopping.
    #[error("stopped before there was anything to show")]
    Interrupted,
    /// A bug of ours.
    #[error("{0}; this is a bug in windlass, please report it")]
    Internal(String),
}

impl Error {
    /// The file, which was named, is not there.
    pub(crate) fn missing(file: &str) -> Self {
        Self::Unreadable {
            file: file.to_owned(),
            why: "it does not exist".to_owned(),
            missing: true,
            secret: false,
        }
    }
}

fn did_you_mean_runbook((name, file): &(String, Option<RepoPath>)) -> String {
    match file {
        Some(file) => format!("; did you mean `{name}` (in `{file}`)?"),
        None => format!("; did you mean `{name}`?"),
    }
}
