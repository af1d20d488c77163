use std::fmt::Write as _;

use windlass::plan::{Plan, PlannedStep};

use super::edge_signs::{COMMAND, EdgeKind, arrow, diamond};

/// The legend below a drawing. It only explains shapes and lines that are really there.
pub(super) struct Legend {
    rows: Vec<Vec<Entry>>,
}

type Entry = (Sign, &'static str);

const ROW: i32 = 22;

#[derive(Clone, Copy)]
enum Sign {
    Edge(EdgeKind),
    Diamond,
    Cards,
    Command,
    Finally,
    Label,
}

impl Legend {
    /// Creates the legend for a plan with these edges. A row has up to `most` pixels, after which
    /// the next one begins.
    pub(super) fn of(plan: &Plan, kinds: &[EdgeKind], most: i32) -> Self {
        let steps = plan.steps();
        let some = |wanted: fn(&PlannedStep) -> bool| steps.iter().any(wanted);
        let edge = |kind| (kinds.contains(&kind), Sign::Edge(kind));
        let entries = [
            (edge(EdgeKind::Data), "takes its output"),
            (edge(EdgeKind::Condition), "its condition asks for it"),
            (edge(EdgeKind::Order), "order only"),
            (
                (some(|step| step.condition.is_some()), Sign::Diamond),
                "only if its condition holds",
            ),
            (
                (some(|step| step.for_each.is_some()), Sign::Cards),
                "once for each item",
            ),
            (
                (some(|step| step.uses == COMMAND), Sign::Command),
                "starts a program",
            ),
            (
                (some(|step| step.finally), Sign::Finally),
                "at the end, even on a failure",
            ),
            (
                (!plan.outputs().is_empty(), Sign::Label),
                "section of the pack",
            ),
        ];
        let occurring = entries.into_iter().filter(|((occurs, _), _)| *occurs);
        let (mut rows, mut filled) = (Vec::new(), most);
        for ((_, sign), words) in occurring {
            if filled + width(words) > most {
                rows.push(Vec::new());
                filled = 0;
            }
            filled += width(words);
            if let Some(row) = rows.last_mut() {
                row.push((sign, words));
            }
        }
        Self { rows }
    }

    pub(super) fn height(&self) -> i32 {
        i32::try_from(self.rows.len()).map_or(0, |rows| rows * ROW)
    }

    pub(super) fn draw(&self, svg: &mut String, left: i32, top: i32) {
        svg.push_str("<g class=\"legend\">\n");
        let mut y = top + ROW / 2;
        for row in &self.rows {
            let mut x = left;
            for (sign, words) in row {
                svg.push_str(&drawn(*sign, x, y));
                let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{words}</text>", x + 36, y + 4);
                x += width(words);
            }
            y += ROW;
        }
        svg.push_str("</g>\n");
    }
}

/// Approximate width of a sign and its words, in pixels.
fn width(words: &str) -> i32 {
    i32::try_from(words.len()).map_or(0, |columns| columns * 68 / 10) + 64
}

fn drawn(sign: Sign, x: i32, y: i32) -> String {
    let card = |class: &str, shift: i32, round: i32| {
        format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"24\" height=\"14\" rx=\"{round}\"/>",
            x + 2 + shift,
            y - 7 + shift,
        )
    };
    match sign {
        Sign::Edge(kind) => format!(
            "<g class=\"edge {}\"><path class=\"line\" d=\"M{x} {y}h20\"/>{}</g>",
            kind.class(),
            arrow((x + 28, y)),
        ),
        Sign::Diamond => diamond(x + 18, y),
        Sign::Cards => format!("{}{}", card("box", 3, 3), card("box", 0, 3)),
        Sign::Command => format!("<g class=\"command\">{}</g>", card("box", 0, 3)),
        Sign::Finally => format!("<g class=\"finally\">{}</g>", card("box", 0, 7)),
        Sign::Label => card("label", 0, 7),
    }
}
