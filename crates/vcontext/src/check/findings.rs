use windlass_base::{Diagnostic, Diagnostics, Place, Severity, did_you_mean};

/// Maximum number of reported findings.
pub(super) const MAX_FINDINGS: usize = 200;
/// Maximum number of names compared for suggestions, over all findings.
const COMPARED: usize = 20_000;

/// The findings of all checks, in the order they were made.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Diagnostic>,
    /// Number of names compared for suggestions so far.
    compared: usize,
}

impl Findings {
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    pub(super) fn at(&mut self, place: Option<Place>, mut finding: Diagnostic) {
        finding.place = place;
        self.push(finding);
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        self.found.extend(findings);
    }

    /// True if there are far more findings than we report, so that any others don't need a detailed
    /// message.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() > 2 * MAX_FINDINGS
    }

    /// Returns the most similar name, unless too many names have been compared already.
    pub(super) fn near<'n>(
        &mut self,
        wanted: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.compared + count > COMPARED && self.compared > 0 {
            return None;
        }
        self.compared += count;
        did_you_mean(wanted, names)
    }

    /// Returns the findings in text order, up to the maximum.
    pub(super) fn in_order(self) -> Diagnostics {
        let mut all = Diagnostics::default();
        all.extend(self.found);
        all.sort();
        let count = all.iter().len();
        if count <= MAX_FINDINGS {
            return all;
        }
        let mut cut = all.iter().skip(MAX_FINDINGS);
        let message = format!("and {} more", count - MAX_FINDINGS);
        let mut rest = match cut.any(|one| one.severity == Severity::Error) {
            true => Diagnostic::error("more", message),
            false => Diagnostic::warning("more", message),
        };
        rest.place = all.iter().last().and_then(|one| one.place.clone());
        let mut some = Diagnostics::default();
        some.extend(all.into_iter().take(MAX_FINDINGS));
        some.push(rest.help("fix these first, then check again"));
        some
    }
}
