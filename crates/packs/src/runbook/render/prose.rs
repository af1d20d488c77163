//! Renders a view for people: as text for a terminal, or as Markdown.
//!
//! Both formats have the same structure, so it is described only once. Each function decides about
//! the markup of its own part.

use windlass_base::{Entry, NextAction, Observation};

use super::runbook_markdown::{self, code_span, escape};
use super::{screen_text, state_words as words};
use crate::Pack;
use crate::printing::{Style, Styled, clean, fit};
use crate::runbook::entry_view::{BlockView, EntryView};
use crate::runbook::runbook_view::{Says, SectionView, View};
use crate::runbook::value_parts::Part;

#[derive(Debug, Clone, Copy)]
pub(super) enum Prose {
    /// Text for a terminal, cut to this width if there is one.
    Screen(Option<usize>),
    Markdown,
}

use self::Prose::{Markdown, Screen};

impl Prose {
    pub(super) fn render(self, view: &View<'_>) -> Styled {
        let mut out = self.head(view.pack, view.says);
        for section in &view.sections {
            out.append(self.section(section, view.says));
        }
        if let Some(text) = words::sections_left_out(view) {
            out.append(self.paragraph(Style::Warn, &text, &format!("{text}.")));
        }
        if !view.next_actions.is_empty() {
            out.append(self.paragraph(Style::Heading, "Next", "## Next\n"));
        }
        for action in &view.next_actions {
            out.append(self.call(action));
        }
        if let Some(text) = words::cut(view) {
            out.append(self.paragraph(Style::Dim, &text, &format!("*{text}*")));
        }
        out
    }

    fn paragraph(self, style: Style, text: &str, markdown: &str) -> Styled {
        let mut out = Styled::default();
        match self {
            Screen(_) => out.end_line().push(style, text).end_line(),
            Markdown => out.plain_text(format!("\n{markdown}\n")),
        };
        out
    }

    fn remark(self, style: Style, mark: &str, markdown: &str, text: &str) -> Styled {
        let mut out = Styled::default();
        match self {
            Screen(_) => out.push(style, format!("{mark}{}", clean(text))).end_line(),
            Markdown => out.plain_text(format!("{markdown}{}\n", escape(text))),
        };
        out
    }

    fn head(self, pack: &Pack, says: Says) -> Styled {
        let mut out = Styled::default();
        let (title, status) = (&pack.runbook.title, pack.status);
        match self {
            Screen(_) => {
                out.push(Style::Title, clean(title)).plain_text("  ");
                out.push(screen_text::pack_style(status), status.as_str())
                    .end_line()
            }
            Markdown => out.plain_text(format!("# {} — {}\n", escape(title), status.as_str())),
        };
        let purpose = pack.runbook.purpose.trim();
        if says.purpose && !pack.runbook.purpose.is_empty() {
            match self {
                Screen(_) => out
                    .push(Style::Dim, clean(purpose).replace('\u{fffd}', " "))
                    .end_line(),
                Markdown => out.plain_text(format!("\n{}\n", escape(purpose))),
            };
        }
        for note in pack.notes.iter().filter(|_| says.warnings) {
            out.append(self.remark(Style::Warn, "note: ", "\n> ", note));
        }
        out
    }

    fn call(self, action: &NextAction) -> Styled {
        let (call, reason) = (action.written_out(), &action.reason);
        let mut out = Styled::default();
        match self {
            Screen(_) => out
                .plain_text("  ")
                .push(Style::Command, clean(&call))
                .push(Style::Dim, format!("  # {}", clean(reason)))
                .end_line(),
            Markdown => out.plain_text(format!("- {} {}\n", code_span(&call), escape(reason))),
        };
        out
    }

    fn section(self, view: &SectionView<'_>, says: Says) -> Styled {
        let section = view.section;
        let mut out = self.section_head(view);
        let help = section.help.as_deref().unwrap_or_default();
        for line in help.lines().filter(|_| says.purpose) {
            let line = match self {
                Screen(width) => fit(&clean(line), width).into_owned(),
                Markdown => line.to_owned(),
            };
            out.append(self.remark(Style::Dim, "  ", "> ", &line));
        }
        for note in section.notes.iter().filter(|_| says.notes) {
            out.append(self.remark(Style::Dim, "  note: ", "> ", note));
        }
        for entry in &view.entries {
            out.append(self.entry(entry));
        }
        if let Some(action) = view.more(says) {
            let (more, call) = (words::left_out(view.left_out), action.written_out());
            match self {
                Screen(_) => out
                    .push(Style::Dim, format!("  … {more}  "))
                    .push(Style::Command, clean(&call))
                    .end_line(),
                Markdown => out.plain_text(format!("- … {more}: {}\n", code_span(&call))),
            };
        }
        if let Some(lost) = view.lost(says).map(words::left_out) {
            out.append(self.remark(Style::Dim, "  … ", "- … ", &lost));
        }
        out
    }

