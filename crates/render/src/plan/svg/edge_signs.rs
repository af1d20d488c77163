//! The signs explained in the legend of a drawing.

use windlass::plan::EdgeReason;

pub(super) const ARROW: i32 = 8;

pub(super) const COMMAND: &str = "command";

/// Reason for an edge. Among several reasons, the first of these counts.
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

pub(super) fn arrow((x, y): (i32, i32)) -> String {
    format!("<path class=\"arrow\" d=\"M{x} {y}l-{ARROW} -4v8z\"/>")
}

pub(super) fn diamond(x: i32, y: i32) -> String {
    format!(
        "<path class=\"diamond\" d=\"M{} {y}l7 -7l7 7l-7 7z\"/>",
        x - 7
    )
}
