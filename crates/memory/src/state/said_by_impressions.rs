//! The status of records, according to their impressions. Somebody may have updated an impression
//! but forgotten the record.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::memory::Memory;
use super::successors::{impressions_in_circles, leads_to, meant, records_in_circles, successors};
use crate::records::impression::Impression;
use crate::records::kind::Status;

/// The status of an active record according to its impressions.
pub(crate) struct Said<'m> {
    pub(crate) status: Status,
    /// The successor that one of the impressions names, if it exists.
    pub(crate) by: Option<&'m RepoPath>,
}

/// Finds active records whose impressions are all inactive. Impressions in a cycle count as active,
/// because we cannot tell which of them is not.
pub(crate) fn said_by_impressions(memory: &Memory) -> BTreeMap<&RepoPath, Said<'_>> {
    let circles = impressions_in_circles(memory);
    let records = memory
        .records
        .values()
        .filter(|one| one.kind.is_recalled() && one.status() == Status::Active);
    let said = records.filter_map(|record| {
        let own = || memory.impressions_of(&record.path);
        let holds = |one: &Impression| one.status == Status::Active || circles.contains(&one.id);
        if own().any(holds) {
            return None;
        }
        let status = own().map(|one| one.status).min()?;
        let by = own().find_map(|one| {
            let newer = memory.impression(one.superseded_by.as_deref()?)?;
            memory.record(&newer.record_path)
        });
        let by = by.map(|newer| &newer.path);
        let by = by.filter(|path| **path != record.path && status == Status::Superseded);
        Some((&record.path, Said { status, by }))
    });
    said.collect()
}

/// The successor of each record. It is enough if one of the two records (or an impression) says so,
/// since authors tend to forget the other half.
///
/// Cycles are left out, because any of their records may be the one that is meant to be active.
pub(crate) fn successors_said_once(memory: &Memory) -> BTreeMap<&RepoPath, &RepoPath> {
    let circles = records_in_circles(memory);
    let mut next = successors(memory);
    next.retain(|old, _| !circles.contains(*old));
    for record in memory.records.values() {
        for name in record.supersedes() {
            if let Some(old) = meant(memory, record, name)
                && !next.contains_key(&old.path)
                && !circles.contains(&old.path)
                && !leads_to(&next, &record.path, &old.path)
            {
                next.insert(&old.path, &record.path);
            }
        }
    }
    for (old, said) in said_by_impressions(memory) {
        if let Some(newer) = said.by
            && !next.contains_key(old)
            && !circles.contains(old)
            && !leads_to(&next, newer, old)
        {
            next.insert(old, newer);
        }
    }
    next
}
