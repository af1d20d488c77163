//! The log's time, a clock that all readers of a log agree on.
//!
//! We measure leases, lifetimes, retries, timers and timeouts in the log's time, since the clock of
//! a single machine may be wrong. It depends only on the events in their order, so every reader
//! computes the same.
//!
//! A clock within an hour of the log's time is simply followed. The hard case is a clock further
//! off: if the log's time is 0:00 and Ann's next event is dated 15:00, either nobody wrote for
//! hours or Ann's clock is wrong. We set her clock aside. The log's time only jumps ahead once
//! Bob's clock agrees with hers, or once hers has run on for ten minutes. This is a heuristic, and
//! two clocks that are wrong in the same way can still mislead us.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Stamp;

/// Maximum difference, in microseconds, at which we follow a clock immediately. An hour is well
/// above ordinary clock drift.
const NEAR_MICROS: i64 = 3_600 * 1_000_000;
/// Time, in microseconds, for which a clock that is set aside must run without contradiction before
/// we follow it: ten minutes.
const CONFIRM_MICROS: i64 = 600 * 1_000_000;

/// The log's time, with the clocks that we have set aside because they are too far off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogClock {
    now: Option<Stamp>,
    /// The only actor whose clock supports the current time, or `None` if several clocks do.
    by: Option<String>,
    aside: BTreeMap<String, Aside>,
}

/// A clock that is more than an hour off the log's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Aside {
    /// First reading since another clock last contradicted this one.
    first: Option<Stamp>,
    last: Stamp,
    /// Offset from the log's time after the last reading, in microseconds. Positive if the clock is
    /// ahead.
    ahead: i64,
    contradicted: bool,
}

impl LogClock {
    /// The log's time after the events so far, or `None` before the first one.
    #[must_use]
    pub fn now(&self) -> Option<Stamp> {
        self.now
    }

    /// Returns the times of an event, which [`LogClock::see`] must have processed before. `stamp`
    /// is the event's timestamp, and `clock` the writer's clock.
    pub(crate) fn time_of(&self, stamp: Stamp, clock: Stamp, order: Stamp) -> EventTime {
        EventTime {
            stamp,
            clock,
            log: self.now.unwrap_or(stamp),
            order,
        }
    }

    /// Returns the log's time as it would be after [`Self::see`], without updating it.
    #[must_use]
    pub fn peek(&self, actor: &str, clock: Stamp) -> Stamp {
        let mut then = self.clone();
        then.see(actor, clock);
        then.now.unwrap_or(clock)
    }

    /// Updates the log's time for an event written by `actor` at `clock`.
    ///
    /// - If the clock is within an hour of the log's time, the log's time follows it. The time
    ///   never goes back.
    /// - A clock further off, in either direction, is set aside. It's confirmed once a second
    ///   actor's clock agrees within an hour, or once it has advanced ten minutes without
    ///   contradiction. Meanwhile the log's time advances at the rate of that clock, so that
    ///   durations of minutes still elapse.
    /// - A single clock never turns back a time supported by several clocks.
    pub fn see(&mut self, actor: &str, clock: Stamp) {
        let Some(now) = self.now else {
            (self.now, self.by) = (Some(clock), Some(actor.to_owned()));
            return;
        };
        if is_near(clock, now) {
            self.now = Some(now.max(clock));
            // A second actor's clock agrees, so the time no longer depends on a single one.
            self.by.take_if(|by| by != actor);
            self.aside.remove(actor);
            self.contradict(actor, clock);
            return;
        }
        let mut others = self.aside.iter().filter(|(name, _)| *name != actor);
        let is_seconded = others.any(|(_, other)| is_near(other.last, clock));
        let own = self.aside.entry(actor.to_owned()).or_insert(Aside {
            first: None,
            last: clock,
            ahead: clock.since(now),
            contradicted: false,
        });
        // If a clock was set back, its ten minutes start over.
        let first = own.first.filter(|_| clock >= own.last);
        // The log's time advances along with this clock, but if the last reading was days ago, that
        // pause counts for no more than ten minutes.
        let passed = first.map_or(0, |_| clock.since(own.last).min(CONFIRM_MICROS));
        // Other clocks may have shown the same minutes since, so we count from the last reading.
        let advanced = (own.last.micros().saturating_sub(own.ahead)).saturating_add(passed);
        let advanced = now.max(Stamp::from_micros(advanced));
        let first = first.unwrap_or(clock);
        (own.first, own.last, own.ahead) = (Some(first), clock, clock.since(advanced));
        // A clock may always move the time ahead this way. It may only turn back a time that a
        // single clock supports.
        let went_on = clock.since(first) >= CONFIRM_MICROS && (clock > now || self.by.is_some());
        if is_seconded || went_on {
            self.now = Some(clock);
            self.by = (!is_seconded).then(|| actor.to_owned());
            self.aside.clear();
        } else {
            self.now = Some(advanced);
            self.contradict(actor, clock);
        }
    }