    fn section_head(self, view: &SectionView<'_>) -> Styled {
        let section = view.section;
        let (title, status) = (&section.title, section.status);
        let count = match section.entries.len() {
            0 => None,
            all => Some(words::count(view.entries.len(), all)),
        };
        let mut out = Styled::default();
        match self {
            Screen(_) => {
                out.end_line()
                    .push(Style::Heading, clean(title))
                    .plain_text("  ")
                    .push(screen_text::section_style(status), status.as_str());
                let count = count.map(|count| format!("  {count}"));
                out.push(Style::Dim, count.unwrap_or_default());
                let reason = section.reason.as_deref();
                let reason = reason.map(|reason| format!(": {}", clean(reason)));
                out.plain_text(reason.unwrap_or_default()).end_line();
            }
            Markdown => {
                let count = count.map(|count| format!(" ({count})"));
                let count = count.unwrap_or_default();
                let status = status.as_str();
                out.plain_text(format!("\n## {} — {status}{count}\n\n", escape(title)));
                if let Some(reason) = &section.reason {
                    out.plain_text(format!("{}\n", escape(reason)));
                }
            }
        }
        out
    }

    pub(super) fn entry(self, entry: &EntryView<'_>) -> Styled {
        let Some((evidence, line)) = entry.single_line() else {
            return self.with_blocks(entry, &entry.blocks);
        };
        let text = line.text.as_str().trim();
        let mut out = match self {
            Screen(width) => {
                let title = clean(&fit(text, width)).into_owned();
                screen_text::evidence_head(evidence, Some(title), width)
            }
            Markdown => runbook_markdown::evidence_head(evidence, Some(code_span(text))),
        };
        let mark = entry.blocks.first().map(screen_text::context_mark);
        out.append(mark.unwrap_or_default());
        out.append(self.fields(entry));
        out
    }

    pub(super) fn entry_head(self, entry: &EntryView<'_>) -> Styled {
        self.with_blocks(entry, &[])
    }

    fn with_blocks(self, entry: &EntryView<'_>, blocks: &[BlockView]) -> Styled {
        let mut out = Styled::default();
        match entry.entry {
            Entry::Item(item) => {
                for (at, evidence) in item.evidence.iter().enumerate() {
                    let title = (at == 0).then(|| words::title(item));
                    let block = blocks.get(at);
                    let fields = match at {
                        0 => self.fields(entry),
                        _ => Styled::default(),
                    };
                    let (head, lines) = match self {
                        Screen(width) => (
                            screen_text::evidence_head(evidence, title, width),
                            block.map(|block| screen_text::block_text(block, width)),
                        ),
                        Markdown => (
                            runbook_markdown::evidence_head(evidence, title.map(|it| escape(&it))),
                            block.map(|block| runbook_markdown::block_text(block, evidence)),
                        ),
                    };
                    out.append(head).append(fields);
                    out.append(lines.unwrap_or_default());
                }
            }
            Entry::Observation(observation) => {
                let part = entry.part.as_ref();
                let observation = part.map_or(observation, |part| &part.observation);
                out.append(screen_text::marked(&self.observed(observation), part));
            }
        }
        out
    }

    /// Renders an item's fields, which go below the line with the item's name.
    fn fields(self, entry: &EntryView<'_>) -> Styled {
        let mut out = Styled::default();
        let item = entry.item_with_fields();
        for line in item.map(words::fields).unwrap_or_default() {
            let text = match (self, line.strip_prefix("  ")) {
                (Screen(width), _) => fit(&format!("    {line}"), width).into_owned(),
                (Markdown, Some(text)) => format!("    - {}", escape(text)),
                (Markdown, None) => format!("  - {}", escape(&line)),
            };
            out.plain_text(text).end_line();
        }
        out
    }

    /// An approximation of the text that a part of an observation adds.
    pub(super) fn part(self, part: &Part<'_, '_>) -> String {
        // No line has a deeper indent than this.
        let print = |line: &String| match self {
            Screen(width) => format!("      {}\n", fit(line, width)),
            Markdown => format!("      {}\n", escape(line)),
        };
        words::part(part).iter().map(print).collect()
    }

    /// The lines of an observation, as printed.
    fn observed(self, observation: &Observation) -> Vec<String> {
        let lines = words::observed(observation);
        let print = |(at, line): (usize, &String)| {
            let (screen, mark) = match at {
                0 => ("  ", "- "),
                _ => ("    ", "  "),
            };
            match self {
                Screen(width) => format!("{}\n", fit(&format!("{screen}{line}"), width)),
                Markdown => format!("{mark}{}\n", escape(line)),
            }
        };
        lines.iter().enumerate().map(print).collect()
    }
}
