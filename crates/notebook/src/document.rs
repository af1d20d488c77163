use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_base::{Ident, did_you_mean};

use crate::{Anchor, NotebookError};

/// The newest version of the format that this program reads and writes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The most anchors one notebook holds.
const MAX_ANCHORS: usize = 20_000;

/// A notebook in memory.
///
/// Anchors keep the text they were read from: what is not changed is written back as it was, and what is
/// changed keeps the fields this program does not know.
#[derive(Debug, Clone, Default)]
pub struct Notebook {
    anchors: Vec<Stored>,
    other: Map<String, Value>,
}

#[derive(Debug, Clone)]
struct Stored {
    anchor: Anchor,
    text: Option<Box<RawValue>>,
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Wire {
    pub(crate) schema_version: u32,
    pub(crate) repo: RepoRecord,
    #[serde(default)]
    pub(crate) anchors: Vec<Box<RawValue>>,
    #[serde(flatten)]
    pub(crate) other: Map<String, Value>,
}

/// Which repository a notebook belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RepoRecord {
    pub(crate) repo_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root_fingerprint: Option<String>,
}

impl Notebook {
    pub(crate) fn from_wire(wire: Wire) -> Result<Self, serde_json::Error> {
        let stored = |text: Box<RawValue>| {
            let anchor = serde_json::from_str(text.get())?;
            Ok(Stored {
                anchor,
                text: Some(text),
            })
        };
        let anchors = wire
            .anchors
            .into_iter()
            .map(stored)
            .collect::<Result<_, serde_json::Error>>()?;
        Ok(Self {
            anchors,
            other: wire.other,
        })
    }

    pub(crate) fn to_wire(&self, repo: RepoRecord) -> Result<Wire, serde_json::Error> {
        let anchors = self
            .anchors
            .iter()
            .map(Stored::to_text)
            .collect::<Result<_, _>>()?;
        Ok(Wire {
            schema_version: SCHEMA_VERSION,
            repo,
            anchors,
            other: self.other.clone(),
        })
    }

    /// The anchors, in the order in which they were saved.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter().map(|stored| &stored.anchor)
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none; the error names the nearest.
    pub fn anchor(&self, id: &str) -> Result<&Anchor, NotebookError> {
        self.anchors()
            .find(|anchor| anchor.id.as_str() == id)
            .ok_or_else(|| self.no_such(id))
    }

    /// Adds `anchor`, or puts it in the place of the one of its name.
    ///
    /// # Errors
    /// When the name is taken and `replace` is false, when it has no evidence, or when there are too many.
    pub fn add(&mut self, anchor: Anchor, replace: bool) -> Result<(), NotebookError> {
        self.add_all(vec![anchor], replace)
    }

    /// Adds all of `anchors`, or none.
    ///
    /// # Errors
    /// As [`Notebook::add`].
    pub fn add_all(&mut self, anchors: Vec<Anchor>, replace: bool) -> Result<(), NotebookError> {
        let mut places: std::collections::BTreeMap<Ident, usize> = self
            .anchors()
            .enumerate()
            .map(|(at, anchor)| (anchor.id.clone(), at))
            .collect();
        let mut all = self.anchors.clone();
        for anchor in anchors {
            if anchor
                .evidence
                .iter()
                .all(|evidence| evidence.pointer().is_none())
            {
                return Err(NotebookError::NoEvidence(anchor.id));
            }
            match places.get(&anchor.id) {
                Some(_) if !replace => return Err(NotebookError::Exists(anchor.id)),
                Some(at) => all[*at] = all[*at].changed_to(anchor)?,
                None => {
                    places.insert(anchor.id.clone(), all.len());
                    all.push(Stored { anchor, text: None });
                }
            }
        }
        if all.len() > MAX_ANCHORS {
            return Err(NotebookError::TooMany { limit: MAX_ANCHORS });
        }
        self.anchors = all;
        Ok(())
    }

