//! Windlass tools for agents, as a server of the Model Context Protocol (MCP).
//!
//! [`serve_stdio`] serves one client over two pipes, and [`serve_http`] serves many over a socket.
//! Both speak two versions of the protocol: with `initialize` (2025-11-25 and before) and stateless
//! (2026-07-28).
//!
//! Each tool is one file in `tools/`: its arguments, its result, and one call of the library.
//! Arguments are validated like those of runbook steps. An error becomes the result of the tool,
//! with the nearest valid value and the next call. [`AgentSetUp`] is the configuration a client
//! needs.
//!
//! This crate never prints, and never reads the clock, the environment or the user's files by
//! itself. It grants no permission reserved for people, so it only runs programs that the user has
//! trusted. It reads and writes no document outside of a call's repository. Cursors, claims,
//! revisions and other state between calls are stored by the library, so a restarted server can
//! continue.

mod actions;
mod answer;
mod call_translation;
mod coerce;
mod failure_answer;
mod http;
mod instructions;
mod lines;
mod message;
mod offered_roots;
mod paged_rows;
mod progress_notifications;
mod prompts;
mod resources;
mod roots;
mod running_calls;
mod server;
mod server_limits;
mod set_up;
mod shorten;
mod stdio;
mod tool;
mod tool_call;
mod tool_failure;
mod tool_schema;
mod tools;

pub use http::{Door, Token, TokenError, serve_http};
pub use roots::Scope;
pub use server::{Server, Settings};
pub use set_up::{AgentClient, AgentSetUp, SetUpFile, client_health};
pub use stdio::{ServeError, serve, serve_stdio};
