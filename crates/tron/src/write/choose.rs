//! Chooses classes to shorten the text.
//!
//! Objects of the same shape can share a class. If null may stand for an absent member, so can
//! objects of different shapes.
//!
//! We can compute exactly how many characters a class saves. For any other measure, such as tokens,
//! this choice is only a starting point: from there, we remove and add classes one by one, and
//! measure the whole text each time. The result may not be the best set of classes, but trying all
//! of them would take far too long.

use std::collections::{BTreeMap, BTreeSet};

use super::WriteOptions;
use super::forms::{Class, Forms};
use super::print::print;
use super::tape::{Node, Tape};

/// Maximum number of classes in a document. We expect every reader to support this many.
const MAX_CLASSES: usize = 1_000;
/// Maximum number of classes that we try to remove or to add.
const MAX_TRIED: usize = 24;
/// Maximum number of bytes to measure while removing classes, and again while adding them. The
/// longer a document, the fewer classes we try.
const MAX_MEASURED: usize = 64 << 20;
/// Maximum number of groups that we try to merge. Each merge looks at all pairs, so this keeps the
/// time in check.
const MAX_GROUPS: usize = 40;

/// Objects that can share a class. They may have several shapes.
#[derive(Clone)]
struct Group {
    shapes: Vec<Member>,
    keys: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Member {
    shape: usize,
    uses: usize,
    count: usize,
}

/// Finds the forms that lead to the shortest text, or close to it with reasonable effort.
pub(crate) fn forms(tape: &Tape, options: &WriteOptions<'_>) -> Forms {
    let groups = groups(tape, options);
    let chooser = Chooser { tape, options };
    let chosen = chooser.by_estimate(&groups);
    match options.weigh {
        Some(weigh) => chooser.by_weight(&groups, chosen, weigh),
        None => chooser.forms(&chosen),
    }
}

/// The groups that can have a class, largest first.
fn groups(tape: &Tape, options: &WriteOptions<'_>) -> Vec<Group> {
    let mut uses = vec![0_usize; tape.shapes.len()];
    // The root must be written in braces, so it can't use a class.
    for node in tape.nodes.iter().skip(1) {
        if let Node::Object(shape) = node {
            uses[*shape] += 1;
        }
    }
    // A class that is used only once never saves anything, unless it can be merged with another
    // group.
    let least = if options.null_is_absent { 1 } else { 2 };
    let used = uses
        .into_iter()
        .enumerate()
        .filter(|(_, uses)| *uses >= least);
    let mut groups: Vec<Group> = used
        .filter_map(|(shape, uses)| {
            let keys = tape.shapes.keys(shape);
            let fits = |key: &usize| options.quoted_properties || tape.shapes.key(*key).is_plain;
            let distinct: BTreeSet<usize> = keys.iter().copied().collect();
            let count = keys.len();
            let is_fit = count > 0 && distinct.len() == count && keys.iter().all(fits);
            let member = Member { shape, uses, count };
            is_fit.then(|| Group {
                shapes: vec![member],
                keys,
            })
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.uses()));
    groups
}

impl Group {
    fn uses(&self) -> usize {
        self.shapes.iter().map(|member| member.uses).sum()
    }

    /// Merges two groups. Returns `None` if no order of the keys fits both.
    fn merged(&self, other: &Self) -> Option<Self> {
        let keys = merged(&self.keys, &other.keys)?;
        let shapes = [self.shapes.as_slice(), &other.shapes].concat();
        Some(Self { shapes, keys })
    }
}

/// Merges two lists of keys, preserving the order of both. Returns `None` if their orders
/// contradict each other.
fn merged(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let in_a: BTreeSet<usize> = a.iter().copied().collect();
    let in_b: BTreeSet<usize> = b.iter().copied().collect();
    let mut keys = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        while let Some(key) = a.next_if(|key| !in_b.contains(key)) {
            keys.push(*key);
        }
        while let Some(key) = b.next_if(|key| !in_a.contains(key)) {
            keys.push(*key);
        }
        match (a.next(), b.next()) {
            (None, None) => return Some(keys),
            (Some(own), Some(other)) if own == other => keys.push(*own),
            _ => return None,
        }
    }
}

