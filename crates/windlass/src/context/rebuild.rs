//! Making a kept pack anew from where its parts come from.

mod failures;
mod files;
mod mended;
mod notes;
mod said;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use windlass_base::{Cancel, RepoPath, counted};
use windlass_context::{
    ContextPack, PackId, RESOLVED_ITEM, Source, artifact_item, change_item, diff, doc_item,
    failure_item, file_item, note_item,
};
use windlass_repo::{Snapshot, SourceFile};

use self::failures::{ResultsNow, ResultsThen};
use super::store::Outside;
use crate::{Error, Workspace};

/// A pack that was made anew.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RebuiltPack {
    /// The pack that was kept.
    pub pack_id: PackId,
    /// The pack that its sources make now.
    pub rebuilt_id: PackId,
    /// Whether they are the same, byte for byte.
    pub reproduced: bool,
    /// How many parts were read anew.
    pub read: usize,
    /// How many are as they were given: nothing in the repository says otherwise.
    pub given: usize,
    /// The parts that are not as they were, those that nobody can look for, and those that were found elsewhere, by name.
    pub parts: Vec<PartRebuilt>,
    /// The pack that was made.
    #[serde(skip)]
    pub pack: ContextPack,
}

/// A part of a pack that was made anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct PartRebuilt {
    /// The part, as the provenance names it.
    pub item: String,
    /// What became of it.
    pub state: PartState,
    /// What differs.
    pub why: String,
}

/// What became of the source of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// The file changed, and the commit of that time still has the text.
    FromCommit,
    /// The lines are the same, and others of the file are not.
    LinesSame,
    /// Its source lies where nobody can look from here: the part is as it was given.
    Unverified,
    /// It is another.
    Changed,
    /// Its source is not there any more.
    Missing,
    /// Nothing says where it comes from, so that nobody can look whether it holds.
    NoOrigin,
}

impl PartState {
    /// Whether the part is as it was.
    #[must_use]
    pub fn is_reproduced(self) -> bool {
        matches!(self, Self::FromCommit | Self::LinesSame)
    }

    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FromCommit => "from_commit",
            Self::LinesSame => "lines_same",
            Self::Unverified => "unverified",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::NoOrigin => "no_origin",
        }
    }
}

impl RebuiltPack {
    /// The answer for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut open = self.parts.iter().filter(|part| !part.state.is_reproduced());
        let nobody_can_look =
            |part: &PartRebuilt| matches!(part.state, PartState::NoOrigin | PartState::Unverified);
        let no_origin = |part: &PartRebuilt| part.state == PartState::NoOrigin;
        let mut text = if self.reproduced {
            format!("pack {} is reproduced byte for byte", self.pack_id)
        } else if self.pack_id == self.rebuilt_id && open.all(nobody_can_look) {
            let why = match self.parts.iter().any(no_origin) {
                true => "nothing says where some of it comes from",
                false => "some of what it comes from cannot be read from here",
            };
            format!("pack {} is not known to hold, since {why}", self.pack_id)
        } else if self.pack_id == self.rebuilt_id {
            format!(
                "pack {} has the same text, and not all of its sources are what they were",
                self.pack_id
            )
        } else {
            format!(
                "pack {} is not what its sources make now, which is {}",
                self.pack_id, self.rebuilt_id
            )
        };
        text.push_str(&format!(
            ": {} read anew, {} as given\n",
            counted(self.read, "part"),
            counted(self.given, "part")
        ));
        for part in &self.parts {
            text.push_str(&format!(
                "{:11}  {}; {}\n",
                part.state.as_str(),
                part.item,
                part.why
            ));
        }
        text
    }
}

impl Workspace {
    /// Makes a pack anew from where its parts come from: the files as they are, else as the commit of that time has them. What cannot be
    /// made anew is told, and left out of what is made.
    ///
    /// # Errors
    /// When there is no such pack, or nobody waits for the answer any more.
    pub fn rebuild_pack(&self, name: &str, start: &Path) -> Result<RebuiltPack, Error> {
        let snapshot = self.snapshot();
        let kept = self.find_whole_pack(name, start, &snapshot)?;
        let mut rebuild = Rebuild {
            snapshot: &snapshot,
            cancel: self.cancel(),
            commits: commits(&kept),
            outside: self.outside_of(kept.pack_id),
            results: BTreeMap::new(),
            parts: Vec::new(),
            read: 0,
        };
        let mut pack = kept.clone();
        let sources = Sources::of(&kept);
        for doc in &mut pack.doc_refs {
            self.go_on()?;
            let item = doc_item(&doc.path);
            doc.excerpt = rebuild.excerpt(&item, sources.of_item(&item), doc.excerpt.as_deref());
        }
        for file in &mut pack.relevant_files {
            self.go_on()?;
            let item = file_item(&file.path);
            let own = sources.of_item(&item);
            file.excerpt = rebuild.excerpt(&item, own, file.excerpt.as_deref());
            rebuild.file_hash(&item, own, file);
        }
        if let Some(delta) = &mut pack.delta {
            for file in &mut delta.files {
                self.go_on()?;
                let item = change_item(&file.path);
                rebuild.change(&item, sources.of_item(&item), file);
            }
            let mut failures = Vec::new();
            for failure in std::mem::take(&mut delta.failures) {
                self.go_on()?;
                let item = failure_item(&failure.id);
                failures.extend(rebuild.failure(&item, sources.of_item(&item), failure));
            }
            delta.failures = failures;
            self.go_on()?;
            let since = delta.since.as_ref().and_then(|since| since.pack_id);
            let before = since.map(|id| self.kept_pack(id)).transpose()?.flatten();
            let own = sources.of_item(RESOLVED_ITEM);
            delta.resolved = rebuild.mended(&kept, own, before.as_ref());
        }
        for artifact in &kept.artifacts {
            self.go_on()?;
            let item = artifact_item(&artifact.reference);
            rebuild.results(&item, sources.of_item(&item), &kept);
        }
        self.go_on()?;
        rebuild.counts(&kept, &mut pack);
        rebuild.said(&kept, &sources, &mut pack);
        rebuild.fields_of_others(&kept, &sources);
        let mut notes = Vec::new();
        for note in std::mem::take(&mut pack.source_notes) {
            self.go_on()?;
            let sources = sources.of_item(&note_item(&note));
            notes.extend(rebuild.note(sources, note));
        }
        pack.source_notes = notes;
        let is_sealed = kept.check_seal().is_ok();
        let pack = if is_sealed { pack.seal() } else { pack };
        let is_same = match is_sealed {
            true => pack.pack_id == kept.pack_id,
            false => pack == kept,
        };
        if !is_same && rebuild.parts.iter().all(|part| part.state.is_reproduced()) {
            rebuild.tell_differing(&kept, &pack);
        }
        // A part of which no text is carried along may have changed all the same.
        let reproduced = is_same && rebuild.parts.iter().all(|part| part.state.is_reproduced());
        rebuild.parts.sort();
        Ok(RebuiltPack {
            pack_id: kept.pack_id,
            rebuilt_id: pack.pack_id,
            reproduced,
            read: rebuild.read,
            given: sources.len().saturating_sub(rebuild.read),
            parts: rebuild.parts,
            pack,
        })
    }
}

