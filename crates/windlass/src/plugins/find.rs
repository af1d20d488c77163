use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Serialize, Serializer};
use windlass_base::{Cancel, RepoPath};
use windlass_plan::{Catalog, KindSource, KindSpec, Problem};
use windlass_plugin::{
    Card, Component, Host, HostOptions, Import, Limits, MAX_COMPONENT_BYTES, Plugin, PluginDigest,
};
use windlass_repo::{ListQuery, Refusal, Snapshot, read_foreign_component};
use windlass_store::{Dirs, files_in, read_file};

use crate::runbooks::unreadable;
use crate::{Error, Workspace};

/// What stands before the name of a kind of step that is a plugin.
pub(crate) const PREFIX: &str = "plugin:";
/// The folders of the repository that plugins are looked for in, in this order.
const FOLDERS: [&str; 2] = [".windlass/plugins", "plugins"];
const ENDING: &str = ".wasm";

/// Where a plugin was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginPlace {
    /// In the repository.
    Repository(RepoPath),
    /// In the user's own folder, by the name of its file.
    User(String),
    /// In a file that was named.
    File(PathBuf),
}

impl fmt::Display for PluginPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(file) => file.fmt(f),
            Self::User(name) => write!(f, "the user's `{name}`"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl Serialize for PluginPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What there is to know of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginReport {
    /// Where it is.
    pub file: PluginPlace,
    /// The digest of its file.
    pub digest: PluginDigest,
    /// The size of its file in bytes.
    pub bytes: usize,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What it says of itself.
    #[serde(flatten)]
    pub card: Card,
}

/// A plugin that was found.
#[derive(Debug, Clone)]
pub(crate) struct FoundPlugin {
    pub(crate) place: PluginPlace,
    pub(crate) plugin: Plugin,
}

impl FoundPlugin {
    pub(crate) fn report(&self) -> PluginReport {
        let component = self.plugin.component();
        PluginReport {
            file: self.place.clone(),
            digest: component.digest(),
            bytes: component.bytes().len(),
            imports: component.asks().imports().to_vec(),
            card: self.plugin.card().clone(),
        }
    }
}

/// A kind of step that is a plugin: `plugin:codeowners@1`, `plugin:tools/own.wasm@2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named<'a> {
    /// A name, or the path of a file in the repository.
    name: &'a str,
    major: u64,
}

impl<'a> Named<'a> {
    /// What `uses` names; nothing where it is no plugin.
    fn parse(uses: &'a str) -> Option<Result<Self, Problem>> {
        let text = uses.strip_prefix(PREFIX)?;
        let parsed = text.rsplit_once('@').and_then(|(name, major)| {
            let digits = !major.is_empty() && major.bytes().all(|b| b.is_ascii_digit());
            let major = digits.then(|| major.parse().ok()).flatten()?;
            (!name.is_empty()).then_some(Self { name, major })
        });
        let name = text.split('@').next().unwrap_or_default();
        Some(parsed.ok_or_else(|| {
            problem(
                format!("`{uses}` does not say which version is meant"),
                format!("name the major part of its version: `{PREFIX}{name}@1`"),
            )
        }))
    }
}

fn problem(message: String, help: impl Into<Option<String>>) -> Problem {
    Problem {
        at: String::new(),
        message,
        help: help.into(),
    }
}

/// The plugins of a workspace, in one state for one job. Nothing is looked for before it is named.
#[derive(Debug)]
pub(crate) struct Plugins {
    snapshot: Snapshot,
    dirs: Option<Dirs>,
    slots: usize,
    host: OnceLock<Host>,
    known: Mutex<BTreeMap<String, Result<FoundPlugin, Problem>>>,
}

