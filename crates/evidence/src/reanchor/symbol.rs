//! Symbol that contained a text. It proposes a location if nothing else is known, and contradicts a location that is
//! only likely.

use std::sync::Arc;

use windlass_base::{LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, is_on};
use windlass_repo::SourceFile;

use super::Search;
use super::verdict::Found;
use crate::alignment::Alignment;
use crate::capture::shift::places_now;
use crate::explain::Trace;
use crate::old_text::OldText;
use crate::replay::Located;
use crate::symbols::{lines_of, outline_of, without_blank_ends};
use crate::text::{Part, Range, Text};

/// Check of a verdict against the symbol that contained the text.
pub(crate) struct SymbolHint<'a> {
    search: &'a Search<'a>,
}

impl<'a> SymbolHint<'a> {
    pub(crate) fn of(search: &'a Search<'a>) -> Self {
        Self { search }
    }

    /// Returns `found`, unless the symbol that contained the text contradicts it.
    ///
    /// A location that is only similar is not claimed outside of the symbol if the symbol still exists in its own file
    /// or in the claimed one. A text is not reported as deleted while the symbol that it begins exists. It is not
    /// located elsewhere while the symbol still contains it. If nothing else is known, the symbol becomes a candidate.
    pub(super) fn heard(&self, found: Found, old: Option<&OldText>, trace: &mut Trace) -> Found {
        let repair = &found.repair;
        let is_likely = match (repair.outcome, repair.method) {
            (RepairOutcome::Edited, Some(RepairMethod::Alignment)) => {
                is_on("evidence.symbol_alignment")
            }
            // A copy with another name may be more similar to the text than the edited text itself.
            (RepairOutcome::Edited, _) => {
                is_on("evidence.symbol_name")
                    && old.is_some_and(|old| self.lost_its_name(repair, old))
            }
            (RepairOutcome::Gone, _) => {
                is_on("evidence.symbol_began") && old.is_some_and(|old| self.began_its_symbol(old))
            }
            (RepairOutcome::Unproven, _) => is_on("evidence.symbol_candidate"),
            // If there are several copies, the one within the symbol may be the text.
            (RepairOutcome::Moved, _) => is_on("evidence.symbol_moved"),
            _ => false,
        };
        let claimed = repair.evidence.as_ref();
        let symbol = match repair.outcome {
            _ if !is_likely => None,
            RepairOutcome::Moved => {
                let with_it = self.symbol_of(claimed, |search, file| {
                    // The claimed location is one of the copies, so another one is required.
                    let is_claimed = claimed.is_some_and(|claimed| claimed.file == *file);
                    search.symbol_with_it(file, 1 + usize::from(is_claimed))
                });
                with_it.or_else(|| self.symbol_with_an_edit(claimed?, old?))
            }
            _ => self.symbol_of(claimed, Self::symbol_in),
        };
        let Some(symbol) = symbol else {
            return found;
        };
        if claimed.is_some_and(|place| {
            place.file == symbol.file
                && place.span.end() >= symbol.span.start()
                && place.span.start() <= symbol.span.end()
        }) {
            return found;
        }
        trace.note("symbol", || {
            let name = self
                .search
                .capture
                .and_then(|capture| capture.symbol.as_deref())
                .unwrap_or_default();
            match repair.outcome {
                RepairOutcome::Unproven => format!("`{name}`, in which it stood, is at {symbol}"),
                _ => format!(
                    "`{name}`, in which it stood, is at {symbol} still, so that is not proven"
                ),
            }
        });
        let candidates = claimed.cloned().into_iter().chain([symbol]);
        Found {
            repair: Repair {
                outcome: RepairOutcome::Ambiguous,
                candidates: candidates.collect(),
                ..Repair::unproven()
            },
            why: found.why,
        }
    }

