//! Durable files of Windlass itself: what it keeps about a repository, never a file of the repository,
//! except where a user asked for one by name ([`write_shared`]).
//!
//! - [`write_atomic`] replaces a file as a whole, or not at all;
//! - [`Disk`] does so step by step, and keeps what is replaced;
//! - [`Lock`] keeps two processes apart, waits for a limited time and names who holds it;
//! - [`read_document`] reads a versioned JSON document and refuses what a newer version wrote;
//! - [`LineLog`] is a file that only grows, by whole lines, while one process keeps it open;
//! - [`DurableLog`] is one that many processes append to, and that loses nothing acknowledged;
//! - [`Dirs`] says where data, state and cache live;
//! - [`RootedPath`] says where a file is, below a folder that is trusted: no link below that is followed, and what
//!   is no regular file is an error ([`Unfit`]);
//! - [`Blobs`] keeps derived results that may be lost at any time.
//!
//! This crate must never touch the user's files (`windlass-repo` is the one door to them), never look at
//! the clock or the environment (both are passed in), and never "repair" a file by throwing away what it
//! does not understand.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate is the one that opens, writes and replaces our own files"
)]

mod atomic;
mod beneath;
mod blobs;
mod dirs;
mod disk;
mod durable_log;
mod file_mark;
mod folder;
mod folder_states;
mod line_log;
mod lock;
mod log_disk;
mod platform;
mod ranged_file;
mod rooted_path;
mod sealed;
mod shared_files;
mod size_limits;
mod store_error;
mod unfit;
mod versioned;

pub use atomic::{Durability, write_atomic};
pub use blobs::{BlobLimits, Blobs};
pub use dirs::{Dirs, DirsError};
pub use disk::{Disk, Replacement, WriteStep};
pub use durable_log::{Appended, DurableLog, LogWriter};
pub use file_mark::FileMark;
pub use folder::{
    FolderFile, Listed, ListedFile, OtherKind, files_in, folders_in, have_same_bytes, list_folder,
    look_at, other_at, private_folder,
};
pub use folder_states::{FileState, FolderStates, folder_states};
pub use line_log::{LineLog, LogLine, LogText, read_first_line, read_log, remove_log};
pub use lock::{Lock, LockError, LockGuard};
pub use log_disk::LogDisk;
pub use ranged_file::RangedFile;
pub use rooted_path::RootedPath;
pub use sealed::SealedBlob;
pub use shared_files::{
    check_writable, has_bytes, make_shared_folder, open_folder, remove_empty_folder, write_derived,
    write_out, write_shared, write_shared_program,
};
pub use size_limits::{MAX_DOCUMENT_BYTES, MAX_LOG_BYTES};
pub use store_error::StoreError;
pub use unfit::Unfit;
pub use versioned::{read_document, read_file, read_start, read_versioned};
