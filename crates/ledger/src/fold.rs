//! From lines to a state.

use crate::Stamp;
use crate::event::{EventLine, OrderKey, oddity};
use crate::state::{LinePlace, OddLine, State};

/// The lines of `bytes`, which begin at `start` in the log.
pub(crate) fn lines(bytes: &[u8], start: u64) -> impl Iterator<Item = (LinePlace, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let place = LinePlace {
            start: start + at as u64,
            bytes: u32::try_from(end).unwrap_or(u32::MAX),
        };
        at += end + 1;
        Some((place, &rest[..end]))
    })
}

/// An event with a name and a type. Everything else is no event, whatever it is.
pub(crate) fn event_of(line: &[u8]) -> Option<EventLine<'_>> {
    let event = EventLine::parse(line).ok()?;
    (!event.event_id.is_empty() && !event.event_type.is_empty()).then_some(event)
}

/// An event is older than one that was applied before, or is that once more: everything has to be applied anew.
#[derive(Debug)]
pub(crate) struct OutOfOrder;

/// Applies whole lines that were appended.
///
/// # Errors
/// When one of them belongs before what was applied already; the state is of no use then.
pub(crate) fn catch_up(state: &mut State, bytes: &[u8], start: u64) -> Result<(), OutOfOrder> {
    for (place, line) in lines(bytes, start) {
        match event_of(line) {
            Some(event) => {
                // One that was applied already may say something else here: which of the two counts, their order says.
                if state.last().is_some_and(|last| event.key() < *last) {
                    return Err(OutOfOrder);
                }
                let _ = state.apply(&event);
            }
            None => note_odd(state, place, line),
        }
    }
    Ok(())
}

/// The state that follows from a whole log, whatever the order of its lines; up to a moment, if one is given.
pub(crate) fn fold(bytes: &[u8], until: Option<Stamp>) -> State {
    let mut state = State::default();
    let mut events: Vec<(OrderKey, LinePlace, &[u8])> = Vec::new();
    for (place, line) in lines(bytes, 0) {
        match event_of(line) {
            Some(event) => events.push((event.key(), place, line)),
            None => note_odd(&mut state, place, line),
        }
    }
    // Of two lines with one id the same one counts everywhere.
    events.sort_by(|(a, _, first), (b, _, second)| a.cmp(b).then_with(|| first.cmp(second)));
    if let Some(until) = until {
        keep_until(&mut events, until);
    }
    let starts = events.iter().map(|(_, place, _)| place.start);
    state.small.merged = !starts.is_sorted();
    for (_, _, line) in events {
        if let Some(event) = event_of(line) {
            let _ = state.apply(&event);
        }
    }
    state
}

/// Keeps the events that had happened at a moment. One whose clock was ahead of all others had happened when the next moment
/// of the log came.
fn keep_until(events: &mut Vec<(OrderKey, LinePlace, &[u8])>, until: Stamp) {
    let mut next: Option<Stamp> = None;
    let mut later: Option<Stamp> = None;
    let mut kept = events.len();
    for (at, (key, _, line)) in events.iter().enumerate().rev() {
        let order = key.timestamp();
        if later != Some(order) {
            (next, later) = (later, Some(order));
        }
        let clock = event_of(line).map_or(order, |event| event.timestamp);
        let happened = next.map_or(clock, |next| clock.min(next)).max(order);
        if happened > until {
            kept = at;
        }
    }
    events.truncate(kept);
}

