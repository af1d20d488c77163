//! Folds the lines of a log into a state.
//!
//! After git has merged two logs, their lines can be in any order. Usually, though, others have
//! just appended something, so we first apply new lines as they come. Only if one of them turns out
//! to be older than an event in the state, we fold the log again from an earlier position
//! ([`SortedLines`]).

use crate::Stamp;
use crate::event::{EventLine, OrderKey, oddity};
use crate::state::{LinePlace, OddLine, State};

/// Splits `bytes` into lines. `start` is the position of `bytes` in the log. The last line may be
/// incomplete.
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

/// Parses a line as an event. Returns `None` for anything else, including an event without an id or
/// type.
pub(crate) fn event_of(line: &[u8]) -> Option<EventLine<'_>> {
    let event = EventLine::parse(line).ok()?;
    (!event.event_id.is_empty() && !event.event_type.is_empty()).then_some(event)
}

/// Tells that an event isn't newer than the last one applied. It may also be a duplicate. The
/// caller has to fold the log again from a position before that event.
#[derive(Debug)]
pub(crate) struct OutOfOrder;

/// Applies appended lines to `state`, which is the fast path.
///
/// # Errors
/// Returns an error if an event isn't newer than the last one applied. `state` is useless then,
/// so the caller must discard it.
pub(crate) fn catch_up(state: &mut State, bytes: &[u8], start: u64) -> Result<(), OutOfOrder> {
    for (place, line) in lines(bytes, start) {
        match event_of(line) {
            Some(event) => {
                // This may be a duplicate with different contents. To decide which version counts,
                // a fold has to see both.
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

/// Folds a whole log into a state, whatever the order of its lines. If `until` is given, we ignore
/// the events after that time.
pub(crate) fn fold(bytes: &[u8], until: Option<Stamp>) -> State {
    let mut lines = SortedLines::of(lines(bytes, 0));
    if let Some(until) = until {
        keep_until(&mut lines.events, until);
    }
    let mut state = State::default();
    lines.apply_all(&mut state);
    state
}

/// The lines of a log, sorted by event.
pub(crate) struct SortedLines<'a> {
    events: Vec<(OrderKey, LinePlace, &'a [u8])>,
    odd: Vec<OddLine>,
    /// True if we had to change the order of the lines.
    was_merged: bool,
    /// Number of events applied so far. `noted` is the same for `odd`.
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
        // Two different lines can have the same id. Sort those by content as well, so that every
        // reader picks the same one.
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

    pub(crate) fn first(&self) -> Option<&OrderKey> {
        self.events.first().map(|(key, ..)| key)
    }

    pub(crate) fn left(&self) -> usize {
        self.events.len() - self.applied
    }

    pub(crate) fn apply(&mut self, state: &mut State, count: usize) {
        state.small.merged |= self.was_merged;
        for (_, _, line) in self.events[self.applied..].iter().take(count) {
            if let Some(event) = event_of(line) {
                let _ = state.apply(&event);
            }
        }
        self.applied += count.min(self.left());
    }

    pub(crate) fn apply_all(&mut self, state: &mut State) {
        self.apply(state, self.left());
        self.note_odd(state, u64::MAX);
    }

    /// Finds the log position before which we've applied every event, so that a checkpoint can tell
    /// where to continue.
    ///
    /// Also returns the lines after that position which we've applied already. The odd lines before
    /// the position are recorded in the state.
    pub(crate) fn position(&mut self, state: &mut State) -> Option<(u64, Vec<LinePlace>)> {
        let (applied, left) = self.events.split_at_checked(self.applied)?;
        // Events are sorted by time here, so the one that comes first in the log may be anywhere
        // among those left.
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

/// Folds the lines of a whole log, which may be in any order.
#[must_use]
pub fn fold_log(log: &[u8]) -> State {
    fold(log, None)
}

/// Brings `state`, which covers the first `from` bytes of `log`, up to date. `from` must be the end
/// of a line. If a new line is out of order, we fold all of `log` instead.
#[must_use]
pub fn follow_log(mut state: State, log: &[u8], from: usize) -> State {
    match catch_up(&mut state, &log[from..], from as u64) {
        Ok(()) => state,
        Err(OutOfOrder) => fold_log(log),
    }
}

/// Drops the events after `until`.
///
/// A writer's clock may have been ahead, in which case the event's timestamp is later than that of
/// the next event. We treat such an event as if it had happened no later than the next one in the
/// log.
fn keep_until(events: &mut Vec<(OrderKey, LinePlace, &[u8])>, until: Stamp) {
    // Go through the events from the end, so that we know what comes next. `later` is the time of
    // the events we're at, and `next` that of the ones after them.
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

    /// Events by two writers about three beads. Most of them are invalid.
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

    /// Describes a state's contents, after checking its work index against the work board.
    pub(crate) fn report(state: &State) -> String {
        let any = crate::WorkFilter::default();
        for second in [0, 1, 2] {
            let now = Stamp::from_micros(1_767_225_600_000_000 + second * 1_000_000);
            let ready = state
                .work()
                .ready(&any, now, &crate::Elsewhere::default(), usize::MAX);
            assert_eq!(ready.ids, state.work().ready_by_board(now));
        }
        for all in [false, true] {
            let filter = crate::WorkFilter {
                all,
                ..crate::WorkFilter::default()
            };
            let listed = state.work().list(&filter, usize::MAX);
            assert_eq!(listed.ids, state.work().list_by_board(all));
            assert_eq!(listed.total, listed.ids.len());
            // A selective filter takes another way.
            let selective = crate::WorkFilter {
                priorities: (0..=9).collect(),
                ..filter
            };
            assert_eq!(state.work().list(&selective, usize::MAX), listed);
        }
        contents(state)
    }

    /// Everything that a reader can see of a state, apart from the flag for merged lines.
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
            // A bead's reasons must be the same as in the list of all blocked beads.
            let (now, any) = (Stamp::from_micros(i64::MAX / 2), crate::WorkFilter::default());
            let (work, elsewhere) = (all.work(), crate::Elsewhere::default());
            let blocked = work.blocked_by_board(now);
            let ids: Vec<String> = blocked.iter().map(|(id, _)| id.clone()).collect();
            prop_assert_eq!(work.blocked(&any, now, &elsewhere, usize::MAX).ids, ids);
            for (id, found) in all.beads.iter() {
                let why = blocked.iter().find(|(blocked, _)| blocked == id);
                let is_open = found.head().is_some_and(|head| head.status != crate::bead::BeadStatus::Closed);
                let want = why.filter(|_| is_open).map(|(_, reasons)| reasons.clone());
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
