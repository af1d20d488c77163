//! Putting a pack together, in six steps: the documents that are the contract, what changed since, the files that matter, what is
//! trimmed, what is replaced, and where all of it comes from.
//!
//! The same files, history and request make the same pack, whoever asks, and wherever the repository lies.

mod alike;
mod aside;
pub(super) mod changes;
pub(super) mod contract;
mod defined;
mod docs_root;
mod facts;
pub(super) mod failed_before;
mod generated;
mod given;
mod go_modules;
mod lines;
pub(super) mod memory;
mod neighbours;
mod not_given;
pub(super) mod notes;
pub(super) mod pick;
pub(super) mod places;
mod prose;
pub(super) mod ran;
mod relevance;
pub(super) mod results;
mod stems;
mod then;
mod worded;
mod work_document;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_base::{Cancel, NextAction, RepoPath};
use windlass_context::{
    ContextPack, Delta, EdgePayload, GlobalMode, NodeMode, Origin, PackWorkspace, Provenance,
    Source, ToolPolicy, redaction_of, without_marks, words_of,
};
use windlass_redact::{redact_field, redact_text, redact_value};
use windlass_repo::{ListQuery, Refusal, Snapshot, SourceFile};

use self::neighbours::lately;
use self::ran::Ran;
use super::store::Outside;
use super::{PackView, PrintedPack};
use crate::ContextError;
use crate::{Error, Workspace};
use windlass_site::SiteError;

/// The usual folder of documents.
const DOCS: &str = "docs";
/// The most characters of what a node before gave that are carried along.
const MAX_SAID: usize = 1_200;

/// What a pack is to be made of.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// What is to be reached.
    pub goal: String,
    /// What must hold for it to be reached; what documents say of it, if nothing is given.
    pub done: Vec<String>,
    /// The folder of the documents, which has to be there; `docs` if not given, where it is.
    pub docs_root: Option<String>,
    /// The plan: a file, or a file and the heading of a section: `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// What is accepted.
    pub acceptance: Option<String>,
    /// How it is built.
    pub architecture: Option<String>,
    /// More documents.
    pub docs: Vec<String>,
    /// A commit, or a pack, that what changed is counted from; what is checked out, if not given.
    pub since: Option<String>,
    /// Files with what tests and compilers said.
    pub results: Vec<String>,
    /// Files that matter.
    pub files: Vec<String>,
    /// Regular expressions that lines of files that matter match.
    pub search: Vec<String>,
    /// What has to be kept to, by name.
    pub constraints: Vec<(String, String)>,
    /// What was decided, by name.
    pub decisions: Vec<(String, String)>,
    /// Packs of nodes before: they are named, and what was decided there holds here.
    pub from: Vec<String>,
    /// Whether the memory of the repository is not asked.
    pub no_memory: bool,
    /// What came from nodes before.
    pub payloads: Vec<EdgePayload>,
    /// The run it is for.
    pub run_id: Option<String>,
    /// The node it is for.
    pub node_id: Option<String>,
    /// Whether it is planned or done.
    pub mode: GlobalMode,
    /// Whether somebody can be asked.
    pub node_mode: Option<NodeMode>,
    /// The tools that may be used.
    pub tool_policy: ToolPolicy,
    /// The schema or contract that the output keeps to.
    pub output_schema: Option<String>,
    /// The folder that relative paths are meant from.
    pub start: PathBuf,
    /// Whether packs are named by their whole ids alone: what else names one may name another tomorrow.
    pub exact: bool,
}

/// A pack that was put together.
#[derive(Debug)]
pub struct BuiltPack {
    /// All of it.
    pub pack: ContextPack,
    /// What is printed of it.
    pub printed: PrintedPack,
    /// Why it is not kept, where it is not.
    pub not_kept: Option<String>,
}

impl Workspace {
    /// Puts a pack together, keeps all of it, and prints what fits.
    ///
    /// # Errors
    /// When something that was named is not there or cannot be read, or the budget is too small for what is always shown.
    pub fn build_pack(&self, request: &BuildPack, view: PackView) -> Result<BuiltPack, Error> {
        let pack = self.compose_pack(request, &self.snapshot(), self.cancel());
        // Half a pack is none, and is not kept.
        self.go_on()?;
        let pack = pack?;
        let not_kept = self.keep_pack_with(&pack, self.results_outside(&pack, request));
        let not_kept = not_kept.err().map(|error| error.to_string());
        let printed = self.print_whole_pack(&pack, view, not_kept.is_none())?;
        Ok(BuiltPack {
            pack,
            printed,
            not_kept,
        })
    }

