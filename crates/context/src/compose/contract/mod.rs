//! The contract of a pack: what the work has to achieve.
//!
//! It consists of the plan, the acceptance criteria, the architecture and other documents, which
//! the request names or which we find under their usual names. From these documents we take
//! excerpts, conditions for the work to be done, and constraints.

mod first_prose;
mod section_scores;
mod ticked;
mod work_document;

use std::collections::BTreeSet;

use windlass_base::RepoPath;
use windlass_memory::has_conflict_marks;
use windlass_outline::{Language, Limits, outline};
use windlass_packs::context::{
    DocRef, Priority, Section, Source, SourceKind, anchor_of, doc_item, sections,
};
use windlass_repo::SourceFile;

use self::first_prose::saying;
use self::section_scores::scores;
use self::ticked::ticked;
use self::work_document::WorkDocument;
use super::ground::Ground;
use super::nameable::{safe, safe_under};
use super::pack_draft::{Draft, wanted_words};
use super::source_notes as notes;
use super::usual_documents::USUAL;
use crate::compose::picked_lines::{Wish, pick_document, whole_text};
use crate::context_error::ContextError;
use windlass_site::Error;

/// File name extensions of usual documents, in the order in which we try them.
const ENDINGS: [&str; 5] = [
    ".md",
    ".markdown",
    ".vcontext.json",
    ".vcontext.tron",
    ".tron",
];

/// A document with at most this many lines is included as a whole.
const SHORT: u32 = 60;
/// Maximum number of conditions from documents. If there are more, a last entry says how many.
const MAX_CONDITIONS: usize = 50;
/// Maximum number of sections that we name per document.
const MAX_SECTIONS: usize = 6;

struct Wanted {
    path: RepoPath,
    /// Anchors of the sections that the request names. If there are none, we select sections by the
    /// goal.
    anchors: Vec<String>,
    priority: Priority,
    why: String,
    /// False for a usual document that we have found ourselves. If there is a problem with it, we
    /// skip it or leave a note, whereas a problem with a named document is an error.
    is_named: bool,
}

pub(super) struct Contract<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl Contract<'_, '_> {
    /// Adds the named documents, and then the usual ones. If the request has no goal, one of the
    /// documents must state it.
    pub(super) fn take(&mut self) -> Result<(), Error> {
        let all = self.wanted_documents()?;
        if self.draft.pack.goal.is_empty() {
            self.take_goal(&all)?;
        }
        for wanted in all {
            self.take_document(&wanted)?;
        }
        Ok(())
    }

    fn wanted_documents(&self) -> Result<Vec<Wanted>, Error> {
        let request = self.ground.request;
        let mut wanted: Vec<Wanted> = Vec::new();
        let roles = [
            (&request.plan, "plan"),
            (&request.acceptance, "acceptance"),
            (&request.architecture, "architecture"),
        ];
        for (given, role) in roles {
            let usual = USUAL.iter().find(|(name, ..)| *name == role);
            if let (Some(given), Some((_, priority, why))) = (given, usual) {
                self.add_document(given, *priority, why, &mut wanted)?;
            }
        }
        for given in &request.docs {
            self.add_document(given, Priority::High, "it was named", &mut wanted)?;
        }
        for (name, priority, why) in USUAL {
            let is_given = roles
                .iter()
                .any(|(given, role)| *role == name && given.is_some());
            if !is_given
                && let Some(path) = self.usual_document(name)
                && !wanted.iter().any(|it| it.path == path)
            {
                wanted.push(Wanted {
                    path,
                    anchors: Vec::new(),
                    priority,
                    why: why.to_owned(),
                    is_named: false,
                });
            }
        }
        Ok(wanted)
    }

    /// Adds a document to the list. `given` may end with a section, e.g. `docs/PLAN.md#retries`. If
    /// the document is on the list already, it only gets another section.
    fn add_document(
        &self,
        given: &str,
        priority: Priority,
        why: &str,
        wanted: &mut Vec<Wanted>,
    ) -> Result<(), Error> {
        let (name, anchor) = match given.split_once('#') {
            // Redact before converting to lower case. We wouldn't recognize a secret afterwards.
            Some((name, anchor)) => (name, Some(anchor_of(&safe(anchor)))),
            None => (given, None),
        };
        let path = self.ground.named(name)?;
        let known = wanted.iter().position(|it| it.path == path);
        let at = known.unwrap_or_else(|| {
            wanted.push(Wanted {
                path,
                anchors: Vec::new(),
                priority,
                why: why.to_owned(),
                is_named: true,
            });
            wanted.len() - 1
        });
        if let Some(document) = wanted.get_mut(at) {
            document.anchors.extend(anchor);
        }
        Ok(())
    }

