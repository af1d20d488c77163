//! An observation in parts, so that one that is too long can be cut, and gone on with where it was cut.
//!
//! The parts are the smallest pieces that make sense by themselves: short values as a whole, long texts line
//! by line. They do not depend on budget or format: a part has the same number on every page.

use serde_json::{Map, Value};

/// Values whose JSON takes at most this many bytes are not cut.
const SMALL: usize = 200;

/// The parts of a value.
pub(crate) struct Parts<'a> {
    whole: &'a Value,
    parts: Vec<Part<'a>>,
}

/// A piece of a value.
pub(crate) struct Part<'a> {
    /// Where in the value it stands.
    path: Vec<Step<'a>>,
    piece: Piece<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step<'a> {
    Field(&'a str),
    Element(usize),
    Line(usize),
}

#[derive(Clone, Copy)]
pub(crate) enum Piece<'a> {
    Value(&'a Value),
    Line(&'a str),
}

impl<'a> Parts<'a> {
    /// The parts of `whole`: in its order, but short fields of an object before long ones.
    pub(crate) fn of(whole: &'a Value) -> Self {
        let mut parts = Vec::new();
        collect(whole, &mut Vec::new(), &mut parts);
        Self { whole, parts }
    }

    /// How many there are; at least one.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn part(&self, at: usize) -> &Part<'a> {
        &self.parts[at]
    }

    /// Whether parts `from` on are all lines of texts.
    pub(crate) fn are_lines(&self, from: usize) -> bool {
        let rest = &self.parts[from.min(self.len())..];
        rest.iter().all(|part| matches!(part.piece, Piece::Line(_)))
    }

    /// Where to end when at most the parts `start` to `end` fit: before a whole element or field of the
    /// outermost level at which at least half of them is left.
    pub(crate) fn rounded(&self, start: usize, end: usize) -> usize {
        if end >= self.len() || end <= start + 1 {
            return end.min(self.len());
        }
        let deepest = self.parts[start..=end].iter().map(|part| part.path.len());
        let begins = |at: &usize, depth: usize| {
            let (before, after) = (&self.parts[at - 1].path, &self.parts[*at].path);
            before.get(..depth) != after.get(..depth)
        };
        (1..=deepest.max().unwrap_or(1))
            .find_map(|depth| {
                let at = (start + 1..=end).rev().find(|at| begins(at, depth))?;
                (2 * (at - start) >= end - start).then_some(at)
            })
            .unwrap_or(end)
    }

    /// The value with the parts `start` to `end` alone.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Value {
        if start == 0 && end >= self.len() {
            return self.whole.clone();
        }
        build(&self.parts[start.min(end)..end], 0)
    }
}

impl<'a> Part<'a> {
    pub(crate) fn piece(&self) -> Piece<'a> {
        self.piece
    }

    /// The names it stands under, outermost first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.path.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Element(_) | Step::Line(_) => None,
        })
    }

    /// How deep it stands in the value.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Whether it is a line that is not the first of its text.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(self.path.last(), Some(Step::Line(at)) if *at > 0)
    }
}

fn collect<'a>(value: &'a Value, path: &mut Vec<Step<'a>>, parts: &mut Vec<Part<'a>>) {
    let mut add = |path: &[Step<'a>], piece| {
        parts.push(Part {
            path: path.to_vec(),
            piece,
        });
    };
    match value {
        value if is_small(value) => add(path, Piece::Value(value)),
        Value::String(text) if text.contains('\n') => {
            for (at, line) in text.lines().enumerate() {
                path.push(Step::Line(at));
                add(path, Piece::Line(line));
                path.pop();
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                path.push(Step::Element(at));
                collect(value, path, parts);
                path.pop();
            }
        }
        Value::Object(map) => {
            let (short, long): (Vec<_>, Vec<_>) =
                map.iter().partition(|(_, value)| is_small(value));
            for (name, value) in short.into_iter().chain(long) {
                path.push(Step::Field(name));
                collect(value, path, parts);
                path.pop();
            }
        }
        value => add(path, Piece::Value(value)),
    }
}

fn is_small(value: &Value) -> bool {
    let cuttable = matches!(value, Value::String(text) if text.contains('\n'));
    !cuttable && value.to_string().len() <= SMALL
}

/// The value that `parts` make, all of which stand under the same first `depth` steps.
fn build(parts: &[Part<'_>], depth: usize) -> Value {
    let Some(first) = parts.first() else {
        return Value::Null;
    };
    let groups = || {
        parts
            .chunk_by(|a, b| a.path.get(depth) == b.path.get(depth))
            .map(|group| (group[0].path[depth], build(group, depth + 1)))
    };
    match (first.path.get(depth), first.piece) {
        (None, Piece::Value(value)) => value.clone(),
        (None, Piece::Line(line)) => Value::from(line),
        (Some(Step::Field(_)), _) => {
            let fields = groups().filter_map(|(step, value)| match step {
                Step::Field(name) => Some((name.to_owned(), value)),
                Step::Element(_) | Step::Line(_) => None,
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        (Some(Step::Element(_)), _) => groups().map(|(_, value)| value).collect(),
        (Some(Step::Line(_)), _) => {
            let lines: Vec<Value> = groups().map(|(_, value)| value).collect();
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            Value::from(lines.join("\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cuts_at_the_outermost_level_that_helps() {
        let row =
            |at: usize| json!({"name": format!("row {at}"), "text": "x".repeat(190), "n": at});
        let rows: Vec<Value> = (0..20).map(row).collect();
        let value = json!(rows);
        let parts = Parts::of(&value);
        // Each row is larger than what is not cut: its short fields, each by itself.
        assert_eq!(parts.len(), 60);
        assert_eq!(parts.rounded(0, 31), 30);
        assert_eq!(parts.slice(0, 30), json!(rows[..10]));
        assert_eq!(parts.slice(30, 60), json!(rows[10..]));
        // One row does not fit: its fields.
        assert_eq!(
            parts.slice(0, parts.rounded(0, 2)),
            json!([{"name": "row 0", "text": "x".repeat(190)}])
        );

        let lines: Vec<String> = (0..90).map(|at| format!("line {at}")).collect();
        let value = json!({"stdout": lines.join("\n"), "status": 0});
        let parts = Parts::of(&value);
        assert_eq!(parts.len(), 91);
        assert_eq!(parts.rounded(0, 40), 40);
        let want = json!({"status": 0, "stdout": lines[..39].join("\n")});
        assert_eq!(parts.slice(0, 40), want);
        assert_eq!(
            parts.slice(40, 91),
            json!({"stdout": lines[39..].join("\n")})
        );
        assert!(parts.are_lines(1) && !parts.are_lines(0));
    }

    #[test]
    fn what_is_small_or_has_no_joints_is_one_part() {
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
}
