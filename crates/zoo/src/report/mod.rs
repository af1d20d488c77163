//! Reports on results: a web page, Markdown for pull requests, and JUnit XML for build servers. All
//! of them are templates for the same data (see `page`), so they cannot contradict each other.

mod page;
mod run_history;

pub use run_history::{History, Run};

use minijinja::AutoEscape;
use minijinja::value::Serde;
use windlass::Error;
use windlass::packs::{harmless, redacted_json};

use crate::gate::Checked;
use crate::results::{Baseline, Results};
use page::Page;

/// The templates by name. Depending on the extension, values are escaped in another way.
const TEMPLATES: [(&str, &str); 3] = [
    ("report.txt", include_str!("report.txt")),
    ("report.md", include_str!("report.md")),
    ("report.xml", include_str!("report.xml")),
];

const CONTENT: &str = include_str!("report.html");

/// The results of a run, along with what the report compares them with.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The results to report.
    pub results: &'a Results,
    /// The gates, or `None` if none were checked.
    pub checked: Option<&'a Checked>,
    /// The baseline, or `None` if there is nothing to compare with.
    pub baseline: Option<&'a Baseline>,
    /// Earlier runs, in order to show trends.
    pub history: &'a History,
}

impl Report<'_> {
    /// Returns the report as JSON, with all cases, the summaries and the gates.
    ///
    /// # Errors
    ///
    /// Returns an error if the report cannot be written as JSON.
    pub fn json(&self) -> Result<String, Error> {
        let mut value = serde_json::to_value(self.results).map_err(Error::internal)?;
        value["summaries"] =
            serde_json::to_value(self.results.summaries()).map_err(Error::internal)?;
        if let Some(checked) = self.checked {
            value["held"] = serde_json::to_value(&checked.held).map_err(Error::internal)?;
            value["broken"] = serde_json::to_value(&checked.broken).map_err(Error::internal)?;
        }
        Ok(redacted_json(&value).map_err(Error::internal)? + "\n")
    }

    /// Returns the report as text for a terminal.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is not valid.
    pub fn text(&self) -> Result<String, Error> {
        self.rendered("report.txt").map(|text| harmless(&text))
    }

    /// Returns the report as Markdown, for a comment on a pull request. Failed gates come first.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is not valid.
    pub fn markdown(&self) -> Result<String, Error> {
        self.rendered("report.md").map(|text| harmless(&text))
    }

    /// Returns the report as a web page in a single file.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is not valid.
    pub fn html(&self) -> Result<String, Error> {
        let page = Page::of(self);
        let text = windlass_page::page(&page.title, CONTENT, &page).map_err(Error::internal)?;
        Ok(clean(&text))
    }

    /// Like [`html`](Self::html), but without the frame of the page.
    ///
    /// # Errors
    ///
    /// Returns an error if the template is not valid.
    pub fn content(&self) -> Result<String, Error> {
        let text = windlass_page::content(CONTENT, Page::of(self)).map_err(Error::internal)?;
        Ok(clean(&text))
    }

    /// Returns the report as JUnit XML, with a suite for each archetype and one for the gates.
    ///
    /// If there are gates, the only failures are the gates that are violated, and the cases that we
    /// could not measure.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is not valid.
    pub fn junit(&self) -> Result<String, Error> {
        self.rendered("report.xml")
    }

    fn rendered(&self, name: &str) -> Result<String, Error> {
        let mut templates = windlass_page::environment().map_err(Error::internal)?;
        templates.set_auto_escape_callback(|name| {
            match name.ends_with(".md") || name.ends_with(".txt") {
                true => AutoEscape::None,
                false => AutoEscape::Html,
            }
        });
        templates.add_filter("plain", plain);
        templates.add_filter("code", code);
        templates.add_filter("sentence", sentence);
        templates.add_filter("aligned", aligned);
        for (name, text) in TEMPLATES {
            templates
                .add_template(name, text)
                .map_err(Error::internal)?;
        }
        let template = templates.get_template(name).map_err(Error::internal)?;
        let page = Serde(Page::of(self));
        let rendered = template.render(page).map_err(Error::internal)?;
        Ok(clean(&rendered))
    }
}

/// Drops characters that are not allowed in XML.
fn clean(text: &str) -> String {
    let is_held = |c: &char| {
        matches!(c, '\n' | '\t') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().filter(is_held).collect()
}

/// Escapes a text for Markdown, on a single line.
fn plain(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let special = |c: char| "\\`*_[]<>|#&~".contains(c);
    text.chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// Formats a text as code in Markdown. The fence has to be longer than any backticks in the text.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default() + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

fn sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}

/// Aligns the columns of a table: the first one on the left, and all others on the right. In
/// `header`, there is a `|` between the names of columns.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a filter of a template takes values"
)]
fn aligned(rows: Vec<Vec<String>>, header: &str) -> String {
    let header: Vec<String> = header.split('|').map(str::to_owned).collect();
    let rows = || std::iter::once(&header).chain(&rows);
    let width = |column: usize| {
        let cells = rows().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in rows() {
        let cells = row
            .iter()
            .take(header.len())
            .enumerate()
            .map(|(column, cell)| match column {
                0 => format!("{cell:<0$}", width(0)),
                _ => format!("  {cell:>0$}", width(column)),
            });
        text.push_str(cells.collect::<String>().trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
