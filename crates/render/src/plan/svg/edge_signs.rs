//! The signs in a drawing, as explained by its legend.

use windlass::plan::EdgeReason;

/// Length of an arrow head, in pixels.
pub(super) const ARROW: i32 = 8;

/// The step kind that starts programs.
pub(super) const COMMAND: &str = "command";

/// Meanings of an edge, strongest reason first.
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

/// Returns the arrow head with its tip at `tip`.
pub(super) fn arrow((x, y): (i32, i32)) -> String {
    format!("<path class=\"arrow\" d=\"M{x} {y}l-{ARROW} -4v8z\"/>")
}

/// Returns a diamond around a point.
pub(super) fn diamond(x: i32, y: i32) -> String {
    format!(
        "<path class=\"diamond\" d=\"M{} {y}l7 -7l7 7l-7 7z\"/>",
        x - 7
    )
}
