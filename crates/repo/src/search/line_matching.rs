//! Finds the lines of a file that match a pattern.
//!
//! A pattern goes through up to three stages, each of which is much slower than the one before:
//! literals that every match must contain, the regular expression itself, and a second check for
//! lines with secret values. Most files only need the first stage.

use std::sync::{Arc, OnceLock};

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use windlass_base::Digest;
use windlass_redact::Hints;

use super::required_texts::Required;
use super::search_query::{CaseMode, LineMatch, SearchError, SearchQuery};
use super::secret_blind::BlindPattern;
use crate::source_file::{BYTE_ORDER_MARK, SourceFile};

/// A search pattern, compiled on first use.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    query: SearchQuery,
    /// A condition that every file with a match fulfills, or `None` if we can't derive one from the
    /// pattern.
    required: Option<Required>,
    /// The compiled pattern, shared by all clones. Compiling takes as long as searching a small
    /// repository, so we only do it once a file needs it.
    matcher: Arc<OnceLock<Result<RegexMatcher, SearchError>>>,
    /// This thread's copy. Matchers include scratch memory, and sharing that between threads would
    /// be slow.
    own: OnceLock<Option<RegexMatcher>>,
    /// The pattern for lines with secret values, which few searches need.
    blind: OnceLock<BlindPattern>,
}

#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The first matches, up to the limit. All of them are counted in `total`.
    pub(super) lines: Vec<LineMatch>,
    /// True if a matching line may contain a secret value. [`Pattern::seen`] then checks all
    /// matches again.
    suspect: bool,
    /// Offsets of all matching lines, eight bytes each, relative to the end of the byte order mark.
    places: Vec<u8>,
    pub(super) total: u32,
}

impl Matches {
    fn first(mut self) -> Self {
        self.lines.truncate(1);
        self.places.truncate(PLACE);
        self.total = self.total.min(1);
        self
    }

    /// Hashes the offsets of all matching lines, including those beyond the limit. If a file has
    /// changed but the digest is the same, the search still has the same answer.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.places)
    }
}

impl SearchQuery {
    /// Checks the pattern's syntax. A pattern that's too large to compile passes, since finding
    /// that out takes too long for a check while a runbook is being loaded.
    ///
    /// # Errors
    /// Returns [`SearchError::Pattern`] if the pattern is invalid.
    pub fn check_pattern(&self) -> Result<(), SearchError> {
        Pattern::check(self)
    }
}

impl Pattern {
    /// Prepares `query`. If we know literals that can rule out files, this only checks the syntax,
    /// and the first file that isn't ruled out triggers the compilation.
    pub(super) fn new(query: &SearchQuery) -> Result<Self, SearchError> {
        let pattern = Self {
            query: query.clone(),
            required: Required::of(query),
            matcher: Arc::default(),
            own: OnceLock::new(),
            blind: OnceLock::new(),
        };
        match pattern.required {
            Some(_) => Self::check(query)?,
            None => pattern.failed().map_or(Ok(()), Err)?,
        }
        Ok(pattern)
    }

    fn made(&self) -> &Result<RegexMatcher, SearchError> {
        self.matcher.get_or_init(|| {
            let built = Self::builder(&self.query).build(&self.query.pattern);
            built.map_err(|e| SearchError::Pattern {
                message: e.to_string(),
            })
        })
    }

    /// Returns the error if the pattern turned out to be too large to compile. Nothing has matched
    /// in that case, so callers have to ask for this after the search.
    pub(super) fn failed(&self) -> Option<SearchError> {
        let made = match self.required {
            // If no file needed the pattern, it hasn't been compiled and can't have failed. Don't
            // compile it just for that.
            Some(_) => self.matcher.get(),
            None => Some(self.made()),
        };
        made.and_then(|made| made.as_ref().err().cloned())
    }

    fn matcher(&self) -> Option<&RegexMatcher> {
        let own = self.own.get_or_init(|| self.made().as_ref().ok().cloned());
        own.as_ref()
    }

