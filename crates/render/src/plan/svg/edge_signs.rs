//! Signs of a drawing, which its legend explains.

use windlass::plan::EdgeReason;

/// Length of an arrow head, in pixels.
pub(super) const ARROW: i32 = 8;

/// Step kind that starts programs.
pub(super) const COMMAND: &str = "command";

/// Meaning of an edge, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeKind {
    Data,
    Condition,
    Order,
}

impl EdgeKind {
    pub(super) fn of(reasons: &[EdgeReason]) -> Self {
        let has = |wanted: fn(&EdgeReason) -> bool| reasons.iter().any(wanted);
        if has(|reason| matches!(reason, EdgeReason::Ref { .. })) {
            Self::Data
        } else if has(|reason| matches!(reason, EdgeReason::Condition { .. })) {
            Self::Condition
        } else {
            Self::Order
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Condition => "condition",
            Self::Order => "order",
        }
    }
}

/// The head of an arrow whose tip is at `tip`.
pub(super) fn arrow((x, y): (i32, i32)) -> String {
    format!("<path class=\"arrow\" d=\"M{x} {y}l-{ARROW} -4v8z\"/>")
}

/// A diamond around a place.
pub(super) fn diamond(x: i32, y: i32) -> String {
    format!(
        "<path class=\"diamond\" d=\"M{} {y}l7 -7l7 7l-7 7z\"/>",
        x - 7
    )
}
