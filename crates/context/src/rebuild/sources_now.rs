//! Looks up the sources of a pack in the present files and in the recorded commits.

use std::sync::Arc;

use windlass_base::{Cancel, RepoPath, short_id};
use windlass_find::is_too_large;
use windlass_packs::context::{DeltaFile, Source, SourceSpan, excerpt_of, hash_of_lines};
use windlass_packs::differ_in_marks;
use windlass_repo::{GitAnswer, GitQuery, Refusal, Snapshot, SourceFile};

use super::part_state::{Again, PartState};
use crate::compose::changes::MAX_LINES;
use crate::compose::picked_lines::whole_text;
use crate::compose::safe;
use crate::line_difference::difference;

pub(super) struct Lookup<'s> {
    pub(super) snapshot: &'s Snapshot,
    pub(super) cancel: &'s Cancel,
    /// Commits that may still have a source that has changed since.
    pub(super) commits: Vec<String>,
}

impl Lookup<'_> {
    /// Looks for a file in the commits, one after another.
    fn in_commit(
        &self,
        path: &RepoPath,
        is_it: &dyn Fn(&SourceFile) -> bool,
    ) -> Option<(String, Arc<SourceFile>)> {
        self.commits.iter().find_map(|commit| {
            let file = self.snapshot.history().file(commit, None, path).ok()?;
            is_it(&file).then(|| (commit.clone(), file))
        })
    }

    pub(super) fn lines(&self, source: &Source, known: Option<&str>) -> Again<Option<String>> {
        let Some(path) = path_of(source) else {
            return Again::told(PartState::Missing, NO_FILE, None);
        };
        let same = |file: &SourceFile, state: Option<PartState>, why: String| {
            let made = lines_again(file, &source.spans);
            match made.as_deref() == known && has_lines(file, &source.spans) {
                true => Again { state, why, made },
                false => {
                    let why = format!("the lines of `{path}` that it names make another text");
                    Again::told(PartState::Changed, why, made)
                }
            }
        };
        let is_same =
            |file: &SourceFile| source.hash.as_deref() == Some(whole_text(file).1.as_str());
        let now = self.snapshot.read(&path);
        let became = |commit: &str| self.became(&now, (commit, &path));
        if let Ok(file) = now.as_deref()
            && is_same(file)
        {
            return same(file, None, String::new());
        }
        if let Some((commit, file)) = self.in_commit(&path, &is_same) {
            let why = format!(
                "the file {}; commit {} has it",
                became(&commit),
                short_id(&commit)
            );
            return same(&file, Some(PartState::FromCommit), why);
        }
        match now.as_deref() {
            Ok(file) if !source.spans.is_empty() && has_lines(file, &source.spans) => {
                let why = "other lines of the file changed".to_owned();
                same(file, Some(PartState::LinesSame), why)
            }
            Ok(file) => {
                let again = lines_again(file, &source.spans);
                let is_marked = known
                    .zip(again.as_deref())
                    .is_some_and(|(then, now)| differ_in_marks(then, now));
                let why = match is_marked {
                    true => otherwise_redacted(&path, &source.spans),
                    false => changed_lines(&path, &source.spans),
                };
                Again::told(PartState::Changed, why, None)
            }
            Err(_) => Again::told(PartState::Missing, gone(&path), None),
        }
    }

    /// Completes "the file …". If the file is missing, it may have been renamed since `commit`.
    fn became(
        &self,
        now: &Result<Arc<SourceFile>, Refusal>,
        (commit, path): (&str, &RepoPath),
    ) -> String {
        match now {
            Ok(_) => "changed since".to_owned(),
            Err(Refusal::Missing) => match self.renamed(commit, path) {
                Some(name) => format!("is called `{name}` now"),
                None => "is missing now".to_owned(),
            },
            Err(_) => "may not be read now".to_owned(),
        }
    }

    fn renamed(&self, commit: &str, path: &RepoPath) -> Option<String> {
        let query = GitQuery::Changes {
            since: commit.to_owned(),
        };
        let answer = self.snapshot.ask_git(&query, self.cancel).ok()?;
        let GitAnswer::Changes(changes) = &*answer else {
            return None;
        };
        let mut files = changes.files.iter();
        let file = files.find(|file| file.from.as_ref() == Some(path))?;
        Some(safe(file.path.as_str()))
    }

    pub(super) fn differs(
        &self,
        source: &Source,
        (base, hash): (&str, &str),
        file: &DeltaFile,
    ) -> Again<Option<String>> {
        let Some(path) = path_of(source) else {
            return Again::told(PartState::Missing, NO_FILE, None);
        };
        let before = file
            .from
            .as_deref()
            .and_then(|from| RepoPath::parse(from).ok());
        let Ok(old) = self
            .snapshot
            .history()
            .file(base, None, before.as_ref().unwrap_or(&path))
        else {
            let why = format!("commit {} has it no longer", short_id(base));
            return Again::told(PartState::Missing, why, None);
        };
        let is_same = |file: &SourceFile| whole_text(file).1 == hash;
        let now = self.snapshot.read(&path);
        let (became, is_there) = (self.became(&now, (base, &path)), now.is_ok());
        let now = now.ok().filter(|file| is_same(file));
        let state = now.is_none().then_some(PartState::FromCommit);
        let in_commit = || Some(self.in_commit(&path, &is_same)?.1);
        let again = now
            .or_else(in_commit)
            .and_then(|new| difference(&whole_text(&old).0, &whole_text(&new).0, MAX_LINES));
        let Some(again) = again else {
            return match is_there {
                true => Again::told(PartState::Changed, format!("`{path}` {became}"), None),
                false => Again::told(PartState::Missing, gone(&path), None),
            };
        };
        let made = (!again.text.is_empty()).then_some(again.text);
        if made != file.diff {
            let why = format!(
                "`{path}` differs from commit {} in another way",
                short_id(base)
            );
            return Again::told(PartState::Changed, why, made);
        }
        Again {
            state,
            why: format!("the file {became}; the commit of that time has it"),
            made,
        }
    }

    /// The state of a file. There's a `hash` unless the file was too large to be searched.
    pub(super) fn state(&self, path: &RepoPath, hash: Option<&str>) -> Again<()> {
        let is_it = |file: &SourceFile| match hash {
            Some(hash) => whole_text(file).1 == hash,
            None => is_too_large(file),
        };
        let now = self.snapshot.read(path);
        if now.as_deref().is_ok_and(is_it) {
            return Again::same(());
        }
        if let Some((commit, _)) = self.in_commit(path, &is_it) {
            let became = self.became(&now, (&commit, path));
            let why = format!("the file {became}; commit {} has it", short_id(&commit));
            return Again::told(PartState::FromCommit, why, ());
        }
        match now {
            Ok(_) => Again::told(PartState::Changed, format!("`{path}` changed"), ()),
            Err(_) => Again::told(PartState::Missing, gone(path), ()),
        }
    }
}

