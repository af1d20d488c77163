//! Revokes grants. Any of the plugin's names identifies it.
//!
//! When in doubt, we revoke more rather than less: a grant that's still needed can be given again,
//! but one that remains by mistake may go unnoticed.

use std::path::Path;

use bytes::Bytes;
use windlass_base::PluginDigest;
use windlass_site::{Error, PluginTrust};

use super::find_plugins::{ENDING, Named, PREFIX, Plugins};
use super::found_plugin::PluginPlace;
use super::oci_layout::SCHEME;
use super::plugin_service::PluginService;

/// The plugins to revoke grants from: those with this name, location or digest.
#[derive(Debug, Default)]
struct Target {
    /// The name in the plugin's description of itself, if we know it.
    name: Option<String>,
    place: Option<String>,
    digest: Option<PluginDigest>,
}

impl PluginService {
    /// Revokes the grants of all versions of a plugin, and returns the number of versions.
    ///
    /// `name` is a digest, or else the declared name, a file or an OCI reference, each with or
    /// without `plugin:` and the major version. The plugin that's now at a path may not be the one
    /// with the grants, so we revoke those of both.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list of grants fails.
    pub fn revoke_plugin(&self, name: &str, start: &Path) -> Result<usize, Error> {
        let meant = self.meant(name, start);
        PluginTrust::revoke(&self.site, |plugin| meant.is(plugin))
    }

    /// Resolves a name as [`PluginService::inspect_plugin`] does, but also if the plugin is missing
    /// or invalid.
    ///
    /// Users must be able to revoke the grants of a plugin they've deleted.
    fn meant(&self, name: &str, start: &Path) -> Target {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        // A digest identifies the plugin by itself, so we don't have to look for a file.
        if let Ok(digest) = bare.parse() {
            return Target {
                digest: Some(digest),
                ..Target::default()
            };
        }
        let uses = format!("{PREFIX}{bare}");
        let with_major = Named::parse(&uses).and_then(Result::ok);
        let unversioned = with_major.map_or(bare, |named| named.name());
        let plugins = self.plugins();
        let found = if unversioned.ends_with(ENDING) {
            match with_major {
                Some(named) => plugins.bytes(named).ok().flatten(),
                None => self.component_file(bare, start).ok(),
            }
        } else if let Some(reference) = unversioned.strip_prefix(SCHEME) {
            plugins.artifact(reference).ok().flatten()
        } else {
            // Anything else is the declared name of a plugin, which may have any number of
            // versions.
            let name = unversioned.split('@').next().unwrap_or_default();
            return Target {
                name: Some(name.to_owned()),
                ..Target::default()
            };
        };
        match found {
            Some((place, bytes)) => Target {
                place: Some(place.known_by(start)),
                digest: Some(PluginDigest::of(&bytes)),
                name: own_name(&plugins, place, bytes),
            },
            None => Target {
                place: Some(match with_major {
                    Some(_) => unversioned.to_owned(),
                    None => self.was_at(unversioned, start),
                }),
                ..Target::default()
            },
        }
    }

    /// Returns the location that was recorded for a file that's missing now.
    fn was_at(&self, name: &str, start: &Path) -> String {
        if name.starts_with(SCHEME) {
            return name.to_owned();
        }
        let path = start.join(name);
        match self.site.repo().path_of(&path) {
            Some(file) => file.to_string(),
            None => path.display().to_string(),
        }
    }
}

impl Target {
    fn is(&self, plugin: &PluginTrust) -> bool {
        self.digest == Some(plugin.digest)
            || self.name.as_ref() == Some(&plugin.name)
            || self.place.is_some() && self.place == plugin.file
    }
}

/// The name that the plugin declares. There's none if it's invalid.
fn own_name(plugins: &Plugins, place: PluginPlace, bytes: Bytes) -> Option<String> {
    let found = plugins.load(place, bytes).ok()?;
    Some(found.plugin.card().name.clone())
}
