//! Values of a report, and the paths to them.

use serde::Deserialize;
use serde_json::Value;

use crate::terminal::plain;

#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) enum ReportPath {
    /// Literal text, used instead of a value of the report.
    Text(String),
    /// Members below the object that is `outward` levels further out.
    Members { outward: usize, names: Vec<String> },
}

impl From<String> for ReportPath {
    fn from(path: String) -> Self {
        if let Some(text) = path.strip_prefix('=') {
            return Self::Text(text.to_owned());
        }
        let names = path.trim_start_matches('^');
        Self::Members {
            outward: path.len() - names.len(),
            names: names.split('.').map(str::to_owned).collect(),
        }
    }
}

/// A value of a report, with the objects that enclose it, innermost last.
#[derive(Debug, Clone)]
pub(super) struct ReportNode<'v> {
    value: &'v Value,
    outer: Vec<&'v Value>,
}

impl<'v> ReportNode<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self {
            value,
            outer: Vec::new(),
        }
    }

    /// Returns the values at `path`. A list is replaced by its elements.
    pub(super) fn find(&self, path: &ReportPath) -> Vec<Self> {
        let ReportPath::Members { outward, names } = path else {
            return Vec::new();
        };
        let Some(from) = self.out(*outward) else {
            return Vec::new();
        };
        let mut found = from.elements();
        for name in names {
            let inner = found.iter().filter_map(|node| node.member(name));
            found = inner.flat_map(|node| node.elements()).collect();
        }
        found
    }

    /// Returns the texts at `path`: strings, numbers and truth values.
    pub(super) fn texts(&self, path: &ReportPath) -> Vec<String> {
        if let ReportPath::Text(text) = path {
            return vec![text.clone()];
        }
        let found = self.find(path);
        found.iter().filter_map(Self::text).collect()
    }

    pub(super) fn first_text(&self, path: &ReportPath) -> Option<String> {
        self.texts(path).into_iter().next()
    }

    /// Returns true if there is a value at `path`. An empty list is one, too.
    pub(super) fn has(&self, path: &ReportPath) -> bool {
        let ReportPath::Members { names, .. } = path else {
            return true;
        };
        let Some((last, before)) = names.split_last() else {
            return true;
        };
        let mut found = self.elements();
        for name in before {
            let inner = found.iter().filter_map(|node| node.member(name));
            found = inner.flat_map(|node| node.elements()).collect();
        }
        found.iter().any(|node| node.member(last).is_some())
    }

    pub(super) fn is_in(&self, other: &Self) -> bool {
        // Equal objects may occur several times, so compare their addresses.
        self.outer
            .iter()
            .any(|outer| std::ptr::eq(*outer, other.value))
    }

    fn text(&self) -> Option<String> {
        match self.value {
            Value::String(text) => Some(plain(text).trim_end().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        }
    }

    fn member(&self, name: &str) -> Option<Self> {
        let mut outer = self.outer.clone();
        outer.push(self.value);
        Some(Self {
            value: self.value.get(name)?,
            outer,
        })
    }

    fn out(&self, levels: usize) -> Option<Self> {
        let at = self.outer.len().checked_sub(levels)?;
        match levels {
            0 => Some(self.clone()),
            _ => Some(Self {
                value: self.outer.get(at)?,
                outer: self.outer.get(..at)?.to_vec(),
            }),
        }
    }

    /// Returns the elements of a list, at any depth, or the value itself.
    fn elements(&self) -> Vec<Self> {
        match self.value {
            Value::Array(list) => {
                let each = list.iter().map(|value| Self {
                    value,
                    outer: self.outer.clone(),
                });
                each.flat_map(|node| node.elements()).collect()
            }
            _ => vec![self.clone()],
        }
    }
}
