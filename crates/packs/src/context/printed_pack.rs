//! Prints a context pack in any format, cut to a limit.

use windlass_base::{Caller, Limit, NextAction};
use windlass_page::page;

use crate::context::{ContextPack, Dress, Profile, Scale, TooSmall, render, trim};
use crate::{Budget, Format, Measure, harmless, harmless_line, redacted_json, tron};

/// Options for printing a pack.
#[derive(Debug, Clone, Copy)]
pub struct PackView {
    /// The format to measure and print in.
    pub format: Format,
    /// The limit on the size. If this is `None`, the profile's limit applies, and without a profile
    /// there is none.
    pub limit: Option<Limit>,
    /// The purpose of the pack. It only matters if there is no `limit`.
    pub profile: Option<Profile>,
}

/// A pack, cut to its limit and printed.
#[derive(Debug)]
pub struct PrintedPack {
    /// The part of the pack that fits the limit.
    pub shown: ContextPack,
    /// The same in the requested format.
    pub text: String,
}

struct Printer {
    format: Format,
    measure: Measure,
}

impl Printer {
    fn print(&self, pack: &ContextPack) -> String {
        let text = self.text(pack);
        match self.format {
            Format::Html => text_page(&pack.goal, &text),
            _ => text,
        }
    }

    /// The text whose size counts. On a web page, readers do not see the markup, so it is not
    /// included.
    fn text(&self, pack: &ContextPack) -> String {
        match self.format {
            Format::Markdown => harmless(&render(pack, Dress::Markdown)),
            Format::Text { .. } | Format::Html => harmless(&render(pack, Dress::Text)),
            // A pack only has string keys, so this can't fail.
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
                // In JSON, quotes and line ends take an extra character each.
                let quoted = serde_json::to_string(text).unwrap_or_default();
                self.measure.weigh(&quoted)
            }
            Format::Markdown | Format::Text { .. } | Format::Html => self.measure.weigh(text),
        }
    }
}

const TEXT_PAGE: &str = "<h1>{{ title }}</h1>\n<pre class=\"text\">{{ text }}</pre>\n";

fn text_page(title: &str, text: &str) -> String {
    let title = harmless_line(title);
    let values = serde_json::json!({ "title": title, "text": text });
    // The template is compiled in and covered by a test, so this doesn't fail in practice.
    page(&title, TEXT_PAGE, values).unwrap_or_else(|error| error.to_string())
}

impl PackView {
    /// Prints the part of a pack that fits the limit.
    ///
    /// The pack may already have been cut. `actions` are adapted to `caller`, and become the next
    /// actions.
    ///
    /// # Errors
    /// Returns an error if the parts that we always show do not fit.
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
                    // The message should only blame the profile if the limit comes from there.
                    profile: small.profile.filter(|_| self.limit.is_none()),
                    ..small
                })?
            }
            None => pack,
        };
        let text = printer.print(&shown);
        Ok(PrintedPack { shown, text })
    }

    /// Like [`print`](Self::print), but if the pack is cut, `more` becomes the next action.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`print`](Self::print).
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
        // The contents matter more than the next action, so leave it out if it doesn't fit.
        Ok(self.print(pack, vec![more], caller).unwrap_or(printed))
    }
}

fn budget(limit: Limit, profile: Option<Profile>) -> Budget {
    Budget {
        limit,
        profile: profile.map(|profile| profile.as_str().to_owned()),
    }
}
