//! The repository, the stored data and the environment of every service.
//!
//! A [`Site`] combines the repository ([`windlass_repo::Repo`]), the folders for stored data, the
//! [`Environment`] and the caller. It also collects problems that don't prevent an answer, such as
//! a damaged notebook.
//!
//! - [`TrustRecord`], [`PluginTrust`] and [`RouteTrust`] record the user's trust in parts of the
//!   repository.
//! - [`DocumentLock`] locks files edited by both people and programs.
//! - A [`HealthFinding`] reports whether a service's dependency works.
//! - [`Error`] is the error type of all services. It holds any error that implements [`Explain`].
//!
//! Every service depends on this crate, so it must never depend on one. It must not read the clock
//! or the environment itself. Nor may it let a document be written through a link to a file outside
//! of the repository.

mod document_lock;
mod documents;
mod environment;
mod health;
mod lower_errors;
mod missing_feature;
mod program_path;
mod read_log;
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
pub use missing_feature::MissingFeature;
pub use program_path::{is_program, program_on_path};
pub use root_mark::mark_root;
pub use site::Site;
pub use site_error::{Error, ErrorKind, Explain, SiteError};
pub use trust::{
    GITLEAKS_FILE, PluginTrust, RouteTrust, SECRETS_FILE, TrustRecord, check_reviewed,
};
