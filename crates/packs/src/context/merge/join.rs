//! Decides if several nodes can be joined, and which of their payloads to use.
//!
//! Payloads are ordered by time and ID before we pick any, so it does not matter in which order
//! they were processed. A later payload cannot change an earlier choice, either: if payloads at 5
//! and 7 make up a quorum of 2, one at 9 makes no difference.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::context::PackId;

/// Policies that decide when a join can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinPolicy {
    /// All expected payloads must be there.
    All,
    /// One payload is enough.
    Any,
    /// At least this many payloads must be there.
    Quorum(usize),
    /// All payloads must be there, or this many milliseconds must have passed since the first one.
    Timeout(u64),
}

impl FromStr for JoinPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!("`{text}` is not a join policy: use `all`, `any`, `quorum:2` or `timeout:30s`")
        };
        match text.split_once(':') {
            None if text == "all" => Ok(Self::All),
            None if text == "any" => Ok(Self::Any),
            Some(("quorum", count)) => match count.parse() {
                Ok(count) if count > 0 => Ok(Self::Quorum(count)),
                _ => Err(wrong()),
            },
            Some(("timeout", time)) => millis(time).map(Self::Timeout).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}

/// Names of time units with their milliseconds. The longest unit comes first.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Parses a duration, e.g. `250ms`, `30s`, `5m` or `2h`.
fn millis(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, written) = text.split_at(digits);
    let (_, unit) = UNITS.iter().find(|(name, _)| *name == written)?;
    number.parse::<u64>().ok()?.checked_mul(*unit)
}

/// Writes a duration so that [`millis`] can parse it, in the largest unit that leaves no remainder.
fn written(millis: u64) -> String {
    let is_whole = |(_, unit): &&(&str, u64)| millis > 0 && millis.is_multiple_of(*unit);
    match UNITS.iter().find(is_whole) {
        Some((name, unit)) => format!("{}{name}", millis / unit),
        None => format!("{millis}ms"),
    }
}

impl fmt::Display for JoinPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Any => f.write_str("any"),
            Self::Quorum(count) => write!(f, "quorum:{count}"),
            Self::Timeout(millis) => write!(f, "timeout:{}", written(*millis)),
        }
    }
}

/// A payload that is waiting to be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// ID of the payload. If two arrivals have the same one, they are the same payload.
    pub payload_id: PackId,
    /// Time of its creation, in milliseconds since some fixed time.
    pub at: i64,
}

/// Tells if payloads are missing from a join, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JoinState {
    /// All expected payloads are there.
    Complete,
    /// Some payloads are missing, but the policy can do without them.
    Partial,
    /// Time was up before all payloads had arrived.
    Timeout,
}

/// The result of a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Tells if payloads are missing, and why.
    pub state: JoinState,
    /// Indices of the payloads to use, ordered by time and ID.
    pub taken: Vec<usize>,
    /// Indices of the payloads that came too late or were not needed.
    pub left: Vec<usize>,
}

/// The join has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{arrived} of {needed} have arrived; `{policy}` waits for more")]
pub struct NotYet {
    /// The policy that is not met yet.
    pub policy: JoinPolicy,
    /// Number of payloads that are there.
    pub arrived: usize,
    /// Number of payloads that are needed.
    pub needed: usize,
    /// Time at which the join goes on regardless, on the clock of [`Arrived::at`]. This is `None`
    /// if there is no timeout.
    pub until: Option<i64>,
}

/// Picks the payloads for a join. `expected` is the number of payloads to expect, and `now` the
/// current time on the clock of [`Arrived::at`].
///
/// # Errors
/// Returns [`NotYet`] if the join has to wait.
pub fn join(
    policy: JoinPolicy,
    expected: usize,
    arrived: &[Arrived],
    now: i64,
) -> Result<Joined, NotYet> {
    let mut order: Vec<usize> = (0..arrived.len()).collect();
    order.sort_by_key(|at| (arrived[*at].at, arrived[*at].payload_id));
    // A payload may arrive more than once, but counts as one.
    let mut seen = BTreeSet::new();
    order.retain(|at| seen.insert(arrived[*at].payload_id));
    let deadline = match (policy, order.first()) {
        (JoinPolicy::Timeout(millis), Some(first)) => {
            let millis = i64::try_from(millis).unwrap_or(i64::MAX);
            Some(arrived[*first].at.saturating_add(millis))
        }
        _ => None,
    };
    let in_time = order
        .iter()
        .filter(|at| deadline.is_none_or(|deadline| arrived[**at].at <= deadline))
        .count();
    let is_over = deadline.is_some_and(|deadline| now >= deadline);
    let needed = match policy {
        JoinPolicy::All | JoinPolicy::Timeout(_) => expected,
        JoinPolicy::Any => 1,
        JoinPolicy::Quorum(count) => count,
    };
    // A join without any payload makes no sense, even if none is expected.
    let is_enough = in_time >= needed && in_time > 0;
    if !is_enough && !is_over {
        return Err(NotYet {
            policy,
            arrived: in_time,
            needed: needed.max(1),
            until: deadline,
        });
    }
    let count = match policy {
        JoinPolicy::All | JoinPolicy::Timeout(_) => in_time,
        JoinPolicy::Any | JoinPolicy::Quorum(_) => needed,
    };
    let left = order.split_off(count);
    let state = match is_enough {
        true if order.len() >= expected => JoinState::Complete,
        true => JoinState::Partial,
        false => JoinState::Timeout,
    };
    Ok(Joined {
        state,
        taken: order,
        left,
    })
}