    /// Looks for a usual document in the document folder, and then in the root.
    fn usual_document(&self, name: &str) -> Option<RepoPath> {
        let docs_root = match self.draft.pack.docs_root.as_str() {
            "." => "",
            folder => folder,
        };
        let is_it = |path: &&RepoPath, folder: &str| {
            let file = path.file_name().to_ascii_lowercase();
            let in_folder = path.parent().is_some_and(|parent| {
                parent.as_str() == folder || parent.is_root() && folder.is_empty()
            });
            let rest = file.strip_prefix(name);
            in_folder && rest.is_some_and(|rest| ENDINGS.contains(&rest))
        };
        let find = |folder: &str| {
            self.ground
                .files
                .iter()
                .find(|path| is_it(path, folder))
                .cloned()
        };
        find(docs_root).or_else(|| find(""))
    }

    fn take_document(&mut self, wanted: &Wanted) -> Result<(), Error> {
        let path = &wanted.path;
        let file = match self.ground.snapshot.read(path) {
            Ok(file) => file,
            Err(refusal) if wanted.is_named || !self.ground.files.contains(path) => {
                return Err(windlass_site::unreadable(path.as_str(), &refusal));
            }
            // An unreadable document is listed as withheld. We've only guessed that it's of
            // interest, so that's no reason to fail.
            Err(_) => {
                self.draft.withheld.insert(safe(path.as_str()));
                return Ok(());
            }
        };
        match file.why_no_text() {
            Some(why) if wanted.is_named => {
                return Err(Error::unusable(path, format!("it is {why}")));
            }
            Some(why) => {
                let note = notes::document_without_text(path, why, &wanted.why);
                self.draft.tell(
                    self.ground.site,
                    note,
                    vec![notes::file_source(path, &file)],
                );
                return Ok(());
            }
            None => {}
        }
        self.tell_oddities(path, &file, wanted.is_named);
        let work = match WorkDocument::read(path, &file) {
            Ok(work) => work,
            // A document that we've found ourselves may have this name by accident. Take it for
            // plain text.
            Err(_) if !wanted.is_named => None,
            Err(found) => return Err(Error::document(found)),
        };
        let all = match &work {
            Some(work) => work.sections.clone(),
            None => sections_of(&file),
        };
        if let Some(unknown) = wanted.anchors.iter().find(|anchor| !has(&all, anchor)) {
            let known: Vec<&str> = all.iter().filter_map(|it| it.anchor.as_deref()).collect();
            return Err(ContextError::NoSuchSection {
                file: path.to_string(),
                section: unknown.clone(),
                similar: windlass_base::did_you_mean(unknown, known.iter().copied())
                    .map(str::to_owned),
            }
            .into());
        }
        let (wishes, anchors) = self.wishes(&file, &all, wanted);
        let picked = pick_document(&file, &wishes);
        let item = doc_item(path.as_str());
        let source = Source {
            kind: SourceKind::File,
            path: Some(path.to_string()),
            spans: picked.spans,
            hash: Some(whole_text(&file).1),
            ..Source::default()
        };
        self.draft.note(item.clone(), source, &wanted.why, 0);
        if let Some(origin) = self.draft.origins.get_mut(&item) {
            origin.lines_left_out = picked.left_out;
        }
        self.take_said(said_of(work.as_ref(), &file, &all, &wanted.anchors), &item);
        self.draft.pack.doc_refs.push(DocRef {
            path: path.to_string(),
            anchors,
            excerpt: picked.text,
            priority: wanted.priority,
            ..DocRef::default()
        });
        Ok(())
    }

    /// Leaves a note if a named document is empty, or if any document has merge conflict marks.
    fn tell_oddities(&mut self, path: &RepoPath, file: &SourceFile, is_named: bool) {
        let source = || vec![notes::file_source(path, file)];
        if is_named && notes::is_empty(file) {
            self.draft
                .tell(self.ground.site, notes::empty_document(path), source());
        }
        if notes::is_unmerged(file) {
            self.draft
                .tell(self.ground.site, notes::unmerged_document(path), source());
        }
    }