fn gone(path: &RepoPath) -> String {
    format!("`{path}` is not there, or may not be read")
}

fn path_of(source: &Source) -> Option<RepoPath> {
    RepoPath::parse(source.path.as_deref()?).ok()
}

/// The reason for a source that has no path, or an invalid one.
pub(super) const NO_FILE: &str = "its source names no file of the repository";

/// Creates the excerpt from the lines with the same numbers, whatever they are now.
fn lines_again(file: &SourceFile, spans: &[SourceSpan]) -> Option<String> {
    let parts: Vec<String> = spans
        .iter()
        .map(|span| lines_at(file, span).join("\n"))
        .collect();
    excerpt_of(spans, &parts)
}

fn has_lines(file: &SourceFile, spans: &[SourceSpan]) -> bool {
    spans.iter().all(|span| {
        let lines = lines_at(file, span);
        hash_of_lines(lines.iter().map(String::as_str)) == span.source_hash
    })
}

/// The lines of `span`. If the file has become shorter, some of them may be missing.
fn lines_at(file: &SourceFile, span: &SourceSpan) -> Vec<String> {
    let numbers = span.lines.start()..=span.lines.end();
    let lines = numbers.map_while(|number| file.shown().line(number));
    lines.map(|line| line.as_str().to_owned()).collect()
}

fn changed_lines(path: &RepoPath, spans: &[SourceSpan]) -> String {
    match spans.is_empty() {
        true => format!("`{path}` changed"),
        false => format!("{} changed", lines_of(path, spans)),
    }
}

/// The reason for lines that only differ in the marks of redaction. In this case, nobody has edited
/// the file; it's the redaction rules that have changed.
fn otherwise_redacted(path: &RepoPath, spans: &[SourceSpan]) -> String {
    format!(
        "{} differ only in replaced secret values: the rules or the values changed",
        lines_of(path, spans)
    )
}

fn lines_of(path: &RepoPath, spans: &[SourceSpan]) -> String {
    let lines: Vec<String> = spans.iter().map(|span| span.lines.to_string()).collect();
    format!("lines {} of `{path}`", lines.join(", "))
}
