//! Reports times, percentages and statuses of items that contradict each other.

use windlass_base::Diagnostic;

use crate::edit::derived_percent;
use crate::items::Items;
use crate::status::status_of;
use crate::time::moment;
use crate::{Container, ItemStatus, Node};

pub(super) fn check(
    info: Option<Node<'_>>,
    (container, node): (Container, Node<'_>),
    items: &Items<'_>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    found.extend(info.and_then(|info| time_order(info, "created", "updated")));
    if container != Container::TodoList {
        found.extend(time_order(node, "created", "updated"));
    }
    for item in &items.all {
        let node = item.node;
        found.extend(time_order(node, "created", "updated"));
        found.extend(time_order(node, "created", "completed"));
        found.extend(time_order(node, "startDate", "endDate"));
        found.extend(percent_of_status(node));
        found.extend(completed_early(node));
        found.extend(node.get("location").and_then(no_location));
    }
    found
}

/// Reports a time in the field `second` that's before the one in `first`.
pub(super) fn time_order(node: Node<'_>, first: &str, second: &str) -> Option<Diagnostic> {
    let (one, other) = (node.get(first)?, node.get(second)?);
    if moment(other.text()?)? >= moment(one.text()?)? {
        return None;
    }
    let message = format!("`{second}` is before `{first}`");
    let finding = Diagnostic::warning("time-order", message).at(other.place());
    let finding = finding.see(one.place(), format!("`{first}`"));
    Some(finding.help("correct one of the two"))
}

fn percent_of_status(node: Node<'_>) -> Option<Diagnostic> {
    let status = node.text_of("status");
    let percent = node.get("percentComplete")?;
    let number = percent.value().as_number()?.as_f64()?;
    // A stage's percentage is derived from its parts, but its status is set by hand, so these two
    // may differ.
    let contradicts = match status {
        _ if derived_percent(node.value()) == Some(number) => false,
        Some("completed") => (0.0..100.0).contains(&number),
        Some("pending") => number == 100.0,
        _ => false,
    };
    if !contradicts {
        return None;
    }
    let message = format!(
        "the status is `{}`, but `percentComplete` is {}",
        status.unwrap_or_default(),
        percent.value()
    );
    let finding = Diagnostic::warning("percent-status", message).at(percent.place());
    Some(finding.help("correct `percentComplete`, or the status"))
}

fn completed_early(node: Node<'_>) -> Option<Diagnostic> {
    let completed = node.get("completed")?;
    let status = node.text_of("status")?;
    let is_open = [
        ItemStatus::Pending,
        ItemStatus::InProgress,
        ItemStatus::Blocked,
    ];
    if !status_of(node).is_some_and(|status| is_open.contains(&status)) {
        return None;
    }
    let message = format!("it has a completion time, but its status is `{status}`");
    let finding = Diagnostic::warning("completed-status", message).at(completed.place());
    Some(finding.help("correct the status, or remove `completed`"))
}

fn no_location(node: Node<'_>) -> Option<Diagnostic> {
    let geo = node.get("geo")?;
    let numbers: Vec<f64> = geo
        .items()
        .filter_map(|item| item.value().as_number()?.as_f64())
        .collect();
    let is_place = matches!(numbers[..], [latitude, longitude]
        if (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude));
    (!is_place).then(|| {
        Diagnostic::error("location", "`geo` is not a latitude and longitude")
            .at(geo.place())
            .help("write two numbers, in degrees: `[47.37, 8.54]`")
    })
}
