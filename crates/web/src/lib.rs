//! Web pages of a repository, for users who follow what their agents do: its state, runs, evidence,
//! work, memory and measurements.
//!
//! Every address is a [`view::View`], i.e. one struct of data. A browser gets the view as a page,
//! and a JSON client as data, so the two cannot disagree. All text is redacted and escaped in one
//! place (`reply`).
//!
//! Pages are complete without a script. With the script, they follow changes of files (`live`) and
//! only receive the changed parts (`page_parts`). The server only makes changes if actions are
//! allowed, and only for a form on one of its own pages (`actions`).
//!
//! This crate must not compute facts, which is the services' task, and must not run a runbook. A
//! view must not connect to a shared ledger either, because connecting can start programs. Views
//! read the local replica ([`Settings::open`]), and only an action connects.

mod actions;
mod app;
mod assets;
mod escape;
mod event_stream;
mod guard;
mod live;
mod metrics;
mod page_parts;
mod paging;
mod reply;
mod routes;
mod server;
mod templates;
mod view;
mod views;

pub use app::{EditorLink, OpenWorkspace, Settings};
pub use metrics::{MetricsText, serve_metrics};
pub use server::serve;
pub use windlass_page::{Door, Token, TokenError};