    /// Decides which lines of a document we want, and lists the anchors of their sections.
    fn wishes(
        &self,
        file: &SourceFile,
        all: &[Section],
        wanted: &Wanted,
    ) -> (Vec<Wish>, Vec<String>) {
        let wish = |section: &Section, rank: u32| Wish {
            first: section.first,
            last: section.last,
            rank,
        };
        if !wanted.anchors.is_empty() {
            let is_named = |section: &&Section| {
                wanted
                    .anchors
                    .iter()
                    .any(|anchor| section.under.contains(anchor))
            };
            let wishes = all
                .iter()
                .filter(is_named)
                .map(|section| wish(section, 100));
            // List the sections in the order of the document, whatever their order in the request.
            let mut named: Vec<String> = Vec::new();
            for anchor in all.iter().flat_map(|section| &section.under) {
                if wanted.anchors.contains(anchor) && !named.contains(anchor) {
                    named.push(anchor.clone());
                }
            }
            return (wishes.collect(), named);
        }
        let texts: Vec<(String, String)> =
            all.iter().map(|section| text_of(file, section)).collect();
        let scores = scores(&texts, &self.draft.wanted);
        // The first section with prose is usually an introduction. We want the beginning of it, and
        // otherwise just what's related to the goal.
        let is_short = file.line_count() <= SHORT;
        let is_whole = is_short && wanted.priority >= Priority::Medium;
        let mut wishes = Vec::new();
        let mut anchors = Vec::new();
        let mut is_above = true;
        let takes_first = wanted.priority >= Priority::Medium || is_short;
        for (at, (section, score)) in all.iter().zip(scores).enumerate() {
            let whole = (section.first, section.last);
            let said = match is_whole || !is_above {
                true => Some(whole),
                false => saying(file, section),
            };
            let is_first = is_above && said.is_some();
            is_above &= said.is_none();
            if score == 0 && !is_whole && !(is_first && takes_first) {
                continue;
            }
            let (first, last) = said.unwrap_or(whole);
            wishes.push(Wish {
                first,
                last,
                rank: score.max(1),
            });
            if score > 0 {
                anchors.extend(section.anchor.clone().map(|anchor| (score, at, anchor)));
            }
        }
        // Somebody has named this document for a reason, so don't leave it out just because no
        // words match.
        if wishes.is_empty() && wanted.is_named {
            wishes.push(Wish {
                first: 1,
                last: file.line_count(),
                rank: 1,
            });
        }
        (wishes, named_sections(anchors, is_whole))
    }

    /// Takes the goal from the first document (a TodoList or a Plan) that states one.
    fn take_goal(&mut self, all: &[Wanted]) -> Result<(), Error> {
        for wanted in all {
            let Ok(file) = self.ground.snapshot.read(&wanted.path) else {
                continue;
            };
            if let Some(goal) = goal_of(&wanted.path, &file) {
                self.draft.wanted = wanted_words(&goal, &self.ground.request.done);
                self.draft.pack.goal = safe(&goal);
                let source = Source {
                    kind: SourceKind::File,
                    path: Some(wanted.path.to_string()),
                    hash: Some(whole_text(&file).1),
                    ..Source::default()
                };
                self.draft
                    .note("goal".to_owned(), source, "the document states it", 0);
                return Ok(());
            }
        }
        Err(ContextError::NoGoal.into())
    }

    /// Adds what a document demands, except where the request has conditions or constraints of its
    /// own.
    fn take_said(&mut self, said: Said, item: &str) {
        for (name, text) in said.constraints {
            let place = self.place_of(item);
            let why = "the document states it as a constraint";
            if !self.draft.pack.constraints.contains_key(&name) {
                self.draft.note(constraint_item(&name), place, why, 0);
                self.draft.pack.constraints.insert(name, text.into());
            }
        }
        if !self.ground.request.done.is_empty() {
            return;
        }
        let document = item.trim_start_matches("docRefs/");
        let known = &mut self.draft.pack.definition_of_done;
        if add_conditions(known, said.conditions, document) {
            let why = "the document states it as an acceptance criterion";
            self.draft
                .note(DONE_ITEM.to_owned(), self.place_of(item), why, 0);
        }
    }

    fn place_of(&self, item: &str) -> Source {
        let origin = self.draft.origins.get(item);
        let source = origin.map(|origin| origin.source.clone());
        Source {
            spans: Vec::new(),
            ..source.unwrap_or_default()
        }
    }
}

/// Selects the sections with the best scores, and lists them in the order of the document. If the
/// whole document is included, there is no point in naming any.
fn named_sections(mut sections: Vec<(u32, usize, String)>, is_whole: bool) -> Vec<String> {
    if is_whole {
        return Vec::new();
    }
    sections.sort_by_key(|(score, at, _)| (std::cmp::Reverse(*score), *at));
    // An item of a plan may consist of several ranges, all with the same anchor.
    let mut seen = BTreeSet::new();
    sections.retain(|(.., anchor)| seen.insert(anchor.clone()));
    sections.truncate(MAX_SECTIONS);
    sections.sort_by_key(|(_, at, _)| *at);
    sections.into_iter().map(|(_, _, anchor)| anchor).collect()
}

/// Demands of a document. Secrets have already been replaced.
#[derive(Debug, Default)]
struct Said {
    conditions: Vec<String>,
    constraints: Vec<(String, String)>,
}

