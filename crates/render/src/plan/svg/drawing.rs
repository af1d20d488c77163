//! Writes the SVG of a plan whose layout is known.

use std::borrow::Cow;
use std::fmt::Write as _;

use windlass::base::{counted, one_line};
use windlass::plan::{EdgeReason, Plan, PlannedStep, StepIndex};

use super::PlanPart;
use super::box_places::Places;
use super::edge_net::Net;
use super::edge_signs::{ARROW, COMMAND, EdgeKind, arrow, diamond};
use super::legend::Legend;
use super::step_boxes::{LABEL_PADDING, PADDING, Role, StepBox, columns, cut};

pub(super) const STYLE: &str = include_str!("style.css");

const MARGIN: i32 = 24;

/// Top of the columns, in pixels. The title and the column numbers are above.
const TOP: i32 = 92;

const LEGEND: i32 = 36;

/// Minimum width of the legend, in pixels.
const LEGEND_WIDTH: i32 = 440;

pub(super) struct Drawing<'a> {
    pub(super) plan: &'a Plan,
    pub(super) boxes: &'a [StepBox],
    /// Edges from each step to its dependent steps.
    pub(super) edges: &'a [(StepIndex, StepIndex)],
    pub(super) net: &'a Net,
    pub(super) places: &'a Places,
    pub(super) clean: &'a dyn Fn(&str) -> String,
    /// False if the page already includes the style sheet.
    pub(super) is_styled: bool,
}

