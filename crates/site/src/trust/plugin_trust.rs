use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::PluginDigest;

use super::trust_file::TrustFile;
use crate::{Error, Site};

/// A plugin that was granted what it asked for, as long as its file does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The place where it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of its file.
    pub digest: PluginDigest,
    /// The things it was granted; words of later versions stay.
    pub grants: Vec<String>,
    /// The time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PluginTrust {
    /// Those of `site`, in the order in which they were trusted.
    ///
    /// # Errors
    /// When the list cannot be read, or it cannot be said whose it is.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.plugins)
    }

    /// The words of what the plugin with `digest` was granted.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn granted(site: &Site, digest: &PluginDigest) -> Result<BTreeSet<String>, Error> {
        let plugins = TrustFile::read_proven(site)?.plugins.into_iter();
        let of_it = plugins.filter(|plugin| plugin.digest == *digest);
        Ok(of_it.flat_map(|plugin| plugin.grants).collect())
    }

    /// Trusts the plugin. The same one may lie in several places, and is looked for in each.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.plugins
                .retain(|other| other.digest != self.digest || other.file != self.file);
            list.plugins.push(self);
        })
    }

    /// Takes trust back from the plugins that `is_meant` of one names, in every version; says from how many.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke(site: &Site, is_meant: impl Fn(&Self) -> bool) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let named = list.plugins.iter().filter(|plugin| is_meant(plugin));
            let names: BTreeSet<String> = named.map(|plugin| plugin.name.clone()).collect();
            let before = list.plugins.len();
            list.plugins.retain(|plugin| !names.contains(&plugin.name));
            before - list.plugins.len()
        })
    }
}
