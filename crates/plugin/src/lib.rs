//! Plugins: steps that are WebAssembly components.
//!
//! - [`PluginService`] finds the plugins of a repository and its user, reports their grants, and
//!   tests their examples.
//! - [`Component`] is a component file, inspected without running it. Its imports are the
//!   capabilities it asks for.
//! - [`Host`] compiles components, caches the compiled code, and enforces the limits.
//! - [`Plugin`] is a component with its description of itself ([`Card`]). [`Plugin::step`] makes it
//!   a step kind, and [`World`] is its only access to files and anchors.
//!
//! A plugin is untrusted code inside our own process. It must never get anything beyond its grants,
//! nor WASI in any form. It must not be able to end, slow down or exhaust the process. No two
//! attempts may share an instance. The only compiled code we may load is our own, from a private
//! folder of the user.
//!
//! The first use of a plugin starts the WebAssembly engine. A build without the feature `runtime`
//! has no engine, and cannot load any component.

mod card;
#[cfg(feature = "runtime")]
mod component;
#[cfg(feature = "runtime")]
mod guest_words;
#[cfg(feature = "runtime")]
mod host;
mod host_options;
#[cfg_attr(
    not(any(feature = "runtime", test)),
    expect(dead_code, reason = "imports are those of a component")
)]
mod imports;
#[cfg(feature = "runtime")]
mod plugin;
mod plugin_error;
mod plugin_limits;
mod shelf;
#[cfg(feature = "runtime")]
mod v1;
#[cfg(not(feature = "runtime"))]
mod without_runtime;
mod world;

pub use card::Card;
#[cfg(feature = "runtime")]
pub use component::{Component, componentize};
#[cfg(feature = "runtime")]
pub use host::Host;
pub use host_options::HostOptions;
pub use imports::{INTERFACE, Import};
#[cfg(feature = "runtime")]
pub use plugin::Plugin;
pub use plugin_error::PluginError;
pub use plugin_limits::Limits;
pub use shelf::{
    ExampleState, NotGranted, PluginPlace, PluginReport, PluginService, PluginStanding,
    PluginTrustReport, PluginUseError, Plugins, TestedExample,
};
#[cfg(not(feature = "runtime"))]
pub use without_runtime::{Component, Host, Plugin, componentize};
pub use world::{Reach, World};