/// The commits that files may be found in.
fn commits(pack: &ContextPack) -> Vec<String> {
    let Some(provenance) = &pack.provenance else {
        return Vec::new();
    };
    let more = provenance
        .rest
        .get("commits")
        .and_then(|all| all.as_array());
    let more = more
        .into_iter()
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned));
    provenance.commit.iter().cloned().chain(more).collect()
}

/// What the parts of a pack come from: of one that packs said differently several things, that of what stands in the pack first.
struct Sources<'k>(BTreeMap<&'k str, Vec<&'k Source>>);

impl<'k> Sources<'k> {
    fn of(pack: &'k ContextPack) -> Self {
        let mut all: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
        for origin in pack.provenance.iter().flat_map(|it| &it.items) {
            all.entry(&origin.item).or_default().push(&origin.source);
        }
        Self(all)
    }

    fn of_item(&self, item: &str) -> &[&'k Source] {
        self.0.get(item).map_or(&[], Vec::as_slice)
    }

    /// How many parts have one.
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// What one source makes of a part now.
struct Again<T> {
    /// What became of it; nothing where it is what it was, and its source as well.
    state: Option<PartState>,
    /// What differs.
    why: String,
    /// What it makes.
    made: T,
}

impl<T> Again<T> {
    fn same(made: T) -> Self {
        Self {
            state: None,
            why: String::new(),
            made,
        }
    }

    fn told(state: PartState, why: impl Into<String>, made: T) -> Self {
        Self {
            state: Some(state),
            why: why.into(),
            made,
        }
    }
}

/// Why nothing is said to hold of a part without an origin.
const NO_ORIGIN: &str = "the provenance does not say where it comes from";

/// A pack that is made anew.
struct Rebuild<'s> {
    snapshot: &'s Snapshot,
    cancel: &'s Cancel,
    commits: Vec<String>,
    /// Where results of elsewhere are.
    outside: Outside,
    /// What files of results say now, by what the pack has of them.
    results: BTreeMap<ResultsThen, ResultsNow>,
    parts: Vec<PartRebuilt>,
    read: usize,
}

impl Rebuild<'_> {
    fn tell(&mut self, item: &str, state: PartState, why: impl Into<String>) {
        self.parts.push(PartRebuilt {
            item: item.to_owned(),
            state,
            why: why.into(),
        });
    }

    /// Notes what became of a part by the source that comes nearest to making it, of those that it has; what that makes of it.
    fn nearest<T>(&mut self, item: &str, tried: Vec<Again<T>>) -> Option<T> {
        let nearest = tried.into_iter().min_by_key(|again| again.state)?;
        if nearest.state != Some(PartState::Unverified) {
            self.read += 1;
        }
        if let Some(state) = nearest.state {
            self.tell(item, state, nearest.why);
        }
        Some(nearest.made)
    }

    /// Names fields that another tool wrote, of which nothing says where they come from.
    fn fields_of_others(&mut self, kept: &ContextPack, sources: &Sources<'_>) {
        for name in kept.rest.keys() {
            let item = format!("rest/{name}");
            if sources.of_item(&item).is_empty() {
                self.tell(&item, PartState::NoOrigin, NO_ORIGIN);
            }
        }
    }

    /// Names what differs, where no source said that it does.
    fn tell_differing(&mut self, kept: &ContextPack, made: &ContextPack) {
        for change in diff(kept, made).changes {
            self.tell(&change.item, PartState::Changed, "its sources make another");
        }
    }

    /// The file as one of the commits has it, if it is the one that is wanted.
    fn in_commit(
        &self,
        path: &RepoPath,
        is_it: &dyn Fn(&SourceFile) -> bool,
    ) -> Option<(String, Arc<SourceFile>)> {
        self.commits.iter().find_map(|commit| {
            let file = self.snapshot.old_file(commit, None, path).ok()?;
            is_it(&file).then(|| (commit.clone(), file))
        })
    }
}

/// The file that a source names.
fn path_of(source: &Source) -> Option<RepoPath> {
    RepoPath::parse(source.path.as_deref()?).ok()
}

/// Why a source that names no file makes nothing.
const NO_FILE: &str = "its source names no file of the repository";

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
