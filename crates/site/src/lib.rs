//! A repository at hand, as every service is given it.
//!
//! A [`Site`] has the repository ([`windlass_repo::Repo`]), the folders that things are kept in, the [`Environment`], the caller, and
//! collects the troubles that an answer was given in spite of. [`TrustList`] is what the user trusts there, [`DocumentLock`] the
//! lock of files that people and programs write together. [`Error`] is what
//! every service fails with: any error that can [`Explain`] itself.
//!
//! This crate must never know what a service does, look at the clock or the environment itself, or let a document be
//! written through a link that leads out of the repository.

mod document_lock;
mod documents;
mod environment;
mod error;
mod kept_evidence;
mod lower_errors;
mod site;
mod trust_list;

pub use document_lock::DocumentLock;
pub use documents::{SiteFiles, led_out, read_inside, refused, unreadable};
pub use environment::{Environment, Seeds};
pub use error::{Error, ErrorKind, Explain, SiteError};
pub use site::Site;
pub use trust_list::{
    PluginTrust, RouteTrust, SECRETS_FILE, TrustList, TrustRecord, check_reviewed,
};
