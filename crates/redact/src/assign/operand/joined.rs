//! Literals that are put together (`"…" + "…"`): they are one value.

use std::ops::Range;

use crate::assign::literal::{judged, quoted, span};
use crate::name::Kind;
use crate::scanned_text::Text;
use crate::value::{Form, is_secret};

/// Literals that are put together, and how they would be a value.
pub(super) struct Pieces {
    starts: Vec<usize>,
    form: Form,
}

impl Pieces {
    /// None yet.
    pub(super) fn none() -> Self {
        Self {
            starts: Vec::new(),
            form: Form::Literal,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How they would be a value.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Takes in the literal at `at`, too.
    pub(super) fn push(&mut self, at: usize, form: Form) {
        self.form = form;
        self.starts.push(at);
    }

    /// Keeps them in `found`, if they are a secret; others may follow.
    pub(super) fn settle(&mut self, text: &Text<'_>, kind: Kind, found: &mut Vec<Range<usize>>) {
        let pieces = std::mem::take(&mut self.starts);
        let secret = |at: &usize| quoted(text, *at, kind, self.form);
        let [_, _, ..] = pieces.as_slice() else {
            found.extend(pieces.iter().filter_map(secret));
            return;
        };
        let spans: Vec<_> = pieces.iter().filter_map(|at| span(text, *at)).collect();
        let whole: String = (spans.iter())
            .map(|span| judged(text.slice(span.value.clone())).into_owned())
            .collect();
        if is_secret(kind, self.form, &whole) || pieces.iter().any(|at| secret(at).is_some()) {
            let values = spans.into_iter().map(|span| span.value);
            found.extend(values.filter(|value| !value.is_empty()));
        }
    }
}
