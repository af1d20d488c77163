//! Events of the ledger: a repeated event is a duplicate and changes nothing, in any order of the repetitions.

use windlass_ledger::event::EventLine;
use windlass_ledger::{State, Verdict};

pub(crate) fn check(bytes: &[u8]) {
    let events = bytes.split(|byte| *byte == b'\n');
    let mut events: Vec<EventLine<'_>> = events
        .filter_map(|line| EventLine::parse(line).ok())
        .collect();
    events.sort_by_key(EventLine::key);
    let mut state = State::default();
    for event in &events {
        let _ = state.apply(event);
    }
    let before = summary(&state);
    for event in events.iter().rev() {
        assert!(matches!(state.apply(event), Verdict::Duplicate));
    }
    assert_eq!(summary(&state), before);
}

fn summary(state: &State) -> String {
    format!(
        "{} {:?} {:?} {:?} {:?}",
        state.events(),
        state.agents(),
        state.hooks(),
        state.rejected(),
        state.last(),
    )
}
