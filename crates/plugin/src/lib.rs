//! Plugins: steps that are WebAssembly components.
//!
//! - [`PluginService`] finds the plugins of a repository and its user, reports their grants, and tests their examples;
//! - [`Component`] is a component file, inspected without running it. Its imports are the capabilities that it
//!   requests;
//! - [`Host`] compiles components, caches the compiled code, and enforces the limits;
//! - [`Plugin`] is a component with its self-description ([`Card`]). [`Plugin::step`] makes it a step kind, which can
//!   access files and anchors only through [`World`].
//!
//! This crate must never give a plugin anything that was not granted, nor WASI in any form. It must never run two
//! attempts in one instance, or load compiled code other than its own from a private folder of the user. A plugin must
//! not be able to end, slow down or exhaust the process that it runs in. The WebAssembly engine starts only when a
//! plugin is used.

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
    ExampleState, NotGranted, PluginPlace, PluginReport, PluginService, PluginStanding,
    PluginTrustReport, PluginUseError, Plugins, TestedExample,
};
pub use world::{Reach, World};
