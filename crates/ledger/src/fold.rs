//! Folds the lines of a log into a state.
//!
//! Lines can be in any order after git has merged two logs, but appending is the usual case. So we
//! first try to apply new lines as they are. Only if one of them turns out to be older than what the
//! state has, we fold again from an earlier position.

use crate::Stamp;
use crate::event::{EventLine, OrderKey, oddity};
use crate::state::{LinePlace, OddLine, State};

/// Returns the lines of `bytes`, which begin at `start` in the log.
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

/// Parses a line as an event. Returns `None` for anything else, including an event without id or
/// type.
pub(crate) fn event_of(line: &[u8]) -> Option<EventLine<'_>> {
    let event = EventLine::parse(line).ok()?;
    (!event.event_id.is_empty() && !event.event_type.is_empty()).then_some(event)
}

/// Signals an event that isn't newer than the last one applied, which includes repeated events. The
/// log must then be folded again from a position before that event.
#[derive(Debug)]
pub(crate) struct OutOfOrder;

/// Applies appended lines to `state`.
///
/// # Errors
/// Returns an error if an event isn't newer than the last one applied. The caller must then discard
/// `state`.
pub(crate) fn catch_up(state: &mut State, bytes: &[u8], start: u64) -> Result<(), OutOfOrder> {
    for (place, line) in lines(bytes, start) {
        match event_of(line) {
            Some(event) => {
                // A repeated event may have different contents here. Only a fold with both versions
                // can decide which one counts.
                if state.last().is_some_and(|last| !event.is_after(last)) {
                    return Err(OutOfOrder);
                }
                let _ = state.apply(&event);
            }
            None => note_odd(state, place, line),
        }
    }
    Ok(())
}

/// Folds a whole log into a state, regardless of line order. With `until`, includes only the events up to that time.
pub(crate) fn fold(bytes: &[u8], until: Option<Stamp>) -> State {
    let mut lines = SortedLines::of(lines(bytes, 0));
    if let Some(until) = until {
        keep_until(&mut lines.events, until);
    }
    let mut state = State::default();
    lines.apply_all(&mut state);
    state
}

/// Lines of a log in the order of their events.
pub(crate) struct SortedLines<'a> {
    events: Vec<(OrderKey, LinePlace, &'a [u8])>,
    /// Lines that are not events, in the order of the log.
    odd: Vec<OddLine>,
    /// True if the lines were in another order.
    was_merged: bool,
    /// Number of events that were applied, and of odd lines that were noted.
    applied: usize,
    noted: usize,
}

