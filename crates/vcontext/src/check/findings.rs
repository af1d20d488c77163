use windlass_base::{Diagnostic, Diagnostics, Place, Severity, did_you_mean};

/// Maximum number of findings. We only count those after it.
pub(super) const MAX_FINDINGS: usize = 200;
/// Maximum number of names compared for suggestions, over all findings. Each comparison takes time.
const COMPARED: usize = 20_000;

#[derive(Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Diagnostic>,
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

    /// True if there are far more findings than we will report.
    ///
    /// A caller can then skip a detailed message. Since findings are sorted later, we do not stop
    /// right at the limit.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() > 2 * MAX_FINDINGS
    }

    /// Finds the most similar name, unless we have already compared too many. `count` is the number
    /// of `names`.
    pub(super) fn near<'n>(
        &mut self,
        wanted: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        // The first suggestion is always allowed, even in a very large document.
        if self.compared + count > COMPARED && self.compared > 0 {
            return None;
        }
        self.compared += count;
        did_you_mean(wanted, names)
    }

    /// Sorts the findings by position, and replaces those beyond the limit by their number.
    pub(super) fn in_order(self) -> Diagnostics {
        let mut all = Diagnostics::default();
        all.extend(self.found);
        all.sort();
        let count = all.iter().len();
        if count <= MAX_FINDINGS {
            return all;
        }
        // An error among them must still count as one, because the caller decides by severity.
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