impl Drawing<'_> {
    pub(super) fn pieces(&self) -> PlanPart {
        let title = one_line(&(self.clean)(self.plan.title()));
        let right = self
            .places
            .columns
            .last()
            .map_or(0, |column| column.right());
        let shown = cut(&title, 120);
        // The title has a proportional font. Ten pixels per column should be enough.
        let title_width = i32::try_from(columns(&shown)).unwrap_or(0) * 10;
        let inner = right.max(title_width).max(LEGEND_WIDTH);
        let kinds: Vec<_> = (0..self.edges.len())
            .map(|edge| self.edge_kind(edge))
            .collect();
        let legend = Legend::of(self.plan, &kinds, inner);
        let width = inner + 2 * MARGIN;
        let legend_top = TOP + self.places.height + LEGEND;
        let height = legend_top + legend.height() + MARGIN - 8;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"windlass-plan\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n\
             {style}<rect class=\"sheet\" width=\"{width}\" height=\"{height}\"/>\n",
            escape(&title),
            escape(&self.description()),
            style = match self.is_styled {
                true => format!("<style>\n{STYLE}</style>\n"),
                false => String::new(),
            },
        );
        let _ = writeln!(
            svg,
            "<text class=\"title\" x=\"{MARGIN}\" y=\"42\">{}</text>",
            escape(&shown)
        );
        self.heads(&mut svg);
        for (edge, arrival) in self.arrivals().into_iter().enumerate() {
            self.edge(&mut svg, edge, arrival);
        }
        let steps = self.plan.steps().iter().zip(self.boxes).enumerate();
        let steps =
            steps.map(|(at, (step, content))| (content.name.clone(), self.step(at, step, content)));
        let mut tail = String::new();
        legend.draw(&mut tail, MARGIN, legend_top);
        tail.push_str("</svg>\n");
        PlanPart {
            head: svg,
            steps: steps.collect(),
            tail,
        }
    }

    /// Describes the drawing for readers who cannot see it.
    fn description(&self) -> String {
        let mut words = format!(
            "The plan of {}: {} in {}, {}, {}.",
            one_line(&(self.clean)(self.plan.id().as_str())),
            counted(self.plan.steps().len(), "step"),
            counted(self.places.columns.len(), "layer"),
            counted(self.edges.len(), "edge"),
            counted(self.plan.outputs().len(), "section"),
        );
        let purpose = one_line(&(self.clean)(self.plan.purpose()));
        if !purpose.is_empty() {
            words.push(' ');
            words.push_str(&purpose);
        }
        words
    }

    fn edge_kind(&self, edge: usize) -> EdgeKind {
        let (from, to) = self.edges[edge];
        EdgeKind::of(self.plan.reasons(to, from))
    }

    /// Draws the column numbers, the same as in `plan_text`, and a band behind those for `finally`.
    fn heads(&self, svg: &mut String) {
        let is_finally = |column: &Vec<usize>| {
            let mut steps = column
                .iter()
                .filter_map(|vertex| self.plan.steps().get(*vertex));
            steps.next().is_some_and(|step| step.finally)
        };
        let first_finally = self.net.columns.iter().position(is_finally);
        if let Some(from) = first_finally.and_then(|first| self.places.columns.get(first)) {
            let right = self.places.columns.last().map_or(0, |last| last.right());
            let _ = writeln!(
                svg,
                "<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
                from.x + MARGIN - 12,
                TOP - 32,
                right - from.x + 24,
                self.places.height + 44,
            );
        }
        for (at, column) in self.places.columns.iter().enumerate() {
            let finally = first_finally.is_some_and(|first| at >= first);
            let _ = writeln!(
                svg,
                "<text class=\"head\" x=\"{}\" y=\"{}\">{}{}</text>",
                MARGIN + column.x + column.width / 2,
                TOP - 14,
                at + 1,
                if finally { " finally" } else { "" },
            );
        }
    }

    /// Returns the height at which each edge arrives at its box. If there are several edges, they
    /// spread in the order of their origins.
    fn arrivals(&self) -> Vec<i32> {
        let last_stretch = |edge: &usize| self.net.paths[*edge].iter().rev().nth(1).copied();
        let from_height = |edge: &usize| last_stretch(edge).map(|last| self.places.middles[last]);
        let mut arrivals = vec![0; self.edges.len()];
        let mut by_target: Vec<Vec<usize>> = vec![Vec::new(); self.boxes.len()];
        for (edge, (_, to)) in self.edges.iter().enumerate() {
            by_target[to.index()].push(edge);
        }
        for (to, mut edges) in by_target.into_iter().enumerate() {
            edges.sort_by_key(|edge| (from_height(edge), *edge));
            let gaps = i32::try_from(edges.len()).unwrap_or(i32::MAX) - 1;
            // Spread the edges over the height of the box, but if there are just a few, keep them
            // close together.
            let apart = ((self.boxes[to].height - 16) / gaps.max(1)).clamp(1, 12);
            let mut y = self.places.middles[to] - apart * gaps / 2;
            for edge in edges {
                arrivals[edge] = y;
                y += apart;
            }
        }
        arrivals
    }

    fn edge(&self, svg: &mut String, edge: usize, arrival: i32) {
        let (from, to) = self.edges[edge];
        let name = |step: StepIndex| escape(&self.boxes[step.index()].name);
        let reasons = self.plan.reasons(to, from).iter();
        let reasons: Vec<_> = reasons
            .map(|reason| one_line(&(self.clean)(&told(reason))))
            .collect();
        let (line, tip) = self.route(edge, arrival);
        let _ = writeln!(
            svg,
            "<g class=\"edge {kind}\" data-from=\"{from}\" data-to=\"{to}\"><title>{from} → {to}\n{why}</title>\
             <path class=\"line\" d=\"{line}\"/><path class=\"hit\" d=\"{line}\"/>{arrow}</g>",
            kind = self.edge_kind(edge).class(),
            from = name(from),
            to = name(to),
            why = escape(&reasons.join("\n")),
            arrow = arrow(tip),
        );
    }

    /// Returns the path of an edge, and the tip of its arrow. The path curves between columns, but
    /// is straight within them, so it never gets behind a box.
    fn route(&self, edge: usize, arrival: i32) -> (String, (i32, i32)) {
        let mut line = String::new();
        let mut at = (0, 0);
        let path = &self.net.paths[edge];
        for (number, vertex) in path.iter().enumerate() {
            let column = self.places.columns[self.places.column_of[*vertex]];
            let (left, right) = (MARGIN + column.x, MARGIN + column.right());
            let y = TOP + self.places.middles[*vertex];
            if number == 0 {
                let _ = write!(line, "M{right} {y}");
            } else if number + 1 == path.len() {
                let tip = (left - 1, TOP + arrival);
                curve(&mut line, at, (tip.0 - ARROW + 1, tip.1));
                return (line, tip);
            } else {
                curve(&mut line, at, (left, y));
                let _ = write!(line, "H{right}");
            }
            at = (right, y);
        }
        (line, at)
    }

    fn step(&self, at: usize, step: &PlannedStep, content: &StepBox) -> String {
        let mut svg = String::new();
        let column = self.places.columns[self.places.column_of[at]];
        let (x, y) = (
            MARGIN + column.x,
            TOP + self.places.middles[at] - content.height / 2,
        );
        let (width, height) = (column.width, content.height);
        let round = if step.finally { 14 } else { 6 };
        let _ = write!(
            svg,
            "<g class=\"step {}\" data-step=\"{}\"><title>{}</title>",
            classes(step, content),
            escape(&content.name),
            escape(&content.tooltip),
        );
        let mut card = |class: &str, shift: i32| {
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>",
                x + shift,
                y + shift,
            );
        };
        // More cards behind the box hint at the instances of a fan-out.
        if step.for_each.is_some() {
            card("box behind", 6);
            card("box behind", 3);
        }
        card("box", 0);
        let _ = write!(
            svg,
            "<rect class=\"stripe\" x=\"{x}\" y=\"{}\" width=\"4\" height=\"{}\" rx=\"2\"/>",
            y + round,
            height - 2 * round,
        );
        if step.condition.is_some() {
            svg.push_str(&diamond(x + width - 16, y));
        }
        self::lines(&mut svg, x, y, content);
        svg.push_str("</g>\n");
        svg
    }
}

