use std::collections::BTreeSet;

use windlass_base::PluginDigest;

use super::trust_file::TrustFile;
use super::trust_record::PluginTrust;
use crate::{Error, Site};

impl PluginTrust {
    /// Returns the trusted plugins of `site`, in order.
    ///
    /// # Errors
    /// If the list cannot be read, or its owner cannot be determined.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.plugins)
    }

    /// Returns the permissions granted to the plugin with `digest`.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn granted(site: &Site, digest: &PluginDigest) -> Result<BTreeSet<String>, Error> {
        let plugins = TrustFile::read_proven(site)?.plugins.into_iter();
        let of_it = plugins.filter(|plugin| plugin.digest == *digest);
        Ok(of_it.flat_map(|plugin| plugin.grants).collect())
    }

    /// Trusts the plugin. A plugin in several locations is trusted at each one.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.plugins
                .retain(|other| other.digest != self.digest || other.file != self.file);
            list.plugins.push(self);
        })
    }

    /// Revokes trust in all versions of the plugins that `is_meant` selects; returns their number.
    ///
    /// # Errors
    /// If the list cannot be read or written.
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