/// Name of the part of a pack with the conditions.
pub(crate) const DONE_ITEM: &str = "definitionOfDone";

/// Name of the part of a pack with a single constraint.
pub(crate) fn constraint_item(name: &str) -> String {
    format!("constraints/{name}")
}

fn goal_of(path: &RepoPath, file: &SourceFile) -> Option<String> {
    WorkDocument::read(path, file).ok().flatten()?.goal
}

fn said_of(
    work: Option<&WorkDocument>,
    file: &SourceFile,
    all: &[Section],
    anchors: &[String],
) -> Said {
    match work {
        Some(work) => {
            let constraints = work.constraints.iter();
            Said {
                conditions: work.done(anchors).map(safe).collect(),
                constraints: constraints
                    .map(|(name, text)| (safe(name), safe_under(name, text)))
                    .collect(),
            }
        }
        None => Said {
            conditions: conditions_in(file, all),
            constraints: Vec::new(),
        },
    }
}

/// Adds new conditions to `known` while there is room. Returns true if `document` has any that we
/// did not know.
fn add_conditions(known: &mut Vec<String>, conditions: Vec<String>, document: &str) -> bool {
    let mut new: Vec<String> = Vec::new();
    for condition in conditions {
        if !known.contains(&condition) && !new.contains(&condition) {
            new.push(condition);
        }
    }
    if new.is_empty() {
        return false;
    }
    let room = MAX_CONDITIONS.saturating_sub(known.len());
    let more = new.len().saturating_sub(room);
    known.extend(new.into_iter().take(room));
    if more > 0 {
        known.push(format!("{more} more in `{document}`"));
    }
    true
}

/// This is added to the conditions if the document has merge conflict marks.
const UNMERGED: &str = "decide first which of these apply: the document has merge conflict marks";

/// Collects the unchecked checkboxes in sections that are about acceptance.
fn conditions_in(file: &SourceFile, all: &[Section]) -> Vec<String> {
    let about_done = |anchor: &String| {
        ["definition-of-done", "acceptance", "done-when"]
            .iter()
            .any(|word| anchor.contains(word))
    };
    let mut conditions: Vec<String> = Vec::new();
    let mut is_unmerged = false;
    for section in all
        .iter()
        .filter(|section| section.under.iter().any(about_done))
    {
        let lines = (section.first..=section.last).filter_map(|at| file.shown().line(at));
        let (mut is_open, mut is_code) = (false, false);
        for line in lines {
            let line = line.as_str();
            is_unmerged |= has_conflict_marks(line);
            is_code ^= line.trim_start().starts_with("```");
            match ticked(line).filter(|_| !is_code) {
                Some((is_done, condition)) => {
                    // If the box is checked, there's nothing left to do.
                    is_open = !is_done;
                    conditions.extend(is_open.then(|| condition.to_owned()));
                }
                None if is_open && goes_on(line) => {
                    if let Some(last) = conditions.last_mut() {
                        last.push(' ');
                        last.push_str(line.trim());
                    }
                }
                None => is_open = false,
            }
        }
    }
    if is_unmerged && !conditions.is_empty() {
        conditions.push(UNMERGED.to_owned());
    }
    conditions
}

/// True if the line continues a list item: it is indented, and does not start an item of its own.
fn goes_on(line: &str) -> bool {
    let text = line.trim_start();
    let is_item = text.starts_with(['-', '*', '+', '#', '>', '|', '`'])
        || text
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .starts_with(['.', ')']);
    text.len() < line.len() && !text.is_empty() && !is_item
}

fn has(all: &[Section], anchor: &str) -> bool {
    all.iter()
        .any(|section| section.under.iter().any(|own| own == anchor))
}

fn sections_of(file: &SourceFile) -> Vec<Section> {
    let found =
        outline(Language::Markdown, &file.shown().bytes(), Limits::default()).unwrap_or_default();
    let headings: Vec<(String, u32, u32)> = found
        .symbols
        .iter()
        .map(|symbol| (symbol.name.clone(), symbol.depth, symbol.lines.first()))
        .collect();
    sections(&headings, file.line_count())
}

/// The heading of a section (empty if it has none) and its text.
fn text_of(file: &SourceFile, section: &Section) -> (String, String) {
    let line = |number: u32| {
        file.shown()
            .line(number)
            .map(|line| line.as_str().to_owned())
    };
    let heading = line(section.first)
        .filter(|_| section.anchor.is_some())
        .unwrap_or_default();
    let text: Vec<String> = (section.first..=section.last).filter_map(line).collect();
    (heading, text.join("\n"))
}

/// True if `text` contains `path`, and not just as a part of a longer path: `a.rs` is not in
/// `src/a.rs`.
pub(super) fn mentions(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + path.len()..].chars().next();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-');
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}
