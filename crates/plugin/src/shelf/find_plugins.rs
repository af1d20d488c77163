//! Looks up plugins in the repository, in the user's folder, and in OCI image layouts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use windlass_base::{Cancel, PluginDigest, RepoPath};
use windlass_plan::Problem;
use windlass_repo::{ListQuery, Refusal, Snapshot};
use windlass_site::Site;
use windlass_store::{Dirs, RootedPath, StoreError, files_in, read_file};

use super::found_plugin::{FoundPlugin, PluginPlace, shared};
use super::oci_layout::{self, Reference, SCHEME};
use crate::plugin_limits::MAX_COMPONENT_BYTES;
use crate::{Component, Host, HostOptions, Limits, Plugin};

pub(super) const PREFIX: &str = "plugin:";
/// Plugin folders in the repository, in search order.
const FOLDERS: [&str; 2] = [".windlass/plugins", "plugins"];
pub(super) const ENDING: &str = ".wasm";

/// A plugin as named in `uses` of a step, e.g. `plugin:codeowners@1`, `plugin:tools/own.wasm@2` or
/// `plugin:oci://ghcr.io/acme/owners:1.2.0@1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    /// Either a name, a path in the repository, or `oci://` with a reference.
    name: &'a str,
    major: u64,
}

impl<'a> Named<'a> {
    /// Parses `uses`.
    ///
    /// Returns `None` if it does not name a plugin, and a problem if there is no version.
    pub(super) fn parse(uses: &'a str) -> Option<Result<Self, Problem>> {
        let text = uses.strip_prefix(PREFIX)?;
        let parsed = text.rsplit_once('@').and_then(|(name, major)| {
            let digits = !major.is_empty() && major.bytes().all(|b| b.is_ascii_digit());
            let major = digits.then(|| major.parse().ok()).flatten()?;
            (!name.is_empty()).then_some(Self { name, major })
        });
        let name = text.split('@').next().unwrap_or_default();
        Some(parsed.ok_or_else(|| {
            problem(
                format!("`{uses}` has no version"),
                format!("add the major version: `{PREFIX}{name}@1`"),
            )
        }))
    }

    /// The name, path or reference, without the major version.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }
}

pub(super) fn problem(message: String, help: impl Into<Option<String>>) -> Problem {
    Problem {
        at: String::new(),
        message,
        help: help.into(),
    }
}

#[derive(Debug, Clone)]
pub(super) struct NoPlugin {
    pub(super) problem: Problem,
    /// True if there is nothing with this name, and false if there is a file that cannot be used.
    pub(super) missing: bool,
}

impl NoPlugin {
    pub(super) fn missing(message: String, help: impl Into<Option<String>>) -> Self {
        Self {
            problem: problem(message, help),
            missing: true,
        }
    }
}

impl From<Problem> for NoPlugin {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            missing: false,
        }
    }
}

/// The plugins of a workspace, in the same state for a whole job.
///
/// We look up each of them once, when it is first used.
#[derive(Debug)]
pub struct Plugins {
    site: Site,
    snapshot: Snapshot,
    dirs: Option<Dirs>,
    cancel: Cancel,
    slots: usize,
    host: OnceLock<Host>,
    known: Mutex<BTreeMap<String, Result<FoundPlugin, NoPlugin>>>,
}

