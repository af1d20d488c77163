//! Splits a value into parts.

use std::ops::Range;

use serde_json::{Map, Value};

use super::sizes::Sizes;
use super::{Group, Parts, Piece, Run, StoredPiece};

/// Maximum size of lists and objects that are never split, in bytes of JSON.
const SMALL: usize = 200;

/// Splits `whole` into at most `max` parts and groups.
///
/// Parts are as small as is useful. If there were too many, we start again with larger ones.
pub(super) fn parts_of(whole: &Value, max: usize) -> Parts<'_> {
    let sizes = Sizes::of(whole);
    let total = sizes.take(whole, &mut 0);
    let mut grain = 0;
    loop {
        let collector = Collector {
            sizes: &sizes,
            grain,
            max,
            shared: 0,
            parts: Parts {
                whole,
                groups: Vec::new(),
                fields: Vec::new(),
                runs: Vec::new(),
            },
        };
        if let Some(parts) = collector.all(total) {
            return parts;
        }
        // Two consecutive parts always exceed a grain together. So this is large enough, unless
        // there's nesting.
        grain = (2 * grain).max(4 * total / max.max(1)).max(1);
    }
}

struct Collector<'a, 's> {
    sizes: &'s Sizes,
    /// Size up to which we combine consecutive values, in bytes of JSON. See [`SideBySide`].
    grain: usize,
    max: usize,
    /// Depth of the innermost group that contains both the last part and the next one.
    shared: usize,
    parts: Parts<'a>,
}

/// There are too many parts, because the grain is too small.
struct TooMany;

impl<'a> Collector<'a, '_> {
    fn all(mut self, size: usize) -> Option<Parts<'a>> {
        let whole = self.parts.whole;
        if self.is_cut(whole, size) {
            self.open(None, None, whole, 0).ok()?;
        } else {
            let whole = Piece::Values(std::slice::from_ref(whole));
            self.add(0, whole).ok()?;
        }
        Some(self.parts)
    }

    /// True if `value` has to be split. `size` is the size of its JSON in bytes.
    fn is_cut(&self, value: &Value, size: usize) -> bool {
        match value {
            Value::String(text) => size > self.grain && text.contains('\n'),
            Value::Array(_) | Value::Object(_) => !self.is_short(size),
            _ => false,
        }
    }

    fn is_short(&self, size: usize) -> bool {
        size <= SMALL.max(self.grain)
    }

    /// Splits `value`, which is a string, or else the list or object with index `at`.
    fn open(
        &mut self,
        parent: Option<usize>,
        name: Option<&'a str>,
        value: &'a Value,
        at: usize,
    ) -> Result<(), TooMany> {
        let group = self.parts.groups.len();
        let depth = parent.map_or(0, |parent| self.parts.groups[parent].depth + 1);
        self.parts.groups.push(Group {
            parent,
            name,
            value,
            depth,
        });
        match value {
            Value::Array(list) => self.list(group, list, at + 1)?,
            Value::Object(map) => self.object(group, map, at + 1)?,
            Value::String(text) => self.text(group, text)?,
            _ => {}
        }
        self.shared = self.shared.min(depth.saturating_sub(1));
        Ok(())
    }

    fn list(&mut self, group: usize, list: &'a [Value], mut at: usize) -> Result<(), TooMany> {
        let mut side_by_side = SideBySide::new(self.grain, 0);
        let run = |run: Range<usize>| Piece::Values(&list[run]);
        for (nr, value) in list.iter().enumerate() {
            let begin = at;
            let size = self.sizes.take(value, &mut at);
            if self.is_cut(value, size) {
                self.add_run(group, side_by_side.end(nr), run)?;
                self.open(Some(group), None, value, begin)?;
                side_by_side = SideBySide::new(self.grain, nr + 1);
            } else {
                self.add_run(group, side_by_side.take(nr, size), run)?;
            }
        }
        self.add_run(group, side_by_side.end(list.len()), run)
    }

    /// Splits an object. Its short fields come first, because they often say what the long ones are
    /// about, e.g. the exit status of a program.
    fn object(
        &mut self,
        group: usize,
        map: &'a Map<String, Value>,
        first: usize,
    ) -> Result<(), TooMany> {
        let mut at = first;
        let mut side_by_side = SideBySide::new(self.grain, self.parts.fields.len());
        for (name, value) in map {
            let size = self.sizes.take(value, &mut at);
            if self.is_short(size) && !self.is_cut(value, size) {
                let nr = self.parts.fields.len();
                self.parts.fields.push((name, value));
                let run = side_by_side.take(nr, name.len() + size);
                self.add_run(group, run, Piece::Fields)?;
            }
        }
        let run = side_by_side.end(self.parts.fields.len());
        self.add_run(group, run, Piece::Fields)?;
        at = first;
        for (name, value) in map {
            let begin = at;
            let size = self.sizes.take(value, &mut at);
            if self.is_cut(value, size) {
                self.open(Some(group), Some(name), value, begin)?;
            } else if !self.is_short(size) {
                let nr = self.parts.fields.len();
                self.parts.fields.push((name, value));
                self.add(group, Piece::Fields(nr..nr + 1))?;
            }
        }
        Ok(())
    }

    fn text(&mut self, group: usize, text: &'a str) -> Result<(), TooMany> {
        let mut side_by_side = SideBySide::new(self.grain, 0);
        let run = |run: Range<usize>| Piece::Lines {
            goes_on: run.start > 0,
            text: &text[run],
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            self.add_run(group, side_by_side.take(at, line.len()), run)?;
            at += line.len();
        }
        self.add_run(group, side_by_side.end(at), run)
    }

    fn add_run(
        &mut self,
        group: usize,
        run: Option<Range<usize>>,
        piece: impl Fn(Range<usize>) -> StoredPiece<'a>,
    ) -> Result<(), TooMany> {
        run.map_or(Ok(()), |run| self.add(group, piece(run)))
    }

    fn add(&mut self, group: usize, piece: StoredPiece<'a>) -> Result<(), TooMany> {
        let Parts { groups, runs, .. } = &mut self.parts;
        if runs.len() + groups.len() >= self.max.max(1) && !groups.is_empty() {
            return Err(TooMany);
        }
        runs.push(Run {
            group,
            shared: self.shared,
            piece,
        });
        self.shared = groups.get(group).map_or(0, |group| group.depth);
        Ok(())
    }
}

/// Combines consecutive values, up to the size of a grain.
struct SideBySide {
    grain: usize,
    start: usize,
    size: usize,
}

impl SideBySide {
    fn new(grain: usize, start: usize) -> Self {
        Self {
            grain,
            start,
            size: 0,
        }
    }

    /// Adds the value at `at`. If it does not fit, this returns the values before it, and starts
    /// over.
    fn take(&mut self, at: usize, size: usize) -> Option<Range<usize>> {
        let sum = self.size.saturating_add(size);
        if at == self.start || sum <= self.grain {
            self.size = sum;
            return None;
        }
        self.size = size;
        Some(std::mem::replace(&mut self.start, at)..at)
    }

    /// The remaining values, which end before `at`.
    fn end(&self, at: usize) -> Option<Range<usize>> {
        (self.start < at).then_some(self.start..at)
    }
}
