//! Finds the plugins that runbooks can use, and records what they may do.
//!
//! We look for plugins in the repository, in the user's folder and in OCI layouts (`find_plugins`).
//! A plugin gets no capability until the user grants it, and a grant only covers one digest of the
//! plugin's file (`grants`).

mod examples;
mod find_plugins;
mod found_plugin;
mod grants;
mod not_granted;
mod oci_layout;
mod plugin_kinds;
mod plugin_lookup;
mod plugin_service;
mod plugin_use_error;
mod revoke;

pub use examples::{ExampleState, TestedExample};
pub use find_plugins::Plugins;
pub use found_plugin::{PluginPlace, PluginReport};
pub use grants::{PluginStanding, PluginTrustReport};
pub use not_granted::NotGranted;
pub use plugin_service::PluginService;
pub use plugin_use_error::PluginUseError;
