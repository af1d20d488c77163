use unicode_width::UnicodeWidthChar as _;
use windlass::base::one_line;
use windlass::plan::{Plan, PlannedStep, StepIndex};

use crate::plan::step_states::StepState;
use crate::plan::{StepStates, notes};

/// Space between a box's border and its text, in pixels.
pub(super) const PADDING: i32 = 12;

/// Height of a label with its margin, in pixels.
pub(super) const LABEL_HEIGHT: i32 = 20;

/// Space between the ends of a label and its text, in pixels.
pub(super) const LABEL_PADDING: i32 = 7;

/// Maximum width of a step's name in columns, and below those of its other lines and of a label.
const NAME_COLUMNS: usize = 32;
const LINE_COLUMNS: usize = 38;
const LABEL_COLUMNS: usize = 34;

/// Maximum number of labels.
const MAX_LABELS: usize = 3;

/// Role of a line in a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The step's name.
    Name,
    /// The step's kind.
    Kind,
    /// The step's condition.
    Condition,
    /// A property most steps don't have.
    Note,
    /// A section that shows the step.
    Label,
}

impl Role {
    /// Returns the height of such a line, in pixels.
    pub(super) fn height(self) -> i32 {
        match self {
            Self::Name => 18,
            Self::Label => LABEL_HEIGHT,
            Self::Kind | Self::Condition | Self::Note => 15,
        }
    }

    /// Returns the width of `columns` columns in the font of such lines, in pixels. Fonts differ a
    /// little.
    fn width(self, columns: usize) -> i32 {
        let tenths = match self {
            Self::Name => 81,
            Self::Label => 62,
            Self::Kind | Self::Condition | Self::Note => 68,
        };
        i32::try_from(columns).map_or(0, |columns| (columns * tenths + 9) / 10)
    }
}

/// A line of text.
pub(super) struct Line {
    pub(super) role: Role,
    pub(super) text: String,
    /// Width in pixels, including the ends of a label.
    pub(super) width: i32,
}

impl Line {
    fn new(role: Role, text: &str) -> Self {
        let most = match role {
            Role::Name => NAME_COLUMNS,
            Role::Label => LABEL_COLUMNS,
            Role::Kind | Role::Condition | Role::Note => LINE_COLUMNS,
        };
        let text = cut(text, most);
        let beside = if role == Role::Label {
            LABEL_PADDING * 2
        } else {
            0
        };
        let width = role.width(columns(&text)) + beside;
        Self { role, text, width }
    }
}

/// The contents of a step's box.
pub(super) struct StepBox {
    /// The step's full name.
    pub(super) name: String,
    /// The step's full kind.
    pub(super) kind: String,
    /// The step's live state, if it has one.
    pub(super) state: Option<&'static str>,
    /// The lines, labels last.
    pub(super) lines: Vec<Line>,
    /// The full text of everything shortened in the box.
    pub(super) tooltip: String,
    /// Width in pixels.
    pub(super) width: i32,
    /// Height in pixels, always even.
    pub(super) height: i32,
}

impl StepBox {
    /// Builds the box of a step. Texts pass through `clean` before they are cut.
    pub(super) fn new(
        (plan, states): (&Plan, &StepStates),
        index: StepIndex,
        step: &PlannedStep,
        clean: &dyn Fn(&str) -> String,
    ) -> Self {
        let clean = |text: &str| one_line(&clean(text));
        let (name, kind) = (clean(step.id.as_str()), clean(&step.uses));
        let mut lines = vec![Line::new(Role::Name, &name), Line::new(Role::Kind, &kind)];
        let mut tooltip = format!("{name}: {kind}");
        let state = states.get(step);
        for note in notes(step) {
            let note = clean(&note);
            let role = match &step.condition {
                Some(_) if lines.len() == 2 => Role::Condition,
                _ => Role::Note,
            };
            lines.push(Line::new(role, &note));
            tooltip.push_str(&format!("\n{note}"));
        }
        if let Some(state) = state {
            let words = clean(&state.words());
            lines.push(Line::new(Role::Note, &words));
            tooltip.push_str(&format!("\n{words}"));
        } else if !states.is_empty() {
            // Leave room for a later state, so that boxes don't move when it appears.
            lines.push(Line::new(Role::Note, ""));
        }
        let sections = plan.outputs().iter().filter(|output| output.from == index);
        let titles: Vec<_> = sections.map(|output| clean(&output.title)).collect();
        for title in &titles {
            tooltip.push_str(&format!("\nsection: {title}"));
        }
        let shown = if titles.len() > MAX_LABELS {
            MAX_LABELS - 1
        } else {
            titles.len()
        };
        let label = |title: &String| Line::new(Role::Label, title);
        lines.extend(titles.iter().take(shown).map(label));
        if titles.len() > shown {
            let more = format!("and {} more", titles.len() - shown);
            lines.push(Line::new(Role::Label, &more));
        }
        let widest = lines.iter().map(|line| line.width).max().unwrap_or(0);
        let text_height: i32 = lines.iter().map(|line| line.role.height()).sum();
        // Each arriving arrow needs room on the left.
        let arrows = i32::try_from(step.needs.len()).unwrap_or(i32::MAX);
        let arrow_height = 16 + arrows.min(100) * 8;
        let height = (text_height + PADDING + 4).max(arrow_height);
        Self {
            name,
            kind,
            state: state.map(StepState::class),
            lines,
            tooltip,
            width: (widest + 2 * PADDING).max(104),
            height: height + height % 2,
        }
    }
}

/// Returns the width of a text in a monospaced font, in columns.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Cuts `text` to at most `most` columns. If anything was cut off, the last one is `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut left = most.saturating_sub(1);
    let mut kept = String::new();
    for c in text.chars() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else {
            break;
        };
        left = rest;
        kept.push(c);
    }
    kept.push('…');
    kept
}
