//! The tools of Windlass that an agent calls, as a server of the Model Context Protocol (MCP).
//!
//! [`serve_stdio`] answers one client over two pipes, in both eras of the protocol: with `initialize` (2025-11-25 and
//! before), and without any state (2026-07-28); [`serve_http`] answers many over a socket. Each tool is one file in `tools/`: what it is called with, what it gives,
//! and one call of the library. Arguments are checked by the same checker as steps of runbooks; whatever goes wrong is
//! the result of the tool, with the nearest valid value and the next call. [`AgentSetUp`] is what a client's configuration has to say for that.
//!
//! This crate must never print, look at the clock or the environment, read a file of the user by itself, or grant what
//! only a person may: it runs no program that the user has not trusted, reads and writes no document outside of the
//! repository that a call is about, and keeps nothing between two calls. What goes on between them (cursors, claims,
//! revisions) lies where the library keeps it, so that a server that is started anew goes on as well.

mod actions;
mod answer;
mod coerce;
mod failure_answer;
mod http;
mod instructions;
mod lines;
mod message;
mod paged_rows;
mod prompts;
mod resources;
mod roots;
mod running_calls;
mod server;
mod server_limits;
mod set_up;
mod shorten;
mod stdio;
mod telling;
mod told_progress;
mod tool;
mod tool_call;
mod tool_failure;
mod tool_schema;
mod tools;

pub use http::{Door, Token, TokenError, serve_http};
pub use roots::Scope;
pub use server::{Server, Settings};
pub use set_up::{AgentClient, AgentSetUp, SetUpFile};
pub use stdio::{ServeError, serve, serve_stdio};
