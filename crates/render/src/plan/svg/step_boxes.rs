//! The contents of a step's box, and the size that follows from them.

use unicode_width::UnicodeWidthChar as _;
use windlass::base::one_line;
use windlass::plan::{Plan, PlannedStep, StepIndex};

use crate::plan::step_states::StepState;
use crate::plan::{StepStates, notes};

pub(super) const PADDING: i32 = 12;

/// Height of a label including its margin, in pixels.
pub(super) const LABEL_HEIGHT: i32 = 20;

pub(super) const LABEL_PADDING: i32 = 7;

/// Maximum width of a step's name, of the other lines and of a label. Longer ones are cut.
const NAME_COLUMNS: usize = 32;
const LINE_COLUMNS: usize = 38;
const LABEL_COLUMNS: usize = 34;

/// Maximum number of labels in a box. Beyond this limit, the last one is a count.
const MAX_LABELS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Name,
    Kind,
    Condition,
    Note,
    /// Title of a section of the pack that is based on this step.
    Label,
}

impl Role {
    pub(super) fn height(self) -> i32 {
        match self {
            Self::Name => 18,
            Self::Label => LABEL_HEIGHT,
            Self::Kind | Self::Condition | Self::Note => 15,
        }
    }

    /// Approximate width of a line with this many columns, in pixels. We do not know the reader's
    /// fonts.
    fn width(self, columns: usize) -> i32 {
        let tenths = match self {
            Self::Name => 81,
            Self::Label => 62,
            Self::Kind | Self::Condition | Self::Note => 68,
        };
        i32::try_from(columns).map_or(0, |columns| (columns * tenths + 9) / 10)
    }
}

pub(super) struct Line {
    pub(super) role: Role,
    pub(super) text: String,
    /// In pixels. For a label, this includes both ends.
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

pub(super) struct StepBox {
    pub(super) name: String,
    pub(super) kind: String,
    /// The live state, or `None` for a plan without a run.
    pub(super) state: Option<&'static str>,
    pub(super) lines: Vec<Line>,
    /// The full text of everything cut from the box.
    pub(super) tooltip: String,
    pub(super) width: i32,
    /// Height in pixels. Always even, so that the middle is a whole number.
    pub(super) height: i32,
}

impl StepBox {
    /// Builds the box of a step. All texts pass through `clean` before we cut them, since half a
    /// secret would no longer be recognized.
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
            // Leave an empty line for the state. Otherwise, boxes would move when it appears.
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
        // Arrows arrive on the left, and each one needs some room.
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

/// Width of a text in a monospaced font, in columns.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Cuts `text` down to `most` columns, including a final `…`.
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