fn note_odd(state: &mut State, place: LinePlace, line: &[u8]) {
    if let Some(what) = oddity(line) {
        state.note_odd(OddLine { place, what });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Some events about few beads, of two writers; most of them cannot be applied.
    fn event() -> impl Strategy<Value = serde_json::Value> {
        let id = prop_oneof![Just("t-a"), Just("t-b"), Just("t-c")];
        let data = prop_oneof![
            id.clone().prop_map(|id| ("bead.created", json!({ "bead_id": id, "title": "x", "issue_type": "task" }))),
            (id.clone(), 0..6_u8).prop_map(|(id, priority)| ("bead.updated", json!({ "bead_id": id, "changes": { "priority": priority } }))),
            id.clone().prop_map(|id| ("bead.status_changed", json!({ "bead_id": id, "from_status": "open", "to_status": "in_progress", "claim": true }))),
            id.clone().prop_map(|id| ("bead.closed", json!({ "bead_id": id, "reason": "done" }))),
            id.clone().prop_map(|id| ("bead.reopened", json!({ "bead_id": id }))),
            (id.clone(), id.clone(), any::<bool>()).prop_map(|(a, b, part)| {
                let kind = if part { "parent-child" } else { "blocks" };
                ("bead.dependency_added", json!({ "bead_id": a, "depends_on_id": b, "type": kind }))
            }),
            (id.clone(), id.clone()).prop_map(|(a, b)| ("bead.dependency_removed", json!({ "bead_id": a, "depends_on_id": b }))),
            id.clone().prop_map(|id| ("bead.hooked", json!({ "bead_id": id, "agent": "x/y" }))),
            id.prop_map(|id| ("bead.imported", json!({ "bead_id": id, "record": { "id": id, "status": "deferred", "updated_at": "2025-01-01T00:00:00Z" } }))),
            Just(("mol.step_started", json!({}))),
            Just(("bead.closed", json!(7))),
        ];
        (data, 0..3_u32, 0..2_u32, "[a-z]{6}", any::<bool>()).prop_map(
            |((kind, data), second, seq, id, first)| {
                json!({ "event_id": format!("evt-{id}"), "event_type": kind,
                "timestamp": format!("2026-01-01T00:00:0{second}.000Z"), "seq": seq,
                "actor": if first { "a" } else { "b" }, "data": data })
            },
        )
    }

    fn told(state: &State) -> String {
        let beads: Vec<_> = state
            .beads
            .iter()
            .map(|(_, found)| String::from_utf8(found.line().into_owned()).unwrap())
            .collect();
        format!("{beads:#?}\n{:#?}\n{:#?}", state.rejected(), state.hooks())
    }

    fn text(events: &[String]) -> String {
        events.iter().map(|event| format!("{event}\n")).collect()
    }

    proptest! {
        #[test]
        fn order_and_repetition_of_lines_change_nothing(
            events in prop::collection::vec(event(), 0..30).prop_shuffle(),
            repeated in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
            let want = told(&fold(text(&lines).as_bytes(), None));
            let mut merged = lines.clone();
            merged.reverse();
            if !lines.is_empty() {
                merged.extend(repeated.iter().map(|at| at.get(&lines).clone()));
            }
            prop_assert_eq!(told(&fold(text(&merged).as_bytes(), None)), want);
        }

        #[test]
        fn line_by_line_is_as_all_at_once(events in prop::collection::vec(event(), 0..30)) {
            let mut events: Vec<String> = events.iter().map(ToString::to_string).collect();
            events.sort_by_key(|line| event_of(line.as_bytes()).unwrap().key());
            let mut state = State::default();
            let mut start = 0;
            for line in &events {
                catch_up(&mut state, format!("{line}\n").as_bytes(), start).unwrap();
                start += line.len() as u64 + 1;
            }
            let all = fold(text(&events).as_bytes(), None);
            prop_assert_eq!(told(&state), told(&all));
            prop_assert_eq!(&state.small, &all.small);
            // One by one is as all at once.
            let (now, any) = (Stamp::from_micros(i64::MAX / 2), crate::WorkFilter::default());
            let blocked = all.work().blocked(&any, now, &crate::Elsewhere::default());
            for (id, found) in all.beads.iter() {
                let why = blocked.iter().find(|blocked| blocked.id == id);
                let is_open = found.head().is_some_and(|head| head.status != crate::bead::BeadStatus::Closed);
                let want = why.filter(|_| is_open).map(|blocked| blocked.reasons.clone());
                if is_open {
                    prop_assert_eq!(all.work().reasons(id, now, &crate::Elsewhere::default()), want.unwrap_or_default());
                }
            }
        }

        #[test]
        fn no_line_of_any_sort_does_harm(bytes: Vec<u8>) {
            let state = fold(&bytes, None);
            prop_assert_eq!(state.events(), 0);
        }
    }

    #[test]
    fn what_is_appended_once_more_is_as_if_it_had_been_read_at_once() {
        let line = |id: &str, second: u32, title: &str| {
            json!({ "event_id": id, "event_type": "bead.created", "timestamp": format!("2026-01-01T00:00:0{second}Z"),
                "actor": "a", "data": { "bead_id": "t-a", "title": title, "issue_type": "task" } })
            .to_string()
        };
        let first = text(&[line("evt-1", 1, "x"), line("evt-2", 2, "y")]);
        for again in [
            &first,
            &text(&[line("evt-2", 2, "y")]),
            &text(&[line("evt-1", 0, "z")]),
        ] {
            let both = format!("{first}{again}");
            let whole = fold(both.as_bytes(), None);
            let mut state = fold(first.as_bytes(), None);
            if catch_up(&mut state, again.as_bytes(), first.len() as u64).is_err() {
                state = fold(both.as_bytes(), None);
            }
            assert_eq!(state.small, whole.small, "{again}");
            assert_eq!(told(&state), told(&whole));
        }
    }

    #[test]
    fn what_is_no_event_is_noted_with_its_place() {
        let text = "<<<<<<< HEAD\r\n{\"event_id\":\"evt-1\",\"event_type\":\"x\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                    \"actor\":\"a\",\"data\":{},\"more\":1}\r\n=======\n\n\0\0\0\n{\"event_id\":\"evt-2\"\n>>>>>>> b\n";
        let state = fold(text.as_bytes(), None);
        assert_eq!((state.events(), state.odd_lines().len()), (1, 5));
        let markers = state
            .odd_lines()
            .iter()
            .filter(|odd| odd.what == crate::event::Oddity::ConflictMarker);
        assert_eq!(markers.count(), 3);
        let before = "2025-01-01T00:00:00Z".parse().ok();
        assert_eq!(fold(text.as_bytes(), before).events(), 0);
    }
}
