//! Symbol that contained a text.
//!
//! If nothing else is known about the location, the symbol becomes a candidate. It also contradicts
//! a claim outside of it.

use std::sync::Arc;

use windlass_base::{LineSpan, Pointer, RepairOutcome, RepoPath, is_on};
use windlass_repo::SourceFile;

use super::Search;
use super::verdict::{Found, ambiguous};
use crate::capture::shift::places_now;
use crate::explain::Trace;
use crate::old_text::OldText;
use crate::params;
use crate::symbols::{lines_of, outline_of, without_blank_ends};

pub(crate) struct OwnSymbol<'a>(pub(crate) &'a Search<'a>);

impl OwnSymbol<'_> {
    /// Returns `found`, unless the symbol that contained the text contradicts it.
    ///
    /// A similar location is not claimed outside of the symbol if the symbol still exists in its
    /// own file or in the claimed one. A text is not reported as deleted while the symbol that it
    /// begins exists. It is not located elsewhere while the symbol still contains it. If nothing
    /// else is known, the symbol becomes a candidate.
    pub(super) fn unless_in_symbol(
        &self,
        found: Found,
        old: Option<&OldText>,
        trace: &mut Trace,
    ) -> Found {
        let repair = &found.repair;
        let claimed = repair.evidence.as_ref();
        let symbol = match repair.outcome {
            // If the text includes the first line of its symbol, it can't be gone while the symbol
            // exists.
            RepairOutcome::Gone if old.is_some_and(|old| self.began_its_symbol(old)) => {
                self.symbol_in(&self.0.pointer.file)
            }
            RepairOutcome::Edited | RepairOutcome::Unproven => {
                self.symbol_of(claimed, |file| self.symbol_in(file))
            }
            // If there are several copies, the one within the symbol may be the text. The claimed
            // location is one of the copies, so another one is required.
            RepairOutcome::Moved => self.symbol_of(claimed, |file| {
                let is_claimed = claimed.is_some_and(|claimed| claimed.file == *file);
                self.symbol_with_it(file, 1 + usize::from(is_claimed))
            }),
            RepairOutcome::Gone | RepairOutcome::Ambiguous => None,
        };
        let overlaps = |place: &Pointer, symbol: &Pointer| {
            place.file == symbol.file
                && place.span.end() >= symbol.span.start()
                && place.span.start() <= symbol.span.end()
        };
        let is_apart = |symbol: &Pointer| !claimed.is_some_and(|place| overlaps(place, symbol));
        let Some(symbol) = symbol.filter(is_apart).filter(|_| is_on("evidence.symbol")) else {
            return found;
        };
        trace.note("symbol", || {
            let name = self.0.capture.and_then(|capture| capture.symbol.as_deref());
            format!("its symbol `{}` is at {symbol}", name.unwrap_or_default())
        });
        let candidates = claimed.cloned().into_iter().chain([symbol]);
        Found {
            repair: ambiguous(candidates.collect()),
            why: found.why,
        }
    }

    /// Locates the symbol with `look` in its own file.
    ///
    /// If it is not there, looks in the `claimed` file, which may be the renamed one.
    fn symbol_of(
        &self,
        claimed: Option<&Pointer>,
        look: impl Fn(&RepoPath) -> Option<Pointer>,
    ) -> Option<Pointer> {
        let other = claimed.filter(|claimed| claimed.file != self.0.pointer.file);
        look(&self.0.pointer.file).or_else(|| look(&other?.file))
    }

    fn source_of(&self, file: &RepoPath) -> Option<Arc<SourceFile>> {
        match *file == self.0.pointer.file {
            true => self.0.source.clone(),
            false => self.0.snapshot.read(file).ok(),
        }
    }

    pub(super) fn symbol_in(&self, file: &RepoPath) -> Option<Pointer> {
        let name = self.0.capture?.symbol.as_deref()?;
        let source = self.source_of(file)?;
        let span = lines_of(&*outline_of(self.0.snapshot, file, &source)?, name)?;
        Some(Pointer {
            file: file.clone(),
            span,
            source_hash: source.span_hash(span),
        })
    }

    /// Locates the symbol in `file`. Returns `None` unless the symbol contains the unchanged text
    /// and the file contains at least `least` copies of it.
    fn symbol_with_it(&self, file: &RepoPath, least: usize) -> Option<Pointer> {
        let (source, hash) = (self.source_of(file)?, self.0.pointer.source_hash?);
        let places = places_now(&source, hash, self.0.capture?, params::MAX_EQUAL_LINES);
        // The number of copies is checked first, because finding symbols takes longer.
        if places.len() < least {
            return None;
        }
        let symbol = self.symbol_in(file)?;
        let is_within = |place: &LineSpan| {
            without_blank_ends(&source, *place).is_some_and(|said| {
                symbol.span.start() <= said.start() && said.end() <= symbol.span.end()
            })
        };
        places.iter().any(is_within).then_some(symbol)
    }

    /// Returns true if the text contains the first line of its symbol, which has the name.
    fn began_its_symbol(&self, old: &OldText) -> bool {
        let lines = || {
            let name = self.0.capture?.symbol.as_deref()?;
            let outline = outline_of(self.0.snapshot, &self.0.pointer.file, old.text.source())?;
            lines_of(&outline, name)
        };
        lines().is_some_and(|lines| old.lines.contains(lines.start() as usize - 1))
    }
}