    /// True if the text of `old` contains the name of its symbol and the claimed location does not. This is checked
    /// first, because parsing a file is expensive.
    fn lost_its_name(&self, repair: &Repair, old: &OldText) -> bool {
        let name = self
            .search
            .capture
            .and_then(|capture| capture.symbol.as_deref());
        let (Some(name), Some(claimed)) = (name.map(last_word), &repair.evidence) else {
            return false;
        };
        has_word(&old.text, old.lines, name)
            && self
                .search
                .text_of(&claimed.file)
                .is_some_and(|now| !has_word(&now, Range::of(claimed.span), name))
    }

    /// Locates the symbol with `look` in its own file. If it is not there, looks in the `claimed` file, which may be
    /// the renamed one.
    fn symbol_of(
        &self,
        claimed: Option<&Pointer>,
        look: impl Fn(&Self, &RepoPath) -> Option<Pointer>,
    ) -> Option<Pointer> {
        let own = &self.search.pointer.file;
        look(self, own).or_else(|| {
            let other = &claimed?.file;
            (other != own).then(|| look(self, other))?
        })
    }

    /// Returns the current contents of `file`.
    fn source_of(&self, file: &RepoPath) -> Option<Arc<SourceFile>> {
        match *file == self.search.pointer.file {
            true => self.search.source.clone(),
            false => self.search.snapshot.read(file).ok(),
        }
    }

    /// Locates the symbol of the text in the current `file`.
    pub(super) fn symbol_in(&self, file: &RepoPath) -> Option<Pointer> {
        let name = self.search.capture?.symbol.as_deref()?;
        let source = self.source_of(file)?;
        let span = lines_of(&*outline_of(self.search.snapshot, file, &source)?, name)?;
        Some(Pointer {
            file: file.clone(),
            span,
            source_hash: source.span_hash(span),
        })
    }

    /// Locates the symbol in `file`. Returns `None` unless the symbol contains the unchanged text and the file contains
    /// at least `least` copies of it.
    fn symbol_with_it(&self, file: &RepoPath, least: usize) -> Option<Pointer> {
        /// Maximum number of copies to inspect.
        const MOST: usize = 64;
        let (source, hash) = (self.source_of(file)?, self.search.pointer.source_hash?);
        let places = places_now(&source, hash, self.search.capture?, MOST);
        // The number of copies is checked first, because finding symbols takes longer.
        if places.len() < least {
            return None;
        }
        let symbol = self.symbol_in(file)?;
        let is_within = |place: &LineSpan| {
            let said = without_blank_ends(&source, *place);
            said.is_some_and(|said| {
                symbol.span.start() <= said.start() && said.end() <= symbol.span.end()
            })
        };
        places.iter().any(is_within).then_some(symbol)
    }

    /// Locates the symbol in the `claimed` file, if the claim is outside of it and the symbol still contains most of
    /// the text in edited form. The claim may then be a copy. Returns `None` if the text contains the name of its
    /// symbol, or if the claim is next to the text's former neighbours.
    fn symbol_with_an_edit(&self, claimed: &Pointer, old: &OldText) -> Option<Pointer> {
        /// Minimum similarity of the text to lines of the symbol, in percent.
        const MOST: u32 = 60;
        if !is_on("evidence.symbol_with_an_edit") {
            return None;
        }
        let name = last_word(self.search.capture?.symbol.as_deref()?);
        let now = self.search.text_of(&claimed.file)?;
        let lines = Range::of(claimed.span);
        if beside(&old.text, old.lines) == beside(&now, lines)
            || has_word(&old.text, old.lines, name)
        {
            return None;
        }
        let symbol = self.symbol_in(&claimed.file)?;
        let there = Part {
            text: &now,
            lines: Range::of(symbol.span),
        };
        let left = Alignment::of(old.part(), there, |at| !lines.contains(at));
        (left.share_of_one(old.part()) >= MOST).then_some(symbol)
    }

