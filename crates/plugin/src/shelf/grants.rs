use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::Map;
use windlass_base::PluginDigest;
use windlass_plan::Capability;

use windlass_site::{Error, PluginTrust};

use super::find_plugins::{PREFIX, Plugins};
use super::found_plugin::FoundPlugin;
use super::not_granted::NotGranted;
use super::plugin_service::PluginService;
use super::plugin_use_error::PluginUseError;
use crate::Import;
use crate::card::Purity;

/// Current state of a plugin with granted capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginStanding {
    /// The file still has the trusted digest.
    Current,
    /// The file at the plugin's path, or with its name and version, now has this digest.
    Changed(PluginDigest),
    /// There's no longer a usable plugin with its path or name.
    Gone,
}

/// Permissions granted by trusting a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginTrustReport {
    /// The plugin's file.
    pub file: String,
    /// The plugin's name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// The digest to trust.
    pub digest: PluginDigest,
    /// The declared purity of the output.
    pub purity: Purity,
    /// Capabilities to grant.
    pub grants: BTreeSet<Capability>,
    /// Imports that require these capabilities.
    pub imports: Vec<Import>,
}

impl PluginTrustReport {
    fn of(found: &FoundPlugin) -> Self {
        let report = found.report(None);
        Self {
            file: report.file.to_string(),
            name: report.card.name,
            version: report.card.version,
            digest: report.digest,
            purity: report.card.purity,
            grants: found.plugin.component().asks().capabilities(),
            imports: report.imports,
        }
    }
}

impl PluginService {
    /// Returns the permissions that trusting the plugin `name` would grant.
    ///
    /// # Errors
    /// Returns an error if the plugin does not exist or cannot be used.
    pub fn plugin_trust_report(
        &self,
        name: &str,
        start: &Path,
    ) -> Result<PluginTrustReport, Error> {
        let found = self.plugin_named(name, start, &self.plugins())?;
        Ok(PluginTrustReport::of(&found))
    }

    /// Grants the plugin `name` the capabilities it requests. If `reviewed` is given, the plugin
    /// must have that digest.
    ///
    /// # Errors
    /// Returns an error if the plugin has another digest or cannot be used, or if the list of
    /// grants cannot be read or written.
    pub fn trust_plugin(
        &self,
        name: &str,
        start: &Path,
        reviewed: Option<PluginDigest>,
    ) -> Result<PluginTrustReport, Error> {
        let found = self.plugin_named(name, start, &self.plugins())?;
        let report = PluginTrustReport::of(&found);
        if let Some(expected) = reviewed.filter(|reviewed| *reviewed != report.digest) {
            return Err(PluginUseError::Other {
                name: report.name,
                expected,
                found: report.digest,
            }
            .into());
        }
        let trust = PluginTrust {
            name: report.name.clone(),
            version: report.version.clone(),
            file: Some(found.place.known_by(start)),
            digest: report.digest,
            grants: report.grants.iter().map(ToString::to_string).collect(),
            trusted_at: self.site.environment().timestamp(),
            other: Map::new(),
        };
        trust.record(&self.site)?;
        Ok(report)
    }

    /// Returns the plugins with grants and their current states, in the order the grants were made.
    ///
    /// # Errors
    /// Returns an error if the list of grants cannot be read.
    pub fn trusted_plugins(&self) -> Result<Vec<(PluginTrust, PluginStanding)>, Error> {
        let trusted = PluginTrust::all(&self.site)?;
        let plugins = self.plugins();
        let with_standing = trusted.into_iter().map(|trust| {
            let standing = self.standing_of(&trust, &plugins);
            (trust, standing)
        });
        Ok(with_standing.collect())
    }

    fn standing_of(&self, trust: &PluginTrust, plugins: &Plugins) -> PluginStanding {
        let major = trust.version.split('.').next().unwrap_or_default();
        // A step can refer to the plugin by name or by location.
        let named = [trust.file.as_ref(), Some(&trust.name)];
        let found = named.into_iter().flatten().filter_map(|name| {
            let found = plugins.find(&format!("{PREFIX}{name}@{major}"))?;
            Some(found.ok()?.plugin.component().digest())
        });
        // No step can refer to a file outside of the repository, so look it up directly.
        let elsewhere = trust
            .file
            .as_deref()
            .filter(|file| Path::new(file).is_absolute());
        let elsewhere = elsewhere.and_then(|file| {
            let (_, bytes) = self.component_file(file, self.site.repo().root()).ok()?;
            Some(PluginDigest::of(&bytes))
        });
        let digests: Vec<PluginDigest> = found.chain(elsewhere).collect();
        match digests.first() {
            _ if digests.contains(&trust.digest) => PluginStanding::Current,
            Some(now) => PluginStanding::Changed(*now),
            None => PluginStanding::Gone,
        }
    }

    /// Returns the capabilities requested by the plugin in `uses` that haven't been granted, or
    /// `None` if they all have.
    ///
    /// # Errors
    /// Returns an error if the list of trusted plugins cannot be read.
    pub fn not_granted(&self, uses: &str) -> Result<Option<NotGranted>, Error> {
        let Some(Ok(found)) = self.plugins().find(uses) else {
            return Ok(None);
        };
        let component = found.plugin.component();
        let mut missing = component.asks().capabilities();
        let granted = self.plugin_grants(&component.digest())?;
        missing.retain(|one| !granted.contains(one));
        let uses = uses.to_owned();
        Ok((!missing.is_empty()).then_some(NotGranted { uses, missing }))
    }

    /// Returns the capabilities granted to the plugin with `digest`.
    pub(super) fn plugin_grants(
        &self,
        digest: &PluginDigest,
    ) -> Result<BTreeSet<Capability>, Error> {
        let words = PluginTrust::granted(&self.site, digest)?;
        let known = Capability::ALL.into_iter();
        Ok(known.filter(|one| words.contains(one.as_str())).collect())
    }
}
