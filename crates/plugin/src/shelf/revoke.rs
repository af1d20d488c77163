//! Taking back what plugins were granted, whatever they are called by.

use std::path::Path;

use bytes::Bytes;
use windlass_base::PluginDigest;
use windlass_site::{Error, PluginTrust};

use super::find_plugins::{ENDING, Named, PREFIX, Plugins};
use super::found_plugin::PluginPlace;
use super::oci_layout::SCHEME;
use super::plugin_service::PluginService;

/// What is said of a plugin when trust in it is taken back.
#[derive(Debug, Default)]
struct Meant {
    /// What it calls itself.
    name: Option<String>,
    /// Where it is, or was.
    place: Option<String>,
    digest: Option<PluginDigest>,
}

impl PluginService {
    /// Takes back what a plugin was granted in every version: `name` is what it calls itself, a file, an OCI reference, each
    /// with or without `plugin:` and the major part of its version, or a digest. Says from how many versions.
    ///
    /// What lies in a place now may be another plugin than was granted something there: both lose it.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke_plugin(&self, name: &str, start: &Path) -> Result<usize, Error> {
        let meant = self.meant(name, start);
        PluginTrust::revoke(&self.site, |plugin| meant.is(plugin))
    }

    /// As [`PluginService::inspect_plugin`] takes it, but what is meant need not be there any more, nor be a plugin.
    fn meant(&self, name: &str, start: &Path) -> Meant {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        if let Ok(digest) = bare.parse() {
            return Meant {
                digest: Some(digest),
                ..Meant::default()
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
            return Meant {
                name: Some(name.to_owned()),
                ..Meant::default()
            };
        };
        match found {
            Some((place, bytes)) => Meant {
                place: Some(place.known_by(start)),
                digest: Some(PluginDigest::of(&bytes)),
                name: own_name(&plugins, place, bytes),
            },
            None => Meant {
                place: Some(match with_major {
                    Some(_) => unversioned.to_owned(),
                    None => self.was_at(unversioned, start),
                }),
                ..Meant::default()
            },
        }
    }

    /// Where a file was that is no more.
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

impl Meant {
    fn is(&self, plugin: &PluginTrust) -> bool {
        self.digest == Some(plugin.digest)
            || self.name.as_ref() == Some(&plugin.name)
            || self.place.is_some() && self.place == plugin.file
    }
}

/// What the plugin in `bytes` calls itself, if it is one.
fn own_name(plugins: &Plugins, place: PluginPlace, bytes: Bytes) -> Option<String> {
    let found = plugins.load(place, bytes).ok()?;
    Some(found.plugin.card().name.clone())
}
