//! Keeps unknown fields of JSON objects through a rewrite, including their order and text.
//!
//! Such fields come from a newer version of Windlass, or from a user. An older version that edits
//! the notebook must not drop them.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::anchor_exchange::fields_in_order;

/// An object's fields. A duplicate field is an error, because one of the values would be lost.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(pub(crate) Vec<(String, Box<RawValue>)>);

impl Fields {
    pub(crate) fn get(&self, name: &str) -> Option<&RawValue> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| &**value)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(fields_in_order(deserializer, usize::MAX)?))
    }
}

/// Replaces `old` with `new`, but keeps the unknown fields of `old` in their place.
///
/// `known` is the text we would write for `old` ourselves. So if `old` has a field that is missing
/// in `known`, we do not know that field. The elements of lists are matched by [`partners`].
pub(crate) fn merged(
    old: &RawValue,
    known: &RawValue,
    new: &RawValue,
) -> Result<Box<RawValue>, serde_json::Error> {
    if let (Some(old), Some(known), Some(new)) = (object(old), object(known), object(new)) {
        return serde_json::value::to_raw_value(&merged_fields(old, &known, new)?);
    }
    if let (Some(old), Some(known), Some(new)) = (list(old), list(known), list(new)) {
        let partners = partners(&known, &new);
        let elements = new.into_iter().zip(partners).map(|(new, partner)| {
            let partner = partner.and_then(|at| Some((old.get(at)?, known.get(at)?)));
            partner.map_or_else(|| Ok(new.clone()), |(old, known)| merged(old, known, &new))
        });
        return serde_json::value::to_raw_value(&elements.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(new.to_owned())
}

fn merged_fields(old: Fields, known: &Fields, new: Fields) -> Result<Fields, serde_json::Error> {
    let mut fields = Fields::default();
    for (key, value) in old.0 {
        let value = match (new.get(&key), known.get(&key)) {
            (Some(new), Some(known)) => merged(&value, known, new)?,
            (Some(new), None) => new.to_owned(),
            (None, None) if !is_optional(&key) => value,
            (None, _) => continue,
        };
        fields.0.push((key, value));
    }
    for (key, value) in new.0 {
        if fields.get(&key).is_none() {
            fields.0.push((key, value));
        }
    }
    Ok(fields)
}

/// True for known fields that we omit when they are empty.
///
/// If neither the new text nor `known` has such a field, it is not an unknown one: it is just empty
/// in both. When adding an optional field to the notebook's types, add it here as well.
fn is_optional(key: &str) -> bool {
    matches!(
        key,
        "locator"
            | "zone"
            | "freshness"
            | "tags"
            | "relocations"
            | "suggested"
            | "source_hash"
            | "capture"
            | "line_hashes"
            | "captured_at"
            | "git_head"
            | "root_fingerprint"
            | "place"
            | "lineage"
            | "birth"
    )
}

/// Matches each element of `new` with an element of `known`.
///
/// Equal elements come first. Evidence is then matched by location, by text in the same file, and
/// finally by text in another file, unless there are several candidates. Matching by position will
/// not do: if the first of three pieces is removed, all of them would lose their unknown fields.
fn partners(known: &[Box<RawValue>], new: &[Box<RawValue>]) -> Vec<Option<usize>> {
    let mut partners: Vec<Option<usize>> = vec![None; new.len()];
    let mut taken = vec![false; known.len()];
    for (at, new) in new.iter().enumerate() {
        let mut same = known.iter().enumerate();
        let same = same.find(|(at, known)| !taken[*at] && known.get() == new.get());
        if let Some((known, _)) = same {
            partners[at] = Some(known);
            taken[known] = true;
        }
    }
    let known: Vec<Option<Evidence>> = known.iter().map(|one| Evidence::of(one)).collect();
    let new: Vec<Option<Evidence>> = new.iter().map(|one| Evidence::of(one)).collect();
    let same: [fn(&Evidence, &Evidence) -> bool; 3] = [
        |a, b| a.file == b.file && a.lines == b.lines,
        |a, b| a.file == b.file && a.hash.is_some() && a.hash == b.hash,
        |a, b| a.hash.is_some() && a.hash == b.hash,
    ];
    for is_same in same {
        for (at, new) in new.iter().enumerate() {
            let (Some(new), None) = (new, partners[at]) else {
                continue;
            };
            let open = known.iter().enumerate().filter(|(at, known)| {
                !taken[*at] && known.as_ref().is_some_and(|known| is_same(known, new))
            });
            let open: Vec<usize> = open.map(|(at, _)| at).take(2).collect();
            if let [only] = open[..] {
                partners[at] = Some(only);
                taken[only] = true;
            }
        }
    }
    partners
}

struct Evidence {
    file: String,
    lines: (String, String),
    hash: Option<String>,
}

impl Evidence {
    fn of(value: &RawValue) -> Option<Self> {
        let fields = object(value)?;
        let part = |name| fields.get(name).map(|value| value.get().to_owned());
        Some(Self {
            file: part("file")?,
            lines: (part("start_line")?, part("end_line")?),
            hash: part("source_hash"),
        })
    }
}

fn object(value: &RawValue) -> Option<Fields> {
    serde_json::from_str(value.get()).ok()
}

fn list(value: &RawValue) -> Option<Vec<Box<RawValue>>> {
    serde_json::from_str(value.get()).ok()
}
