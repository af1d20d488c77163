//! Looks up plugins in the repository, in the user's folder, and in OCI image layouts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use windlass_base::{Cancel, PluginDigest, RepoPath};
use windlass_plan::Problem;
use windlass_repo::{ListQuery, Refusal, Snapshot};
use windlass_site::Site;
use windlass_store::{Dirs, RootedPath, StoreError, files_in, folders_in, read_file};

use super::found_plugin::{FoundPlugin, PluginPlace, shared};
use super::oci_layout::{self, Reference, SCHEME};
use crate::plugin_limits::MAX_COMPONENT_BYTES;
use crate::{Component, Host, HostOptions, Limits, Plugin};

/// Prefix of step kinds that are plugins.
pub(super) const PREFIX: &str = "plugin:";
/// Plugin folders in the repository, in search order.
const FOLDERS: [&str; 2] = [".windlass/plugins", "plugins"];
pub(super) const ENDING: &str = ".wasm";

/// A plugin as named in `uses` of a step: `plugin:codeowners@1`, `plugin:tools/own.wasm@2` or
/// `plugin:oci://ghcr.io/acme/owners:1.2.0@1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    /// A name, a path in the repository, or an OCI reference.
    name: &'a str,
    major: u64,
}

impl<'a> Named<'a> {
    /// Parses `uses`. Returns `None` if it doesn't name a plugin.
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

    /// Returns the name, path or reference, without the major version.
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

/// Reason why a plugin was not found or can't be used.
#[derive(Debug, Clone)]
pub(super) struct NoPlugin {
    /// The problem and its help text.
    pub(super) problem: Problem,
    /// True if there's no file with this name, and false if the file can't be used.
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

/// The plugins of a workspace, in one state for a whole job. Each is looked up on first use.
#[derive(Debug)]
pub struct Plugins {
    site: Site,
    snapshot: Snapshot,
    dirs: Option<Dirs>,
    /// Triggered if the caller no longer waits.
    cancel: Cancel,
    slots: usize,
    host: OnceLock<Host>,
    known: Mutex<BTreeMap<String, Result<FoundPlugin, NoPlugin>>>,
}

impl Plugins {
    /// Creates the lookup for `site`. It ends early if `cancel` is triggered.
    pub(super) fn of(site: &Site, cancel: Cancel) -> Self {
        Self {
            site: site.clone(),
            // Plugin code isn't evidence of a run, so we read it through a separate snapshot.
            snapshot: site.repo().snapshot(),
            dirs: site.dirs().ok(),
            cancel,
            slots: site.environment().threads.get() * 2,
            host: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// Returns the plugin named by `uses`, or `None` if `uses` isn't about a plugin.
    pub(super) fn find(&self, uses: &str) -> Option<Result<FoundPlugin, NoPlugin>> {
        let named = match Named::parse(uses)? {
            Ok(named) => named,
            Err(problem) => return Some(Err(problem.into())),
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(uses) {
            return Some(found.clone());
        }
        let found = self.look(uses, named);
        known().insert(uses.to_owned(), found.clone());
        Some(found)
    }

    /// Returns the current digest of the plugin named by `uses`, or `None` if there is no usable
    /// plugin.
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

    /// Returns the component file for a name, if there is one.
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
                // If this isn't a valid path, there can't be such a file.
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

    /// Returns the component with an OCI reference, from a layout in the repository or in the
    /// user's folder.
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

    /// Reads a file inside a folder of the repository. Returns `None` if it doesn't exist.
    fn read_below(&self, folder: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        // If this isn't a valid path, there can't be such a file.
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

    /// Returns the artifacts in all layouts with their components. The repository's come first,
    /// then the user's, each sorted by reference.
    fn artifacts(&self) -> Vec<(PluginPlace, Result<Bytes, String>)> {
        let mut references = Vec::new();
        let mut add = |layout: &str, index: Result<Option<Vec<u8>>, String>| {
            // We report a problem with an index when an artifact from it is used.
            if let Ok(Some(index)) = index {
                references.extend(oci_layout::references(layout, &index));
            }
        };
        for folder in FOLDERS {
            let query = ListQuery {
                paths: RepoPath::parse(&format!("{folder}/{}", oci_layout::FOLDER))
                    .into_iter()
                    .collect(),
                globs: vec![oci_layout::INDEX_FILE.to_owned()],
                hidden: true,
                limit: None,
            };
            let listed = self.snapshot.list(&query, &Cancel::default());
            for file in listed.map(|listing| listing.files).unwrap_or_default() {
                let below = file.as_str().strip_prefix(folder).unwrap_or_default();
                let layout = below
                    .trim_matches('/')
                    .trim_end_matches(oci_layout::INDEX_FILE);
                let read = self.read_below(folder, &format!("{layout}{}", oci_layout::INDEX_FILE));
                add(layout.trim_end_matches('/'), read);
            }
        }
        if let Some(own) = self.own_folder() {
            for layout in self.own_layouts(&own) {
                let file = own.join(&layout).join(oci_layout::INDEX_FILE);
                let read =
                    read_file(&file, oci_layout::MAX_JSON).map_err(|error| error.to_string());
                add(&layout, read);
            }
        }
        let mut seen = BTreeSet::new();
        references.retain(|reference| seen.insert(reference.clone()));
        let read = references.into_iter().filter_map(|reference| {
            let bytes = self.artifact(&reference).map_err(|problem| problem.message);
            let bytes = bytes.transpose()?;
            Some((PluginPlace::Oci(reference), bytes.map(|(_, bytes)| bytes)))
        });
        read.collect()
    }

    /// Returns the subfolders of the user's folder that may be layouts. References only have a few
    /// parts, so we don't look deeper than that.
    fn own_layouts(&self, own: &RootedPath) -> Vec<String> {
        const MAX_DEPTH: usize = 8;
        let mut layouts = Vec::new();
        let mut left = vec![oci_layout::FOLDER.to_owned()];
        while let Some(layout) = left.pop() {
            let depth = layout.split('/').count();
            for below in self.noted(folders_in(&own.join(&layout))) {
                let name = below.file_name().and_then(|name| name.to_str());
                // A layout's blobs can't contain another layout.
                if let Some(name) = name.filter(|name| *name != "blobs" && depth < MAX_DEPTH) {
                    left.push(format!("{layout}/{name}"));
                }
            }
            layouts.push(layout);
        }
        layouts.sort();
        layouts
    }

    /// Returns the listed files of a user folder. If we can't list it, for example because it's a
    /// link, we report that once per workspace.
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

    /// Returns all component files: first the repository's, then the user's, then those in OCI
    /// layouts. Each group is sorted by name.
    pub(super) fn files(&self) -> Vec<(PluginPlace, Result<Bytes, String>)> {
        let mut files = Vec::new();
        // List each folder by itself, because a single missing one would fail the whole query.
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
        files.extend(self.artifacts());
        files
    }

    /// Loads every component file as a plugin, or returns the problem with it.
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

    /// Returns the text for `uses` that names the plugin `found`: its name, or its path if the name
    /// means another plugin.
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
