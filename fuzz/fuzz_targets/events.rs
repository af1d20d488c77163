//! Events of the ledger. A repeated event is a duplicate and changes nothing. A log gives the same
//! state for any order of its lines, and for any split into parts.

use windlass_ledger::event::EventLine;
use windlass_ledger::{State, Verdict, fold_log, follow_log};

pub(crate) fn check(bytes: &[u8]) {
    repeat(bytes);
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (log, starts) = log_of(&lines);
    let whole = summary(&fold_log(&log));
    let mut state = State::default();
    let mut from = 0;
    // Let the input decide where the log is cut.
    let ends = starts.iter().zip(&lines);
    let ends = ends.filter(|(_, line)| line.len() % 2 == 1);
    for end in ends.map(|(end, _)| *end).chain([log.len()]) {
        state = follow_log(state, &log[..end], from);
        from = end;
    }
    assert_eq!(summary(&state), whole, "in parts");
    let middle = lines.len() / 2;
    lines.rotate_left(middle);
    assert_eq!(summary(&fold_log(&log_of(&lines).0)), whole, "rotated");
    lines.reverse();
    assert_eq!(summary(&fold_log(&log_of(&lines).0)), whole, "reversed");
}

/// Joins the lines to a log, and returns it with the offset of each line.
fn log_of(lines: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
    let mut log = Vec::new();
    let mut starts = Vec::new();
    for line in lines {
        starts.push(log.len());
        log.extend_from_slice(line);
        log.push(b'\n');
    }
    (log, starts)
}

fn repeat(bytes: &[u8]) {
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
