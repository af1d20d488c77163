//! Renders a view as a web page, e.g. to attach it to a pull request. A server can also use the
//! content alone, in a page of its own.

use serde::Serialize;
use windlass_base::{Entry, Evidence, NextAction, Observation, Pointer};
use windlass_page::{content, page};

use super::{screen_text, state_words as words};
use crate::Pack;
use crate::printing::{Style, Styled, clean, clean_text};
use crate::runbook::edit_diff::DiffSign;
use crate::runbook::entry_view::{BlockView, EntryView, PartView};
use crate::runbook::runbook_view::{SectionView, View};
use crate::runbook::verified_lines::TextLine;

const CONTENT: &str = include_str!("runbook.html");

/// The values for the template. Its engine escapes all of them, and we only remove harmful
/// characters.
#[derive(Serialize)]
struct PackPage {
    title: String,
    status: &'static str,
    tone: &'static str,
    purpose: String,
    notes: Vec<String>,
    sections: Vec<SectionPage>,
    omitted: Vec<String>,
    next: Vec<Call>,
}

#[derive(Serialize)]
struct SectionPage {
    title: String,
    status: &'static str,
    tone: &'static str,
    count: String,
    reason: String,
    /// The section's help, followed by its notes.
    notes: Vec<String>,
    entries: Vec<EntryPage>,
    more: Option<Call>,
    lost: Option<String>,
}

#[derive(Serialize)]
struct Call {
    command: String,
    reason: String,
}

#[derive(Serialize)]
struct EntryPage {
    evidence: Vec<EvidencePage>,
    text: String,
}

#[derive(Serialize)]
struct EvidencePage {
    state: &'static str,
    tone: &'static str,
    place: String,
    /// The address of the location. This is `None` if the page has no links.
    link: Option<String>,
    title: String,
    remark: String,
    lines: Vec<LinePage>,
    marks: Vec<String>,
}

#[derive(Serialize)]
struct LinePage {
    number: u32,
    sort: &'static str,
    text: String,
}

/// Returns the address of a location, or `None` if it cannot be linked to.
pub type PlaceLink<'a> = &'a dyn Fn(&Pointer) -> Option<String>;

/// Renders a pack without the frame of the page.
#[must_use]
pub fn pack_content(view: &View<'_>, link: PlaceLink<'_>) -> String {
    // The template is compiled in and covered by a test, so this doesn't fail in practice.
    content(CONTENT, PackPage::of(view, link)).unwrap_or_else(|error| error.to_string())
}

pub(super) fn render(view: &View<'_>) -> Styled {
    // People pass pages on, so a page mustn't name folders of this machine. That rules out links.
    let content = PackPage::of(view, &|_| None);
    // As above, this doesn't fail in practice.
    let text = page(&content.title, CONTENT, &content).unwrap_or_else(|error| error.to_string());
    Styled::from(text)
}

impl PackPage {
    fn of(view: &View<'_>, link: PlaceLink<'_>) -> Self {
        let Pack {
            runbook,
            status,
            notes,
            ..
        } = view.pack;
        let notes = notes.iter().filter(|_| view.says.warnings);
        let omitted = [words::sections_left_out(view), words::cut(view)];
        Self {
            title: clean(&runbook.title).into_owned(),
            status: status.as_str(),
            tone: tone(screen_text::pack_style(*status)),
            purpose: match view.says.purpose {
                true => clean_text(runbook.purpose.trim()),
                false => String::new(),
            },
            notes: notes.map(|note| clean(note).into_owned()).collect(),
            sections: view
                .sections
                .iter()
                .map(|one| SectionPage::of(one, view, link))
                .collect(),
            omitted: omitted.into_iter().flatten().collect(),
            next: view.next_actions.iter().map(Call::of).collect(),
        }
    }
}

