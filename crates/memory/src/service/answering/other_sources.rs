//! Searches sources other than the memory: anchors in the notebook (captured lines of a file), and
//! entries of playbooks.
//!
//! Each source gets an index of its own, which we build for the occasion and throw away. The
//! matches are then merged into those of the memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use windlass_base::{Pointer, RepairOutcome, RepoPath};
use windlass_notebook::{AnchorReport, Checked, NotebookDesk, check_anchors};
use windlass_packs::Rank;
use windlass_repo::{ListQuery, SearchQuery, SourceFile};
use windlass_site::Error;
use windlass_vcontext::{Document, Object, PlaybookStatus, fold};

use super::found_things::{Found, Says};
use super::recall_request::{AlsoSource, RecallRequest};
use super::recaller::Recaller;
use super::recollection::{Explained, Recalled};
use super::source_lines::{MOST_LINES, lines_at, pointer};
use crate::{Hit, Query, RecallIndex, Recallable, build_other_index};

/// Files that may have a playbook.
const PLAYBOOKS: [&str; 2] = ["**/*.json", "**/*.tron"];
const FIELD: &str = "playbook";
/// Maximum number of playbook files per recall. We have to parse each of them, which takes time.
const MOST_PLAYBOOKS: usize = 50;

/// An entry of another source, ready to become a match.
struct Other {
    kind: String,
    state: Option<String>,
    evidence: Vec<Pointer>,
    says: Says,
}

impl Recaller {
    /// Searches `source`, and merges the matches into `found`, which stays sorted. If the memory
    /// has already found the same thing, we only add the source to that match.
    pub(super) fn find_in(
        &self,
        source: AlsoSource,
        query: &Query,
        request: &RecallRequest,
        found: &mut Vec<Found>,
        diagnostics: &mut Vec<String>,
    ) {
        let read = match source {
            AlsoSource::Notebook => self.anchors(),
            AlsoSource::Playbook => Ok(self.entries(diagnostics)),
        };
        let (things, others) = match read {
            Ok(read) => read,
            Err(error) => {
                diagnostics.push(format!(
                    "the {} cannot be searched: {error}",
                    source.as_str()
                ));
                return;
            }
        };
        let Some(index) = RecallIndex::open(build_other_index(&things)) else {
            return;
        };
        let index = index.beside(self.index.len());
        let mut others: BTreeMap<String, Other> = others;
        for hit in index.recall(query, request.matches.max(1)).hits {
            if let Some(other) = others.remove(&hit.path) {
                add(found, source, &hit, other, request.explain);
            }
        }
        // The scores of different sources can't be compared, so go by confidence. Since the sort is
        // stable, the order within a source stays the same.
        found.sort_by_key(|one| Reverse(one.level_score));
    }

    fn anchors(&self) -> Result<(Vec<Recallable>, BTreeMap<String, Other>), Error> {
        let notebook = NotebookDesk::new(&self.site).read()?;
        let (mut things, mut others) = (Vec::new(), BTreeMap::new());
        let cancel = self.site.cancel();
        for report in check_anchors(&notebook, &[], &self.snapshot, cancel)? {
            let id = report.id.as_str().to_owned();
            let evidence: Vec<Pointer> = report
                .evidence
                .iter()
                .map(|checked| stands_at(checked).unwrap_or(&checked.pointer).clone())
                .collect();
            let files: Vec<&str> = evidence
                .iter()
                .map(|pointer| pointer.file.as_str())
                .collect();
            // Only show the lines of an anchor if all of its locations were verified. The label and
            // the tags are searched in any case.
            let first = evidence.first().filter(|_| stands(&report));
            let lines = first.and_then(|pointer| {
                let source = self.snapshot.read(&pointer.file).ok()?;
                Some((pointer.clone(), source))
            });
            let body = lines.as_ref().map(|(pointer, source)| {
                let lines = lines_at(source, pointer.span).take(MOST_LINES as usize);
                lines.collect::<Vec<_>>().join("\n")
            });
            things.push(Recallable {
                id: id.clone(),
                title: report.label.clone(),
                keywords: report.tags.clone(),
                aliases: vec![files.join(" ")],
                body: body.unwrap_or_default(),
            });
            let other = Other {
                kind: report.kind.as_str().to_owned(),
                state: Some(Rank::of(&report.judgement).as_str().to_owned()),
                evidence,
                says: lines.map_or(Says::Nothing, |(at, source)| Says::Lines(at, source)),
            };
            others.insert(id, other);
        }
        Ok((things, others))
    }

    fn entries(&self, diagnostics: &mut Vec<String>) -> (Vec<Recallable>, BTreeMap<String, Other>) {
        let (mut things, mut others) = (Vec::new(), BTreeMap::new());
        for path in self.playbooks() {
            let Ok(source) = self.snapshot.read(&path) else {
                continue;
            };
            let bytes = source.shown().bytes();
            if !Document::is_likely(path.as_str(), &bytes) {
                continue;
            }
            match Document::parse(path.as_str(), &bytes) {
                Ok(document) => take_entries(&document, &path, &source, &mut things, &mut others),
                Err(_) => diagnostics.push(format!(
                    "`{path}` cannot be read; run `windlass check {path}` for details"
                )),
            }
        }
        (things, others)
    }
}

