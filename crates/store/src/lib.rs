//! Reads and writes Windlass's own files durably.
//!
//! These files have data about a repository but are not part of it, except for those that a user
//! has asked us to write into the repository (see [`write_shared`]).
//!
//! - [`write_atomic`] replaces a whole file, or leaves it as it is.
//! - [`write_in_place`] overwrites a small file that may be lost.
//! - [`Disk`] lets tests watch every call, and make it fail.
//! - [`Lock`] excludes other processes. It has a timeout, and tells them who holds it.
//! - [`read_document`] reads a versioned JSON document, and refuses newer versions.
//! - [`LineLog`] is an append-only file of complete lines with a single writer.
//! - [`DurableLog`] is an append-only file with several writers. It never loses a line that was
//!   acknowledged.
//! - [`Dirs`] locates the folders for data, state and cache.
//! - [`RootedPath`] is a location below a trusted folder. We never follow links below that folder,
//!   and anything but a regular file is an error ([`Unfit`]).
//! - [`Blobs`] stores derived results that may be lost at any time.
//!
//! This crate must never touch the user's files; only `windlass-repo` may access those. Callers
//! pass in the clock and the environment.
//!
//! If we do not know something in a file, a newer Windlass may have put it there. We therefore
//! never "repair" a file by dropping such a part.
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
mod in_place;
mod line_log;
mod lock;
mod log_file;
mod platform;
mod ranged_file;
mod replacement;
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
pub use disk::{Disk, DiskCall};
pub use durable_log::{Appended, DurableLog, LogWriter};
pub use file_mark::FileMark;
pub use folder::{
    FolderFile, Listed, ListedFile, OtherKind, files_in, folders_in, have_same_bytes, list_folder,
    look_at, other_at, private_folder,
};
pub use folder_states::{FileState, FolderStates, folder_states};
pub use in_place::{read_in_place, write_in_place};
pub use line_log::{LineLog, LogLine, LogText, read_first_line, read_log, remove_log};
pub use lock::{Lock, LockError, LockGuard, LockRequest};
pub use ranged_file::RangedFile;
pub use replacement::{Replacement, keep_file, remove_file};
pub use rooted_path::RootedPath;
pub use sealed::SealedBlob;
pub use shared_files::{
    check_writable, has_bytes, make_shared_folder, open_folder, remove_empty_folder, write_derived,
    write_out, write_shared, write_shared_over, write_shared_program,
};
pub use size_limits::{MAX_DOCUMENT_BYTES, MAX_LOG_BYTES};
pub use store_error::StoreError;
pub use unfit::Unfit;
pub use versioned::{read_document, read_file, read_start, read_versioned};