    /// Takes the anchor called `id` out.
    ///
    /// # Errors
    /// When there is none.
    pub fn remove(&mut self, id: &str) -> Result<Anchor, NotebookError> {
        let Some(at) = self
            .anchors
            .iter()
            .position(|stored| stored.anchor.id.as_str() == id)
        else {
            return Err(self.no_such(id));
        };
        Ok(self.anchors.remove(at).anchor)
    }

    fn no_such(&self, id: &str) -> NotebookError {
        let similar =
            did_you_mean(id, self.anchors().map(|anchor| anchor.id.as_str())).map(str::to_owned);
        NotebookError::NoSuchAnchor {
            id: id.to_owned(),
            similar,
        }
    }
}

impl Stored {
    /// `anchor`, with the fields of the old text that this program does not know.
    fn changed_to(&self, anchor: Anchor) -> Result<Self, serde_json::Error> {
        let Some(text) = &self.text else {
            return Ok(Self { anchor, text: None });
        };
        let old: Map<String, Value> = serde_json::from_str(text.get())?;
        let known = serde_json::to_value(&self.anchor)?;
        let mut new = serde_json::to_value(&anchor)?;
        if let (Some(known), Some(new)) = (known.as_object(), new.as_object_mut()) {
            for (key, value) in old {
                if !known.contains_key(&key) && !new.contains_key(&key) && !is_ours(&key) {
                    new.insert(key, value);
                }
            }
        }
        let text = serde_json::value::to_raw_value(&new)?;
        Ok(Self {
            anchor,
            text: Some(text),
        })
    }

    fn to_text(&self) -> Result<Box<RawValue>, serde_json::Error> {
        self.text
            .clone()
            .map_or_else(|| serde_json::value::to_raw_value(&self.anchor), Ok)
    }
}

/// Fields that are left out where they are empty: an old value must not come back through the unknown ones.
fn is_ours(key: &str) -> bool {
    matches!(key, "locator" | "zone" | "freshness" | "tags")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notebook(anchors: &str) -> Notebook {
        let text = format!(
            r#"{{"schema_version":1,"repo":{{"repo_id":"r"}},"anchors":[{anchors}],"mood":"fine"}}"#
        );
        Notebook::from_wire(serde_json::from_str(&text).unwrap()).unwrap()
    }

    fn written(notebook: &Notebook) -> String {
        let repo = RepoRecord {
            repo_id: "r".to_owned(),
            root_fingerprint: None,
        };
        serde_json::to_string(&notebook.to_wire(repo).unwrap()).unwrap()
    }

    const ODD: &str = r#"{"id":"a","label":"A","evidence":[{"file":"x","start_line":1,"end_line":1}],"colour":"red"}"#;

    #[test]
    fn what_is_not_known_survives_a_rewrite() {
        let text = written(&notebook(ODD));
        assert!(text.contains(ODD), "{text}");
        assert!(text.contains(r#""mood":"fine""#), "{text}");
    }

    #[test]
    fn a_replaced_anchor_keeps_what_is_not_known() {
        let mut notebook = notebook(ODD);
        let mut anchor = notebook.anchor("a").unwrap().clone();
        anchor.label = "B".to_owned();
        assert!(matches!(
            notebook.add(anchor.clone(), false),
            Err(NotebookError::Exists(_))
        ));
        notebook.add(anchor, true).unwrap();
        let text = written(&notebook);
        assert!(
            text.contains(r#""label":"B""#) && text.contains(r#""colour":"red""#),
            "{text}"
        );
    }

    #[test]
    fn adding_many_is_all_or_nothing() {
        let mut notebook = notebook(ODD);
        let mut good = notebook.anchor("a").unwrap().clone();
        good.id = Ident::parse("b").unwrap();
        let bad = notebook.anchor("a").unwrap().clone();
        assert!(notebook.add_all(vec![good, bad], false).is_err());
        assert_eq!(notebook.anchors().len(), 1);
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        let mut notebook = notebook(&ODD.replace("\"a\"", "\"router\""));
        let error = notebook.remove("ruoter").unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no anchor `ruoter`; did you mean `router`?"
        );
    }
}
