//! Compares two packs of a runbook, one piece of evidence at a time.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Digest, Entry, Evidence, Ident, Item, Pointer, RepoPath, SourceHash};

use crate::pairing::Pairing;
use crate::{Pack, PackSection, SectionStatus};

/// Differences of a section between two packs.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionDiff<'a> {
    /// Id of the section, which is the same in both packs.
    pub id: &'a Ident,
    /// Heading of the section. It is the one of the later pack, if that pack has the section.
    pub title: &'a str,
    /// Status in the earlier pack. `None` if it does not have the section.
    pub before: Option<SectionStatus>,
    /// Status in the later pack. `None` if it does not have the section.
    pub after: Option<SectionStatus>,
    /// Number of entries that are equal in both packs.
    pub unchanged: usize,
    /// Changes in the order of the later pack, followed by removals.
    pub changes: Vec<Change<'a>>,
}

/// Difference between two packs. `before` is `None` for an addition, and `after` is `None` for a removal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<'a> {
    /// A piece of evidence changed.
    Evidence {
        /// Kind of change.
        kind: ChangeKind,
        /// Item and evidence in the earlier pack.
        before: Option<(&'a Item, &'a Evidence)>,
        /// Item and evidence in the later pack.
        after: Option<(&'a Item, &'a Evidence)>,
    },
    /// An observation changed. Observations have no evidence.
    Observation {
        /// Kind of change.
        kind: ChangeKind,
        /// Value in the earlier pack.
        before: Option<&'a Value>,
        /// Value in the later pack.
        after: Option<&'a Value>,
    },
}

/// Kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only the later pack contains the entry.
    Added,
    /// The text is different.
    Changed,
    /// The same text is at a different location.
    Moved,
    /// The location and the text are equal, but the status is different.
    Status,
    /// Only the earlier pack contains the entry.
    Removed,
}

impl ChangeKind {
    /// Returns the kind as it is written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Status => "status",
            Self::Removed => "removed",
        }
    }
}

/// Compares two packs section by section. Sections are matched by id.
///
/// Evidence is matched by the most reliable criterion first: the same location and text, the same text elsewhere, the
/// same item, and finally overlapping lines. Evidence without a match was added or removed.
#[must_use]
pub fn diff<'a>(before: &'a Pack, after: &'a Pack) -> Vec<SectionDiff<'a>> {
    let find = |pack: &'a Pack, id: &Ident| pack.sections.iter().find(|section| section.id == *id);
    let kept = after
        .sections
        .iter()
        .map(|section| compare(find(before, &section.id), Some(section), section));
    let gone = before.sections.iter();
    let gone = gone.filter(|section| find(after, &section.id).is_none());
    kept.chain(gone.map(|section| compare(Some(section), None, section)))
        .collect()
}

fn compare<'a>(
    before: Option<&'a PackSection>,
    after: Option<&'a PackSection>,
    named: &'a PackSection,
) -> SectionDiff<'a> {
    let entries = |section: Option<&'a PackSection>| section.map_or(&[][..], |s| &s.entries[..]);
    let (old, new) = (entries(before), entries(after));
    let mut evidence = Pairing::of(places(old), places(new));
    let mut observed = Pairing::of(observations(old), observations(new));
    pair_evidence(&mut evidence);
    pair_observations(&mut observed);
    let (same, mut changes) = evidence.changes(|before, after| {
        let kind = match (before, after) {
            (Some(before), Some(after)) => before.change_to(after)?,
            (before, _) => one_sided(before.is_some()),
        };
        Some(Change::Evidence {
            kind,
            before: before.map(|place| (place.item, place.evidence)),
            after: after.map(|place| (place.item, place.evidence)),
        })
    });
    let (same_observed, observed) = observed.changes(|before, after| {
        let kind = match (before, after) {
            (Some(before), Some(after)) if before == after => return None,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (before, _) => one_sided(before.is_some()),
        };
        Some(Change::Observation {
            kind,
            before: before.copied(),
            after: after.copied(),
        })
    });
    changes.extend(observed);
    SectionDiff {
        id: &named.id,
        title: &named.title,
        before: before.map(|section| section.status),
        after: after.map(|section| section.status),
        unchanged: same + same_observed,
        changes,
    }
}

fn one_sided(is_old: bool) -> ChangeKind {
    if is_old {
        ChangeKind::Removed
    } else {
        ChangeKind::Added
    }
}

