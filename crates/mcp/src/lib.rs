//! Windlass tools for agents, as a server of the Model Context Protocol (MCP).
//!
//! [`serve_stdio`] serves one client over two pipes, and [`serve_http`] serves many over a socket.
//! Both speak the protocol in two forms: the one that begins with `initialize` (2025-11-25 and
//! before), and the stateless one (2026-07-28).
//!
//! Each file in `tools/` is a tool: its arguments, its result, and one call of the library. We
//! validate arguments like those of runbook steps. If a call fails, the error becomes its result,
//! with the nearest valid value and a suggestion for the next call. [`AgentSetUp`] writes the
//! configuration that a client needs to find the server.
//!
//! This crate never prints, and by itself never reads the clock, the environment or the user's
//! files. It cannot grant the permissions that are up to the user, so it only runs programs that
//! the user has trusted elsewhere. It reads and writes no document outside of a call's repository.
//! The library stores whatever has to outlive a call (cursors, claims, revisions), so that a
//! restarted server can continue.

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
