//! Revokes grants. The plugin can be given by any of its names.

use std::path::Path;

use bytes::Bytes;
use windlass_base::PluginDigest;
use windlass_site::{Error, PluginTrust};

use super::find_plugins::{ENDING, Named, PREFIX, Plugins};
use super::found_plugin::PluginPlace;
use super::oci_layout::SCHEME;
use super::plugin_service::PluginService;

/// Plugins to revoke grants of.
#[derive(Debug, Default)]
struct Target {
    /// The name in the plugin's self-description, if known.
    name: Option<String>,
    /// The plugin's current or former location.
    place: Option<String>,
    digest: Option<PluginDigest>,
}

impl PluginService {
    /// Revokes the grants of a plugin in all its versions, and returns the number of these
    /// versions. `name` is a digest, or else the declared name, a file or an OCI reference, each
    /// with or without `plugin:` and the major version.
    ///
    /// The plugin now found at a path may not be the one with the grants, so we revoke those of
    /// both.
    ///
    /// # Errors
    /// Returns an error if the list of grants cannot be read or written.
    pub fn revoke_plugin(&self, name: &str, start: &Path) -> Result<usize, Error> {
        let meant = self.meant(name, start);
        PluginTrust::revoke(&self.site, |plugin| meant.is(plugin))
    }

    /// Resolves a name like [`PluginService::inspect_plugin`], except that the plugin may be
    /// missing or invalid.
    fn meant(&self, name: &str, start: &Path) -> Target {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
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

    /// Returns the former location of a missing file.
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

/// Returns the name declared by the plugin in `bytes`, or `None` if the plugin is invalid.
fn own_name(plugins: &Plugins, place: PluginPlace, bytes: Bytes) -> Option<String> {
    let found = plugins.load(place, bytes).ok()?;
    Some(found.plugin.card().name.clone())
}