/// Piece of evidence with its item.
#[derive(Clone, Copy)]
struct Place<'a> {
    item: &'a Item,
    evidence: &'a Evidence,
}

impl<'a> Place<'a> {
    fn pointer(&self) -> &'a Pointer {
        &self.evidence.pointer
    }

    /// Returns the current location of the evidence if it is proven. Otherwise returns the captured one.
    fn current_pointer(&self) -> &'a Pointer {
        let repair = self.evidence.judgement.repair.as_ref();
        let repaired = repair.and_then(|repair| repair.evidence.as_ref());
        repaired.unwrap_or(self.pointer())
    }

    /// Returns the id and label of the item. Returns `None` if it has neither.
    fn name(&self) -> Option<(Option<&'a str>, &'a str)> {
        let id = self.item.id.as_deref();
        (id.is_some() || !self.item.label.is_empty()).then_some((id, &*self.item.label))
    }

    fn hash(&self) -> Option<SourceHash> {
        self.pointer().source_hash
    }

    /// Returns the kind of change from this evidence to `later`. Returns `None` if nothing changed.
    fn change_to(&self, later: &Self) -> Option<ChangeKind> {
        let (old, new) = (self.current_pointer(), later.current_pointer());
        if old.source_hash != new.source_hash || old.source_hash.is_none() && old != new {
            Some(ChangeKind::Changed)
        } else if (&old.file, old.span) != (&new.file, new.span) {
            Some(ChangeKind::Moved)
        } else {
            let status = |place: &Self| {
                let judgement = &place.evidence.judgement;
                (judgement.status, judgement.outcome())
            };
            (status(self) != status(later)).then_some(ChangeKind::Status)
        }
    }
}

fn places<'a>(entries: &'a [Entry]) -> Vec<Place<'a>> {
    let places = |item: &'a Item| {
        let evidence = item.evidence.iter();
        evidence.map(move |evidence| Place { item, evidence })
    };
    let items = entries.iter().filter_map(|entry| match entry {
        Entry::Item(item) => Some(item),
        Entry::Observation(_) => None,
    });
    items.flat_map(places).collect()
}

fn observations(entries: &[Entry]) -> Vec<&Value> {
    let observed = entries.iter().filter_map(|entry| match entry {
        Entry::Observation(seen) => Some(&seen.value),
        Entry::Item(_) => None,
    });
    observed.collect()
}

fn pair_evidence(pairing: &mut Pairing<Place<'_>>) {
    pairing.pair(|place| Some((place.name(), place.pointer().clone())));
    pairing.pair(|place| Some(place.pointer().clone()));
    pairing.pair(|place| Some((place.name()?, place.hash()?)));
    pairing.pair(|place| Some((place.pointer().file.clone(), place.hash()?)));
    pairing.pair(Place::hash);
    pairing.pair(|place| Some((place.name()?, place.pointer().file.clone())));
    pairing.pair(|place| {
        let (id, _) = place.name()?;
        id
    });
    pair_overlapping(pairing);
}

/// Matches the remaining evidence in the same file by overlapping lines, from the top.
fn pair_overlapping(pairing: &mut Pairing<Place<'_>>) {
    let mut files: BTreeMap<RepoPath, VecDeque<usize>> = BTreeMap::new();
    for at in pairing.open_before() {
        let file = pairing.before[at].pointer().file.clone();
        files.entry(file).or_default().push_back(at);
    }
    let span = |place: &Place<'_>| place.pointer().span;
    for old in files.values_mut() {
        old.make_contiguous()
            .sort_by_key(|at| span(&pairing.before[*at]));
    }
    let mut new = pairing.open_after();
    new.sort_by_key(|at| span(&pairing.after[*at]));
    for at in new {
        let place = pairing.after[at].pointer();
        let Some(old) = files.get_mut(&place.file) else {
            continue;
        };
        while let Some(first) = old.front().copied() {
            let before = span(&pairing.before[first]);
            if before.end() < place.span.start() {
                old.pop_front();
                continue;
            }
            if before.start() <= place.span.end() {
                old.pop_front();
                pairing.join(first, at);
            }
            break;
        }
    }
}

/// Observations have no names. If both packs have a single one, they match. Otherwise only equal ones do.
fn pair_observations(pairing: &mut Pairing<&Value>) {
    if pairing.before.len() == 1 && pairing.after.len() == 1 {
        pairing.join(0, 0);
    } else {
        pairing.pair(|value| Digest::of_json(value).ok());
    }
}
