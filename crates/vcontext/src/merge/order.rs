//! Orders the items of three versions of a list.
//!
//! For example, let the base be `abc`. If `ours` reverses it to `cba` and `theirs` appends `x`, the
//! result is `cxba`: the order of `ours`, with `x` still behind `c`. If `ours` is `axbc` and
//! `theirs` is `aybc`, it's `axybc`.

use std::collections::BTreeMap;

use super::matched::Row;

/// Rows in their merged order.
#[derive(Debug)]
pub(super) struct Arranged {
    /// The rows' indices in their new order.
    pub(super) order: Vec<usize>,
    /// True if both sides have reordered the items of the base differently. The order of `ours`
    /// counts then.
    pub(super) is_contested: bool,
}

/// Orders rows like the side that changed the order, or like `ours` if neither did.
///
/// The other side's additions follow their predecessor there. If both sides have added items at one
/// location, those of `ours` come first. Rows removed by both sides are omitted unless `with_gone`
/// is set.
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

/// Returns the indices of a side's rows, in its order.
fn sequence(rows: &[Row], at: fn(&Row) -> Option<usize>) -> Vec<usize> {
    let places = rows.iter().enumerate();
    let mut places: Vec<(usize, usize)> = places
        .filter_map(|(number, row)| Some((at(row)?, number)))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, number)| number).collect()
}

/// Merges the rows of `other` into `lead`. Each of them goes behind its predecessor in `other`, and
/// behind any following rows of `lead` for which `goes_first` is true.
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