    /// Restarts the ten minutes of all clocks that contradict `clock`.
    fn contradict(&mut self, actor: &str, clock: Stamp) {
        for (name, other) in &mut self.aside {
            if name != actor && !is_near(other.last, clock) {
                other.first = None;
                other.contradicted = true;
            }
        }
    }

    /// Lists the actors whose clocks others have contradicted.
    ///
    /// Each comes with its clock's offset from the log's time at the last reading, in microseconds.
    /// It is negative if the clock is behind.
    pub fn wrong(&self) -> impl Iterator<Item = (&str, i64)> {
        let wrong = self.aside.iter().filter(|(_, clock)| clock.contradicted);
        wrong.map(|(actor, clock)| (actor.as_str(), clock.ahead))
    }

    /// Returns the time left until the clock of `actor` has run for ten minutes, or `None` if the
    /// clock is not set aside.
    #[must_use]
    pub fn confirmed_in(&self, actor: &str) -> Option<Duration> {
        let known = self.aside.get(actor)?;
        let passed = known.first.map_or(0, |first| known.last.since(first));
        let left = u64::try_from(CONFIRM_MICROS.saturating_sub(passed)).ok();
        // The ten minutes can be over without confirming the clock, in which case it's worth
        // looking again after another ten.
        let left = left
            .filter(|left| *left > 0)
            .unwrap_or(CONFIRM_MICROS.unsigned_abs());
        Some(Duration::from_micros(left))
    }

    /// True if an event by `actor` at `clock` would set the clock aside, or could confirm it since
    /// the ten minutes are over.
    #[must_use]
    pub fn is_worth_noting(&self, actor: &str, clock: Stamp) -> bool {
        let is_far = self.now.is_some_and(|now| !is_near(clock, now));
        let known = self.aside.get(actor);
        is_far
            && known.is_none_or(|known| {
                let first = known.first.filter(|_| clock >= known.last);
                first.is_none_or(|first| clock.since(first) >= CONFIRM_MICROS)
            })
    }
}

/// True if two readings are at most [`NEAR_MICROS`] apart, in either direction.
pub(crate) fn is_near(one: Stamp, other: Stamp) -> bool {
    one.since(other).unsigned_abs() <= NEAR_MICROS.unsigned_abs()
}

/// A point in time, both on the writer's clock and in the log's time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment {
    pub(crate) clock: Stamp,
    pub(crate) log: Stamp,
}

impl Moment {
    /// Converts `stamp` from the writer's clock to the log's time at `now`.
    ///
    /// If the clock was ahead but the log's time has caught up with it since, the clock was right
    /// after all, and `stamp` stays as it is.
    pub(crate) fn shift(self, stamp: Stamp, now: Stamp) -> Stamp {
        let (early, late) = (self.clock.min(self.log), self.clock.max(self.log));
        let base = if late <= now { late } else { early };
        let off = base.since(self.clock);
        Stamp::from_micros(stamp.micros().saturating_add(off))
    }
}

/// Converts `stamp` like [`Moment::shift`]. If there is no `moment`, the two clocks agree, so
/// `stamp` stays as it is.
pub(crate) fn shifted(stamp: Stamp, moment: Option<Moment>, now: Stamp) -> Stamp {
    moment.map_or(stamp, |moment| moment.shift(stamp, now))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EventTime {
    /// Timestamp for display.
    pub(crate) stamp: Stamp,
    pub(crate) clock: Stamp,
    pub(crate) log: Stamp,
    /// Time by which the event is ordered.
    pub(crate) order: Stamp,
}

impl EventTime {
    /// Pairs the displayed time with the log's time, or returns `None` if they agree.
    pub(crate) fn moment(&self) -> Option<Moment> {
        moment(self.stamp, self.log)
    }

    /// Pairs the times like [`Self::moment`], for times that were computed from the writer's clock.
    pub(crate) fn own_moment(&self) -> Option<Moment> {
        moment(self.clock, self.log)
    }
}

fn moment(clock: Stamp, log: Stamp) -> Option<Moment> {
    (clock != log).then_some(Moment { clock, log })
}

/// Moments from which we convert a step's times. We only record one if the clock and the log
/// differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Moments {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reached: Option<Moment>,
    /// Time by which the event that reached the step is ordered, if it is not the step's
    /// `reached_at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reached_order: Option<Stamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<Moment>,
}

