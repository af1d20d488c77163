//! Compares two packs of the same runbook, one piece of evidence at a time.
//!
//! A diff of the printed text wouldn't help much: if a function moves, its location changes, but
//! the claim is still the same. So we match the evidence of both packs first, and then tell how
//! each pair differs.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use windlass_base::{Digest, Entry, Evidence, Ident, Item, Pointer, RepoPath, SourceHash};

use crate::pairing::Pairing;
use crate::{Pack, PackSection, SectionStatus};

/// A section's differences between two packs.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionDiff<'a> {
    /// The section's ID. We compare sections that have the same one.
    pub id: &'a Ident,
    /// The heading in the later pack, or in the earlier one if only that has the section.
    pub title: &'a str,
    /// The status in the earlier pack. This is `None` if the section is new.
    pub before: Option<SectionStatus>,
    /// The status in the later pack. This is `None` if the section is gone.
    pub after: Option<SectionStatus>,
    /// The number of entries that are the same.
    pub unchanged: usize,
    /// All changes, in the order of the later pack. Those that only the earlier pack has come last.
    pub changes: Vec<Change<'a>>,
}

/// One difference between two packs. Without a `before`, something was added; without an `after`,
/// it was removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<'a> {
    /// A piece of evidence was added, removed or changed.
    Evidence {
        /// The kind of change.
        kind: ChangeKind,
        /// The item and its evidence in the earlier pack.
        before: Option<(&'a Item, &'a Evidence)>,
        /// The item and its evidence in the later pack.
        after: Option<(&'a Item, &'a Evidence)>,
    },
    /// An observation changed. These have no evidence.
    Observation {
        /// The kind of change.
        kind: ChangeKind,
        /// The value in the earlier pack.
        before: Option<&'a Value>,
        /// The value in the later pack.
        after: Option<&'a Value>,
    },
}

windlass_base::word_enum! {
    /// The ways in which an entry may differ.
    ChangeKind, "kind of change" {
        /// Only the later pack has it.
        Added = "added",
        /// The text is different.
        Changed = "changed",
        /// The same text is at another location.
        Moved = "moved",
        /// Location and text are the same, but not the status.
        Status = "status",
        /// Only the earlier pack has it.
        Removed = "removed",
    }
}

/// Compares two packs, section by section.
///
/// We match evidence by its most reliable properties first: the same location and text, then the
/// same text elsewhere, then the same item, and finally overlapping lines. For example, if a
/// function moves from line 3 to line 40, we match it by its text, and report one move instead of a
/// removal and an addition. Evidence without a match was added or removed.
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

#[derive(Clone, Copy)]
struct Place<'a> {
    item: &'a Item,
    evidence: &'a Evidence,
}

impl<'a> Place<'a> {
    fn pointer(&self) -> &'a Pointer {
        &self.evidence.pointer
    }

    /// The evidence's current location if that's proven, or else the captured one.
    fn current_pointer(&self) -> &'a Pointer {
        let repair = self.evidence.judgement.repair.as_ref();
        let repaired = repair.and_then(|repair| repair.evidence.as_ref());
        repaired.unwrap_or(self.pointer())
    }

    /// The item's ID and label. Returns `None` if it has neither.
    fn name(&self) -> Option<(Option<&'a str>, &'a str)> {
        let id = self.item.id.as_deref();
        (id.is_some() || !self.item.label.is_empty()).then_some((id, &*self.item.label))
    }

    fn hash(&self) -> Option<SourceHash> {
        self.pointer().source_hash
    }

    /// The kind of change from this evidence to `later`, if anything has changed.
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
    // Each call only matches evidence that no earlier call has matched, so the order goes from the
    // most to the least reliable property.
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

/// Matches the remaining evidence by overlapping lines in the same file, from the top.
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
        // Evidence that ends before this one starts can't overlap any of the later ones either.
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

/// Matches observations, which don't have names. If each pack has just one, it's most likely the
/// same one with another value. Otherwise, they must be equal.
fn pair_observations(pairing: &mut Pairing<&Value>) {
    if pairing.before.len() == 1 && pairing.after.len() == 1 {
        pairing.join(0, 0);
    } else {
        pairing.pair(|value| Digest::of_json(value).ok());
    }
}
