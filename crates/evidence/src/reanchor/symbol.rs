//! The symbol that a text was in: it proposes where nothing else is known, and speaks against what is only likely.

use std::sync::Arc;

use windlass_base::{LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath};
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

/// Symbol of a text, as a hint.
pub(crate) struct SymbolHint<'a> {
    search: &'a Search<'a>,
}

impl<'a> SymbolHint<'a> {
    pub(crate) fn of(search: &'a Search<'a>) -> Self {
        Self { search }
    }

    /// `found`, as far as the symbol of the text does not speak against it.
    ///
    /// A place that is only like the text is not claimed when it is outside of the symbol, which is in its file still, or in
    /// the file that is claimed. Nor is the text gone then, if it was the beginning of it, nor outside of it while it has the
    /// same text still. Where nothing is known, the symbol is named as a candidate.
    pub(super) fn heard(&self, found: Found, old: Option<&OldText>, trace: &mut Trace) -> Found {
        let repair = &found.repair;
        let is_likely = match (repair.outcome, repair.method) {
            (RepairOutcome::Edited, Some(RepairMethod::Alignment)) => true,
            // A copy under another name, made as the text was edited, may be more like it than the text is.
            (RepairOutcome::Edited, _) => old.is_some_and(|old| self.lost_its_name(repair, old)),
            (RepairOutcome::Gone, _) => old.is_some_and(|old| self.began_its_symbol(old)),
            (RepairOutcome::Unproven, _) => true,
            // Among copies, the one within its symbol may be it.
            (RepairOutcome::Moved, _) => true,
            _ => false,
        };
        let claimed = repair.evidence.as_ref();
        let symbol = match repair.outcome {
            _ if !is_likely => None,
            RepairOutcome::Moved => {
                let with_it = self.symbol_of(claimed, |search, file| {
                    // The place that is claimed is one of those that have it.
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

    /// True if the text of `old` had the name of its symbol in it, and the place that is claimed has not. To take a file apart is
    /// dear; this is not.
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

    /// Location of its symbol by `look`: in its own file, or else in the `claimed` one, which may be its own by another name.
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

    /// `file` as it is now.
    fn source_of(&self, file: &RepoPath) -> Option<Arc<SourceFile>> {
        match *file == self.search.pointer.file {
            true => self.search.source.clone(),
            false => self.search.snapshot.read(file).ok(),
        }
    }

    /// Location of the symbol of the text in `file` now.
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

    /// Location of its symbol in `file`, if that has the text as it was, and the file has it at `least` so many times.
    fn symbol_with_it(&self, file: &RepoPath, least: usize) -> Option<Pointer> {
        /// Maximum number of copies that are inspected.
        const MOST: usize = 64;
        let (source, hash) = (self.source_of(file)?, self.search.pointer.source_hash?);
        let places = places_now(&source, hash, self.search.capture?, MOST);
        // To look for symbols takes longer.
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

    /// Location of its symbol in the `claimed` file, if the claim is outside of it and the symbol still has most of the text, edited: a copy
    /// may have been made of it. Nothing where the text names its symbol, or is beside the lines that it was beside.
    fn symbol_with_an_edit(&self, claimed: &Pointer, old: &OldText) -> Option<Pointer> {
        /// Share of the text that has to be like lines of the symbol, in percent.
        const MOST: u32 = 60;
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

    /// Location of its symbol, if that has the text as it was and its old place is outside of it.
    pub(crate) fn is_copied_out_of(&self) -> Option<Repair> {
        // It has the text in its own place as well.
        let symbol = self.symbol_with_it(&self.search.pointer.file, 2)?;
        let own = without_blank_ends(self.search.source.as_ref()?, self.search.pointer.span)?;
        let is_outside = own.end() < symbol.span.start() || symbol.span.end() < own.start();
        is_outside.then(|| Repair {
            outcome: RepairOutcome::Ambiguous,
            candidates: vec![self.search.pointer.clone(), symbol],
            ..Repair::unproven()
        })
    }

    /// True if a file that came in when the text of `old` was taken out has a symbol of that name, about as long: its file may have been
    /// renamed and rewritten at once.
    pub(super) fn came_in(
        &self,
        old: &OldText,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> bool {
        /// Maximum number of files that are inspected.
        const MOST: usize = 64;
        let name = self
            .search
            .capture
            .and_then(|capture| capture.symbol.as_deref());
        let Some((followed, name)) = followed.zip(name) else {
            return false;
        };
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
        // To take a file apart is dear, and hardly ever needed.
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

    /// The lines of its symbol in the file of `old`.
    fn symbol_of_old(&self, old: &OldText) -> Option<LineSpan> {
        let name = self.search.capture?.symbol.as_deref()?;
        let outline = outline_of(
            self.search.snapshot,
            &self.search.pointer.file,
            old.text.source(),
        )?;
        lines_of(&outline, name)
    }

    /// True if the text held the first line of its symbol, with its name.
    fn began_its_symbol(&self, old: &OldText) -> bool {
        let lines = self.symbol_of_old(old);
        lines.is_some_and(|lines| old.lines.contains(lines.start() as usize - 1))
    }
}

/// True if one of `lines` has `word` in it.
fn has_word(text: &Text, lines: Range, word: &[u8]) -> bool {
    let finder = memchr::memmem::Finder::new(word);
    let mut lines = lines.start..lines.end.min(text.len());
    lines.any(|at| finder.find(&text.bytes(at)).is_some())
}

/// The lines before and after `lines` that say something.
fn beside(text: &Text, lines: Range) -> [Option<u64>; 2] {
    let telling = |at: &usize| !text.is_trivial(*at);
    let before = (0..lines.start.min(text.len())).rev().find(telling);
    let after = (lines.end..text.len()).find(telling);
    [before, after].map(|at| at.map(|at| text.keys()[at]))
}

/// The last word of a qualified name.
fn last_word(name: &str) -> &[u8] {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = name.rsplit(|letter: char| !is_part(letter));
    words
        .find(|word| !word.is_empty())
        .unwrap_or(name)
        .as_bytes()
}