    /// Returns an ambiguous verdict if the symbol contains the unchanged text and the captured location is outside of
    /// it.
    pub(crate) fn is_copied_out_of(&self) -> Option<Repair> {
        if !is_on("evidence.symbol_twin") {
            return None;
        }
        // The captured location also contains the text, so two copies are required.
        let symbol = self.symbol_with_it(&self.search.pointer.file, 2)?;
        let own = without_blank_ends(self.search.source.as_ref()?, self.search.pointer.span)?;
        let is_outside = own.end() < symbol.span.start() || symbol.span.end() < own.start();
        is_outside.then(|| Repair {
            outcome: RepairOutcome::Ambiguous,
            candidates: vec![self.search.pointer.clone(), symbol],
            ..Repair::unproven()
        })
    }

    /// True if a file that was added when the text of `old` was removed has a symbol with the same name and about the
    /// same length. The text's file may have been renamed and rewritten in one commit.
    pub(super) fn came_in(
        &self,
        old: &OldText,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> bool {
        /// Maximum number of files to inspect.
        const MOST: usize = 64;
        let name = self
            .search
            .capture
            .and_then(|capture| capture.symbol.as_deref());
        let Some((followed, name)) = followed.zip(name) else {
            return false;
        };
        if !is_on("evidence.symbol_came_in") {
            return false;
        }
        let is_named =
            |text: &Text| memchr::memmem::find(text.source().bytes(), last_word(name)).is_some();
        let added = followed.files_added(self.search.snapshot, old).into_iter();
        let named: Vec<_> = added
            .filter(|(_, text)| is_named(text))
            .take(MOST)
            .collect();
        if named.is_empty() {
            return false;
        }
        // This comes last, because parsing a file is expensive and rarely needed.
        let Some(own) = self.symbol_of_old(old) else {
            return false;
        };
        let found = named.into_iter().find_map(|(file, text)| {
            let outline = outline_of(self.search.snapshot, &file, text.source())?;
            let lines = lines_of(&outline, name)?;
            let (one, other) = (lines.count(), own.count());
            (one.min(other) * 2 >= one.max(other)).then_some((file, lines))
        });
        if let Some((file, lines)) = &found {
            trace.note("symbol", || {
                format!("`{name}`, in which it stood, came in at {file}:{lines}, so it is not known to be gone")
            });
        }
        found.is_some()
    }

    /// Returns the lines of the symbol in the old file.
    fn symbol_of_old(&self, old: &OldText) -> Option<LineSpan> {
        let name = self.search.capture?.symbol.as_deref()?;
        let outline = outline_of(
            self.search.snapshot,
            &self.search.pointer.file,
            old.text.source(),
        )?;
        lines_of(&outline, name)
    }

    /// True if the text contains the first line of its symbol, which has the name.
    fn began_its_symbol(&self, old: &OldText) -> bool {
        let lines = self.symbol_of_old(old);
        lines.is_some_and(|lines| old.lines.contains(lines.start() as usize - 1))
    }
}

/// True if one of `lines` contains `word`.
fn has_word(text: &Text, lines: Range, word: &[u8]) -> bool {
    let finder = memchr::memmem::Finder::new(word);
    let mut lines = lines.start..lines.end.min(text.len());
    lines.any(|at| finder.find(&text.bytes(at)).is_some())
}

/// Returns the nearest non-trivial line before `lines` and the nearest one after them.
fn beside(text: &Text, lines: Range) -> [Option<u64>; 2] {
    let telling = |at: &usize| !text.is_trivial(*at);
    let before = (0..lines.start.min(text.len())).rev().find(telling);
    let after = (lines.end..text.len()).find(telling);
    [before, after].map(|at| at.map(|at| text.keys()[at]))
}

/// Returns the last part of a qualified name.
fn last_word(name: &str) -> &[u8] {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = name.rsplit(|letter: char| !is_part(letter));
    words
        .find(|word| !word.is_empty())
        .unwrap_or(name)
        .as_bytes()
}