impl Moments {
    pub(crate) fn are_plain(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: i64 = 60 * 1_000_000;
    const DAY: i64 = 24 * 60 * MINUTE;

    /// Feeds events such as `ann 0; bob 5` (actor and minute) to a clock. Returns the log's time
    /// after each, in minutes.
    fn seen(text: &str) -> String {
        let mut clock = LogClock::default();
        let minutes = text.split("; ").map(|event| {
            let (actor, minute) = event.split_once(' ').unwrap();
            clock.see(
                actor,
                Stamp::from_micros(minute.parse::<i64>().unwrap() * MINUTE),
            );
            (clock.now().unwrap().micros() / MINUTE).to_string()
        });
        minutes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn clock_far_off_waits_for_support() {
        for (events, want) in [
            // A clock within an hour is followed, and the time never goes back.
            ("ann 0; bob 60; ann 5", "0 60 60"),
            // A second clock confirms a distant one, but only if the two agree.
            ("ann 0; ann 900; bob 905", "0 0 905"),
            ("ann 0; bob 2880; cid 900; dan 901", "0 0 0 901"),
            // Ten minutes without contradiction confirm it as well.
            ("ann 0; ann 900; ann 909; ann 910", "0 0 9 910"),
            (
                "ann 0; bob 900; bob 905; ann 5; bob 914; bob 915",
                "0 0 5 5 5 6",
            ),
            // A single clock can't turn back a time that two clocks support, but it can if only one
            // does.
            ("ann 1440; bob 1441; cid 0; cid 20", "1440 1441 1441 1451"),
            ("ann 1440; bob 1441; cid 0; dan 1", "1440 1441 1441 1"),
            (
                "ann 0; bob 1; bob 2880; bob 2890; ann 12; ann 22",
                "0 1 1 2890 2890 22",
            ),
            // If a clock was set back, its ten minutes start over.
            ("ann 0; bob 900; bob 890; bob 899; bob 900", "0 0 0 9 900"),
            // Two clocks that are not contradicted show the same minutes, which count once.
            ("ann 0; bob 61; ann 1; bob 62; ann 3; bob 64", "0 0 1 1 3 3"),
        ] {
            assert_eq!(seen(events), want, "{events}");
        }
    }

    #[test]
    fn clock_contradicted_listed_with_offset() {
        let mut clock = LogClock::default();
        for (actor, minute) in [("ann", 0), ("bob", 2880), ("cid", -100), ("ann", 1)] {
            clock.see(actor, Stamp::from_micros(minute * MINUTE));
        }
        let wrong: Vec<_> = clock.wrong().map(|(who, by)| (who, by / MINUTE)).collect();
        assert_eq!(wrong, [("bob", 2880), ("cid", -100)]);
    }

    #[test]
    fn clock_set_aside_reports_wait() {
        let mut clock = LogClock::default();
        let left = |clock: &LogClock| {
            let left = clock.confirmed_in("ann");
            left.map(|left| left.as_secs() / 60)
        };
        // The last clock is contradicted, so its ten minutes start over.
        for (actor, minute, want) in [
            ("ann", 0, None),
            ("ann", 180, Some(10)),
            ("ann", 187, Some(3)),
            ("ann", 190, None),
            ("bob", 900, None),
            ("ann", -100, Some(10)),
            ("bob", 191, Some(10)),
        ] {
            clock.see(actor, Stamp::from_micros(minute * MINUTE));
            assert_eq!(left(&clock), want, "{actor} {minute}");
        }
    }

    #[test]
    fn moment_log_reached_clock_uses_it() {
        let at = Stamp::from_micros;
        let moment = Moment {
            clock: at(900),
            log: at(100),
        };
        assert_eq!(moment.shift(at(950), at(100)), at(150));
        assert_eq!(moment.shift(at(950), at(905)), at(950));
        let behind = Moment {
            clock: at(100),
            log: at(900),
        };
        assert_eq!(behind.shift(at(150), at(900)), at(950));
    }

    proptest! {
        /// One of four clocks is wrong by more than an hour. The correct ones write at least every
        /// nine minutes.
        #[test]
        fn log_clock_one_wrong_stays_honest(
            events in prop::collection::vec((0..4_usize, 0..3 * MINUTE), 1..80),
            off in prop_oneof![-9 * DAY..-61 * MINUTE, 61 * MINUTE..9 * DAY],
        ) {
            let mut clock = LogClock::default();
            let (mut now, mut last) = (0, 0);
            clock.see("0", Stamp::from_micros(now));
            for (actor, passed) in events {
                now += passed;
                let is_wrong = actor == 3 && now - last < 9 * MINUTE;
                if is_wrong {
                    clock.see("3", Stamp::from_micros(now + off));
                } else {
                    last = now;
                    clock.see(&(actor % 3).to_string(), Stamp::from_micros(now));
                    prop_assert_eq!(clock.now(), Some(Stamp::from_micros(now)));
                }
                let at = clock.now().unwrap().micros();
                prop_assert!((last..=now).contains(&at), "{at} is not from {last} to {now}");
            }
        }

        /// If all clocks are correct, the log's time equals theirs ten minutes after any pause.
        #[test]
        fn log_clock_honest_follows_pauses(
            pauses in prop::collection::vec((0..3_usize, 0..5 * DAY), 1..30),
        ) {
            let mut clock = LogClock::default();
            let mut now = 0;
            for (actor, pause) in pauses {
                now += pause;
                let see = |clock: &mut LogClock, now| clock.see(&actor.to_string(), Stamp::from_micros(now));
                see(&mut clock, now);
                now += 10 * MINUTE;
                see(&mut clock, now);
                prop_assert_eq!(clock.now(), Some(Stamp::from_micros(now)));
            }
        }
    }
}