impl Plugins {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        Self {
            // What is run is no evidence of the run.
            snapshot: workspace.repo().snapshot(),
            dirs: workspace.dirs().ok(),
            slots: workspace.environment().threads.get() * 2,
            host: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// The plugin that `uses` names; `None` where it names none.
    pub(crate) fn find(&self, uses: &str) -> Option<Result<FoundPlugin, Problem>> {
        let named = match Named::parse(uses)? {
            Ok(named) => named,
            Err(problem) => return Some(Err(problem)),
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(uses) {
            return Some(found.clone());
        }
        let found = self.look(uses, named);
        known().insert(uses.to_owned(), found.clone());
        Some(found)
    }

    fn look(&self, uses: &str, named: Named<'_>) -> Result<FoundPlugin, Problem> {
        let Some((place, bytes)) = self.bytes(named)? else {
            let message = format!("there is no plugin `{}`", named.name);
            let help = format!(
                "put its component at `plugins/{0}/{0}{ENDING}` or `.windlass/plugins/{0}{ENDING}`, or into your own folder; `windlass plugin list` names those there are",
                named.name
            );
            return Err(problem(message, help));
        };
        let found = self
            .load(place, bytes)
            .map_err(|(message, help)| problem(message, help))?;
        let card = found.plugin.card();
        let by_path = named.name.ends_with(ENDING);
        if !by_path && card.name != named.name {
            let message = format!(
                "{} is the plugin `{}`, not `{}`",
                found.place, card.name, named.name
            );
            return Err(problem(message, "call its file by its name".to_owned()));
        }
        if card.major() != named.major {
            let message = format!(
                "`{uses}` asks for version {}, and {} is {}",
                named.major, found.place, card.version
            );
            let help = format!(
                "write `{PREFIX}{}@{}` where that one will do",
                named.name,
                card.major()
            );
            return Err(problem(message, help));
        }
        Ok(found)
    }

    fn load(
        &self,
        place: PluginPlace,
        bytes: Vec<u8>,
    ) -> Result<FoundPlugin, (String, Option<String>)> {
        let loaded =
            Component::read(bytes).and_then(|component| Plugin::load(component, self.host()));
        match loaded {
            Ok(plugin) => Ok(FoundPlugin { place, plugin }),
            Err(error) => Err((format!("{place} is no plugin: {error}"), error.help())),
        }
    }

    /// The component file that a name stands for.
    fn bytes(&self, named: Named<'_>) -> Result<Option<(PluginPlace, Vec<u8>)>, Problem> {
        let name = named.name;
        let refused = |file: &dyn fmt::Display, why: &dyn fmt::Display| {
            problem(format!("the plugin `{file}` cannot be read: {why}"), None)
        };
        if name.ends_with(ENDING) {
            let file = RepoPath::parse(name).map_err(|error| problem(error.to_string(), None))?;
            let source = self
                .snapshot
                .read(&file)
                .map_err(|why| refused(&file, &why))?;
            return Ok(Some((
                PluginPlace::Repository(file),
                source.bytes().to_vec(),
            )));
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
                // A name that is no part of a path names no file.
                let Ok(file) = RepoPath::parse(&file) else {
                    continue;
                };
                match self.snapshot.read(&file) {
                    Ok(source) => {
                        let bytes = source.bytes().to_vec();
                        return Ok(Some((PluginPlace::Repository(file), bytes)));
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
                return Ok(Some((PluginPlace::User(file), bytes)));
            }
        }
        Ok(None)
    }

    fn own_folder(&self) -> Option<PathBuf> {
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

    /// All component files there are: those of the repository, then the user's own, each by their names.
    fn files(&self) -> Vec<(PluginPlace, Vec<u8>)> {
        let mut files: Vec<(PluginPlace, Vec<u8>)> = Vec::new();
        // Each by itself: a folder that is not there is no reason to look into no other.
        for folder in FOLDERS {
            let query = ListQuery {
                paths: RepoPath::parse(folder).into_iter().collect(),
                globs: vec![format!("*{ENDING}")],
                hidden: true,
                limit: None,
            };
            let listed = self.snapshot.list(&query, &Cancel::default());
            for file in listed.map(|listing| listing.files).unwrap_or_default() {
                if let Ok(source) = self.snapshot.read(&file) {
                    files.push((PluginPlace::Repository(file), source.bytes().to_vec()));
                }
            }
        }
        if let Some(own) = self.own_folder() {
            let listed = files_in(&own, |name| name.ends_with(ENDING)).unwrap_or_default();
            for file in listed {
                if let Ok(Some(bytes)) = read_file(&file.path, MAX_COMPONENT_BYTES) {
                    files.push((PluginPlace::User(file.name), bytes));
                }
            }
        }
        files
    }

    /// Each of them as a plugin, or with what is wrong with it.
    fn all(&self) -> Vec<(PluginPlace, Result<FoundPlugin, String>)> {
        let found = self.files().into_iter().map(|(place, bytes)| {
            let found = self
                .load(place.clone(), bytes)
                .map_err(|(message, _)| message);
            (place, found)
        });
        found.collect()
    }
}

/// The plugins of a [`Plugins`] as kinds of steps.
#[derive(Debug)]
struct Kinds(Arc<Plugins>);

impl KindSource for Kinds {
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>> {
        let found = self.0.find(name)?;
        Some(found.map(|found| Arc::new(found.plugin.kind(name))))
    }
}

impl Workspace {
    pub(crate) fn plugins(&self) -> Arc<Plugins> {
        Arc::new(Plugins::of(self))
    }

    /// The kinds of steps that runbooks of this workspace may use: those that are built in, and its plugins as they are
    /// now, each looked for when it is named.
    #[must_use]
    pub fn step_catalog(&self) -> Catalog {
        self.catalog_with(self.plugins())
    }

    pub(crate) fn catalog_with(&self, plugins: Arc<Plugins>) -> Catalog {
        crate::step_catalog().with_source(Arc::new(Kinds(plugins)))
    }

    /// The plugins there are, by their files; what is wrong with those that are none.
    #[must_use]
    pub fn list_plugins(&self) -> Vec<(PluginPlace, Result<PluginReport, String>)> {
        let found = self.plugins().all().into_iter();
        found
            .map(|(place, found)| (place, found.map(|found| found.report())))
            .collect()
    }

    /// The names of component files, with their places; none of them is run.
    #[must_use]
    pub fn plugin_files(&self) -> Vec<(String, PluginPlace)> {
        let name = |place: &PluginPlace| {
            let text = match place {
                PluginPlace::Repository(file) => file.file_name().to_owned(),
                PluginPlace::User(name) => name.clone(),
                PluginPlace::File(_) => return None,
            };
            let stem = text.strip_suffix(ENDING)?;
            Some(stem.split('@').next().unwrap_or(stem).to_owned())
        };
        let files = self.plugins().files().into_iter();
        files
            .filter_map(|(place, _)| Some((name(&place)?, place)))
            .collect()
    }

    /// What there is to know of the plugin `name`: a name, with or without `plugin:` and the major part of its version, or
    /// a file; `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn inspect_plugin(&self, name: &str, start: &Path) -> Result<PluginReport, Error> {
        Ok(self.plugin_named(name, start, &self.plugins())?.report())
    }

    pub(crate) fn plugin_named(
        &self,
        name: &str,
        start: &Path,
        plugins: &Plugins,
    ) -> Result<FoundPlugin, Error> {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        let found = if bare.ends_with(ENDING) {
            let (place, bytes) = self.component_file(bare, start)?;
            plugins
                .load(place, bytes)
                .map_err(|(message, help)| problem(message, help))
        } else if bare.contains('@') {
            let found = plugins.find(&format!("{PREFIX}{bare}"));
            found.unwrap_or_else(|| Err(problem(format!("there is no plugin `{bare}`"), None)))
        } else {
            let wanted = |found: &FoundPlugin| found.plugin.card().name == bare;
            let mut all = plugins
                .all()
                .into_iter()
                .filter_map(|(_, found)| found.ok());
            all.find(wanted).ok_or_else(|| {
                let help = "`windlass plugin list` names those there are".to_owned();
                problem(format!("there is no plugin `{bare}`"), help)
            })
        };
        found.map_err(|problem| Error::Plugin {
            missing: problem.message.starts_with("there is no plugin"),
            message: problem.message,
            help: problem.help,
        })
    }

    fn component_file(&self, name: &str, start: &Path) -> Result<(PluginPlace, Vec<u8>), Error> {
        let path = start.join(name);
        if let Some(file) = self.repo().path_of(&path) {
            let source = self.repo().snapshot().read(&file);
            let source = source.map_err(|why| unreadable(file.as_str(), &why))?;
            return Ok((PluginPlace::Repository(file), source.bytes().to_vec()));
        }
        let bytes = read_foreign_component(&path, MAX_COMPONENT_BYTES);
        let bytes = bytes.map_err(|why| unreadable(name, &why))?;
        Ok((PluginPlace::File(PathBuf::from(name)), bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_named_with_its_major_version() {
        let named =
            |uses| Named::parse(uses).map(|named| named.map(|named| (named.name, named.major)));
        assert_eq!(named("search"), None);
        assert_eq!(named("plugin:codeowners@1"), Some(Ok(("codeowners", 1))));
        assert_eq!(named("plugin:a/b@c.wasm@12"), Some(Ok(("a/b@c.wasm", 12))));
        for wrong in [
            "plugin:",
            "plugin:codeowners",
            "plugin:x@",
            "plugin:x@v1",
            "plugin:@1",
            "plugin:x@1.2",
        ] {
            let problem = named(wrong).unwrap().unwrap_err();
            assert!(problem.message.contains("which version"), "{wrong}");
        }
    }
}
