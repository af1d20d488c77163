//! Web pages of a repository: its state, runs, evidence, work, memory and measurements, for people who follow agents.
//!
//! Every address is a [`view::View`]: one struct of data, which is a page for a browser and JSON for a program that asks
//! for it. All text passes through one redaction and one escaping (`reply`). Pages are complete without a script; with it
//! they follow changes of files (`live`) and receive the parts that changed (`page_parts`). The server changes nothing unless actions are allowed, and then only on a form
//! of its own pages (`actions`).
//!
//! This crate must never compute a fact: services do. It must never run a runbook. A view never connects to a shared ledger,
//! because a connection can start programs: [`Settings::open`] reads the local replica. An action connects.

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
