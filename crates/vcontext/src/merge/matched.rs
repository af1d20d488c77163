//! Which items of three versions of a list are the same one.

use std::collections::{BTreeMap, BTreeSet};

use windlass_tron::Value;

/// The fields that name an object in a list, the best first.
const NAMES: [&str; 4] = ["eventId", "id", "uid", "uri"];

/// An item as the three versions have it, as far as they do.
#[derive(Debug, Default)]
pub(super) struct Row<'v> {
    pub(super) base: Option<&'v Value<'static>>,
    pub(super) ours: Option<&'v Value<'static>>,
    pub(super) theirs: Option<&'v Value<'static>>,
}

impl Row<'_> {
    /// What tells it from others, as a filter of a JSONPath.
    pub(super) fn filter(&self) -> String {
        let one = self.ours.or(self.theirs).or(self.base);
        let (field, name) = one.and_then(|one| name_of(one)).unwrap_or_default();
        let (field, name) = match (field, one.and_then(title_of)) {
            ("", Some(title)) => ("title", title),
            _ => (field, name),
        };
        format!("[?(@.{field}=='{}')]", name.replace('\'', "\\'"))
    }
}

type List<'v> = &'v [Value<'static>];

/// The items of all three: those of `ours` in their order, then what only the others have. Nothing where items cannot be
/// told from each other.
pub(super) fn matched<'v>(
    base: List<'v>,
    ours: List<'v>,
    theirs: List<'v>,
) -> Option<Vec<Row<'v>>> {
    if ![base, ours, theirs].iter().all(|list| can_be_told(list)) {
        return None;
    }
    let own_of_base = pairs(base, ours);
    let other_of_base = pairs(base, theirs);
    let is_free = |taken: &[Option<usize>], at: usize| !taken.contains(&Some(at));
    let rest = |list: List<'v>, taken: &[Option<usize>]| -> Vec<&'v Value<'static>> {
        let each = list.iter().enumerate();
        let free = each.filter(|(at, _)| is_free(taken, *at));
        free.map(|(_, item)| item).collect()
    };
    // What both put in is one item as well.
    let new_own = rest(ours, &own_of_base);
    let new_other = rest(theirs, &other_of_base);
    let both = pairs_of(&new_own, &new_other);
    let mut new_own_at = 0;
    let mut rows = Vec::new();
    for (at, item) in ours.iter().enumerate() {
        let row = match own_of_base.iter().position(|own| *own == Some(at)) {
            Some(old) => Row {
                base: base.get(old),
                ours: Some(item),
                theirs: other_of_base
                    .get(old)
                    .copied()
                    .flatten()
                    .and_then(|at| theirs.get(at)),
            },
            None => {
                let other = both.get(new_own_at).copied().flatten();
                new_own_at += 1;
                Row {
                    base: None,
                    ours: Some(item),
                    theirs: other.and_then(|at| new_other.get(at).copied()),
                }
            }
        };
        rows.push(row);
    }
    for (at, item) in theirs.iter().enumerate() {
        let old = other_of_base.iter().position(|other| *other == Some(at));
        match old {
            Some(old) if own_of_base.get(old).copied().flatten().is_some() => {}
            Some(old) => rows.push(Row {
                base: base.get(old),
                ours: None,
                theirs: Some(item),
            }),
            None => {
                let new = new_other.iter().position(|new| std::ptr::eq(*new, item));
                if !both.contains(&new) {
                    rows.push(Row {
                        theirs: Some(item),
                        ..Row::default()
                    });
                }
            }
        }
    }
    Some(rows)
}

/// Whether each item has a name or a title, and no two the same name.
fn can_be_told(list: List<'_>) -> bool {
    let mut seen = BTreeSet::new();
    list.iter().all(|item| match name_of(item) {
        Some(name) => seen.insert(name),
        None => title_of(item).is_some(),
    })
}

fn name_of<'v>(item: &'v Value<'static>) -> Option<(&'static str, &'v str)> {
    let named = |field: &'static str| Some((field, text(item, field)?));
    NAMES.into_iter().find_map(named)
}

fn title_of<'v>(item: &'v Value<'static>) -> Option<&'v str> {
    text(item, "title")
}

fn text<'v>(item: &'v Value<'static>, field: &str) -> Option<&'v str> {
    item.get(field)?.as_str()
}

fn pairs(from: List<'_>, to: List<'_>) -> Vec<Option<usize>> {
    let (from, to): (Vec<_>, Vec<_>) = (from.iter().collect(), to.iter().collect());
    pairs_of(&from, &to)
}

/// The item of `to` that each of `from` is: the one of its name; without a name the one that says the same, else the only
/// one of its title, else the one in its place where as many stand on both sides.
fn pairs_of(from: &[&Value<'static>], to: &[&Value<'static>]) -> Vec<Option<usize>> {
    let mut found = Pairs {
        of: vec![None; from.len()],
        taken: vec![false; to.len()],
    };
    for field in NAMES {
        let named = (to.iter().enumerate()).filter_map(|(at, item)| Some((text(item, field)?, at)));
        let by_name: BTreeMap<&str, usize> = named.rev().collect();
        for (at, item) in from.iter().enumerate() {
            let other = text(item, field).and_then(|name| by_name.get(name));
            if let Some(other) = other.filter(|other| found.is_open(at, **other)) {
                found.put(at, *other);
            }
        }
    }
    for (at, item) in from.iter().enumerate() {
        let same = |other: &usize| to.get(*other).is_some_and(|other| *other == *item);
        let other = found.open_in(at, to).find(same);
        if let Some(other) = other {
            found.put(at, other);
        }
    }
    // One that got a name has the title it had; two with different names are two.
    let may_be_same = |one: &Value<'static>, other: &Value<'static>| {
        let both_have = |field: &&str| text(one, field).is_some() && text(other, field).is_some();
        !NAMES.iter().any(both_have)
    };
    for (at, item) in from.iter().enumerate() {
        let same = |other: &usize| {
            let other = to.get(*other);
            other.is_some_and(|other| title_of(other) == title_of(item) && may_be_same(item, other))
        };
        let open: Vec<usize> = found.open_in(at, to).filter(same).collect();
        if let [only] = open[..] {
            found.put(at, only);
        }
    }
    if from.len() == to.len() {
        for (at, (item, other)) in from.iter().zip(to).enumerate() {
            let are_nameless = name_of(item).is_none() && name_of(other).is_none();
            if are_nameless && found.is_open(at, at) {
                found.put(at, at);
            }
        }
    }
    found.of
}

struct Pairs {
    of: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs {
    fn put(&mut self, at: usize, other: usize) {
        if let (Some(of), Some(taken)) = (self.of.get_mut(at), self.taken.get_mut(other)) {
            *of = Some(other);
            *taken = true;
        }
    }

    /// Whether number `at` may be number `other`: neither is known yet.
    fn is_open(&self, at: usize, other: usize) -> bool {
        self.of.get(at) == Some(&None) && self.taken.get(other) == Some(&false)
    }

    fn open_in(&self, at: usize, to: &[&Value<'static>]) -> impl Iterator<Item = usize> {
        (0..to.len()).filter(move |other| self.is_open(at, *other))
    }
}
