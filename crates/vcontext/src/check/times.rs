//! Times, percentages and statuses that contradict each other.

use windlass_base::Diagnostic;

use super::Checker;
use crate::edit::derived_percent;
use crate::items::Items;
use crate::time::{has_day, moment};
use crate::{Container, Node};

impl<'d> Checker<'d> {
    pub(super) fn times(&mut self, container: Container, node: Node<'d>, items: &Items<'d>) {
        if let Some(info) = self.document.root().get("vContextInfo") {
            self.time_order(info, "created", "updated");
        }
        if container != Container::TodoList {
            self.time_order(node, "created", "updated");
        }
        for item in &items.all {
            let node = item.node;
            self.time_order(node, "created", "updated");
            self.time_order(node, "created", "completed");
            self.time_order(node, "startDate", "endDate");
            self.done(node);
            if let Some(recurrence) = node.get("recurrence") {
                self.recurrence(node, recurrence);
            }
            if let Some(location) = node.get("location") {
                self.location(location);
            }
        }
    }

    pub(super) fn time_order(&mut self, node: Node<'d>, first: &str, second: &str) {
        let (Some(one), Some(other)) = (node.get(first), node.get(second)) else {
            return;
        };
        let times = one
            .text()
            .and_then(moment)
            .zip(other.text().and_then(moment));
        if times.is_some_and(|(one, other)| other < one) {
            let message = format!("`{second}` is before `{first}`");
            self.push(
                Diagnostic::warning("time-order", message)
                    .at(other.place())
                    .see(one.place(), format!("`{first}`"))
                    .help("correct one of the two"),
            );
        }
    }

    fn done(&mut self, node: Node<'d>) {
        let status = node.text_of("status");
        if let Some(percent) = node.get("percentComplete") {
            let number = percent
                .value()
                .as_number()
                .and_then(windlass_tron::Number::as_f64);
            // Of a stage it is what its parts make of it: of the two, the status is said by hand.
            let is_derived = number.is_some() && number == derived_percent(node.value());
            let contradicts = match (status, number) {
                _ if is_derived => false,
                (Some("completed"), Some(number)) => (0.0..100.0).contains(&number),
                (Some("pending"), Some(number)) => number == 100.0,
                _ => false,
            };
            if contradicts {
                let message = format!(
                    "the status is `{}`, and {} % of it is done",
                    status.unwrap_or_default(),
                    percent.value()
                );
                let finding = Diagnostic::warning("percent-status", message).at(percent.place());
                self.push(finding.help("correct `percentComplete`, or the status"));
            }
        }
        if let Some(completed) = node.get("completed")
            && matches!(status, Some("pending" | "inProgress" | "blocked"))
        {
            let message = format!(
                "it says when it was completed, and its status is `{}`",
                status.unwrap_or_default()
            );
            let finding = Diagnostic::warning("completed-status", message).at(completed.place());
            self.push(finding.help("correct the status, or remove `completed`"));
        }
    }

    fn recurrence(&mut self, item: Node<'d>, node: Node<'d>) {
        if let (Some(until), Some(count)) = (node.get("until"), node.get("count")) {
            let finding = Diagnostic::warning(
                "recurrence-end",
                "`until` and `count` both say where it ends",
            );
            self.push(
                finding
                    .at(until.place())
                    .see(count.place(), "`count`")
                    .help("keep one of them"),
            );
        }
        let first = item.get("dueDate").or_else(|| item.get("startDate"));
        match first {
            Some(first) => self.ends_after(node, first),
            None => {
                let message = "it comes again, and nothing says when it is due first";
                let finding = Diagnostic::warning("recurrence-start", message).at(node.place());
                self.push(finding.help("add `dueDate`"));
            }
        }
        self.days(node);
    }

    /// Reports a recurrence that ends before it is due first.
    fn ends_after(&mut self, recurrence: Node<'d>, first: Node<'d>) {
        let Some(until) = recurrence.get("until") else {
            return;
        };
        let times = [until, first].map(|node| node.text().and_then(moment));
        if let [Some(end), Some(start)] = times
            && end < start
        {
            let finding =
                Diagnostic::warning("recurrence-end", "`until` is before it is due first");
            self.push(
                finding
                    .at(until.place())
                    .see(first.place(), "first due")
                    .help("write a later `until`, or an earlier `dueDate`"),
            );
        }
    }

    /// Reports days that none of the months has: 30 February.
    fn days(&mut self, recurrence: Node<'d>) {
        let whole = |node: Node<'d>| node.value().as_number()?.as_i64();
        let months: Vec<i64> = recurrence.items_of("byMonth").filter_map(whole).collect();
        for day in recurrence.items_of("byMonthDay") {
            let Some(number) = whole(day).filter(|number| !has_day(&months, *number)) else {
                continue;
            };
            let message = format!("none of the months in `byMonth` has a day {number}");
            let finding = Diagnostic::warning("recurrence-day", message).at(day.place());
            self.push(finding.help("write a day that one of the months has, or remove it"));
        }
    }

    fn location(&mut self, node: Node<'d>) {
        let Some(geo) = node.get("geo") else {
            return;
        };
        let numbers: Vec<f64> = geo
            .items()
            .filter_map(|item| item.value().as_number()?.as_f64())
            .collect();
        let is_place = matches!(numbers[..], [latitude, longitude]
            if (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude));
        if !is_place {
            let finding = Diagnostic::error("location", "`geo` is no latitude and longitude");
            self.push(
                finding
                    .at(geo.place())
                    .help("write two numbers, in degrees: `[47.37, 8.54]`"),
            );
        }
    }
}
