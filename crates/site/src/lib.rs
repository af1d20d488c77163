//! The surroundings of every service: a repository, the data stored about it, and the environment.
//!
//! A [`Site`] combines all of these. It also knows the caller, and collects problems that do not
//! prevent an answer, e.g. a damaged notebook.
//!
//! - [`TrustRecord`], [`PluginTrust`] and [`RouteTrust`] record the user's trust.
//! - [`DocumentLock`] locks files edited by both people and programs.
//! - [`HealthFinding`] is the result of a health check.
//! - [`Error`] is the error type of all services. It holds any error that implements [`Explain`].
//!
//! All services depend on this crate, so it must not depend on any of them. It does not read the
//! clock or the environment itself, and never allows writing a document through a link out of the
//! repository.

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
