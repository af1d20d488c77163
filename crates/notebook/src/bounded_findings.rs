use windlass_base::{Diagnostic, Diagnostics, counted};

/// Maximum number of errors shown per document.
const MAX_FINDINGS: usize = 100;

/// Errors in a document. We store at most [`MAX_FINDINGS`] and count the others.
pub(crate) struct BoundedFindings {
    /// Rule name shared by all errors.
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

    /// Creates an error of this rule. The caller adds details and then passes it to
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

    /// Returns the total number of errors, including those we didn't store.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Returns the stored errors. If there were more, the last one gives their number, in a message
    /// that refers to the document as `place`, such as `this file`.
    pub(crate) fn finish(mut self, place: &str) -> Diagnostics {
        let more = self.total.saturating_sub(MAX_FINDINGS);
        if more > 0 {
            let message = format!("{} in {place}", counted(more, "more mistake"));
            self.found.push(Diagnostic::error(self.rule, message));
        }
        self.found
    }
}
