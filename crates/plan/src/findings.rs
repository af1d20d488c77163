use windlass_base::{Diagnostic, Diagnostics, Place, Severity};

/// The most findings that are reported; more help nobody.
const MAX: usize = 200;

/// The findings about a document, as many as are worth reading.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    /// Errors and warnings that were left out.
    more: [usize; 2],
    /// Whether there may be more than was counted.
    incomplete: bool,
}

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX {
            self.list.push(diagnostic);
        } else {
            let severity = usize::from(diagnostic.severity == Severity::Warning);
            self.more[severity] += 1;
        }
    }

    /// How many more findings are kept.
    #[must_use]
    pub fn room(&self) -> usize {
        MAX - self.list.len()
    }

    /// Counts an error that is not worth wording.
    pub fn count_error(&mut self) {
        self.more[0] += 1;
    }

    /// Says that not all there is was looked for, so that what is left out cannot be counted.
    pub(crate) fn stopped_early(&mut self) {
        self.incomplete = true;
    }

    /// Adds a finding at a place that may not be known.
    pub fn push_at(&mut self, place: Option<Place>, mut diagnostic: Diagnostic) {
        diagnostic.place = place;
        self.push(diagnostic);
    }

    /// Whether further findings are only counted, so that they need not be worded well.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX
    }

    /// Whether there is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.more[0] > 0 || self.list.iter().any(|one| one.severity == Severity::Error)
    }

    /// All of them in the order of the text, the number of those left out at `end`.
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
