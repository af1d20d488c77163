//! Order of the items of three versions of a list.

use std::collections::BTreeMap;

use super::matched::Row;

/// Rows in their merged order.
#[derive(Debug)]
pub(super) struct Arranged {
    /// Indices of the rows, in their new order.
    pub(super) order: Vec<usize>,
    /// True if both sides reordered the items of the base differently; the order of `ours` counts.
    pub(super) is_contested: bool,
}

/// Orders the rows by the side that changed the order, or by `ours` if none did. Additions of the other side
/// follow their predecessor there. If both sides added items at one location, those of `ours` come first.
/// Rows that both sides removed are omitted, unless `with_gone`.
pub(super) fn arranged(rows: &[Row], with_gone: bool) -> Arranged {
    let base = sequence(rows, |row| row.base);
    let ours = sequence(rows, |row| row.ours);
    let theirs = sequence(rows, |row| row.theirs);
    let has_moved = |side: &[usize], at: fn(&Row) -> Option<usize>| {
        let is_kept = |row: &&usize| rows.get(**row).is_some_and(|row| at(row).is_some());
        let is_old = |row: &&usize| rows.get(**row).is_some_and(|row| row.base.is_some());
        let before = base.iter().filter(is_kept);
        !before.eq(side.iter().filter(is_old))
    };
    let ours_moved = has_moved(&ours, |row| row.ours);
    let theirs_moved = has_moved(&theirs, |row| row.theirs);
    let is_shared = |row: &&usize| {
        let row = rows.get(**row);
        row.is_some_and(|row| row.base.is_some() && row.ours.is_some() && row.theirs.is_some())
    };
    let is_alike = ours
        .iter()
        .filter(is_shared)
        .eq(theirs.iter().filter(is_shared));
    let mut order = match theirs_moved && !ours_moved {
        true => woven(rows, &theirs, &ours, |_| false),
        false => woven(rows, &ours, &theirs, |row| {
            row.base.is_none() && row.theirs.is_none()
        }),
    };
    if with_gone {
        order = woven(rows, &order, &base, |_| false);
    }
    Arranged {
        order,
        is_contested: ours_moved && theirs_moved && !is_alike,
    }
}

/// Returns the indices of the rows that a side has, in its order.
fn sequence(rows: &[Row], at: fn(&Row) -> Option<usize>) -> Vec<usize> {
    let places = rows.iter().enumerate();
    let mut places: Vec<(usize, usize)> = places
        .filter_map(|(number, row)| Some((at(row)?, number)))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, number)| number).collect()
}

/// Merges the rows of `other` into `lead`, each behind its predecessor in `other`, and behind following rows
/// of `lead` for which `goes_first` is true.
fn woven(
    rows: &[Row],
    lead: &[usize],
    other: &[usize],
    goes_first: impl Fn(&Row) -> bool,
) -> Vec<usize> {
    let mut is_led = vec![false; rows.len()];
    for row in lead {
        if let Some(is_led) = is_led.get_mut(*row) {
            *is_led = true;
        }
    }
    let mut runs: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    let mut before = None;
    for row in other {
        match is_led.get(*row) {
            Some(true) => before = Some(*row),
            _ => runs.entry(before).or_default().push(*row),
        }
    }
    let mut order = Vec::with_capacity(rows.len());
    let mut waiting = runs.remove(&None).unwrap_or_default();
    for row in lead {
        if !rows.get(*row).is_some_and(&goes_first) {
            order.append(&mut waiting);
        }
        order.push(*row);
        if let Some(mut run) = runs.remove(&Some(*row)) {
            waiting.append(&mut run);
        }
    }
    order.append(&mut waiting);
    order
}