impl SectionPage {
    fn of(shown: &SectionView<'_>, view: &View<'_>, link: PlaceLink<'_>) -> Self {
        let section = shown.section;
        let help = section.help.iter().filter(|_| view.says.purpose);
        let notes = section.notes.iter().filter(|_| view.says.notes);
        Self {
            title: clean(&section.title).into_owned(),
            status: section.status.as_str(),
            tone: tone(screen_text::section_style(section.status)),
            count: match section.entries.len() {
                0 => String::new(),
                all => words::count(shown.entries.len(), all),
            },
            reason: section
                .reason
                .as_deref()
                .map(clean)
                .unwrap_or_default()
                .into_owned(),
            notes: help.chain(notes).map(|note| clean_text(note)).collect(),
            entries: shown
                .entries
                .iter()
                .map(|entry| EntryPage::of(entry, link))
                .collect(),
            more: shown.more(view.says).map(|action| Call {
                reason: words::left_out(shown.left_out),
                ..Call::of(action)
            }),
            lost: shown.lost(view.says).map(words::left_out),
        }
    }
}

impl Call {
    fn of(action: &NextAction) -> Self {
        Self {
            command: clean(&action.written_out()).into_owned(),
            reason: clean(&action.reason).into_owned(),
        }
    }
}

impl EntryPage {
    fn of(shown: &EntryView<'_>, link: PlaceLink<'_>) -> Self {
        match shown.entry {
            Entry::Observation(observation) => {
                let part = shown.part.as_ref();
                let observation = part.map_or(observation, |part| &part.observation);
                Self {
                    evidence: Vec::new(),
                    text: observed(observation, part),
                }
            }
            Entry::Item(item) => {
                let evidence = item.evidence.iter().enumerate();
                let evidence = evidence.map(|(at, evidence)| {
                    let title = if at == 0 {
                        words::title(item)
                    } else {
                        String::new()
                    };
                    EvidencePage {
                        link: link(words::pointer_now(evidence)),
                        ..EvidencePage::of(evidence, title, shown.blocks.get(at))
                    }
                });
                let fields = shown.item_with_fields().map(words::fields);
                Self {
                    evidence: evidence.collect(),
                    text: fields.unwrap_or_default().join("\n"),
                }
            }
        }
    }
}

/// An observation as text. Marks show that something was omitted.
fn observed(observation: &Observation, part: Option<&PartView>) -> String {
    let lines = words::observed(observation);
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    screen_text::marked(&lines, part).plain()
}

impl EvidencePage {
    fn of(evidence: &Evidence, title: String, block: Option<&BlockView>) -> Self {
        let (state, style) = words::state(&evidence.judgement);
        let none = BlockView::default();
        let block = block.unwrap_or(&none);
        let lines = block.before.iter().chain(&block.lines).chain(&block.after);
        Self {
            state,
            tone: tone(style),
            place: words::place(evidence),
            link: None,
            title,
            remark: words::remark(evidence).unwrap_or_default(),
            lines: lines.chain(&block.pieces).map(LinePage::of).collect(),
            marks: marks(block),
        }
    }
}

fn marks(block: &BlockView) -> Vec<String> {
    let cut = match block.lines.is_empty() || block.lines_cut == 0 {
        true => Styled::default(),
        false => screen_text::cut_mark(block.lines_cut),
    };
    let marks = [
        cut,
        screen_text::context_mark(block),
        screen_text::pieces_mark(block),
    ];
    let marks = marks.iter().map(|mark| mark.plain().trim().to_owned());
    marks.filter(|mark| !mark.is_empty()).collect()
}

impl LinePage {
    fn of(line: &TextLine) -> Self {
        let text = clean(line.text.as_str());
        let (sort, text) = match line.sign {
            None => ("same", text.into_owned()),
            Some(DiffSign::Gap) => ("gap", "…".to_owned()),
            Some(sign @ DiffSign::Added) => ("added", format!("{}{text}", sign.mark())),
            Some(sign @ DiffSign::Removed) => ("removed", format!("{}{text}", sign.mark())),
            Some(sign @ DiffSign::Same) => ("same", format!("{}{text}", sign.mark())),
        };
        Self {
            number: line.number,
            sort,
            text,
        }
    }
}

fn tone(style: Style) -> &'static str {
    match style {
        Style::Good => "good",
        Style::Warn => "warn",
        Style::Bad => "bad",
        _ => "dim",
    }
}
