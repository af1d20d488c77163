use windlass_base::{Diagnostic, Diagnostics, counted};

/// Maximum number of errors that are shown for a document.
const MAX_FINDINGS: usize = 100;

/// Errors of a document, of which at most [`MAX_FINDINGS`] are stored.
pub(crate) struct BoundedFindings {
    /// Rule name that all errors have.
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

    /// Creates an error of this rule. The caller adds details and passes it to [`BoundedFindings::push`].
    pub(crate) fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.rule, message)
    }

    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.total += 1;
        if self.total <= MAX_FINDINGS {
            self.found.push(finding);
        }
    }

    /// Returns the number of all errors, including those that are not stored.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Returns the stored errors. If there were more, the last one states their number. `place` names the document in
    /// that message, such as `this file`.
    pub(crate) fn finish(mut self, place: &str) -> Diagnostics {
        let more = self.total.saturating_sub(MAX_FINDINGS);
        if more > 0 {
            let message = format!("{} in {place}", counted(more, "more mistake"));
            self.found.push(Diagnostic::error(self.rule, message));
        }
        self.found
    }
}
