//! A stop is heard in every phase of a run.

use windlass::engine::{Phase, StopLevel};
use windlass::pack::{PackStatus, SectionStatus};
use windlass::{Ending, Error};

use crate::support::Sandbox;

const PHASES: [Phase; 4] = [Phase::Load, Phase::Run, Phase::Assemble, Phase::Show];

fn sandbox() -> Sandbox {
    let runbook = "
schema_version: 1
id: r
steps:
  - { id: found, uses: search, with: { pattern: needle, globs: ['*.txt'] } }
outputs:
  - { id: found, from: found }
";
    Sandbox::with(&[("runbooks/r.yaml", runbook), ("a.txt", "a needle\n")])
}

#[test]
fn phases_are_told_in_their_order() {
    let (refreshed, phases) = sandbox().run("r", None);
    let refreshed = refreshed.unwrap();
    assert_eq!(phases, PHASES);
    assert_eq!(refreshed.ending, Ending::Done);
    assert!(refreshed.printed.plain().contains("a needle"));
}

#[test]
fn a_cancelled_phase_ends_as_a_cancelled_run_and_shows_what_is_verified() {
    for phase in PHASES {
        let (refreshed, phases) = sandbox().run("r", Some((phase, StopLevel::Cancel)));
        let refreshed = refreshed.unwrap();
        assert_eq!(phases, PHASES, "{phase:?}");
        assert_eq!(refreshed.ending, Ending::Cancelled, "{phase:?}");
        let (status, section, shows) = match phase {
            Phase::Load | Phase::Run => (PackStatus::Cancelled, SectionStatus::Failed, false),
            // What was found may have changed since, and nobody looked any more.
            Phase::Assemble => (PackStatus::Cancelled, SectionStatus::Unknown, false),
            Phase::Show => (PackStatus::Ok, SectionStatus::Fresh, true),
        };
        assert_eq!(refreshed.pack.status, status, "{phase:?}");
        assert_eq!(refreshed.pack.sections[0].status, section, "{phase:?}");
        let printed = refreshed.printed.plain();
        assert_eq!(printed.contains("a needle"), shows, "{phase:?}: {printed}");
    }
}

#[test]
fn who_insists_waits_for_nothing() {
    for (at, phase) in PHASES.into_iter().enumerate() {
        let (refreshed, phases) = sandbox().run("r", Some((phase, StopLevel::Kill)));
        assert!(matches!(refreshed, Err(Error::Interrupted)), "{phase:?}");
        assert_eq!(phases, PHASES[..=at], "{phase:?}");
    }
}
