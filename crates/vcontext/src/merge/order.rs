//! Orders the items of three versions of a list.
//!
//! For example, if the base is `abc`, `ours` reverses it to `cba` and `theirs` appends `x`, the
//! result is `cxba`: the order of `ours`, with `x` still after `c`. If `ours` is `axbc` and
//! `theirs` is `aybc`, the result is `axybc`.

use std::collections::BTreeMap;

use super::matched::Row;

#[derive(Debug)]
pub(super) struct Arranged {
    /// Indices of the rows.
    pub(super) order: Vec<usize>,
    /// True if both sides have reordered the items of the base in different ways. We use the order
    /// of `ours` in that case.
    pub(super) is_contested: bool,
}

/// Orders rows by the side that has changed the order, or by `ours` if neither has.
///
/// An addition of the other side follows its predecessor there. If both sides have added something
/// at the same location, the additions of `ours` come first.
///
/// Rows that both sides have removed are only included with `with_gone`.
pub(super) fn arranged(rows: &[Row], with_gone: bool) -> Arranged {
    let base = sequence(rows, |row| row.base);
    let ours = sequence(rows, |row| row.ours);
    let theirs = sequence(rows, |row| row.theirs);
    // A side without changes to the order still has the items of the base in their order, apart
    // from the ones it has removed.
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
    // Both may have made the same change.
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

fn sequence(rows: &[Row], at: fn(&Row) -> Option<usize>) -> Vec<usize> {
    let places = rows.iter().enumerate();
    let mut places: Vec<(usize, usize)> = places
        .filter_map(|(number, row)| Some((at(row)?, number)))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, number)| number).collect()
}

/// Merges the rows of `other` into `lead`.
///
/// Each goes after its predecessor in `other`, and after the rows of `lead` that follow there and
/// for which `goes_first` is true.
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
    // The rows that only `other` has, by the row of `lead` that they follow. `None` is the start of
    // the list.
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
