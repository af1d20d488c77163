use windlass_base::{Diagnostic, Diagnostics, counted};

/// The most findings that are shown.
const MAX_FINDINGS: usize = 100;

/// Mistakes in one document, of which only so many are shown.
pub(crate) struct BoundedFindings {
    /// The rule that such a document breaks.
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

    /// A mistake, to be pushed.
    pub(crate) fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.rule, message)
    }

    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.total += 1;
        if self.total <= MAX_FINDINGS {
            self.found.push(finding);
        }
    }

    /// Count of all mistakes, those that are not shown included.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The first hundred, and how many more there are in `place`: `this file`.
    pub(crate) fn finish(mut self, place: &str) -> Diagnostics {
        let more = self.total.saturating_sub(MAX_FINDINGS);
        if more > 0 {
            let message = format!("{} in {place}", counted(more, "more mistake"));
            self.found.push(Diagnostic::error(self.rule, message));
        }
        self.found
    }
}
