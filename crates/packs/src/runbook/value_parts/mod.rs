//! Splits an observation into parts, so that a long one can be cut and continued.
//!
//! Parts are as small as makes sense: we keep short values whole, and split long strings into
//! lines. If there are too many parts, we combine them. For example, a program's output of 500
//! lines becomes 500 parts, but an object with three short fields stays in one piece.
//!
//! Parts only depend on the value. A part therefore has the same index on every page, whatever the
//! budget and format, so a cursor can refer to it.

mod collected;
mod sizes;

use std::cmp::Reverse;
use std::iter::successors;
use std::ops::Range;

use serde_json::{Map, Value};

/// Maximum number of parts and groups together, which limits our memory to a few megabytes. In a
/// list of one-digit numbers of 4 MiB, each part has 128 of them.
const MAX_PARTS: usize = 1 << 17;

pub(crate) struct Parts<'a> {
    whole: &'a Value,
    /// The values that we split, outer ones first. This is empty if there is just one part.
    groups: Vec<Group<'a>>,
    /// The fields of all parts, in order. Parts refer to them by range, which saves an allocation
    /// for each part.
    fields: Vec<(&'a str, &'a Value)>,
    runs: Vec<Run<'a>>,
}

/// A value that we split. The parts and groups in it refer to it by index.
struct Group<'a> {
    /// Index of the group around this one. `name` is the name of the field there, if it is an
    /// object.
    parent: Option<usize>,
    name: Option<&'a str>,
    value: &'a Value,
    depth: usize,
}

#[derive(Clone)]
struct Run<'a> {
    group: usize,
    /// Depth of the innermost group that also contains the part before this one. The lower this is,
    /// the better a place to cut.
    shared: usize,
    piece: StoredPiece<'a>,
}

/// A part's content, with its fields as a range of indices.
type StoredPiece<'a> = Piece<'a, Range<usize>>;

/// Consecutive values that form a part. `Fields` stands for either the fields themselves or the
/// range of their indices.
#[derive(Clone)]
pub(crate) enum Piece<'a, Fields> {
    Values(&'a [Value]),
    Fields(Fields),
    /// Lines of a text, with their line ends.
    Lines {
        text: &'a str,
        /// True if the previous part has lines of the same text.
        goes_on: bool,
    },
}

pub(crate) struct Part<'p, 'a> {
    pub(crate) piece: Piece<'a, &'p [(&'a str, &'a Value)]>,
    /// The names of the fields around the part, from the outside. They do not include the part's
    /// own fields.
    pub(crate) names: Vec<&'a str>,
    pub(crate) depth: usize,
}

/// The amount of content in some parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The number of lines, if there is nothing else.
    Lines(usize),
    /// The number of elements, fields and lines together.
    Values(usize),
}

impl<'a> Parts<'a> {
    /// Splits `whole`. The parts are in the order of the value, except that an object's short
    /// fields come before its long ones.
    pub(crate) fn of(whole: &'a Value) -> Self {
        collected::parts_of(whole, MAX_PARTS)
    }