impl Plugins {
    pub(super) fn of(site: &Site, cancel: Cancel) -> Self {
        Self {
            site: site.clone(),
            // A plugin's code isn't evidence of the run that uses it, so don't read it through the
            // snapshot of a run.
            snapshot: site.repo().snapshot(),
            dirs: site.dirs().ok(),
            cancel,
            slots: site.environment().threads.get() * 2,
            host: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// Looks up the plugin that `uses` names. Returns `None` if it does not name a plugin.
    pub(super) fn find(&self, uses: &str) -> Option<Result<FoundPlugin, NoPlugin>> {
        let named = match Named::parse(uses)? {
            Ok(named) => named,
            Err(problem) => return Some(Err(problem.into())),
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(uses) {
            return Some(found.clone());
        }
        // Loading may take seconds, so don't hold the lock. Two threads may load the same plugin,
        // which does no harm.
        let found = self.look(uses, named);
        known().insert(uses.to_owned(), found.clone());
        Some(found)
    }

    /// The current digest of the plugin that `uses` names. It is `None` if the plugin is missing or
    /// cannot be used.
    #[must_use]
    pub fn digest_of(&self, uses: &str) -> Option<PluginDigest> {
        let found = self.find(uses)?.ok()?;
        Some(found.plugin.component().digest())
    }

    fn look(&self, uses: &str, named: Named<'_>) -> Result<FoundPlugin, NoPlugin> {
        let Some((place, bytes)) = self.bytes(named)? else {
            if let Some(reference) = named.name.strip_prefix(SCHEME) {
                return Err(self.no_artifact(reference));
            }
            let message = format!("unknown plugin `{}`", named.name);
            let help = format!(
                "add its component as `plugins/{0}/{0}{ENDING}` or `.windlass/plugins/{0}{ENDING}`, or to your own folder; run `windlass plugin list` to see all plugins",
                named.name
            );
            return Err(NoPlugin::missing(message, help));
        };
        let found = self
            .load(place, bytes)
            .map_err(|(message, help)| problem(message, help))?;
        let card = found.plugin.card();
        let by_path = named.name.ends_with(ENDING) || named.name.starts_with(SCHEME);
        // The file's name is how users and steps find it, and the name in its description is what
        // they see.
        if !by_path && card.name != named.name {
            let message = format!(
                "{} is the plugin `{}`, not `{}`",
                found.place, card.name, named.name
            );
            return Err(problem(message, "rename its file to its name".to_owned()).into());
        }
        if card.major() != named.major {
            let message = format!(
                "`{uses}` requires version {}, but {} is {}",
                named.major, found.place, card.version
            );
            let help = format!("write `{PREFIX}{}@{}` to use it", named.name, card.major());
            return Err(problem(message, help).into());
        }
        Ok(found)
    }

    pub(super) fn load(
        &self,
        place: PluginPlace,
        bytes: Bytes,
    ) -> Result<FoundPlugin, (String, Option<String>)> {
        let loaded = Component::read(bytes)
            .and_then(|component| Plugin::load(component, self.host(), &self.cancel));
        match loaded {
            Ok(plugin) => Ok(FoundPlugin { place, plugin }),
            Err(error) => Err((format!("{place} is not a plugin: {error}"), error.help())),
        }
    }

    /// Reads the component file for a name, which may be in the repository or in the user's folder.
    /// The repository comes first.
    pub(super) fn bytes(&self, named: Named<'_>) -> Result<Option<(PluginPlace, Bytes)>, Problem> {
        let name = named.name;
        if let Some(reference) = name.strip_prefix(SCHEME) {
            return self.artifact(reference);
        }
        let refused = |file: &dyn fmt::Display, why: &dyn fmt::Display| {
            problem(format!("the plugin `{file}` cannot be read: {why}"), None)
        };
        if name.ends_with(ENDING) {
            let file = RepoPath::parse(name).map_err(|error| problem(error.to_string(), None))?;
            let source = self
                .snapshot
                .read(&file)
                .map_err(|why| refused(&file, &why))?;
            return Ok(Some((PluginPlace::Repository(file), shared(source))));
        }
        let files = [
            format!("{name}@{}{ENDING}", named.major),
            format!("{name}{ENDING}"),
        ];
        for folder in FOLDERS {
            for file in files.iter().flat_map(|file| {
                [
                    format!("{folder}/{name}/{file}"),
                    format!("{folder}/{file}"),
                ]
            }) {
                // There can't be a file at an invalid path.
                let Ok(file) = RepoPath::parse(&file) else {
                    continue;
                };
                match self.snapshot.read(&file) {
                    Ok(source) => {
                        return Ok(Some((PluginPlace::Repository(file), shared(source))));
                    }
                    Err(Refusal::Missing) => {}
                    Err(why) => return Err(refused(&file, &why)),
                }
            }
        }
        let Some(own) = self.own_folder().filter(|_| !name.contains(['/', '\\'])) else {
            return Ok(None);
        };
        for file in files {
            let read = read_file(&own.join(&file), MAX_COMPONENT_BYTES);
            if let Some(bytes) = read.map_err(|why| refused(&file, &why))? {
                return Ok(Some((PluginPlace::User(file), bytes.into())));
            }
        }
        Ok(None)
    }

    /// Reads the component with an OCI reference, from a layout in the repository or in the user's
    /// folder.
    pub(super) fn artifact(&self, text: &str) -> Result<Option<(PluginPlace, Bytes)>, Problem> {
        let reference = Reference::parse(text).map_err(|why| problem(why, None))?;
        let place = || PluginPlace::Oci(text.to_owned());
        let failed = |why: String| {
            let help = "fetch it again".to_owned();
            problem(
                format!("the plugin `{SCHEME}{text}` cannot be read: {why}"),
                help,
            )
        };
        for folder in FOLDERS {
            let read = |file: &str, _| self.read_below(folder, file);
            if let Some(bytes) = oci_layout::component(&reference, &read).map_err(failed)? {
                return Ok(Some((place(), bytes.into())));
            }
        }
        let Some(own) = self.own_folder() else {
            return Ok(None);
        };
        let read =
            |file: &str, most| read_file(&own.join(file), most).map_err(|error| error.to_string());
        let found = oci_layout::component(&reference, &read).map_err(failed)?;
        Ok(found.map(|bytes| (place(), bytes.into())))
    }

    /// Reads a file inside a folder of the repository. Returns `None` if it does not exist.
    fn read_below(&self, folder: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        // There can't be a file at an invalid path.
        let Ok(path) = RepoPath::parse(&format!("{folder}/{file}")) else {
            return Ok(None);
        };
        match self.snapshot.read(&path) {
            Ok(source) => Ok(Some(source.bytes().to_vec())),
            Err(Refusal::Missing) => Ok(None),
            Err(why) => Err(format!("{path}: {why}")),
        }
    }

    pub(super) fn no_artifact(&self, text: &str) -> NoPlugin {
        let help = Reference::parse(text).map(|reference| reference.help());
        NoPlugin::missing(format!("unknown plugin `{SCHEME}{text}`"), help.ok())
    }

    /// Unwraps the listed files of a user's folder.
    ///
    /// If they cannot be listed (e.g. because the folder is a link), this warns once per workspace
    /// and returns no files.
    fn noted<T>(&self, listed: Result<Vec<T>, StoreError>) -> Vec<T> {
        listed.unwrap_or_else(|error| {
            let why = error.to_string();
            self.site
                .note_trouble(format!("your plugins cannot be listed: {why}"));
            Vec::new()
        })
    }

    fn own_folder(&self) -> Option<RootedPath> {
        Some(self.dirs.as_ref()?.data.join("plugins"))
    }

    fn host(&self) -> &Host {
        self.host.get_or_init(|| {
            Host::new(HostOptions {
                cache: self.dirs.as_ref().map(|dirs| dirs.cache.join("plugins")),
                slots: self.slots,
                limits: Limits::default(),
            })
        })
    }

    /// Lists all component files: those of the repository and then those of the user, each group
    /// sorted by name.
    ///
    /// Artifacts in OCI layouts are not included, because we can only find them by their reference.
    pub(super) fn files(&self) -> Vec<(PluginPlace, Result<Bytes, String>)> {
        let mut files = Vec::new();
        // List each folder separately, because the query fails as a whole if one of them is
        // missing.
        for folder in FOLDERS {
            let query = ListQuery {
                paths: RepoPath::parse(folder).into_iter().collect(),
                globs: vec![format!("*{ENDING}")],
                hidden: true,
                limit: None,
            };
            let listed = self.snapshot.list(&query, &Cancel::default());
            for file in listed.map(|listing| listing.files).unwrap_or_default() {
                let read = self.snapshot.read(&file);
                let bytes = match read {
                    Ok(source) => Ok(shared(source)),
                    Err(why) => Err(format!("{file} cannot be read: {why}")),
                };
                files.push((PluginPlace::Repository(file), bytes));
            }
        }
        if let Some(own) = self.own_folder() {
            for file in self.noted(files_in(&own, |name| name.ends_with(ENDING))) {
                let bytes = match read_file(&file.place, MAX_COMPONENT_BYTES) {
                    Ok(Some(bytes)) => Ok(bytes.into()),
                    Ok(None) => continue,
                    Err(why) => Err(format!("your `{}` cannot be read: {why}", file.name)),
                };
                files.push((PluginPlace::User(file.name), bytes));
            }
        }
        files
    }

    pub(super) fn all(&self) -> Vec<(PluginPlace, Result<FoundPlugin, String>)> {
        let found = self.files().into_iter().map(|(place, bytes)| {
            let found = bytes.and_then(|bytes| {
                let loaded = self.load(place.clone(), bytes);
                loaded.map_err(|(message, _)| message)
            });
            (place, found)
        });
        found.collect()
    }

    /// Returns the text that names the plugin `found` in `uses`.
    ///
    /// That is its name or, if the name stands for another plugin, its path.
    ///
    /// # Errors
    /// Returns the reason if no step can use the plugin.
    pub(super) fn uses(&self, found: &FoundPlugin) -> Result<String, String> {
        let card = found.plugin.card();
        let major = card.major();
        let by_name = format!("{PREFIX}{}@{major}", card.name);
        let named = self.find(&by_name);
        if let Some(Ok(named)) = &named
            && named.place == found.place
        {
            return Ok(by_name);
        }
        match (&found.place, named) {
            (PluginPlace::Repository(file), _) => Ok(format!("{PREFIX}{file}@{major}")),
            (PluginPlace::Oci(reference), _) => Ok(format!("{PREFIX}{SCHEME}{reference}@{major}")),
            (PluginPlace::File(_), _) => Err("it is not a file of the repository".to_owned()),
            (PluginPlace::User(_), Some(Ok(other))) => Err(format!("{} hides it", other.place)),
            (PluginPlace::User(_), _) => {
                Err(format!("its file has to be named `{}{ENDING}`", card.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_uses_needs_major_version() {
        let named =
            |uses| Named::parse(uses).map(|named| named.map(|named| (named.name, named.major)));
        assert_eq!(named("search"), None);
        assert_eq!(named("plugin:codeowners@1"), Some(Ok(("codeowners", 1))));
        assert_eq!(named("plugin:a/b@c.wasm@12"), Some(Ok(("a/b@c.wasm", 12))));
        let oci = "plugin:oci://ghcr.io/acme/owners:1.2.0@1";
        assert_eq!(named(oci), Some(Ok(("oci://ghcr.io/acme/owners:1.2.0", 1))));
        for wrong in [
            "plugin:",
            "plugin:codeowners",
            "plugin:x@",
            "plugin:x@v1",
            "plugin:@1",
            "plugin:x@1.2",
        ] {
            let problem = named(wrong).unwrap().unwrap_err();
            assert!(problem.message.contains("has no version"), "{wrong}");
        }
    }
}
