//! Matches the items in three versions of a list.
//!
//! Most items have a name that doesn't change. But names are optional, so we also have to recognize
//! items without one, or that got their name later.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windlass_tron::{Object, Value};

/// The fields that identify an object in a list, with the most reliable one first.
const NAMES: [&str; 4] = ["eventId", "id", "uid", "uri"];

/// The index of an item in each of the three versions that have the item.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Row {
    pub(super) base: Option<usize>,
    pub(super) ours: Option<usize>,
    pub(super) theirs: Option<usize>,
}

type List<'v> = &'v [Value<'static>];

/// Matches the items of all three versions.
///
/// Returns `None` if the items of one of them can't be told apart.
pub(super) fn matched(base: List<'_>, ours: List<'_>, theirs: List<'_>) -> Option<Vec<Row>> {
    if ![base, ours, theirs].iter().all(|list| is_distinct(list)) {
        return None;
    }
    let own_of_base = pairs(base, ours);
    let other_of_base = pairs(base, theirs);
    // If both sides have added the same item, it only counts once.
    let new_own = left(ours.len(), &own_of_base);
    let new_other = left(theirs.len(), &other_of_base);
    let item = |list: List<'_>, at: &usize| list.get(*at).cloned().unwrap_or(Value::Null);
    let own: Vec<Value<'static>> = new_own.iter().map(|at| item(ours, at)).collect();
    let other: Vec<Value<'static>> = new_other.iter().map(|at| item(theirs, at)).collect();
    let both = pairs(&own, &other);
    let old = own_of_base.iter().zip(&other_of_base).enumerate();
    let mut rows: Vec<Row> = old
        .map(|(at, (ours, theirs))| Row {
            base: Some(at),
            ours: *ours,
            theirs: *theirs,
        })
        .collect();
    rows.extend(new_own.iter().zip(&both).map(|(at, other)| Row {
        base: None,
        ours: Some(*at),
        theirs: other.and_then(|other| new_other.get(other).copied()),
    }));
    let theirs_alone = left(new_other.len(), &both).into_iter();
    rows.extend(theirs_alone.map(|at| Row {
        theirs: new_other.get(at).copied(),
        ..Row::default()
    }));
    Some(rows)
}

pub(super) fn filter(item: &Value<'static>) -> String {
    let (field, name) = match name_of(item) {
        Some(found) => found,
        None => ("title", title_of(item).unwrap_or_default()),
    };
    format!("[?(@.{field}=='{}')]", name.replace('\'', "\\'"))
}

pub(super) fn label<'v>(item: &'v Value<'static>) -> &'v str {
    let name = name_of(item).map(|(_, name)| name);
    name.or_else(|| title_of(item)).unwrap_or_default()
}

/// Returns `value` as text with sorted keys, so that equal values give equal texts.
pub(super) fn canonical(value: &Value<'static>) -> String {
    sorted(value).to_string()
}

/// Sorts the keys at all levels. This is recursive, which is safe because the depth of documents is
/// limited.
fn sorted(value: &Value<'static>) -> Value<'static> {
    match value {
        Value::Array(items) => {
            let items: Vec<Value<'static>> = items.iter().map(sorted).collect();
            items.into()
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| (key.clone(), sorted(value)));
            let mut members: Vec<_> = members.collect();
            members.sort_by(|one, other| one.0.as_str().cmp(other.0.as_str()));
            let object: Object<'static> = members.into_iter().collect();
            object.into()
        }
        other => other.clone(),
    }
}

fn left(count: usize, taken: &[Option<usize>]) -> Vec<usize> {
    let taken: BTreeSet<usize> = taken.iter().flatten().copied().collect();
    (0..count).filter(|at| !taken.contains(at)).collect()
}

/// True if each item has a name or a title, and no two items have the same name.
fn is_distinct(list: List<'_>) -> bool {
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

/// Finds the item of `to` for each item of `from`.
///
/// We match names first. Items without a name are matched by equal contents, then by a title that's
/// unique, and finally by their position if the lists have the same length.
fn pairs(from: List<'_>, to: List<'_>) -> Vec<Option<usize>> {
    let mut found = Pairs {
        of: vec![None; from.len()],
        taken: vec![false; to.len()],
    };
    by_name(from, to, &mut found);
    if found.of.contains(&None) && found.taken.contains(&false) {
        by_contents(from, to, &mut found);
        by_title(from, to, &mut found);
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

fn by_name(from: List<'_>, to: List<'_>, found: &mut Pairs) {
    for field in NAMES {
        let named = (to.iter().enumerate()).filter_map(|(at, item)| Some((text(item, field)?, at)));
        // In reverse, so that the first item of a name wins.
        let by_name: BTreeMap<&str, usize> = named.rev().collect();
        for (at, item) in from.iter().enumerate() {
            let other = text(item, field).and_then(|name| by_name.get(name));
            if let Some(other) = other.filter(|other| found.is_open(at, **other)) {
                found.put(at, *other);
            }
        }
    }
}

fn by_contents(from: List<'_>, to: List<'_>, found: &mut Pairs) {
    let mut open: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
    for (at, item) in to.iter().enumerate() {
        if found.taken.get(at) == Some(&false) {
            open.entry(canonical(item)).or_default().push_back(at);
        }
    }
    for (at, item) in from.iter().enumerate() {
        if found.of.get(at) == Some(&None)
            && let Some(other) = open.get_mut(&canonical(item)).and_then(VecDeque::pop_front)
        {
            found.put(at, other);
        }
    }
}

/// Matches items by title, since one of them may have got its name later.
///
/// If both have the same kind of name (e.g. an `id`), the names are different by now, and so are
/// the items.
fn by_title(from: List<'_>, to: List<'_>, found: &mut Pairs) {
    let mut open: BTreeMap<(&str, u8), BTreeSet<usize>> = BTreeMap::new();
    for (at, item) in to.iter().enumerate() {
        if let Some(title) = title_of(item).filter(|_| found.taken.get(at) == Some(&false)) {
            open.entry((title, names(item))).or_default().insert(at);
        }
    }
    for (at, item) in from.iter().enumerate() {
        let Some(title) = title_of(item).filter(|_| found.of.get(at) == Some(&None)) else {
            continue;
        };
        let own = names(item);
        let may_be_same = (0..1_u8 << NAMES.len()).filter(|other| other & own == 0);
        let mut same = may_be_same.flat_map(|other| {
            let named = open.get(&(title, other)).into_iter().flatten();
            named.take(2).map(move |at| (other, *at))
        });
        // Only a unique match counts. With two candidates, we'd be guessing.
        if let (Some((group, other)), None) = (same.next(), same.next()) {
            drop(same);
            found.put(at, other);
            if let Some(group) = open.get_mut(&(title, group)) {
                group.remove(&other);
            }
        }
    }
}

/// The identifying fields that an item has, as a bit set.
fn names(item: &Value<'static>) -> u8 {
    let has = NAMES
        .iter()
        .enumerate()
        .filter(|(_, field)| text(item, field).is_some());
    has.fold(0, |names, (at, _)| names | 1 << at)
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

    fn is_open(&self, at: usize, other: usize) -> bool {
        self.of.get(at) == Some(&None) && self.taken.get(other) == Some(&false)
    }
}
