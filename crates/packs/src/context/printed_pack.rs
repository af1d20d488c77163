//! Prints a context pack within a budget.

use windlass_base::{Caller, Limit, NextAction};
use windlass_page::page;

use crate::context::{ContextPack, Dress, Profile, Scale, TooSmall, render, trim};
use crate::{Budget, Format, Measure, harmless, harmless_line, redacted_json, tron};

/// Options for printing a pack.
#[derive(Debug, Clone, Copy)]
pub struct PackView {
    /// Format of the printed text.
    pub format: Format,
    /// Maximum size. `None` uses the profile's limit, or no limit if there's no profile either.
    pub limit: Option<Limit>,
    /// Purpose of the pack, which determines the default limit.
    pub profile: Option<Profile>,
}

/// A pack as printed.
#[derive(Debug)]
pub struct PrintedPack {
    /// The part of the pack that fits the limit.
    pub shown: ContextPack,
    /// That part in the requested format.
    pub text: String,
}

/// Output format, and the unit in which its size is measured.
struct Printer {
    format: Format,
    measure: Measure,
}

impl Printer {
    /// Returns `pack` in the output format.
    fn print(&self, pack: &ContextPack) -> String {
        let text = self.text(pack);
        match self.format {
            Format::Html => text_page(&pack.goal, &text),
            _ => text,
        }
    }

    /// Returns the text whose size counts. For a web page, that excludes the markup, which no
    /// reader sees.
    fn text(&self, pack: &ContextPack) -> String {
        match self.format {
            Format::Markdown => harmless(&render(pack, Dress::Markdown)),
            Format::Text { .. } | Format::Html => harmless(&render(pack, Dress::Text)),
            // This can't fail: a pack has only string keys.
            Format::Json => redacted_json(pack).unwrap_or_default() + "\n",
            Format::Tron => {
                let json = redacted_json(pack).unwrap_or_default() + "\n";
                tron(&json, self.measure)
            }
        }
    }
}

impl Scale for Printer {
    fn whole(&self, pack: &ContextPack) -> usize {
        self.measure.weigh(&self.text(pack))
    }

    fn piece(&self, text: &str) -> usize {
        match self.format {
            Format::Json | Format::Tron => {
                let quoted = serde_json::to_string(text).unwrap_or_default();
                self.measure.weigh(&quoted)
            }
            Format::Markdown | Format::Text { .. } | Format::Html => self.measure.weigh(text),
        }
    }
}

/// Template of a page that shows a text.
const TEXT_PAGE: &str = "<h1>{{ title }}</h1>\n<pre class=\"text\">{{ text }}</pre>\n";

/// Renders `text` as a web page.
fn text_page(title: &str, text: &str) -> String {
    let title = harmless_line(title);
    let values = serde_json::json!({ "title": title, "text": text });
    // The template is compiled in and covered by a test, so this doesn't fail in practice.
    page(&title, TEXT_PAGE, values).unwrap_or_else(|error| error.to_string())
}

impl PackView {
    /// Prints the part of `pack` that fits the limit, whether `pack` is whole or already cut.
    /// `actions` become the next actions, adapted to `caller`.
    ///
    /// # Errors
    /// Returns an error if the mandatory parts do not fit.
    pub fn print(
        self,
        pack: &ContextPack,
        actions: Vec<NextAction>,
        caller: Option<&Caller>,
    ) -> Result<PrintedPack, TooSmall> {
        let profile = self
            .profile
            .map(|profile| Limit::Tokens(profile.max_tokens()));
        let limit = self.limit.or(profile);
        let printer = Printer {
            format: self.format,
            measure: Measure::of(limit.unwrap_or(Limit::Chars(0))),
        };
        let mut pack = pack.clone();
        pack.next_actions = actions
            .into_iter()
            .filter_map(|action| action.for_caller(caller))
            .collect();
        let shown = match limit {
            Some(limit) => {
                let trimmed = trim(&pack, &budget(limit, self.profile), &printer);
                trimmed.map_err(|small| TooSmall {
                    // If the caller set the limit, don't blame the profile for it.
                    profile: small.profile.filter(|_| self.limit.is_none()),
                    ..small
                })?
            }
            None => pack,
        };
        let text = printer.print(&shown);
        Ok(PrintedPack { shown, text })
    }

    /// Prints like [`PackView::print`], and adds `more` as the next action if the pack is cut.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`PackView::print`].
    pub fn print_cut(
        self,
        pack: &ContextPack,
        more: NextAction,
        caller: Option<&Caller>,
    ) -> Result<PrintedPack, TooSmall> {
        let printed = self.print(pack, Vec::new(), caller)?;
        let budget = printed.shown.budget.as_ref();
        if budget.is_none_or(|budget| budget.whole <= budget.max) {
            return Ok(printed);
        }
        // Content matters more than the next action, so drop the action if it doesn't fit.
        Ok(self.print(pack, vec![more], caller).unwrap_or(printed))
    }
}

fn budget(limit: Limit, profile: Option<Profile>) -> Budget {
    Budget {
        limit,
        profile: profile.map(|profile| profile.as_str().to_owned()),
    }
}
