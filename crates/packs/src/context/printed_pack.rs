//! A pack as it is printed, within a budget.

use windlass_base::{Caller, Limit, NextAction};

use crate::context::{ContextPack, Dress, Profile, Scale, TooSmall, render, trim};
use crate::{Budget, Format, Measure, harmless, redacted_json, tron};

/// How a pack is shown.
#[derive(Debug, Clone, Copy)]
pub struct PackView {
    /// How it is printed.
    pub format: Format,
    /// The most that is printed; as much as the profile says if not given, and all of it without a profile.
    pub limit: Option<Limit>,
    /// What it is for.
    pub profile: Option<Profile>,
}

/// A pack as it is printed.
#[derive(Debug)]
pub struct PrintedPack {
    /// What is shown of it.
    pub shown: ContextPack,
    /// The text.
    pub text: String,
}

/// How a format prints, and what a limit counts.
struct Printer {
    format: Format,
    measure: Measure,
}

impl Printer {
    /// The text.
    fn print(&self, pack: &ContextPack) -> String {
        match self.format {
            Format::Markdown => harmless(&render(pack, Dress::Markdown)),
            Format::Text { .. } => harmless(&render(pack, Dress::Text)),
            // A pack has no keys that are no texts.
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
        self.measure.weigh(&self.print(pack))
    }

    fn piece(&self, text: &str) -> usize {
        match self.format {
            Format::Json | Format::Tron => {
                let quoted = serde_json::to_string(text).unwrap_or_default();
                self.measure.weigh(&quoted)
            }
            Format::Markdown | Format::Text { .. } => self.measure.weigh(text),
        }
    }
}

impl PackView {
    /// Prints what fits of `pack`, which is whole or a view already, with `actions` as what to do next, made by `caller`.
    ///
    /// # Errors
    /// When what is always shown does not fit.
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
                    // A number that was given is nobody's but the caller's.
                    profile: small.profile.filter(|_| self.limit.is_none()),
                    ..small
                })?
            }
            None => pack,
        };
        let text = printer.print(&shown);
        Ok(PrintedPack { shown, text })
    }

    /// The same, with `more` as what to do next where not all of it fits.
    ///
    /// # Errors
    /// As [`PackView::print`].
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
        // Where the call does not fit any more, what is shown matters more.
        Ok(self.print(pack, vec![more], caller).unwrap_or(printed))
    }
}

fn budget(limit: Limit, profile: Option<Profile>) -> Budget {
    Budget {
        limit,
        profile: profile.map(|profile| profile.as_str().to_owned()),
    }
}