    /// Checks the pattern's syntax. The library reports syntax errors before it enforces the size
    /// limit, so a tiny limit makes it stop right after parsing.
    pub(super) fn check(query: &SearchQuery) -> Result<(), SearchError> {
        /// Size limit in bytes. Compiled patterns ordinarily take thousands.
        const CHECKED: usize = 1 << 10;
        let checked = Self::builder(query)
            .size_limit(CHECKED)
            .build(&query.pattern);
        match checked {
            // The size limit doesn't matter here. The library has no error kind for it, so go by
            // the message.
            Err(e) if !e.to_string().contains("exceeds size limit") => Err(SearchError::Pattern {
                message: e.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Sets the same options as `rg`, so that the same lines match.
    fn builder(query: &SearchQuery) -> RegexMatcherBuilder {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .fixed_strings(query.fixed)
            .word(query.word)
            .case_insensitive(query.case == CaseMode::Insensitive)
            .case_smart(query.case == CaseMode::Smart)
            .line_terminator(Some(b'\n'));
        builder
    }

    pub(super) fn lines(&self, bytes: &[u8], limit: usize) -> Vec<LineMatch> {
        let found = self.find(&mut Searchers::default(), &text_of(bytes), limit);
        found.map_or_else(Vec::new, |found| found.lines)
    }

    /// Finds the matches in the text of a file, or returns `None` if there are none. We only
    /// compute line numbers for the first `limit` of them.
    ///
    /// A line with a secret value only counts if it would match for every possible value.
    pub(super) fn find(
        &self,
        searchers: &mut Searchers,
        hints: &Hints<'_>,
        limit: usize,
    ) -> Option<Matches> {
        let text = hints.bytes();
        if self
            .required
            .as_ref()
            .is_some_and(|required| !required.is_in(text))
        {
            return None;
        }
        let matcher = self.matcher()?;
        let mut sink = Collect {
            matcher,
            limit,
            first_only: self.query.first_only,
            hints,
            found: Matches::default(),
        };
        // Searching a slice performs no I/O, and the sink never fails, so there can't be an error.
        let searcher = searchers.of(limit);
        let _ = searcher.search_slice(matcher, text, &mut sink);
        let mut found = sink.found;
        if found.suspect {
            let file = SourceFile::from_bytes(text.to_vec());
            // The hints are quick but imprecise. Only a full scan tells if there's really a secret.
            if file.shown().has_secrets() {
                found = self.seen(&file, &found, limit);
            }
        }
        if self.query.first_only {
            found = found.first();
        }
        (found.total > 0).then_some(found)
    }

    fn seen(&self, file: &SourceFile, found: &Matches, limit: usize) -> Matches {
        let blind = self.blind.get_or_init(|| BlindPattern::new(&self.query));
        let mut left = Matches::default();
        let Some(matcher) = self.matcher() else {
            return left;
        };
        for place in found.places.chunks_exact(PLACE) {
            let Some(start) = place.try_into().ok().map(u64::from_le_bytes) else {
                continue;
            };
            let number = file.lines().number_at(start as usize);
            let Some(line) = file.lines().line(file.bytes(), number) else {
                continue;
            };
            let secrets = file.shown().secret_parts(&line);
            let text = &file.bytes()[line];
            if !secrets.is_empty() && !blind.matches(text, &secrets) {
                continue;
            }
            left.total = left.total.saturating_add(1);
            left.places.extend_from_slice(place);
            if left.lines.len() < limit {
                // The column of a match could reveal part of the value as well. So replace the
                // value by a byte that isn't a letter in any pattern.
                let mut shown = text.to_vec();
                secrets
                    .iter()
                    .for_each(|secret| shown[secret.clone()].fill(0xFF));
                left.lines.push(line_match(matcher, number, &shown));
            }
        }
        left
    }
}

/// Returns the searched part of `bytes`, i.e. everything after a byte order mark.
pub(super) fn text_of(bytes: &[u8]) -> Hints<'_> {
    Hints::new(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
}

/// Size of an offset in [`Matches`], in bytes.
const PLACE: usize = size_of::<u64>();

fn line_match(matcher: &RegexMatcher, line: u32, text: &[u8]) -> LineMatch {
    let first = matcher.find(text).ok().flatten();
    let column = first.map_or(0, |first| first.start());
    LineMatch {
        line,
        column: u32::try_from(column).map_or(u32::MAX, |at| at.saturating_add(1)),
    }
}

pub(super) struct Searchers {
    /// Counts lines, which we need for line numbers.
    numbering: Searcher,
    /// Doesn't count lines, which is faster.
    counting: Searcher,
}

impl Default for Searchers {
    fn default() -> Self {
        let searcher = |line_numbers| {
            SearcherBuilder::new()
                .line_number(line_numbers)
                .multi_line(false)
                // Binary data and byte order marks are handled elsewhere, for the whole file at
                // once.
                .binary_detection(BinaryDetection::none())
                .bom_sniffing(false)
                // The file is in memory, so the searcher needs no buffer.
                .heap_limit(Some(1))
                .build()
        };
        Self {
            numbering: searcher(true),
            counting: searcher(false),
        }
    }
}

impl Searchers {
    fn of(&mut self, limit: usize) -> &mut Searcher {
        match limit {
            0 => &mut self.counting,
            _ => &mut self.numbering,
        }
    }
}

struct Collect<'a> {
    matcher: &'a RegexMatcher,
    limit: usize,
    /// True to stop at the first match. We can't stop at a line that may contain a secret, since
    /// that match may not count in the end.
    first_only: bool,
    hints: &'a Hints<'a>,
    found: Matches,
}

impl Sink for Collect<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let found = &mut self.found;
        found.total = found.total.saturating_add(1);
        let place = line.absolute_byte_offset();
        found.places.extend_from_slice(&place.to_le_bytes());
        let is_suspect = self.hints.has_secrets();
        found.suspect |= is_suspect;
        if found.lines.len() < self.limit {
            let number = line.line_number().and_then(|line| u32::try_from(line).ok());
            let number = number.unwrap_or(u32::MAX);
            found
                .lines
                .push(line_match(self.matcher, number, line.bytes()));
        }
        Ok(is_suspect || !self.first_only)
    }
}
