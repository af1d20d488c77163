//! Making a kept pack anew from where its parts come from.

mod failures;
mod said;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use windlass_base::{RepoPath, counted};
use windlass_context::{
    ContextPack, DeltaFile, Origin, PackId, Source, SourceKind, SourceSpan, artifact_item,
    change_item, difference, doc_item, excerpt_of, failure_item, file_item, hash_of_lines,
};
use windlass_repo::{Snapshot, SourceFile};

use self::failures::ResultsNow;

use super::build::changes::MAX_LINES;
use super::build::pick::whole_text;
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
    /// The parts that are not as they were, and those that were found elsewhere, by name.
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
    /// It is another.
    Changed,
    /// Its source is not there any more.
    Missing,
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
            Self::Changed => "changed",
            Self::Missing => "missing",
        }
    }
}

impl RebuiltPack {
    /// The answer for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = if self.reproduced {
            format!("pack {} is reproduced byte for byte", self.pack_id)
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
            commits: commits(&kept),
            results: BTreeMap::new(),
            parts: Vec::new(),
            read: 0,
        };
        let mut pack = kept.clone();
        let origins: BTreeMap<&str, &Origin> = kept
            .provenance
            .iter()
            .flat_map(|it| &it.items)
            .map(|origin| (origin.item.as_str(), origin))
            .collect();
        let source = |item: String| {
            origins
                .get(item.as_str())
                .map(|origin| (item, &origin.source))
        };
        for doc in &mut pack.doc_refs {
            self.go_on()?;
            if let Some((item, from)) = source(doc_item(&doc.path)) {
                doc.excerpt = rebuild.excerpt(&item, from, doc.excerpt.as_deref());
            }
        }
        for file in &mut pack.relevant_files {
            self.go_on()?;
            if let Some((item, from)) = source(file_item(&file.path)) {
                file.excerpt = rebuild.excerpt(&item, from, file.excerpt.as_deref());
            }
        }
        if let Some(delta) = &mut pack.delta {
            for file in &mut delta.files {
                self.go_on()?;
                if let Some((item, from)) = source(change_item(&file.path)) {
                    rebuild.change(&item, from, file);
                }
            }
            let mut failures = Vec::new();
            for failure in std::mem::take(&mut delta.failures) {
                self.go_on()?;
                match source(failure_item(&failure.id)) {
                    Some((item, from)) => failures.extend(rebuild.failure(&item, from, failure)),
                    None => failures.push(failure),
                }
            }
            delta.failures = failures;
        }
        for artifact in &kept.artifacts {
            self.go_on()?;
            if let Some((item, from)) = source(artifact_item(&artifact.reference)) {
                rebuild.results(&item, from, &kept);
            }
        }
        self.go_on()?;
        rebuild.said(&kept, &mut pack);
        let is_sealed = kept.check_seal().is_ok();
        let pack = if is_sealed { pack.seal() } else { pack };
        let is_same = match is_sealed {
            true => pack.pack_id == kept.pack_id,
            false => pack == kept,
        };
        // A part of which no text is carried along may have changed all the same.
        let reproduced = is_same && rebuild.parts.iter().all(|part| part.state.is_reproduced());
        rebuild.parts.sort();
        Ok(RebuiltPack {
            pack_id: kept.pack_id,
            rebuilt_id: pack.pack_id,
            reproduced,
            read: rebuild.read,
            given: origins.len().saturating_sub(rebuild.read),
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

/// A pack that is made anew.
struct Rebuild<'s> {
    snapshot: &'s Snapshot,
    commits: Vec<String>,
    /// What files of results say now, by their names and the hashes they had.
    results: BTreeMap<(String, String), ResultsNow>,
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

    /// The lines of a file again; nothing where they are not what they were.
    fn excerpt(&mut self, item: &str, source: &Source, known: Option<&str>) -> Option<String> {
        if !matches!(source.kind, SourceKind::File | SourceKind::Memory) {
            return known.map(str::to_owned);
        }
        self.read += 1;
        let path = self.path(item, source)?;
        let now = self.snapshot.read(&path).ok();
        let is_same =
            |file: &SourceFile| source.hash.as_deref() == Some(whole_text(file).1.as_str());
        if let Some(file) = &now
            && is_same(file)
        {
            return lines_again(file, &source.spans);
        }
        if let Some((commit, file)) = self.in_commit(&path, &|file| is_same(file)) {
            let why = format!("the file is another now; commit {} has it", short(&commit));
            self.tell(item, PartState::FromCommit, why);
            return lines_again(&file, &source.spans);
        }
        match now.map(|file| (has_lines(&file, &source.spans), file)) {
            Some((true, file)) if !source.spans.is_empty() => {
                self.tell(
                    item,
                    PartState::LinesSame,
                    "other lines of the file are not what they were",
                );
                lines_again(&file, &source.spans)
            }
            Some(_) => {
                self.tell(
                    item,
                    PartState::Changed,
                    changed_lines(&path, &source.spans),
                );
                None
            }
            None => {
                self.tell(
                    item,
                    PartState::Missing,
                    format!("`{path}` is not there, or may not be read"),
                );
                None
            }
        }
    }

    fn path(&mut self, item: &str, source: &Source) -> Option<RepoPath> {
        let path = source
            .path
            .as_deref()
            .and_then(|path| RepoPath::parse(path).ok());
        if path.is_none() {
            self.tell(
                item,
                PartState::Missing,
                "its source names no file of the repository",
            );
        }
        path
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

    /// What differs in a file, again.
    fn change(&mut self, item: &str, source: &Source, file: &mut DeltaFile) {
        let (Some(base), Some(hash)) = (&source.base, &source.hash) else {
            return;
        };
        self.read += 1;
        let Some(path) = self.path(item, source) else {
            file.diff = None;
            return;
        };
        let before = file
            .from
            .as_deref()
            .and_then(|from| RepoPath::parse(from).ok());
        let old = self
            .snapshot
            .old_file(base, None, before.as_ref().unwrap_or(&path));
        let is_same = |file: &SourceFile| whole_text(file).1 == *hash;
        let now = self.snapshot.read(&path).ok().filter(|file| is_same(file));
        let is_now = now.is_some();
        let new = now.or_else(|| {
            self.in_commit(&path, &|file| is_same(file))
                .map(|(_, file)| file)
        });
        let again = match (old, new) {
            (Ok(old), Some(new)) => difference(&whole_text(&old).0, &whole_text(&new).0, MAX_LINES),
            (Err(_), _) => {
                let why = format!("commit {} has it no longer", short(base));
                self.tell(item, PartState::Missing, why);
                file.diff = None;
                return;
            }
            (_, None) => None,
        };
        match again {
            Some(again) => {
                if !is_now {
                    self.tell(
                        item,
                        PartState::FromCommit,
                        "the file is another now; the commit of that time has it",
                    );
                }
                file.diff = (!again.text.is_empty()).then_some(again.text);
            }
            None => {
                self.tell(item, PartState::Changed, format!("`{path}` is another now"));
                file.diff = None;
            }
        }
    }
}

/// The excerpt that the lines of `spans` make.
fn lines_again(file: &SourceFile, spans: &[SourceSpan]) -> Option<String> {
    let part = |span: &SourceSpan| {
        let lines = (span.lines.start()..=span.lines.end()).map(|number| {
            let line = file.redacted_line(number);
            line.map(|line| line.as_str().to_owned())
                .unwrap_or_default()
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let parts: Vec<String> = spans.iter().map(part).collect();
    excerpt_of(spans, &parts)
}

fn has_lines(file: &SourceFile, spans: &[SourceSpan]) -> bool {
    spans.iter().all(|span| {
        let lines: Vec<String> = (span.lines.start()..=span.lines.end())
            .filter_map(|number| Some(file.redacted_line(number)?.as_str().to_owned()))
            .collect();
        hash_of_lines(lines.iter().map(String::as_str)) == span.source_hash
    })
}

fn changed_lines(path: &RepoPath, spans: &[SourceSpan]) -> String {
    let lines: Vec<String> = spans.iter().map(|span| span.lines.to_string()).collect();
    match lines.is_empty() {
        true => format!("`{path}` is another now"),
        false => format!(
            "lines {} of `{path}` are not what they were",
            lines.join(", ")
        ),
    }
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
