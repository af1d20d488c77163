//! The form of anchors in the repository's anchor file.

use serde::de::Error as _;
use serde_json::value::{RawValue, to_raw_value};
use windlass_base::Ident;
use windlass_redact::json_has_secrets;
use windlass_repo::Snapshot;

use super::Mark;
use super::json_tree::Tree;
use crate::Anchor;
use crate::anchor::SoundAnchor;

/// Order of an anchor's fields in the file. Unknown fields follow, sorted by name.
///
/// Do not change the order or the rules in `tidy`: that would change the marks of all anchors, and
/// each of them would look edited to other versions. `tidy` also relies on the optional fields
/// being at the end.
const ORDER: [&str; 10] = [
    "id",
    "kind",
    "label",
    "evidence",
    "locator",
    "zone",
    "tags",
    "freshness",
    "relocations",
    "suggested",
];

/// Like [`ORDER`], for a piece of evidence.
const EVIDENCE: [&str; 5] = ["file", "start_line", "end_line", "source_hash", "capture"];

/// An anchor in its canonical form, the same in every clone.
///
/// Two clones must get the same text for the same anchor, or an export would change lines for no
/// reason. So fields have a fixed order, and empty ones are dropped. The form includes unknown
/// fields, but not the time of capture, which would make equal anchors look different.
#[derive(Debug, Clone)]
pub struct SharedAnchor {
    anchor: Anchor,
    tree: Tree,
    text: Box<RawValue>,
}

impl PartialEq for SharedAnchor {
    fn eq(&self, other: &Self) -> bool {
        self.text.get() == other.text.get()
    }
}

impl SharedAnchor {
    /// Parses an anchor and brings it into canonical form.
    ///
    /// # Errors
    /// Returns an error if a field is missing or duplicate, or if the anchor has no evidence.
    pub fn read(text: &RawValue) -> Result<Self, serde_json::Error> {
        let mut tree = Tree::of(text)?;
        // Serde would also accept a list of values in place of an object. We couldn't sort such a
        // list, because it has no field names.
        if tree.fields_mut().is_none() {
            return Err(serde_json::Error::custom("an anchor must be an object"));
        }
        if let Some(Tree::List(list)) = tree.field_mut("evidence")
            && list.iter_mut().any(|one| one.fields_mut().is_none())
        {
            return Err(serde_json::Error::custom(
                "`evidence` must be a list of objects",
            ));
        }
        let SoundAnchor(anchor) = serde_json::from_str(text.get())?;
        if anchor.evidence.is_empty() {
            return Err(serde_json::Error::custom("an anchor needs evidence"));
        }
        tidy(&mut tree);
        let mut text = String::new();
        tree.write(false, &mut text);
        Ok(Self {
            anchor,
            tree,
            text: RawValue::from_string(text)?,
        })
    }

    /// Converts `anchor` to its canonical form.
    ///
    /// # Errors
    /// Returns an error in the cases of [`SharedAnchor::read`].
    pub fn of(anchor: &Anchor) -> Result<Self, serde_json::Error> {
        Self::read(&to_raw_value(anchor)?)
    }

    /// The anchor's name, shared by both sides.
    #[must_use]
    pub fn id(&self) -> &Ident {
        &self.anchor.id
    }

    /// The anchor's known fields. If you also need unknown ones, use [`Self::text`].
    #[must_use]
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// The whole anchor as JSON on a single line.
    #[must_use]
    pub fn text(&self) -> &RawValue {
        &self.text
    }

    /// The mark of this state of the anchor.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark::of(self.text.get())
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }
}

fn tidy(tree: &mut Tree) {
    if let Some(Tree::List(list)) = tree.field_mut("evidence") {
        for evidence in list {
            drop_empty(evidence, &["source_hash", "capture"]);
            order(evidence, &EVIDENCE);
        }
    }
    if let Some(fields) = tree.field_mut("freshness").and_then(Tree::fields_mut) {
        fields.retain(|(key, value)| {
            key != "captured_at" && (key != "git_head" || !value.is_empty())
        });
    }
    if let Some(Tree::List(list)) = tree.field_mut("relocations") {
        for relocation in list.iter_mut().filter_map(Tree::fields_mut) {
            relocation.retain(|(key, _)| key != "at");
        }
    }
    drop_empty(tree, &ORDER[4..]);
    order(tree, &ORDER);
}

fn drop_empty(tree: &mut Tree, optional: &[&str]) {
    if let Some(fields) = tree.fields_mut() {
        fields.retain(|(key, value)| !value.is_empty() || !optional.contains(&key.as_str()));
    }
}

/// Moves the `known` fields to the front, in the given order. The sort is stable, so all others
/// stay sorted by name.
fn order(tree: &mut Tree, known: &[&str]) {
    if let Some(fields) = tree.fields_mut() {
        let place = |key: &str| known.iter().position(|name| *name == key);
        fields.sort_by_key(|(key, _)| place(key).unwrap_or(known.len()));
    }
}

/// True if the anchor is safe to import. The file may come from anyone with access to the
/// repository, so an anchor with a secret value is refused, and so is one that points to a secret
/// file.
#[must_use]
pub fn may_be_imported(anchor: &SharedAnchor, snapshot: &Snapshot) -> bool {
    let secrets = snapshot.repo().secrets();
    let mut files = anchor.anchor().evidence.iter().map(|one| &one.file);
    files.all(|file| secrets.rule_for(file.as_str()).is_none())
        && !json_has_secrets(anchor.text().get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SharedAnchor, serde_json::Error> {
        SharedAnchor::read(&RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn shared_anchor_any_spelling_one_form() {
        let one = read(concat!(
            // Numbers must keep their spelling: 1.50 and 1e400 wouldn't survive a conversion to
            // `f64`.
            r#"{"zebra":[1.50,1e400],"label":"Ann\u0065","tags":[],"evidence":[{"end_line":2,"file":"a","start_line":1,"why":"x","capture":null}],"#,
            r#" "kind":"ci","id":"a" , "freshness":{"captured_at":"2026-01-01T00:00:00Z","git_head":"abc"}, "relocations": [], "apple" : {"b":1, "a":"\ud800"}}"#
        ))
        .unwrap();
        let want = concat!(
            r#"{"id":"a","kind":"ci","label":"Anne","evidence":[{"file":"a","start_line":1,"end_line":2,"why":"x"}],"#,
            r#""freshness":{"git_head":"abc"},"apple":{"a":"\ud800","b":1},"zebra":[1.50,1e400]}"#
        );
        assert_eq!(one.text().get(), want);
        let again = read(want).unwrap();
        assert_eq!((again.text().get(), again.mark()), (want, one.mark()));
    }

    #[test]
    fn shared_anchor_invalid_refused() {
        for (text, says) in [
            (r#"{"id":"a","label":"x","evidence":[]}"#, "needs evidence"),
            (
                r#"{"id":"a","id":"b","label":"x","evidence":[]}"#,
                "is duplicated",
            ),
            (r#"{"id":"a","evidence":[]}"#, "missing field `label`"),
            (
                r#"{"id":"a","label":"x","evidence":[{"file":"/etc/passwd","start_line":1,"end_line":1}]}"#,
                "is absolute",
            ),
            (
                r#"{"id":"a","label":"x","evidence":[{"file":"x","start_line":2,"end_line":1}]}"#,
                "are not a valid range",
            ),
            ("[]", "an anchor must be an object"),
            (
                r#"{"id":"a","label":"x","evidence":[["x",1,1]]}"#,
                "a list of objects",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
