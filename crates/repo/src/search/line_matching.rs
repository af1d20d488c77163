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

/// A search pattern, compiled on demand.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    query: SearchQuery,
    /// Literals without which a file can't match, if known.
    required: Option<Required>,
    /// The compiled pattern. It's built on first use, because compiling takes as long as searching
    /// a small repository.
    matcher: Arc<OnceLock<Result<RegexMatcher, SearchError>>>,
    /// This thread's copy. Matchers have scratch memory, which is slow to share between threads.
    own: OnceLock<Option<RegexMatcher>>,
    /// The pattern for lines with secret values, built on first use.
    blind: OnceLock<BlindPattern>,
}

/// The matches in one file.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The first matches, up to the limit.
    pub(super) lines: Vec<LineMatch>,
    /// True if a match may include a secret value. [`Pattern::seen`] checks such matches again.
    suspect: bool,
    /// Offsets of all matching lines after the byte order mark, with eight bytes each.
    places: Vec<u8>,
    pub(super) total: u32,
}

impl Matches {
    /// Drops all matches except the first.
    fn first(mut self) -> Self {
        self.lines.truncate(1);
        self.places.truncate(PLACE);
        self.total = self.total.min(1);
        self
    }

    /// Returns the digest of the offsets of all matching lines.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.places)
    }
}

impl SearchQuery {
    /// Checks that the pattern is valid. A pattern that's too large to compile also passes.
    ///
    /// # Errors
    /// Returns [`SearchError::Pattern`] if the pattern is invalid.
    pub fn check_pattern(&self) -> Result<(), SearchError> {
        Pattern::check(self)
    }
}

impl Pattern {
    /// Prepares `query`. If literals can rule out files, we only check the pattern here and compile
    /// it when a file needs it.
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

    /// Returns the error if the pattern is too large to compile, in which case it matches nothing.
    pub(super) fn failed(&self) -> Option<SearchError> {
        let made = match self.required {
            // If a file needed the pattern, it's compiled by now.
            Some(_) => self.matcher.get(),
            None => Some(self.made()),
        };
        made.and_then(|made| made.as_ref().err().cloned())
    }

    fn matcher(&self) -> Option<&RegexMatcher> {
        let own = self.own.get_or_init(|| self.made().as_ref().ok().cloned());
        own.as_ref()
    }

    /// Checks that the pattern is valid. Syntax errors are reported before the size limit is, so we
    /// compile only as far as necessary.
    pub(super) fn check(query: &SearchQuery) -> Result<(), SearchError> {
        /// Size limit for the compiled pattern, in bytes. A usual pattern takes thousands of bytes,
        /// so compiling stops early.
        const CHECKED: usize = 1 << 10;
        let checked = Self::builder(query)
            .size_limit(CHECKED)
            .build(&query.pattern);
        match checked {
            // The library has no error kind for an exceeded limit, so we recognise it by its
            // message.
            Err(e) if !e.to_string().contains("exceeds size limit") => Err(SearchError::Pattern {
                message: e.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Builds the pattern with the options of `rg`, so that it matches the same lines.
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

    /// Returns the first `limit` matching lines.
    pub(super) fn lines(&self, bytes: &[u8], limit: usize) -> Vec<LineMatch> {
        let found = self.find(&mut Searchers::default(), &text_of(bytes), limit);
        found.map_or_else(Vec::new, |found| found.lines)
    }

    /// Returns the matches in the text of a file, with the line numbers of the first `limit`, or
    /// `None` if there's no match. A line with a secret value counts only if it matches for every
    /// possible value.
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
        // Ignore the result: searching a slice performs no I/O, and the sink never fails.
        let searcher = searchers.of(limit);
        let _ = searcher.search_slice(matcher, text, &mut sink);
        let mut found = sink.found;
        if found.suspect {
            let file = SourceFile::from_bytes(text.to_vec());
            if file.shown().has_secrets() {
                found = self.seen(&file, &found, limit);
            }
        }
        if self.query.first_only {
            found = found.first();
        }
        (found.total > 0).then_some(found)
    }

    /// Returns the matches of `found` that remain when secret values are taken into account.
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
                // The column must not depend on the secret value, so we replace the value by a byte
                // that the matcher doesn't treat as a letter.
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

/// Returns the searchable text of a file with the contents `bytes`.
pub(super) fn text_of(bytes: &[u8]) -> Hints<'_> {
    Hints::new(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
}

/// Number of bytes per offset in [`Matches`].
const PLACE: usize = size_of::<u64>();

/// Creates the match on line `line`, whose text is `text`.
fn line_match(matcher: &RegexMatcher, line: u32, text: &[u8]) -> LineMatch {
    let first = matcher.find(text).ok().flatten();
    let column = first.map_or(0, |first| first.start());
    LineMatch {
        line,
        column: u32::try_from(column).map_or(u32::MAX, |at| at.saturating_add(1)),
    }
}

pub(super) struct Searchers {
    /// Counts lines, for searches that report line numbers.
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
                // This module handles binary data and byte order marks itself, for the whole file.
                .binary_detection(BinaryDetection::none())
                .bom_sniffing(false)
                // The input is a whole file in memory, so the searcher needs no buffer.
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
    /// True if the search may stop at the first matching line without a secret value.
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
