use windlass_base::{Diagnostic, Diagnostics, Place, Severity, did_you_mean};

/// The most findings that are reported; more help nobody.
pub(super) const MAX_FINDINGS: usize = 200;
/// Most names that are compared with ones that are not there, over all findings.
const COMPARED: usize = 20_000;

/// Findings of all checks, in the order in which they were made.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Diagnostic>,
    /// How many names were compared with ones that are not there.
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

    /// True if there is more than anybody reads, so that further findings need not be worded well.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() > 2 * MAX_FINDINGS
    }

    /// The name that is most likely meant, as long as not too many were compared.
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

    /// The findings in the order of the text, as many as are worth reading.
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
