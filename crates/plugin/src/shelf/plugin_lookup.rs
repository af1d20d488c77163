//! Looks up plugins for users and for plans. Users may also name a file, or leave out the version.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use windlass_plan::{KindSource, KindSpec, Problem};
use windlass_repo::read_foreign_component;

use super::find_plugins::{ENDING, Named, NoPlugin, PREFIX, Plugins, problem};
use windlass_site::{Error, unreadable};

use super::found_plugin::{FoundPlugin, PluginPlace, PluginReport, shared};
use super::oci_layout::SCHEME;
use super::plugin_service::PluginService;
use super::plugin_use_error::PluginUseError;
use crate::plugin_limits::MAX_COMPONENT_BYTES;

impl KindSource for Plugins {
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>> {
        let found = self.find(name)?;
        let found = found.map_err(|none| none.problem);
        Some(found.map(|found| Arc::new(found.plugin.kind(name))))
    }
}

impl PluginService {
    /// Reports on each component file. If a plugin is invalid or can't be used, we return the
    /// reason.
    #[must_use]
    pub fn list_plugins(&self) -> Vec<(PluginPlace, Result<PluginReport, String>)> {
        let plugins = self.plugins();
        let report = |found: FoundPlugin| match plugins.uses(&found) {
            Ok(uses) => Ok(found.report(Some(uses))),
            Err(why) => Err(format!("{} cannot be used: {why}", found.place)),
        };
        let found = plugins.all().into_iter();
        found
            .map(|(place, found)| (place, found.and_then(report)))
            .collect()
    }

    /// Lists the names and locations of all component files. We take the names from the files,
    /// since the components would have to run to tell us theirs.
    #[must_use]
    pub fn plugin_files(&self) -> Vec<(String, PluginPlace)> {
        let files = self.plugins().files().into_iter();
        files
            .filter_map(|(place, _)| Some((stem(&place)?, place)))
            .collect()
    }

    /// Reports on the plugin `name`, which is a file or the name of a plugin, with or without
    /// `plugin:` and the major version.
    ///
    /// A relative path starts at the folder `start`.
    ///
    /// # Errors
    /// Returns an error if the plugin doesn't exist or can't be used.
    pub fn inspect_plugin(&self, name: &str, start: &Path) -> Result<PluginReport, Error> {
        let plugins = self.plugins();
        let found = self.plugin_named(name, start, &plugins)?;
        Ok(found.report(plugins.uses(&found).ok()))
    }

    pub(super) fn plugin_named(
        &self,
        name: &str,
        start: &Path,
        plugins: &Plugins,
    ) -> Result<FoundPlugin, Error> {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        let found = if bare.ends_with(ENDING) {
            let (place, bytes) = self.component_file(bare, start)?;
            loaded(plugins, place, bytes)
        } else if let Some(reference) = bare.strip_prefix(SCHEME)
            && Named::parse(&format!("{PREFIX}{bare}")).is_none_or(|named| named.is_err())
        {
            match plugins.artifact(reference) {
                Ok(Some((place, bytes))) => loaded(plugins, place, bytes),
                Ok(None) => Err(plugins.no_artifact(reference)),
                Err(problem) => Err(problem.into()),
            }
        } else if bare.contains('@') {
            let found = plugins.find(&format!("{PREFIX}{bare}"));
            let none = || NoPlugin::missing(format!("unknown plugin `{bare}`"), None);
            found.unwrap_or_else(|| Err(none()))
        } else {
            plugin_called(bare, plugins)
        };
        found.map_err(error)
    }

    /// Reports on the plugin in the component `bytes`, with `from` as its file.
    ///
    /// # Errors
    /// Returns an error if it can't be used as a plugin.
    pub fn inspect_component(&self, bytes: Vec<u8>, from: PathBuf) -> Result<PluginReport, Error> {
        let found = loaded(&self.plugins(), PluginPlace::File(from), bytes.into());
        Ok(found.map_err(error)?.report(None))
    }

    pub(super) fn component_file(
        &self,
        name: &str,
        start: &Path,
    ) -> Result<(PluginPlace, Bytes), Error> {
        let path = start.join(name);
        if let Some(file) = self.site.repo().path_of(&path) {
            let source = self.site.repo().snapshot().read(&file);
            let source = source.map_err(|why| unreadable(file.as_str(), &why))?;
            return Ok((PluginPlace::Repository(file), shared(source)));
        }
        let bytes = read_foreign_component(&path, MAX_COMPONENT_BYTES);
        let bytes = bytes.map_err(|why| unreadable(name, &why))?;
        Ok((PluginPlace::File(PathBuf::from(name)), bytes.into()))
    }
}

fn loaded(plugins: &Plugins, place: PluginPlace, bytes: Bytes) -> Result<FoundPlugin, NoPlugin> {
    let found = plugins.load(place, bytes);
    found.map_err(|(message, help)| problem(message, help).into())
}

fn error(none: NoPlugin) -> Error {
    PluginUseError::Unusable {
        missing: none.missing,
        message: none.problem.message,
        help: none.problem.help,
    }
    .into()
}

/// Finds a plugin that declares the name `name`.
///
/// If there are several, it's the one that a step would use.
fn plugin_called(name: &str, plugins: &Plugins) -> Result<FoundPlugin, NoPlugin> {
    let all = plugins.all();
    let is_called = |found: &&FoundPlugin| found.plugin.card().name == name;
    let called = all.iter().filter_map(|(_, found)| found.as_ref().ok());
    if let Some(first) = called.clone().find(is_called) {
        let uses = format!("{PREFIX}{name}@{}", first.plugin.card().major());
        return match plugins.find(&uses) {
            Some(Ok(found)) => Ok(found),
            _ => Ok(first.clone()),
        };
    }
    // A file that can't be loaded has no declared name, but its file name may be the one that the
    // user means.
    let of_its_file = |(place, found): &(PluginPlace, Result<FoundPlugin, String>)| {
        let is_named = stem(place).is_some_and(|stem| stem == name);
        found.as_ref().err().filter(|_| is_named).cloned()
    };
    match all.iter().find_map(of_its_file) {
        Some(why) => Err(problem(why, None).into()),
        None => {
            let help = "run `windlass plugin list` to see all plugins".to_owned();
            Err(NoPlugin::missing(format!("unknown plugin `{name}`"), help))
        }
    }
}

/// Extracts the plugin's name from a file name such as `owners@1.wasm`.
fn stem(place: &PluginPlace) -> Option<String> {
    let text = match place {
        PluginPlace::Repository(file) => file.file_name().to_owned(),
        PluginPlace::User(name) => name.clone(),
        PluginPlace::File(_) | PluginPlace::Oci(_) => return None,
    };
    let stem = text.strip_suffix(ENDING)?;
    Some(stem.split('@').next().unwrap_or(stem).to_owned())
}
