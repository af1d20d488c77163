use windlass_base::{Diagnostic, Diagnostics, Place, Severity};

/// Maximum number of stored findings. No one is going to read more than that, so we only count the
/// rest.
const MAX_FINDINGS: usize = 200;

/// Collects the findings about a document.
///
/// We store at most 200 of them and count the rest, because a hostile document could otherwise
/// produce millions of messages.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    /// The number of errors and warnings beyond the limit.
    more: [usize; 2],
    /// True if we stopped looking for problems early. The count is only a lower bound then.
    incomplete: bool,
}

impl Findings {
    /// Stores a finding, or just counts it once the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_FINDINGS {
            self.list.push(diagnostic);
        } else {
            let severity = usize::from(diagnostic.severity == Severity::Warning);
            self.more[severity] += 1;
        }
    }

    /// The number of findings that can still be stored.
    #[must_use]
    pub fn room(&self) -> usize {
        MAX_FINDINGS - self.list.len()
    }

    /// Counts an error without storing it, which saves formatting its message.
    pub fn count_error(&mut self) {
        self.more[0] += 1;
    }

    pub(crate) fn stopped_early(&mut self) {
        self.incomplete = true;
    }

    /// Like [`push`](Self::push), but this also sets the position.
    pub fn push_at(&mut self, place: Option<Place>, mut diagnostic: Diagnostic) {
        diagnostic.place = place;
        self.push(diagnostic);
    }

    /// True if further findings would only be counted, so that there's no point in formatting their
    /// messages.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_FINDINGS
    }

    /// True if there's at least one error, even if it was only counted.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.more[0] > 0 || self.list.iter().any(|one| one.severity == Severity::Error)
    }

    /// Returns the findings, sorted by position.
    ///
    /// If some were only counted, the last finding says how many, with `end` as its position.
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
