//! The scheduler: a run ends whatever its outcomes are, and a rejected event changes nothing.

use windlass_plan::{Action, Event, NodeSpec, Retry, Schedule, ScheduleOptions, Status, StepIndex};

/// Takes a graph from the bytes and runs it. Each byte is a step, and its value is the distance to
/// the step it needs.
pub(crate) fn check(bytes: &[u8]) {
    let specs = bytes.iter().take(60).enumerate().map(|(at, byte)| {
        let distance = usize::from(byte % 8);
        let needs = match at.checked_sub(distance) {
            Some(need) if distance > 0 => vec![StepIndex::new(need)],
            _ => Vec::new(),
        };
        NodeSpec {
            needs,
            after: Vec::new(),
            retry: Retry {
                max_attempts: 1 + u32::from(byte >> 6),
                ..Retry::default()
            },
            continue_on_failure: byte & 16 != 0,
            finally: false,
        }
    });
    run_to_end(specs.collect(), bytes);
}

/// Runs `specs` with outcomes taken from `choices`.
///
/// # Panics
/// Panics if the run doesn't end, or if a rejected event changes a status.
pub(crate) fn run_to_end(specs: Vec<NodeSpec>, choices: &[u8]) {
    let mut schedule = Schedule::new(specs, ScheduleOptions::default());
    let mut choices = choices.iter().copied().cycle();
    let mut actions = schedule.begin();
    // Each step has a bounded number of attempts, and each attempt has two events.
    let mut events = 0_usize;
    while schedule.outcome().is_none() {
        for action in std::mem::take(&mut actions) {
            if let Action::Retry { step, .. } = action {
                actions.extend(apply(&mut schedule, Event::RetryDue { step }));
            }
        }
        let Some(step) = schedule.next_ready() else {
            assert!(
                schedule.outcome().is_some(),
                "nothing is ready, and the run has not ended"
            );
            break;
        };
        let choice = choices.next().unwrap_or(0);
        if choice % 11 == 0 {
            actions.extend(apply(&mut schedule, Event::Skipped { step }));
        } else {
            actions.extend(apply(&mut schedule, Event::Started { step }));
            assert_eq!(schedule.status(step), Status::InProgress);
            assert!(
                schedule.apply(Event::Started { step }).is_err(),
                "a step started twice"
            );
            let attempt = schedule.attempt(step);
            let event = match choice % 3 {
                0 => Event::Failed {
                    step,
                    attempt,
                    retryable: choice % 2 == 0,
                },
                _ => Event::Completed { step, attempt },
            };
            actions.extend(apply(&mut schedule, event));
        }
        events += 1;
        assert!(events <= 100 * (schedule.len() + 1), "the run does not end");
    }
}

fn apply(schedule: &mut Schedule, event: Event) -> Vec<Action> {
    schedule.apply(event).expect("a legal event")
}
