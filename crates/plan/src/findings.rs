use windlass_base::{Diagnostic, Diagnostics, Place, Severity};

/// Maximum number of findings reported.
const MAX_FINDINGS: usize = 200;

/// Findings about a document, limited to [`MAX_FINDINGS`].
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    /// Number of errors and warnings beyond the limit.
    more: [usize; 2],
    /// True if the count is a lower bound.
    incomplete: bool,
}

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_FINDINGS {
            self.list.push(diagnostic);
        } else {
            let severity = usize::from(diagnostic.severity == Severity::Warning);
            self.more[severity] += 1;
        }
    }

    /// Returns the number of further findings that are stored.
    #[must_use]
    pub fn room(&self) -> usize {
        MAX_FINDINGS - self.list.len()
    }

    /// Counts an error without a message.
    pub fn count_error(&mut self) {
        self.more[0] += 1;
    }

    /// Marks the count as a lower bound, since the search stopped early.
    pub(crate) fn stopped_early(&mut self) {
        self.incomplete = true;
    }

    /// Adds a finding at an optional position.
    pub fn push_at(&mut self, place: Option<Place>, mut diagnostic: Diagnostic) {
        diagnostic.place = place;
        self.push(diagnostic);
    }

    /// True if further findings are only counted and need no message.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_FINDINGS
    }

    /// True if there is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.more[0] > 0 || self.list.iter().any(|one| one.severity == Severity::Error)
    }

    /// Returns all findings in text order, followed by the number of the rest at `end`.
    #[must_use]
    pub fn finish(self, end: Option<Place>) -> Diagnostics {
        let mut found = Diagnostics::default();
        found.extend(self.list);
        let [errors, warnings] = self.more;
        if errors + warnings > 0 {
            let least = if self.incomplete { "at least " } else { "" };
            let message = format!("and {least}{} more", errors + warnings);
            let mut rest = if errors > 0 {
                Diagnostic::error("more", message)
            } else {
                Diagnostic::warning("more", message)
            };
            rest.place = end;
            found.push(rest.help("fix these first, then check again"));
        }
        found.sort();
        found
    }
}