    /// Where the results are that `request` names outside of the repository.
    fn results_outside(&self, pack: &ContextPack, request: &BuildPack) -> Outside {
        let mut outside = Outside::default();
        let items = pack.provenance.iter().flat_map(|it| &it.items);
        let sources: Vec<&Source> = items.map(|it| &it.source).collect();
        for name in &request.results {
            let path = request.start.join(name);
            if self.repo().path_of(&path).is_some() {
                continue;
            }
            let shown = self::results::shown_outside(name);
            let is_it = |it: &&&Source| it.outside && it.path.as_deref() == Some(&*shown);
            let place = std::path::absolute(&path).ok();
            if let (Some(place), Some(source)) = (place, sources.iter().find(is_it))
                && let Some(hash) = &source.hash
            {
                outside.note((&shown, hash), &place);
            }
        }
        outside
    }

    /// Prints what fits of a pack that is whole, and, if it `is_kept`, how to see more of it.
    ///
    /// # Errors
    /// When what is always shown does not fit.
    pub fn print_whole_pack(
        &self,
        pack: &ContextPack,
        view: PackView,
        is_kept: bool,
    ) -> Result<PrintedPack, Error> {
        if !is_kept {
            return self.print_pack(pack, view, Vec::new());
        }
        let more =
            NextAction::new("pack show", "see more of it").positional(pack.pack_id.to_string());
        self.print_cut_pack(pack, view, more)
    }

    /// Puts a pack together.
    pub(crate) fn compose_pack(
        &self,
        request: &BuildPack,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, Error> {
        // There is nothing to look into, and a pack of nothing says that nothing is wanted.
        if self.repo().is_git_folder() {
            return Err(SiteError::GitFolder.into());
        }
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let (files, unnameable) = nameable(snapshot.list(&query, cancel)?.files);
        let mut builder = Builder {
            workspace: self,
            snapshot: snapshot.clone(),
            cancel: cancel.clone(),
            request,
            results: request
                .results
                .iter()
                .filter_map(|name| self.repo().path_of(&request.start.join(name)))
                .collect(),
            files,
            unnameable,
            whole_results: BTreeMap::new(),
            wanted: wanted_words(&request.goal, &request.done),
            pack: ContextPack::default(),
            origins: BTreeMap::new(),
            noted: Vec::new(),
            uncommitted: None,
            withheld: BTreeSet::new(),
        };
        builder.take_given()?;
        builder.take_contract()?;
        let changed = builder.take_changes()?;
        // Git is at work while files are read.
        std::thread::scope(|scope| {
            scope.spawn(|| lately(snapshot));
            builder.take_results()?;
            builder.tell_results_not_given()?;
            builder.take_relevant_files(&changed)
        })?;
        builder.take_memory();
        builder.take_facts();
        Ok(builder.finished())
    }
}

/// A pack in the making.
struct Builder<'w> {
    workspace: &'w Workspace,
    snapshot: Snapshot,
    cancel: Cancel,
    request: &'w BuildPack,
    /// All files of the repository, in the order of their paths.
    files: Vec<RepoPath>,
    /// Files whose names hold what looks like a secret value: a pack names its files, so that these have no place in it.
    unnameable: BTreeSet<RepoPath>,
    /// Files of the repository with results: they are named as such, and not among those that matter.
    results: BTreeSet<RepoPath>,
    /// Results that were told to their end, by the names that stand in the pack.
    whole_results: BTreeMap<String, Ran>,
    /// The words that tell what the goal is about.
    wanted: BTreeSet<String>,
    pack: ContextPack,
    origins: BTreeMap<String, Origin>,
    /// What notes on sources are on: of one on several files, each of them.
    noted: Vec<Origin>,
    /// The files that are not as the commit has them, and what they are; nothing where that is not known.
    uncommitted: Option<BTreeMap<String, String>>,
    /// Files that may not be read.
    withheld: BTreeSet<String>,
}