    /// Number of parts. There is always at least one.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    pub(crate) fn part(&self, at: usize) -> Part<'_, 'a> {
        let run = &self.runs[at];
        let piece = match &run.piece {
            Piece::Values(values) => Piece::Values(values),
            Piece::Fields(fields) => Piece::Fields(&self.fields[fields.clone()]),
            Piece::Lines { text, goes_on } => Piece::Lines {
                text,
                goes_on: *goes_on,
            },
        };
        let within = self.within(run.group);
        let mut names: Vec<&str> = within.filter_map(|at| self.groups[at].name).collect();
        names.reverse();
        Part {
            piece,
            names,
            depth: self.within(run.group).count(),
        }
    }

    pub(crate) fn extent(&self, range: Range<usize>) -> Extent {
        let rest = &self.runs[range];
        let count = rest.iter().map(|run| run.piece.count()).sum();
        let is_lines = |run: &Run<'_>| matches!(run.piece, Piece::Lines { .. });
        if rest.iter().all(is_lines) {
            Extent::Lines(count)
        } else {
            Extent::Values(count)
        }
    }

    /// Finds a good place to cut if only the parts from `start` to `end` fit.
    ///
    /// That is before an element or a field as far out as possible, as long as half of the parts
    /// stay. A reader can make more of ten whole rows than of ten and a half.
    pub(crate) fn rounded(&self, start: usize, end: usize) -> usize {
        if end >= self.len() || end <= start + 1 {
            return end.min(self.len());
        }
        let half = start + (end - start).div_ceil(2);
        let outermost = (half..=end).min_by_key(|at| (self.runs[*at].shared, Reverse(*at)));
        outermost.unwrap_or(end)
    }

    /// The value with nothing but the parts from `start` to `end`.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Value {
        if start == 0 && end >= self.len() {
            return self.whole.clone();
        }
        let runs = &self.runs[start.min(end)..end];
        if runs.is_empty() || self.groups.is_empty() {
            return Value::Null;
        }
        self.build(runs, 0)
    }

    /// Number of parts before the first line of a text. This returns `None` if anything but lines
    /// comes after that, or if the texts are not direct fields of the value.
    ///
    /// In other words, it recognizes a program's output, which has `stdout` and `stderr` after its
    /// short fields.
    pub(crate) fn before_texts(&self) -> Option<usize> {
        let is_line = |run: &Run<'_>| {
            let is_own = self
                .groups
                .get(run.group)
                .is_some_and(|group| group.depth < 2);
            is_own && matches!(run.piece, Piece::Lines { .. })
        };
        let first = self.runs.iter().position(is_line)?;
        self.runs[first..].iter().all(is_line).then_some(first)
    }

    /// The value without the parts in `gap`, e.g. the middle of a program's output.
    pub(crate) fn without(&self, gap: Range<usize>) -> Value {
        let Some(after) = self.runs.get(gap.end..).filter(|after| !after.is_empty()) else {
            return self.slice(0, gap.start);
        };
        let mut runs = self.runs[..gap.start].to_vec();
        runs.extend_from_slice(after);
        // The part after the gap now follows the one before it, and both share the groups that all
        // skipped parts have in common.
        let skipped = self.runs[gap.start..=gap.end].iter();
        runs[gap.start].shared = skipped.map(|run| run.shared).min().unwrap_or(0);
        self.build(&runs, 0)
    }

    /// The groups around a part: `group` itself and those around it, from the inside.
    fn within(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        let own = (group < self.groups.len()).then_some(group);
        successors(own, |at| self.groups[*at].parent)
    }

    /// Puts `runs` back together. All of them must be in `group`.
    fn build(&self, runs: &[Run<'a>], group: usize) -> Value {
        let Group { depth, value, .. } = self.groups[group];
        let mut built = match value {
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Object(_) => Value::Object(Map::new()),
            _ => return Value::from(joined_lines(runs)),
        };
        // Parts that share a deeper group belong to the same inner value.
        for runs in runs.chunk_by(|_, next| next.shared > depth) {
            let mut inner = self.within(runs[0].group);
            if let Some(inner) = inner.find(|inner| self.groups[*inner].parent == Some(group)) {
                let name = self.groups[inner].name;
                put(&mut built, name, self.build(runs, inner));
                continue;
            }
            match &runs[0].piece {
                Piece::Values(values) => {
                    for value in *values {
                        put(&mut built, None, value.clone());
                    }
                }
                Piece::Fields(fields) => {
                    for (name, value) in &self.fields[fields.clone()] {
                        put(&mut built, Some(name), (*value).clone());
                    }
                }
                Piece::Lines { .. } => {}
            }
        }
        built
    }
}

impl StoredPiece<'_> {
    fn count(&self) -> usize {
        match self {
            Piece::Values(values) => values.len(),
            Piece::Fields(fields) => fields.len(),
            Piece::Lines { text, .. } => text.lines().count(),
        }
    }
}

fn put(into: &mut Value, name: Option<&str>, value: Value) {
    match (into, name) {
        (Value::Array(list), _) => list.push(value),
        (Value::Object(map), Some(name)) => {
            map.insert(name.to_owned(), value);
        }
        _ => {}
    }
}

