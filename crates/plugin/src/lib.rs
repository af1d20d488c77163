//! Steps that are WebAssembly components: plugins.
//!
//! - [`PluginService`] finds the plugins of a repository and its user, says what they are granted, and tries their examples;
//! - [`Component`] is a component file that was looked at without running it: its digest, and what it imports, which
//!   is what it asks for;
//! - [`Host`] compiles components, keeps the compiled code, and holds the limits;
//! - [`Plugin`] is a component that said what it is ([`Card`]); [`Plugin::step`] makes a kind of step of it, which
//!   reaches the world through [`World`] alone.
//!
//! This crate must never give a plugin anything that was not granted, nor WASI in any form; run two attempts in one
//! instance; load compiled code that it did not write itself into a folder of the user's own; or let a plugin end, slow
//! down or blow up the process it runs in. Nothing of the WebAssembly engine is started before a plugin is used.

mod component;
mod guest_words;
mod host;
mod plugin;
mod plugin_error;
mod plugin_limits;
mod shelf;
mod v1;
mod world;

pub use component::{Component, INTERFACE, Import, componentize};
pub use host::{Host, HostOptions};
pub use plugin::{Card, Plugin};
pub use plugin_error::PluginError;
pub use plugin_limits::Limits;
pub use shelf::{
    ExampleState, PluginPlace, PluginReport, PluginService, PluginStanding, PluginTrustReport,
    PluginUseError, Plugins, TestedExample,
};
pub use world::{Reach, World};
