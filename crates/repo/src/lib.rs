//! One repository, and the one door to it.
//!
//! - [`Repo`] finds a repository and says who it is;
//! - [`Snapshot`] reads, lists and searches its files, each in one state for a whole run, and records what
//!   was read;
//! - [`SourceFile`] gives raw bytes for hashing, and text that may be shown, with secret values replaced;
//! - [`Git`] asks git, and lets nothing of the repository's own run;
//! - [`SecretPolicy`] says which files hold secrets; values in others are the matter of `windlass-redact`.
//!
//! This crate must never give out a byte from outside of the repository's root, from git's own folder or
//! from a file that holds secrets, whatever links, pipes and races stand in the way; never write to the
//! user's files; and never let an ignore file, a setting or the clock of the machine it runs on change an
//! answer.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate is the door the other crates are sent to"
)]

mod asked;
mod below;
mod bounded;
mod excerpt;
mod foreign;
mod git;
mod guard;
mod identity;
mod lacking;
mod layout;
mod line_table;
mod links;
mod owner;
mod past;
mod platform;
mod record;
mod refusal;
mod repo;
mod search;
mod secret;
mod since;
mod snapshot;
mod source_file;
mod sparse;
mod stored_form;
mod survey;
mod walk;

pub use asked::Question;
pub use below::FilesBelow;
pub use bounded::{Bounded, Made};
pub use excerpt::{Excerpt, ExcerptLimits};
pub use foreign::{
    is_pipe, read_bounded, read_foreign, read_foreign_component, read_foreign_results, read_pipe,
};
pub use git::{
    BlobAt, BlobChange, ChangeStatus, Changes, Commit, CommitStep, FileChange, Git, GitAnswer,
    GitError, GitQuery, Head, LineWriter, Worktree,
};
pub use guard::MAX_FILE_BYTES;
pub use identity::{Identity, RepoKind};
pub use lacking::Lacking;
pub use line_table::LineTable;
pub use owner::{Foreign, Owner};
pub use past::NotInPast;
pub use platform::Birth;
pub use record::{Change, ChangeKind, ReadRecord, SecondLook};
pub use refusal::Refusal;
pub use repo::{Repo, RepoError, RepoOptions};
pub use search::{CaseMode, FileMatches, LineMatch, SearchError, SearchQuery, SearchResult};
pub use secret::{NarrowingLine, OwnRulesError, SecretPolicy, SecretPolicyError};
pub use since::Steps;
pub use snapshot::Snapshot;
pub use source_file::{Encoding, SourceFile};
pub use survey::Survey;
pub use walk::{GlobSet, ListError, ListQuery, Listing, Withheld};
