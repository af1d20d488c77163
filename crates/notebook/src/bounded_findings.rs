//! Limits the number of errors shown for a document.

use windlass_base::{Diagnostic, Diagnostics, counted};

/// Maximum number of errors to show for a document. A generated one may have thousands, often all
/// for the same reason.
const MAX_FINDINGS: usize = 100;

/// The first [`MAX_FINDINGS`] errors of a document. The others are only counted.
pub(crate) struct BoundedFindings {
    rule: &'static str,
    found: Diagnostics,
    total: usize,
}

impl BoundedFindings {
    pub(crate) fn of_rule(rule: &'static str) -> Self {
        Self {
            rule,
            found: Diagnostics::default(),
            total: 0,
        }
    }

    /// Creates an error under this rule. The caller adds its details, and then passes it to
    /// [`BoundedFindings::push`].
    pub(crate) fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.rule, message)
    }

    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.total += 1;
        if self.total <= MAX_FINDINGS {
            self.found.push(finding);
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The stored errors. If there were more, the last one says how many. `place` is the document's
    /// name in that message, e.g. `this file`.
    pub(crate) fn finish(mut self, place: &str) -> Diagnostics {
        let more = self.total.saturating_sub(MAX_FINDINGS);
        if more > 0 {
            let message = format!("{} in {place}", counted(more, "more mistake"));
            self.found.push(Diagnostic::error(self.rule, message));
        }
        self.found
    }
}
