//! Web pages of a repository for people who follow agents: its state, runs, evidence, work, memory
//! and measurements.
//!
//! Every address is a [`view::View`], one struct of data. A browser gets it as a page, and a
//! program that asks for JSON gets it as data: `/runs` and the JSON behind it can't disagree. All
//! text passes through one redaction and one escaping (`reply`).
//!
//! Pages are complete without a script. With it, they follow changes of files (`live`) and receive
//! only the parts that changed (`page_parts`). The server changes nothing unless actions are
//! allowed, and then only for a form on its own pages (`actions`).
//!
//! This crate must never compute a fact, which is the job of services, and must never run a
//! runbook. A view never connects to a shared ledger, because a connection can start programs:
//! [`Settings::open`] reads the local replica. Only an action connects.

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
