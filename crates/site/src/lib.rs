//! The repository that every service works on.
//!
//! A [`Site`] has the repository ([`windlass_repo::Repo`]), the folders for stored data, the [`Environment`] and the
//! caller, and collects problems that did not prevent an answer. [`TrustRecord`], [`PluginTrust`] and [`RouteTrust`]
//! record what the user trusts there, [`DocumentLock`] locks files that people and programs write together. A
//! [`HealthFinding`] describes the health of a thing that a service depends on. [`Error`] is the error of every
//! service: any error that can [`Explain`] itself.
//!
//! This crate must never know what a service does, read the clock or the environment itself, or let a document be
//! written through a link that leads out of the repository.

mod document_lock;
mod documents;
mod environment;
mod health;
mod lower_errors;
mod program_path;
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
pub use program_path::{is_program, program_on_path};
pub use root_mark::mark_root;
pub use site::Site;
pub use site_error::{Error, ErrorKind, Explain, SiteError};
pub use trust::{
    GITLEAKS_FILE, PluginTrust, RouteTrust, SECRETS_FILE, TrustRecord, check_reviewed,
};
