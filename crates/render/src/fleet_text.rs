//! Markdown for a fleet, i.e. for the results of one runbook in many repositories.

use std::fmt::Write as _;

use windlass::FleetReport;
use windlass::base::counted;
use windlass::plan::Status;

/// Formats the result of a fleet: the number of finished repositories, a list of the others, and a
/// section for each report.
#[must_use]
pub fn fleet_text(report: &FleetReport) -> String {
    let all = &report.repositories;
    let done = all.iter().filter(|one| one.status == Status::Completed);
    let mut text = format!(
        "{}: {} of {} done\n",
        report.mol_id,
        done.count(),
        counted(all.len(), "repository")
    );
    for one in all.iter().filter(|one| one.status != Status::Completed) {
        let _ = write!(text, "- {}: {}", one.repository, one.status.as_str());
        if let Some(reason) = &one.reason {
            let _ = write!(text, ": {reason}");
        }
        text.push('\n');
    }
    // A failed step has ended the fleet, and resuming wouldn't try that step again.
    if let Some(failed) = all.iter().find(|one| one.status == Status::Failed) {
        let (mol, step) = (&report.mol_id, &failed.step_id);
        let _ = write!(
            text,
            "\nTo try a repository again: `windlass mol push-back {mol} {step} --reason TEXT`, then `windlass fleet resume {mol}`\n"
        );
    }
    for one in all {
        if let Some(markdown) = &one.markdown {
            let _ = write!(text, "\n# {}\n\n{}\n", one.repository, markdown.trim_end());
        }
    }
    text
}
