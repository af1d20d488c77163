use windlass_base::{Diagnostic, Diagnostics, Place, Severity};

/// Maximum number of findings to report. We only count any others.
const MAX_FINDINGS: usize = 200;

/// Findings about a document. We store at most [`MAX_FINDINGS`] and count the others.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    /// Numbers of errors and warnings beyond the limit.
    more: [usize; 2],
    /// True if the search stopped early, which makes the count a lower bound.
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

    /// Returns the number of findings we can still store.
    #[must_use]
    pub fn room(&self) -> usize {
        MAX_FINDINGS - self.list.len()
    }

    /// Counts an error without a message.
    pub fn count_error(&mut self) {
        self.more[0] += 1;
    }

    /// Records that the search stopped early, which makes the count a lower bound.
    pub(crate) fn stopped_early(&mut self) {
        self.incomplete = true;
    }

    /// Adds a finding, with its position if known.
    pub fn push_at(&mut self, place: Option<Place>, mut diagnostic: Diagnostic) {
        diagnostic.place = place;
        self.push(diagnostic);
    }

    /// Returns true if we only count further findings, so that callers don't need to create
    /// messages.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_FINDINGS
    }

    /// Returns true if there's an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.more[0] > 0 || self.list.iter().any(|one| one.severity == Severity::Error)
    }

    /// Returns all findings in text order. If we only counted some, adds a finding at `end` with
    /// their number.
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