impl Builder<'_> {
    /// Says where a part comes from, and why it is there; what was said of it before stays.
    fn note(&mut self, item: String, source: Source, why: &str, rank: u32) {
        let origin = self.origins.entry(item.clone()).or_insert_with(|| Origin {
            item,
            source,
            ..Origin::default()
        });
        origin.why.insert(safe(why));
        origin.rank = origin.rank.max(rank);
    }

    /// The file at `path` as text; nothing where it is binary, and where it may not be read, which is noted.
    fn text_of(&mut self, path: &RepoPath) -> Option<Arc<SourceFile>> {
        if self.unnameable.contains(path) {
            self.withheld.insert(safe(path.as_str()));
            return None;
        }
        match self.snapshot.read(path) {
            Ok(file) if !file.is_binary() && !file.is_lfs_pointer() => Some(file),
            Err(Refusal::Secret { .. }) => {
                self.withheld.insert(safe(path.as_str()));
                None
            }
            _ => None,
        }
    }

    /// The path of a file that was named, within the repository.
    fn named(&self, name: &str) -> Result<RepoPath, Error> {
        let path = self.request.start.join(name);
        let found = self.workspace.repo().path_of(&path);
        let found = found.or_else(|| RepoPath::parse(name).ok());
        match found {
            Some(path) if self.unnameable.contains(&path) => Err(SiteError::Unreadable {
                file: safe(name),
                why: "its name holds what looks like a secret value, and a pack names its files"
                    .to_owned(),
                missing: false,
                secret: true,
            }
            .into()),
            found => found.ok_or_else(|| self.not_inside(name)),
        }
    }

    /// Why what was named is no file of the repository. Who may read nothing outside of it is not told what is there.
    fn not_inside(&self, name: &str) -> Error {
        let root = self.workspace.repo().root();
        let path = self.request.start.join(name);
        if self.workspace.is_confined() {
            return match lexically(&path).starts_with(root) {
                true => Error::missing(name),
                false => SiteError::Outside(name.to_owned()).into(),
            };
        }
        match path.canonicalize() {
            Ok(found) if !found.starts_with(root) => {
                ContextError::OutsideOfPacks(name.to_owned()).into()
            }
            _ => Error::missing(name),
        }
    }

    /// The goal as it is looked for: what stands in place of a secret value is none of its words.
    fn sought(&self) -> String {
        without_marks(&self.pack.goal)
    }

    fn delta(&mut self) -> &mut Delta {
        self.pack.delta.get_or_insert_default()
    }

    /// The pack, with where all of it comes from, and which secret values were replaced.
    fn finished(mut self) -> ContextPack {
        let head = self.snapshot.head_commit(&self.cancel);
        self.pack.provenance = Some(Provenance {
            commit: head,
            uncommitted: self.uncommitted.take(),
            request: self.asked(),
            items: self.origins.into_values().chain(self.noted).collect(),
            ..Provenance::default()
        });
        self.pack.redaction = redaction_of(&self.pack, self.withheld);
        self.pack.created_at = self.workspace.environment().timestamp();
        self.pack.sort();
        self.pack.seal()
    }

    /// What was asked for, as far as it decides what is chosen.
    fn asked(&self) -> Map<String, Value> {
        let request = self.request;
        let one = |name: &Option<String>| name.as_deref().map(|name| self.portable(name));
        let all = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| self.portable(name)).collect()
        };
        let packs = request.from.iter().map(|name| self.portable_pack(name));
        let packs: Vec<String> = packs.collect();
        let since = request.since.as_deref();
        let all = json!({
            "docsRoot": self.pack.docs_root, "plan": one(&request.plan), "acceptance": one(&request.acceptance),
            "architecture": one(&request.architecture), "docs": all(&request.docs),
            "since": since.map(|name| self.portable_pack(name)),
            "files": all(&request.files), "search": request.search, "from": packs,
            "noMemory": request.no_memory.then_some(true),
        });
        let Value::Object(all) = all else {
            return Map::new();
        };
        let is_said = |value: &Value| {
            !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
        };
        all.into_iter()
            .filter(|(_, value)| is_said(value))
            .map(|(name, value)| (name, redact_value(value)))
            .collect()
    }

    /// What names a file, perhaps with a section, as it means the same wherever one stands and on another machine: from the root of the
    /// repository on, and of one that lies elsewhere its last part.
    fn portable(&self, name: &str) -> String {
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, format!("#{section}")),
            None => (name, String::new()),
        };
        let last = || path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let inside = self.named(path);
        inside.map_or_else(|_| last(), |path| path.to_string()) + &section
    }

    /// The same of what names a pack or a commit, which may be no file.
    fn portable_pack(&self, name: &str) -> String {
        let is_file = self.request.start.join(name).is_file();
        match is_file || std::path::Path::new(name).is_absolute() {
            true => self.portable(name),
            false => name.to_owned(),
        }
    }

    fn take_workspace(&mut self, branch: Option<String>) {
        self.pack.workspace = Some(PackWorkspace {
            branch,
            ..PackWorkspace::default()
        });
    }
}

/// The words that tell what is to be reached.
fn wanted_words(goal: &str, done: &[String]) -> BTreeSet<String> {
    words_of(&without_marks(&safe(&format!(
        "{goal}\n{}",
        done.join("\n")
    ))))
}

/// The files that a pack may name, and those that it may not.
fn nameable(files: Vec<RepoPath>) -> (Vec<RepoPath>, BTreeSet<RepoPath>) {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let all = names.join("\n");
    // Hardly any repository has one: all names are looked through at once first.
    if safe(&all) == all {
        return (files, BTreeSet::new());
    }
    let (named, unnameable): (Vec<_>, Vec<_>) = files.into_iter().partition(is_nameable);
    (named, unnameable.into_iter().collect())
}

/// Whether a pack may name a file.
fn is_nameable(path: &RepoPath) -> bool {
    safe(path.as_str()) == path.as_str()
}

/// `path` without `.` and `..`, as it is written: no folder is looked at.
fn lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// `text` without secret values.
fn safe(text: &str) -> String {
    redact_text(text).0.as_str().to_owned()
}

/// `text` without secret values, one of which it is itself where `name` says so.
fn safe_under(name: &str, text: &str) -> String {
    redact_field(name, text).as_str().to_owned()
}
