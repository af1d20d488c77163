use std::collections::BTreeSet;

use windlass_base::PluginDigest;

use super::trust_file::TrustFile;
use super::trust_record::PluginTrust;
use crate::{Error, Site};

impl PluginTrust {
    /// Lists the plugins that the user trusts in this repository, in the order of the list.
    ///
    /// # Errors
    /// Returns an error if the list can't be read, or may belong to another repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.plugins)
    }

    /// Returns the permissions that the user has granted to the plugin with this digest. A plugin
    /// that isn't trusted has none.
    ///
    /// # Errors
    /// Returns an error if the list can't be read.
    pub fn granted(site: &Site, digest: &PluginDigest) -> Result<BTreeSet<String>, Error> {
        let plugins = TrustFile::read_proven(site)?.plugins.into_iter();
        let of_it = plugins.filter(|plugin| plugin.digest == *digest);
        Ok(of_it.flat_map(|plugin| plugin.grants).collect())
    }

    /// Adds the plugin to the list. The same plugin at two locations has two records.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.plugins
                .retain(|other| other.digest != self.digest || other.file != self.file);
            list.plugins.push(self);
        })
    }

    /// Revokes trust in the plugins that `is_meant` accepts, and in all other versions of them.
    /// Returns the number of records that were removed.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
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