impl<'a> SortedLines<'a> {
    pub(crate) fn of(lines: impl Iterator<Item = (LinePlace, &'a [u8])>) -> Self {
        let (mut events, mut odd) = (Vec::new(), Vec::new());
        for (place, line) in lines {
            match event_of(line) {
                Some(event) => events.push((event.key(), place, line)),
                None => odd.extend(oddity(line).map(|what| OddLine { place, what })),
            }
        }
        // Two different lines can have the same id. Sorting by content makes every reader choose the same one.
        events.sort_by(|(a, _, first), (b, _, second)| a.cmp(b).then_with(|| first.cmp(second)));
        let starts = events.iter().map(|(_, place, _)| place.start);
        let was_merged = !starts.is_sorted();
        Self {
            events,
            odd,
            was_merged,
            applied: 0,
            noted: 0,
        }
    }

    /// Returns the key of the first event.
    pub(crate) fn first(&self) -> Option<&OrderKey> {
        self.events.first().map(|(key, ..)| key)
    }

    /// Returns the number of events that were not applied.
    pub(crate) fn left(&self) -> usize {
        self.events.len() - self.applied
    }

    /// Applies the next `count` events.
    pub(crate) fn apply(&mut self, state: &mut State, count: usize) {
        state.small.merged |= self.was_merged;
        for (_, _, line) in self.events[self.applied..].iter().take(count) {
            if let Some(event) = event_of(line) {
                let _ = state.apply(&event);
            }
        }
        self.applied += count.min(self.left());
    }

    /// Applies the remaining events and notes the remaining odd lines.
    pub(crate) fn apply_all(&mut self, state: &mut State) {
        self.apply(state, self.left());
        self.note_odd(state, u64::MAX);
    }

    /// Returns the position before which all events were applied, and the lines after it that were applied too. Notes the
    /// odd lines before the position.
    pub(crate) fn position(&mut self, state: &mut State) -> Option<(u64, Vec<LinePlace>)> {
        let (applied, left) = self.events.split_at_checked(self.applied)?;
        let end = left.iter().map(|(_, place, _)| place.start).min()?;
        let applied = applied.iter().map(|(_, place, _)| *place);
        let early = applied.filter(|place| place.start > end).collect();
        self.note_odd(state, end);
        Some((end, early))
    }

    fn note_odd(&mut self, state: &mut State, end: u64) {
        while let Some(odd) = self.odd.get(self.noted).filter(|odd| odd.place.start < end) {
            state.note_odd(*odd);
            self.noted += 1;
        }
    }
}

/// Folds the lines of a whole log, in any order.
#[must_use]
pub fn fold_log(log: &[u8]) -> State {
    fold(log, None)
}

/// Returns the state of `log` from `state`, the state of its first `from` bytes, which are whole
/// lines.
#[must_use]
pub fn follow_log(mut state: State, log: &[u8], from: usize) -> State {
    match catch_up(&mut state, &log[from..], from as u64) {
        Ok(()) => state,
        Err(OutOfOrder) => fold_log(log),
    }
}

/// Retains the events that had happened by `until`. If an event's clock was ahead, the time of the
/// next event in the log decides.
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
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Generates events by two writers about three beads. Most of them are invalid.
    pub(crate) fn event() -> impl Strategy<Value = serde_json::Value> {
        let id = prop_oneof![Just("t-a"), Just("t-b"), Just("t-c")];
        let data = prop_oneof![
            id.clone().prop_map(|id| ("bead.created", json!({ "bead_id": id, "title": "x", "issue_type": "task" }))),
            id.clone().prop_map(|id| ("bead.created", json!({ "bead_id": id, "title": "y", "issue_type": "epic" }))),
            (id.clone(), 0..3_usize).prop_map(|(id, at)| {
                let changes = [json!({ "pinned": true }), json!({ "pinned": null }), json!({ "defer_until": "2026-01-01T00:00:01Z" })];
                ("bead.updated", json!({ "bead_id": id, "changes": changes[at] }))
            }),
            (id.clone(), 0..6_u8).prop_map(|(id, priority)| ("bead.updated", json!({ "bead_id": id, "changes": { "priority": priority } }))),
            id.clone().prop_map(|id| ("bead.status_changed", json!({ "bead_id": id, "from_status": "open", "to_status": "in_progress", "claim": true }))),
            id.clone().prop_map(|id| ("bead.closed", json!({ "bead_id": id, "reason": "done" }))),
            id.clone().prop_map(|id| ("bead.reopened", json!({ "bead_id": id }))),
            (id.clone(), prop_oneof![4 => id.clone(), 1 => Just("t-x")], 0..5_usize).prop_map(|(a, b, kind)| {
                let (kind, gate) = [("parent-child", None), ("blocks", None), ("conditional-blocks", None), ("waits-for", None),
                    ("waits-for", Some("any-children"))][kind];
                ("bead.dependency_added", json!({ "bead_id": a, "depends_on_id": b, "type": kind, "gate": gate }))
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

    /// Returns a state's contents, after checking its work index.
    pub(crate) fn report(state: &State) -> String {
        let any = crate::WorkFilter::default();
        for second in [0, 1, 2] {
            let now = Stamp::from_micros(1_767_225_600_000_000 + second * 1_000_000);
            let ready = state
                .work()
                .ready(&any, now, &crate::Elsewhere::default(), usize::MAX);
            assert_eq!(ready.ids, state.work().ready_by_board(now));
        }
        assert_eq!(
            state.work().list(&any, usize::MAX).ids,
            state.work().list_by_board(&any)
        );
        contents(state)
    }

    /// Describes everything visible to a state's readers, except whether lines were out of order.
    pub(crate) fn contents(state: &State) -> String {
        let small = crate::state::Small {
            merged: false,
            ..state.small.clone()
        };
        let beads: Vec<_> = state
            .beads
            .iter()
            .map(|(_, found)| String::from_utf8(found.line().into_owned()).unwrap())
            .collect();
        format!("{beads:#?}\n{small:#?}")
    }

    fn text(events: &[String]) -> String {
        events.iter().map(|event| format!("{event}\n")).collect()
    }

    proptest! {
        #[test]
        fn fold_lines_shuffled_or_repeated_same_state(
            events in prop::collection::vec(event(), 0..30).prop_shuffle(),
            repeated in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
            let want = report(&fold(text(&lines).as_bytes(), None));
            let mut merged = lines.clone();
            merged.reverse();
            if !lines.is_empty() {
                merged.extend(repeated.iter().map(|at| at.get(&lines).clone()));
            }
            prop_assert_eq!(report(&fold(text(&merged).as_bytes(), None)), want);
        }

        #[test]
        fn catch_up_by_line_equals_fold(events in prop::collection::vec(event(), 0..30)) {
            let mut events: Vec<String> = events.iter().map(ToString::to_string).collect();
            events.sort_by_key(|line| event_of(line.as_bytes()).unwrap().key());
            let mut state = State::default();
            let mut start = 0;
            for line in &events {
                catch_up(&mut state, format!("{line}\n").as_bytes(), start).unwrap();
                start += line.len() as u64 + 1;
            }
            let all = fold(text(&events).as_bytes(), None);
            prop_assert_eq!(report(&state), report(&all));
            prop_assert_eq!(&state.small, &all.small);
            // The blocking reasons of each bead have to agree with the complete list.
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
        fn fold_arbitrary_bytes_no_events(bytes: Vec<u8>) {
            let state = fold(&bytes, None);
            prop_assert_eq!(state.events(), 0);
        }
    }

    #[test]
    fn catch_up_repeated_event_equals_fold() {
        let line = |id: &str, second: u32, title: &str| {
            json!({ "event_id": id, "event_type": "bead.created", "timestamp": format!("2026-01-01T00:00:0{second}Z"),
                "actor": "a", "data": { "bead_id": "t-a", "title": title, "issue_type": "task" } })
            .to_string()
        };
        let first = text(&[line("evt-1", 1, "x"), line("evt-2", 2, "y")]);
        for again in [
            &first,
            &text(&[line("evt-2", 2, "y")]),
            &text(&[line("evt-2", 2, "a")]),
            &text(&[line("evt-1", 0, "z")]),
        ] {
            let both = format!("{first}{again}");
            let whole = fold(both.as_bytes(), None);
            let mut state = fold(first.as_bytes(), None);
            if catch_up(&mut state, again.as_bytes(), first.len() as u64).is_err() {
                state = fold(both.as_bytes(), None);
            }
            assert_eq!(state.small, whole.small, "{again}");
            assert_eq!(report(&state), report(&whole));
        }
    }

    #[test]
    fn fold_non_event_lines_recorded() {
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
