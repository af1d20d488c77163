//! The plugins that runbooks may use: where they are found, what they are granted, and what they reach.

mod error;
mod examples;
mod find;
mod found;
mod grants;
mod kinds;
mod lookup;
mod oci;
mod revoke;
mod world;

pub use error::PluginUseError;
pub use examples::{ExampleState, TestedExample};
pub(crate) use find::Plugins;
pub use found::{PluginPlace, PluginReport};
pub use grants::{PluginStanding, PluginTrustReport};
pub(crate) use kinds::plugin_kinds;
pub(crate) use world::{NoRunbooks, PluginStates, RunWorld};