fn lines(svg: &mut String, x: i32, y: i32, content: &StepBox) {
    let total: i32 = content.lines.iter().map(|line| line.role.height()).sum();
    let mut top = y + (content.height - total) / 2;
    for line in &content.lines {
        let (class, size) = match line.role {
            Role::Name => ("name", 14),
            Role::Condition => ("condition-text", 11),
            Role::Label => ("label-text", 14),
            Role::Kind | Role::Note => ("note", 11),
        };
        let mut left = x + PADDING;
        if line.role == Role::Label {
            let _ = write!(
                svg,
                "<rect class=\"label\" x=\"{left}\" y=\"{}\" width=\"{}\" height=\"16\" rx=\"8\"/>",
                top + 3,
                line.width,
            );
            left += LABEL_PADDING;
        }
        let _ = write!(
            svg,
            "<text class=\"{class}\" x=\"{left}\" y=\"{}\">{}</text>",
            top + size,
            escape(&line.text),
        );
        top += line.role.height();
    }
}

fn classes(step: &PlannedStep, content: &StepBox) -> String {
    let kind: String = content
        .kind
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let mut classes = format!("kind-{kind}");
    let marks = [
        (step.uses == COMMAND, " command"),
        (step.finally, " finally"),
        (step.condition.is_some(), " conditional"),
        (step.for_each.is_some(), " each"),
    ];
    for (_, class) in marks.iter().filter(|(holds, _)| *holds) {
        classes.push_str(class);
    }
    if let Some(state) = content.state {
        let _ = write!(classes, " state-{state}");
    }
    classes
}

fn told(reason: &EdgeReason) -> String {
    match reason {
        EdgeReason::Needs { .. } => "order only: from `needs`".to_owned(),
        EdgeReason::Ref { taken, .. } => format!("data: `{}` at `{}`", taken.reference, taken.at),
        EdgeReason::Condition { .. } => "condition: its `if` mentions it".to_owned(),
    }
}

fn curve(line: &mut String, from: (i32, i32), to: (i32, i32)) {
    if from.1 == to.1 {
        let _ = write!(line, "H{}", to.0);
        return;
    }
    let middle = from.0 + (to.0 - from.0) / 2;
    let _ = write!(
        line,
        "C{middle} {} {middle} {} {} {}",
        from.1, to.1, to.0, to.1
    );
}

/// Escapes text for XML content and attributes. Characters that XML forbids become `U+FFFD`.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"') && legal(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if legal(c) => escaped.push(c),
            _ => escaped.push('\u{fffd}'),
        }
    }
    Cow::Owned(escaped)
}

fn legal(c: char) -> bool {
    (!c.is_control() || c == '\n') && !matches!(c, '\u{fffe}' | '\u{ffff}')
}
