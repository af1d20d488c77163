//! Access to repositories. All other crates read the user's files through this crate.
//!
//! - [`Repo`] finds and identifies a repository.
//! - [`Snapshot`] reads, lists and searches files. Each file stays in one state for a whole run,
//!   and every read is recorded.
//! - [`SourceFile`] provides raw bytes for hashing, and text with secrets replaced for display.
//! - [`History`] provides the contents and changes of commits.
//! - [`Git`] queries git without executing anything configured by the repository.
//! - [`SecretPolicy`] decides which files are secret as a whole. `windlass-redact` detects secret
//!   values in the others.
//!
//! Callers rely on three promises:
//!
//! 1. We never return a byte from outside the repository root, from git's own folder, or from a
//!    secret file, even if links, pipes or races try to make us.
//! 2. We never write to the user's files.
//! 3. Answers don't depend on the machine. Its ignore files, settings and clock have no influence,
//!    apart from the two git settings that are described in the `git` module.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate is the access that other crates must use"
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
    FileRole, MEMORY_FEEDBACK, MEMORY_IMPRESSIONS, MEMORY_INDEX, is_form, is_prose, role_of,
};
#[doc(hidden)]
pub use git::git_output;
pub use git::{
    Blame, BlobAt, BlobChange, ChangeStatus, Changes, Commit, CommitFiles, CommitStep, Commits,
    FileChange, Git, GitAnswer, GitError, GitQuery, Head, LineWriter, Revisions, WorkingTree,
    Worktree,
};
pub use history::{History, Lacking, LeftOut, NotInPast, Steps};
pub use outside_files::{
    is_pipe, read_bounded, read_foreign, read_foreign_component, read_foreign_results,
    read_foreign_text, read_pipe,
};
pub use platform::{Birth, end_process, own_process_group};
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
