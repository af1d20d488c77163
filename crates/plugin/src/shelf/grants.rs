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

/// The current state of a plugin that was granted capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginStanding {
    /// The file still has the trusted digest.
    Current,
    /// The file now has this digest, so the grant does not cover it.
    ///
    /// We have found the file at the recorded path, or by name and version.
    Changed(PluginDigest),
    /// There is no usable plugin with that path or name anymore.
    Gone,
}

/// Permissions that a user grants by trusting a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginTrustReport {
    /// The plugin's location, e.g. `plugins/owners/owners.wasm`.
    pub file: String,
    /// The name in its description of itself.
    pub name: String,
    /// The version in its description of itself.
    pub version: String,
    /// The digest to trust. Trust does not cover any other content of the file.
    pub digest: PluginDigest,
    /// The declared purity of the output.
    pub purity: Purity,
    /// The capabilities to grant. These are all that the plugin asks for.
    pub grants: BTreeSet<Capability>,
    /// The plugin's imports, each with the capability that it requires.
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
    /// Shows what trusting the plugin `name` would grant, without granting it.
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

    /// Grants the plugin `name` the capabilities that it asks for.
    ///
    /// If the user has reviewed a plugin before, `reviewed` is its digest, and makes sure that it
    /// is still the same.
    ///
    /// # Errors
    /// Returns an error if the plugin has another digest or cannot be used, or if reading or
    /// writing the list of grants fails.
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

    /// Lists the plugins with grants, in the order in which they were trusted, with their current
    /// states.
    ///
    /// # Errors
    /// Returns an error if reading the list of grants fails.
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
        // A step can refer to the plugin by name or by location, so try both.
        let named = [trust.file.as_ref(), Some(&trust.name)];
        let found = named.into_iter().flatten().filter_map(|name| {
            let found = plugins.find(&format!("{PREFIX}{name}@{major}"))?;
            Some(found.ok()?.plugin.component().digest())
        });
        // Steps can't refer to a file outside of the repository, so `find` doesn't either.
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

    /// Finds the capabilities that the plugin in `uses` asks for, but that are not granted.
    ///
    /// Returns `None` if all are granted, or if the plugin does not exist.
    ///
    /// # Errors
    /// Returns an error if reading the list of trusted plugins fails.
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

    /// Looks up the capabilities granted to a plugin. We ignore words that we do not know, which a
    /// later version may have recorded.
    pub(super) fn plugin_grants(
        &self,
        digest: &PluginDigest,
    ) -> Result<BTreeSet<Capability>, Error> {
        let words = PluginTrust::granted(&self.site, digest)?;
        let known = Capability::ALL.into_iter();
        Ok(known.filter(|one| words.contains(one.as_str())).collect())
    }
}