struct Chooser<'c> {
    tape: &'c Tape,
    options: &'c WriteOptions<'c>,
}

impl Chooser<'_> {
    /// Chooses the classes that save characters. The largest groups come first, because the first
    /// names are the shortest.
    fn by_estimate(&self, groups: &[Group]) -> Vec<Group> {
        let mut kept: Vec<Group> = groups.to_vec();
        if self.options.null_is_absent {
            kept = self.joined(kept);
        }
        kept.retain(|group| self.saves(group, 1) > 0);
        kept.sort_by_key(|group| std::cmp::Reverse(group.uses()));
        kept.truncate(MAX_CLASSES);
        // A group further down the list has a longer name, and may not save anything because of
        // that. Dropping it makes other names shorter, so repeat this until nothing changes.
        loop {
            let before = kept.len();
            let mut nr = 0;
            kept.retain(|group| {
                nr += 1;
                self.saves(group, name(nr - 1).len()) > 0
            });
            if kept.len() == before {
                break;
            }
        }
        let saved: isize = (kept.iter().enumerate())
            .map(|(nr, group)| self.saves(group, name(nr).len()))
            .sum();
        // The blank line after the classes costs one character.
        if saved <= 1 {
            kept.clear();
        }
        kept
    }

    /// The number of characters saved by a class. The name of the class takes `name` characters.
    fn saves(&self, group: &Group, name: usize) -> isize {
        let width = |text: &str| text.chars().count();
        let key = |key: &usize| self.tape.shapes.key(*key);
        let names: usize = (group.keys.iter().map(key))
            .map(|key| width(if key.is_plain { &key.raw } else { &key.quoted }))
            .sum();
        let header = "class : \n".len() + name + names + group.keys.len() - 1;
        let instance = name + "()".len() + group.keys.len() - 1;
        let saved = |member: &Member| {
            // An object in JSON has `{` and `}`, a colon after each key, and commas between
            // members.
            let keys = self.tape.shapes.keys(member.shape);
            let names: usize = keys.iter().map(|id| width(&key(id).quoted)).sum();
            let json = 2 + names + member.count + member.count - 1;
            let padding = (group.keys.len() - member.count) * "null".len();
            (json.cast_signed() - (instance + padding).cast_signed()) * member.uses.cast_signed()
        };
        group.shapes.iter().map(saved).sum::<isize>() - header.cast_signed()
    }

    /// Merges the pair of groups that saves the most, until no merge saves anything.
    fn joined(&self, mut groups: Vec<Group>) -> Vec<Group> {
        let rest = groups.split_off(groups.len().min(MAX_GROUPS));
        let worth = |group: &Group| self.saves(group, 1).max(0);
        loop {
            let mut best: Option<(isize, usize, usize, Group)> = None;
            for (a, first) in groups.iter().enumerate() {
                for (b, second) in groups.iter().enumerate().skip(a + 1) {
                    let Some(both) = first.merged(second) else {
                        continue;
                    };
                    let gain = worth(&both) - worth(first) - worth(second);
                    if gain > best.as_ref().map_or(0, |(gain, ..)| *gain) {
                        best = Some((gain, a, b, both));
                    }
                }
            }
            let Some((_, a, b, both)) = best else {
                groups.extend(rest);
                return groups;
            };
            groups.remove(b);
            groups[a] = both;
        }
    }

    /// Improves on `chosen` by measuring the whole text.
    ///
    /// The cost of a name depends on the text around it, which the estimate doesn't know. So we
    /// first try two other starting points: a class for each repeated shape, with names assigned
    /// either by frequency, or by appearance as in the reference encoder. From the lightest one, we
    /// remove and add single classes as long as the text gets lighter.
    fn by_weight(
        &self,
        groups: &[Group],
        chosen: Vec<Group>,
        weigh: &dyn Fn(&str) -> usize,
    ) -> Forms {
        let text = |chosen: &[Group]| print(self.tape, &self.forms(chosen), false);
        let weight = |chosen: &[Group]| weigh(&text(chosen));
        let json = text(&[]);
        let none = weigh(&json);
        let tries = (MAX_MEASURED / json.len().max(1)).min(MAX_TRIED);
        drop(json);
        let (mut least, mut chosen) = (weight(&chosen), chosen);
        let repeated: Vec<Group> = (groups.iter())
            .filter(|group| group.uses() > 1 && group.keys.len() > 1)
            .take(MAX_CLASSES)
            .cloned()
            .collect();
        for start in [self.by_appearance(&repeated), repeated] {
            let weight = weight(&start);
            if weight < least {
                (chosen, least) = (start, weight);
            }
        }
        let has = |chosen: &[Group], group: &Group| {
            let shape = |member: &Member| group.shapes.iter().any(|own| own.shape == member.shape);
            chosen.iter().any(|other| other.shapes.iter().any(shape))
        };
        for nr in (0..chosen.len().min(tries)).rev() {
            let mut fewer = chosen.clone();
            fewer.remove(nr);
            let weight = weight(&fewer);
            if weight < least {
                (chosen, least) = (fewer, weight);
            }
        }
        for group in groups.iter().take(tries) {
            if has(&chosen, group) {
                continue;
            }
            let mut more = chosen.clone();
            more.push(group.clone());
            more.sort_by_key(|group| std::cmp::Reverse(group.uses()));
            let weight = weight(&more);
            if weight < least {
                (chosen, least) = (more, weight);
            }
        }
        if least < none {
            self.forms(&chosen)
        } else {
            self.forms(&[])
        }
    }

    /// Sorts groups by their first object in the text. Each group must have just one shape.
    fn by_appearance(&self, groups: &[Group]) -> Vec<Group> {
        let mut left: BTreeMap<usize, &Group> = (groups.iter())
            .map(|group| (group.shapes[0].shape, group))
            .collect();
        let mut found = Vec::with_capacity(groups.len());
        for node in &self.tape.nodes {
            if let Node::Object(shape) = node
                && let Some(group) = left.remove(shape)
            {
                found.push(group.clone());
            }
        }
        found
    }

    fn forms(&self, chosen: &[Group]) -> Forms {
        let mut forms = Forms::default();
        if !chosen.is_empty() {
            forms.of_shape = vec![0; self.tape.shapes.len()];
        }
        for (nr, group) in chosen.iter().enumerate() {
            forms.classes.push(Class {
                name: name(nr),
                keys: group.keys.clone(),
            });
            for member in &group.shapes {
                forms.of_shape[member.shape] = nr + 1;
            }
        }
        forms
    }
}

/// The name of the class with this index: `A` to `Z`, `AA` to `ZZ`, and so on. We only use capital
/// letters, since one of the known readers doesn't accept anything else.
fn name(mut nr: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'A' + u8::try_from(nr % 26).unwrap_or_default());
        if nr < 26 {
            break;
        }
        nr = nr / 26 - 1;
    }
    letters
        .iter()
        .rev()
        .map(|letter| char::from(*letter))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names_are_short_and_unique() {
        assert_eq!(
            [0, 25, 26, 701, 702].map(name),
            ["A", "Z", "AA", "ZZ", "AAA"]
        );
    }

    #[test]
    fn merged_contradicting_orders_is_none() {
        assert_eq!(merged(&[1, 2, 4], &[2, 3, 4]), Some(vec![1, 2, 3, 4]));
        assert_eq!(merged(&[1, 2], &[2, 1]), None);
        assert_eq!(merged(&[1], &[]), Some(vec![1]));
    }
}
