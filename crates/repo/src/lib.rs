//! One repository, and the one door to it.
//!
//! - [`Repo`] finds a repository and says who it is;
//! - [`Snapshot`] reads, lists and searches its files, each in one state for a whole run, and records what
//!   was read;
//! - [`SourceFile`] gives raw bytes for hashing, and text that may be shown, with secret values replaced;
//! - [`History`] gives what commits have and did to what is checked out;
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

mod bounded_cache;
mod code_owners;
mod file_role;
mod git;
mod guard;
mod history;
mod outside_files;
mod platform;
mod refusal;
mod repo_error;
mod repo_paths;
mod repository;
mod search;
mod secret;
mod seen_files;
mod snapshot;
mod source_file;
mod text_encoding;
mod unicode_form;
mod walk;

pub use bounded_cache::{Bounded, Made};
pub use code_owners::{CODE_OWNERS_FILES, CodeOwners};
pub use file_role::{
    FileRole, MEMORY_FEEDBACK, MEMORY_IMPRESSIONS, MEMORY_INDEX, is_form, role_of,
};
pub use git::{
    Blame, BlobAt, BlobChange, ChangeStatus, Changes, Commit, CommitFiles, CommitStep, Commits,
    FileChange, Git, GitAnswer, GitError, GitQuery, Head, LineWriter, Revisions, WorkingTree,
    Worktree,
};
pub use history::{History, Lacking, LeftOut, NotInPast, Steps};
pub use outside_files::{
    is_pipe, read_bounded, read_foreign, read_foreign_component, read_foreign_results, read_pipe,
};
pub use platform::Birth;
pub use refusal::{MAX_FILE_BYTES, Refusal};
pub use repo_error::RepoError;
pub use repo_paths::FilesBelow;
pub use repository::{Foreign, Identity, Owner, Repo, RepoKind, RepoOptions};
pub use search::{CaseMode, FileMatches, LineMatch, SearchError, SearchQuery, SearchResult};
pub use secret::{GITLEAKS_FILE, NarrowingLine, OwnRulesError, SecretPolicy, SecretPolicyError};
pub use seen_files::ChangeKind;
pub use snapshot::{Change, Question, ReadRecord, SecondLook, Snapshot, Survey};
pub use source_file::{Encoding, Excerpt, ExcerptLimits, LineTable, ShownText, SourceFile};
pub use walk::{GlobSet, ListError, ListQuery, Listing, Withheld};