fn joined_lines(runs: &[Run<'_>]) -> String {
    let lines = runs.iter().flat_map(|run| match run.piece {
        Piece::Lines { text, .. } => text.lines(),
        _ => "".lines(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn rounded_cuts_at_outermost_useful_level() {
        let row =
            |at: usize| json!({"name": format!("row {at}"), "text": "x".repeat(190), "n": at});
        let rows: Vec<Value> = (0..20).map(row).collect();
        let value = json!(rows);
        let parts = Parts::of(&value);
        // Every row is larger than the limit, so it's split, but its short fields stay together.
        assert_eq!(parts.len(), 60);
        assert_eq!(parts.rounded(0, 31), 30);
        assert_eq!(parts.slice(0, 30), json!(rows[..10]));
        assert_eq!(parts.slice(30, 60), json!(rows[10..]));
        // If even the first row doesn't fit, we cut it at a field.
        assert_eq!(
            parts.slice(0, parts.rounded(0, 2)),
            json!([{"name": "row 0", "text": "x".repeat(190)}])
        );

        let lines: Vec<String> = (0..90).map(|at| format!("line {at}")).collect();
        let value = json!({"stdout": lines.join("\n"), "status": 0});
        let parts = Parts::of(&value);
        assert_eq!(parts.len(), 91);
        assert_eq!(parts.rounded(0, 40), 40);
        // 40 parts are one for `status`, and 39 lines.
        let want = json!({"status": 0, "stdout": lines[..39].join("\n")});
        assert_eq!(parts.slice(0, 40), want);
        assert_eq!(
            parts.slice(40, 91),
            json!({"stdout": lines[39..].join("\n")})
        );
        assert_eq!(parts.extent(0..91), Extent::Values(91));
        assert_eq!(parts.extent(40..91), Extent::Lines(51));
    }

    #[test]
    fn program_output_is_cut_in_the_middle() {
        let lines = |name: &str| {
            (0..90)
                .map(|at| format!("{name} {at}\n"))
                .collect::<String>()
        };
        let value = json!({"status": 0, "stderr": lines("e"), "stdout": lines("o")});
        let parts = Parts::of(&value);
        assert_eq!((parts.before_texts(), parts.len()), (Some(1), 181));
        let want = json!({"status": 0, "stdout": "o 88\no 89"});
        assert_eq!(parts.without(1..179), want);
        let want = json!({"status": 0, "stderr": "e 89", "stdout": lines("o").trim_end()});
        assert_eq!(parts.without(1..90), want);
        assert_eq!(parts.without(90..181), parts.slice(0, 90));
        assert_eq!(parts.without(0..180), json!({"stdout": "o 89"}));
        let value = json!(lines("alone"));
        assert_eq!(
            Parts::of(&value).without(0..88),
            json!("alone 88\nalone 89")
        );
        let value = json!({"rows": [lines("a"), lines("b")]});
        assert_eq!(Parts::of(&value).before_texts(), None);
    }

    #[test]
    fn small_or_flat_value_is_one_part() {
        for value in [
            json!(null),
            json!([]),
            json!({"a": [1, {"b": 2}]}),
            json!("x".repeat(999)),
            json!(""),
        ] {
            let parts = Parts::of(&value);
            assert_eq!((parts.len(), parts.slice(0, 1)), (1, value.clone()));
        }
    }

    /// All values and lines with their names and depths, sorted.
    fn leaves(value: &Value) -> Vec<String> {
        fn add(value: &Value, path: &str, out: &mut Vec<String>) {
            match value {
                Value::Array(list) if !list.is_empty() => {
                    list.iter()
                        .for_each(|value| add(value, &format!("{path}/"), out));
                }
                Value::Object(map) if !map.is_empty() => {
                    map.iter()
                        .for_each(|(name, value)| add(value, &format!("{path}/{name}"), out));
                }
                Value::String(text) if text.contains('\n') => {
                    out.extend(text.lines().map(|line| format!("{path}={line}")));
                }
                value => out.push(format!("{path}={}", value.as_str().unwrap_or("-"))),
            }
        }
        let mut out = Vec::new();
        add(value, "", &mut out);
        out.sort();
        out
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-z]{1,8}",
            "[a-z]{190,300}",
            "[a-z]{1,9}(\n[a-z]{1,40}){1,9}"
        ];
        let leaf = prop_oneof![
            any::<u64>().prop_map(Value::from),
            text.prop_map(Value::from)
        ];
        leaf.prop_recursive(5, 200, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,5}", inner, 0..12)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn slices_partition_the_value(
            value in values(),
            most in 1_usize..60,
            step in 1_usize..9,
        ) {
            let parts = collected::parts_of(&value, most);
            prop_assert!(parts.len() == 1 || parts.len() + parts.groups.len() <= most);
            for parts in [parts, Parts::of(&value)] {
                let mut found = Vec::new();
                let mut start = 0;
                while start < parts.len() {
                    let end = parts.rounded(start, start + step);
                    prop_assert!(start < end && end <= start.saturating_add(step).min(parts.len()));
                    found.extend(leaves(&parts.slice(start, end)));
                    start = end;
                }
                found.sort();
                prop_assert_eq!(&found, &leaves(&value));
            }
        }
    }

    #[test]
    fn huge_value_has_larger_parts() {
        let digits = json!({"digits": vec![1; 1 << 19], "status": 0});
        let fields: Map<String, Value> = (0..400_000)
            .map(|at| (at.to_string(), json!(at % 10)))
            .collect();
        let lines = json!({"stdout": "x\n".repeat(1 << 19)});
        let nest = |inner: Value| (0..90).fold(inner, |inner, _| json!([1, inner]));
        let nested = json!(vec![nest(json!("y".repeat(300))); 2_000]);
        for value in [digits, Value::from(fields), lines, nested] {
            let parts = Parts::of(&value);
            let count = parts.len() + parts.groups.len();
            assert!((MAX_PARTS / 16..=MAX_PARTS).contains(&count), "{count}");
            let longest = (0..parts.len()).step_by(997).map(|at| {
                let slice = parts.slice(at, at + 1);
                (slice.to_string().len(), slice)
            });
            let (longest, slice) = longest.max_by_key(|(length, _)| *length).unwrap();
            assert!(longest < 2_000, "{slice}");
        }
    }

    #[test]
    fn deep_value_rejoins_after_cut() {
        let numbers: Vec<u32> = (0..20_000).collect();
        let nest = |inner: Value| (0..90).fold(inner, |value, _| json!([value]));
        let value = nest(json!(numbers));
        let parts = Parts::of(&value);
        assert_eq!((parts.len(), parts.groups.len()), (20_000, 91));
        assert_eq!(parts.part(7).depth, 91);
        assert_eq!(parts.slice(5, 9), nest(json!(numbers[5..9])));
        assert_eq!(parts.rounded(0, 9), 9);

        let value = json!({"a": nest(json!(numbers[..90])), "b": nest(json!(numbers)), "c": 1});
        let parts = Parts::of(&value);
        let names = |at: usize| parts.part(at).names;
        assert_eq!(
            [names(0), names(1), names(91)],
            [vec![], vec!["a"], vec!["b"]]
        );
        let want = json!({"a": nest(json!(numbers[88..90])), "b": nest(json!(numbers[..3]))});
        assert_eq!(parts.slice(89, 94), want);
        assert_eq!(parts.rounded(0, 100), 91);
    }

    #[test]
    fn grouped_lines_are_counted_singly() {
        let value = json!({"stdout": (0..100).map(|at| format!("{at}\r\n")).collect::<String>()});
        let parts = collected::parts_of(&value, 20);
        assert!(parts.len() < 20);
        assert_eq!(parts.extent(0..parts.len()), Extent::Lines(100));
        let all = parts.slice(1, parts.len());
        let lines: Vec<&str> = all["stdout"].as_str().unwrap().lines().collect();
        assert_eq!(parts.extent(1..parts.len()), Extent::Lines(lines.len()));
        assert_eq!(lines.last(), Some(&"99"));
    }
}
