//! A repository at hand, as every service is given it.
//!
//! A [`Site`] has the repository ([`windlass_repo::Repo`]), the folders that things are kept in, the [`Environment`], the caller, and
//! collects the troubles that an answer was given in spite of. [`TrustRecord`] and its kin are what the user trusts there, [`DocumentLock`] the
//! lock of files that people and programs write together. A [`HealthFinding`] tells the state of a thing that a service depends on. [`Error`] is what
//! every service fails with: any error that can [`Explain`] itself.
//!
//! This crate must never know what a service does, look at the clock or the environment itself, or let a document be
//! written through a link that leads out of the repository.

mod document_lock;
mod documents;
mod environment;
mod health;
mod lower_errors;
mod root_mark;
mod site;
mod site_error;
mod trust;

pub use document_lock::DocumentLock;
pub use documents::{SiteFiles, led_out, read_inside, refused, unreadable};
pub use environment::{Environment, Seeds};
pub use health::{
    Health, HealthFinding, data_folder_health, git_health, narrowing_lines_listed,
    repository_health, secret_paths_health, state_folder_health,
};
pub use root_mark::mark_root;
pub use site::Site;
pub use site_error::{Error, ErrorKind, Explain, SiteError};
pub use trust::{PluginTrust, RouteTrust, SECRETS_FILE, TrustRecord, check_reviewed};