impl Recaller {
    /// Finds the files that contain the word `playbook`, so that we do not have to parse every JSON
    /// file of the repository.
    fn playbooks(&self) -> Vec<RepoPath> {
        let query = SearchQuery {
            pattern: FIELD.to_owned(),
            fixed: true,
            word: true,
            scope: ListQuery {
                globs: PLAYBOOKS.map(str::to_owned).to_vec(),
                ..ListQuery::default()
            },
            max_matches_per_file: Some(1),
            ..SearchQuery::default()
        };
        let found = self.snapshot.search(&query, self.site.cancel());
        let found = found.unwrap_or_default();
        let paths = found.files.iter().map(|file| file.path.clone());
        paths.take(MOST_PLAYBOOKS).collect()
    }
}

/// True if we have verified all locations of an anchor, whether or not its text has moved.
fn stands(report: &AnchorReport) -> bool {
    let mut places = report.evidence.iter().map(stands_at);
    !report.evidence.is_empty() && places.all(|place| place.is_some())
}

/// The present location of a captured text, or `None` if the text has changed or we are not sure
/// where it is.
fn stands_at(checked: &Checked) -> Option<&Pointer> {
    if checked.judgement.is_fresh() {
        return Some(&checked.pointer);
    }
    let moved = checked.judgement.repair.as_ref();
    let moved = moved.filter(|repair| repair.outcome == RepairOutcome::Moved)?;
    moved.evidence.as_ref()
}

fn take_entries(
    document: &Document,
    path: &RepoPath,
    source: &SourceFile,
    things: &mut Vec<Recallable>,
    others: &mut BTreeMap<String, Other>,
) {
    let Some(playbook) = document.playbook() else {
        return;
    };
    for entry in fold(playbook.list("items")).entries {
        if entry.status != PlaybookStatus::Active {
            continue;
        }
        let narrative = entry
            .fields
            .get("narrative")
            .and_then(|says| says.as_object());
        let says = narrative
            .into_iter()
            .flat_map(Object::iter)
            .filter_map(|(_, text)| text.as_str());
        let body = says.collect::<Vec<_>>().join("\n");
        let tags = entry.fields.get("tags").and_then(|tags| tags.as_array());
        let tags = tags
            .into_iter()
            .flat_map(|tags| tags.iter())
            .filter_map(|tag| tag.as_str());
        // The latest event for an entry has its current text, so that's the evidence.
        let events = playbook
            .items_of("items")
            .filter(|event| event.text_of("targetId") == Some(entry.target_id.as_str()));
        let evidence = events
            .last()
            .and_then(|event| pointer(path, source, event.lines()));
        // Entries of two playbooks may have the same ID, which is only unique within its playbook.
        let id = match others.contains_key(&entry.target_id) {
            true => format!("{path}#{}", entry.target_id),
            false => entry.target_id.clone(),
        };
        things.push(Recallable {
            id: id.clone(),
            title: entry.text("title").unwrap_or_default().to_owned(),
            keywords: tags.map(str::to_owned).collect(),
            aliases: Vec::new(),
            body: body.clone(),
        });
        let other = Other {
            kind: entry.text("kind").unwrap_or("note").to_owned(),
            state: None,
            evidence: evidence.into_iter().collect(),
            // Without a narrative, the title is all we can show.
            says: Says::Text(match body.is_empty() {
                true => entry.text("title").unwrap_or_default().to_owned(),
                false => body,
            }),
        };
        others.insert(id, other);
    }
}

/// Adds a hit as a new match, or merges it into an earlier match of the same thing.
fn add(found: &mut Vec<Found>, source: AlsoSource, hit: &Hit, other: Other, explain: bool) {
    let same = found
        .iter_mut()
        .find(|one| is_same(&one.recalled, source, hit, &other));
    if let Some(same) = same {
        same.recalled.sources.push(source.as_str());
        same.level_score = same.level_score.max(hit.confidence);
        same.recalled.confidence = same.level_score;
        same.recalled.state = same.recalled.state.take().or(other.state);
        return;
    }
    found.push(Found {
        level_score: hit.confidence,
        says: other.says,
        recalled: Recalled {
            id: hit.id.clone(),
            kind: other.kind,
            title: hit.title.clone(),
            confidence: hit.confidence,
            score: hit.score,
            matched: hit.matched.clone(),
            near: hit.near.clone(),
            sources: vec![source.as_str()],
            instead_of: None,
            state: other.state,
            evidence: other.evidence,
            explanation: explain.then(|| Explained {
                words: hit.explained.clone(),
                learned: 0,
            }),
        },
        is_unmerged: false,
        fields: Vec::new(),
    });
}

/// True if both are about the same thing: they share the ID, the title, or some of the lines.
///
/// Lines only count for anchors, since all entries of a playbook may be on a single line. Two hits
/// from one source are never the same.
fn is_same(one: &Recalled, source: AlsoSource, hit: &Hit, other: &Other) -> bool {
    if one.sources.contains(&source.as_str()) {
        return false;
    }
    let plain = |title: &str| title.trim().to_lowercase();
    let overlaps = |a: &Pointer, b: &Pointer| {
        a.file == b.file && a.span.start() <= b.span.end() && b.span.start() <= a.span.end()
    };
    let mut own = one.evidence.iter();
    let shares = source == AlsoSource::Notebook
        && own.any(|a| other.evidence.iter().any(|b| overlaps(a, b)));
    one.id == hit.id || (!hit.title.is_empty() && plain(&one.title) == plain(&hit.title)) || shares
}
