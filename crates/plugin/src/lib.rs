//! Steps that are WebAssembly components: plugins.
//!
//! - [`Component`] is a component file that was looked at without running it: its digest, and what it imports, which
//!   is what it asks for;
//! - [`Host`] compiles components, keeps the compiled code, and holds the limits;
//! - [`Plugin`] is a component that said what it is ([`Card`]); [`Plugin::step`] makes a kind of step of it, which
//!   reaches the world through [`World`] alone.
//!
//! This crate must never give a plugin anything that was not granted, nor WASI in any form; run two attempts in one
//! instance; load compiled code that it did not write itself into a folder of the user's own; or let a plugin end, slow
//! down or blow up the process it runs in. Nothing of the WebAssembly engine is started before a plugin is used.

mod asks;
mod card;
mod compiled;
mod component;
mod componentize;
mod counted;
mod effort;
mod engine;
mod error;
mod failure;
mod host;
mod json;
mod lanes;
mod limiter;
mod once;
mod output;
mod plugin;
mod private;
mod results;
mod said;
mod slots;
mod stack;
mod step;
mod tick;
mod trim;
mod v1;
mod weight;
mod world;

pub use asks::{Asks, Import};
pub use card::{Card, Purity};
pub use component::{Component, MAX_COMPONENT_BYTES};
pub use componentize::{INTERFACE, componentize};
pub use error::PluginError;
pub use host::{Host, HostOptions, Limits};
pub use plugin::Plugin;
pub use world::{Reach, World};
