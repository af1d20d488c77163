//! Reports about results: a web page, Markdown for pull requests, and JUnit XML for build servers.
//! All are templates for the same data (`page`), so they can't disagree.

mod page;
mod run_history;

pub use run_history::{History, Run};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use windlass::Error;
use windlass::packs::{harmless, redacted_json};

use crate::gate::Checked;
use crate::results::{Baseline, Results};
use page::Page;

/// Templates, by name. The extension decides how values are escaped.
const TEMPLATES: [(&str, &str); 3] = [
    ("report.txt", include_str!("report.txt")),
    ("report.md", include_str!("report.md")),
    ("report.xml", include_str!("report.xml")),
];

/// Template for the web page.
const CONTENT: &str = include_str!("report.html");

/// The results of a run, with the data shown beside them.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The results.
    pub results: &'a Results,
    /// The outcome of the gates, or `None` if they were not checked.
    pub checked: Option<&'a Checked>,
    /// The baseline to compare with.
    pub baseline: Option<&'a Baseline>,
    /// Earlier runs, for trends.
    pub history: &'a History,
}

impl Report<'_> {
    /// Formats the report as JSON, with every case, the summaries, and the outcome of the gates.
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

    /// Formats the report as text for a terminal.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is invalid.
    pub fn text(&self) -> Result<String, Error> {
        self.rendered("report.txt").map(|text| harmless(&text))
    }

    /// Formats the report as Markdown for a comment on a pull request. Failed gates come first.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is invalid.
    pub fn markdown(&self) -> Result<String, Error> {
        self.rendered("report.md").map(|text| harmless(&text))
    }

    /// Formats the report as a web page in a single file.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is invalid.
    pub fn html(&self) -> Result<String, Error> {
        let page = Page::of(self);
        let text = windlass_page::page(&page.title, CONTENT, &page).map_err(Error::internal)?;
        Ok(clean(&text))
    }

    /// Formats the content of the web page, without its frame.
    ///
    /// # Errors
    ///
    /// Returns an error if the template is invalid.
    pub fn content(&self) -> Result<String, Error> {
        let text = windlass_page::content(CONTENT, Page::of(self)).map_err(Error::internal)?;
        Ok(clean(&text))
    }

    /// Formats the report as JUnit XML, with one suite for each archetype and one for the gates. If
    /// there are gates, only violated gates and cases without a measurement are failures.
    ///
    /// # Errors
    ///
    /// Returns an error if a template is invalid.
    pub fn junit(&self) -> Result<String, Error> {
        self.rendered("report.xml")
    }

    fn rendered(&self, name: &str) -> Result<String, Error> {
        let mut templates = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        syntax.keep_trailing_newline(true);
        templates.set_syntax(syntax.build().map_err(Error::internal)?);
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

/// Removes characters that aren't allowed in XML.
fn clean(text: &str) -> String {
    let is_held = |c: &char| {
        matches!(c, '\n' | '\t') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().filter(is_held).collect()
}

/// Escapes a text and joins it to one line of Markdown.
fn plain(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let special = |c: char| "\\`*_[]<>|#&~".contains(c);
    text.chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// Formats a text as Markdown code. The fence is longer than any run of backticks in the text.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default() + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Returns the first sentence of a text.
fn sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}

/// Aligns the columns of a table. `header` names the columns, separated by `|`. The first column is aligned to the
/// left and the others to the right.
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