#[cfg(test)]
mod tests {
    use windlass_base::Digest;

    use super::*;

    fn arrived(times: &[i64]) -> Vec<Arrived> {
        let one = |at: &i64| Arrived {
            payload_id: PackId::of_digest(&Digest::of_bytes(&at.to_le_bytes())),
            at: *at,
        };
        times.iter().map(one).collect()
    }

    fn told(
        policy: &str,
        expected: usize,
        times: &[i64],
        now: i64,
    ) -> Result<(JoinState, Vec<i64>), usize> {
        let all = arrived(times);
        let joined =
            join(policy.parse().unwrap(), expected, &all, now).map_err(|wait| wait.needed)?;
        Ok((
            joined.state,
            joined.taken.iter().map(|at| all[*at].at).collect(),
        ))
    }

    #[test]
    fn join_is_independent_of_order() {
        use JoinState::{Complete, Partial, Timeout};
        for (policy, expected, times, now, want) in [
            ("all", 2, &[5, 3][..], 9, Ok((Complete, vec![3, 5]))),
            ("all", 3, &[5, 3], 9, Err(3)),
            ("all", 2, &[3, 3], 9, Err(2)),
            ("any", 3, &[5, 3], 9, Ok((Partial, vec![3]))),
            ("any", 1, &[], 9, Err(1)),
            ("quorum:2", 3, &[7, 3, 5], 9, Ok((Partial, vec![3, 5]))),
            ("quorum:2", 2, &[7, 3], 9, Ok((Complete, vec![3, 7]))),
            ("quorum:9", 2, &[7, 3], 9, Err(9)),
            ("quorum:3", 1, &[3, 3, 3], 9, Err(3)),
            ("timeout:10ms", 3, &[1, 5], 9, Err(3)),
            ("timeout:10ms", 3, &[1, 5], 11, Ok((Timeout, vec![1, 5]))),
            (
                "timeout:10ms",
                3,
                &[40, 1, 5],
                50,
                // The payload at 40 came after the deadline at 11.
                Ok((Timeout, vec![1, 5])),
            ),
            ("timeout:10ms", 2, &[1, 5], 2, Ok((Complete, vec![1, 5]))),
            ("timeout:10ms", 2, &[], 2, Err(2)),
        ] {
            assert_eq!(
                told(policy, expected, times, now),
                want,
                "{policy} {times:?}"
            );
            let back: Vec<i64> = times.iter().rev().copied().collect();
            assert_eq!(
                told(policy, expected, &back, now),
                want,
                "{policy} {back:?}"
            );
        }
    }

    #[test]
    fn policy_text_round_trips() {
        assert_eq!("timeout:2m".parse(), Ok(JoinPolicy::Timeout(120_000)));
        for (given, told) in [
            ("timeout:30s", "timeout:30s"),
            ("timeout:120s", "timeout:2m"),
            ("timeout:90m", "timeout:90m"),
            ("timeout:24h", "timeout:24h"),
            ("timeout:1500ms", "timeout:1500ms"),
            ("timeout:0s", "timeout:0ms"),
        ] {
            let policy: JoinPolicy = given.parse().unwrap();
            assert_eq!(policy.to_string(), told);
        }
        for wrong in [
            "",
            "some",
            "quorum:0",
            "quorum",
            "timeout:5",
            "timeout:",
            "timeout:99999999999999999999h",
        ] {
            assert!(wrong.parse::<JoinPolicy>().is_err(), "{wrong}");
        }
    }
}
