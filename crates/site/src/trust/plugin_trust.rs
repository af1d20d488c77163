use std::collections::BTreeSet;

use windlass_base::PluginDigest;

use super::trust_file::TrustFile;
use super::trust_record::PluginTrust;
use crate::{Error, Site};

impl PluginTrust {
    /// Returns the trusted plugins of `site`, in order.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or cannot be shown to belong to this repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.plugins)
    }

    /// Returns the permissions granted to the plugin with `digest`.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read.
    pub fn granted(site: &Site, digest: &PluginDigest) -> Result<BTreeSet<String>, Error> {
        let plugins = TrustFile::read_proven(site)?.plugins.into_iter();
        let of_it = plugins.filter(|plugin| plugin.digest == *digest);
        Ok(of_it.flat_map(|plugin| plugin.grants).collect())
    }

    /// Trusts the plugin. If it's installed in several locations, each is recorded.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.plugins
                .retain(|other| other.digest != self.digest || other.file != self.file);
            list.plugins.push(self);
        })
    }

    /// Revokes trust in all plugins selected by `is_meant`, in all their versions. Returns the
    /// number of removed records.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
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
