use std::sync::{Arc, OnceLock};

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use windlass_base::Digest;
use windlass_redact::Hints;

use super::required_texts::Required;
use super::search_query::{CaseMode, LineMatch, SearchError, SearchQuery};
use super::secret_blind::Whatever;
use crate::source_file::{BYTE_ORDER_MARK, SourceFile};

/// A pattern to search with.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    query: SearchQuery,
    /// What a file has to have for the pattern to be needed, where that is known.
    required: Option<Required>,
    /// It takes long to make: as long as a small repository takes to be searched.
    matcher: Arc<OnceLock<Result<RegexMatcher, SearchError>>>,
    /// Each thread has its own, since they hold scratch memory that is not shared well.
    own: OnceLock<Option<RegexMatcher>>,
    /// For lines with secret values; made when there is one.
    whatever: OnceLock<Whatever>,
}

/// The matches in one file.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The first of them.
    pub(super) lines: Vec<LineMatch>,
    /// Whether one of them needs a closer look: see [`Pattern::seen`].
    suspect: bool,
    /// Where all of them begin, behind a byte order mark; eight bytes each.
    places: Vec<u8>,
    /// How many there are.
    pub(super) total: u32,
}

impl Matches {
    /// Only the first of them.
    fn first(mut self) -> Self {
        self.lines.truncate(1);
        self.places.truncate(PLACE);
        self.total = self.total.min(1);
        self
    }

    /// Of where all matching lines begin.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.places)
    }
}

impl SearchQuery {
    /// Checks that the pattern has a meaning, as a search would find. One that is very large passes.
    ///
    /// # Errors
    /// [`SearchError::Pattern`] when it has none.
    pub fn check_pattern(&self) -> Result<(), SearchError> {
        Pattern::check(self)
    }
}

impl Pattern {
    /// Gets `query` ready; no further than it takes to know that it has a meaning, where files can be passed over without.
    pub(super) fn new(query: &SearchQuery) -> Result<Self, SearchError> {
        let pattern = Self {
            query: query.clone(),
            required: Required::of(query),
            matcher: Arc::default(),
            own: OnceLock::new(),
            whatever: OnceLock::new(),
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

    /// Why it could not be made ready: it is too large. Nothing is found with it then.
    pub(super) fn failed(&self) -> Option<SearchError> {
        let made = match self.required {
            // Whoever needed it made it.
            Some(_) => self.matcher.get(),
            None => Some(self.made()),
        };
        made.and_then(|made| made.as_ref().err().cloned())
    }

    fn matcher(&self) -> Option<&RegexMatcher> {
        let own = self.own.get_or_init(|| self.made().as_ref().ok().cloned());
        own.as_ref()
    }

    /// Whether the pattern has a meaning. It is made ready no further than that takes: what is wrong with a
    /// pattern shows before it gets large.
    pub(super) fn check(query: &SearchQuery) -> Result<(), SearchError> {
        /// Bytes of a pattern that is ready; a usual one takes some thousands.
        const CHECKED: usize = 1 << 10;
        let checked = Self::builder(query)
            .size_limit(CHECKED)
            .build(&query.pattern);
        match checked {
            // The library tells it by its words alone.
            Err(e) if !e.to_string().contains("exceeds size limit") => Err(SearchError::Pattern {
                message: e.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// As `rg` sets it up, so that a pattern means the same here as there.
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

    /// The first `limit` matching lines.
    pub(super) fn lines(&self, bytes: &[u8], limit: usize) -> Vec<LineMatch> {
        let found = self.find(&mut Searchers::default(), &text_of(bytes), limit);
        found.map_or_else(Vec::new, |found| found.lines)
    }

    /// The matches in the text of a file, the first `limit` by line; `None` when there is none. A line with a secret value
    /// counts only if it matches whatever the value is.
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
        // There is no reading here that could fail, and the sink never does.
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

    /// What is left of the matches `found` in a file with secret values.
    fn seen(&self, file: &SourceFile, found: &Matches, limit: usize) -> Matches {
        let whatever = self.whatever.get_or_init(|| Whatever::new(&self.query));
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
            if !secrets.is_empty() && !whatever.matches(text, &secrets) {
                continue;
            }
            left.total = left.total.saturating_add(1);
            left.places.extend_from_slice(place);
            if left.lines.len() < limit {
                // Of a line with a value, what matches without it; the matcher takes no such byte for a letter.
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

/// The text of a file whose bytes are `bytes`, to be searched.
pub(super) fn text_of(bytes: &[u8]) -> Hints<'_> {
    Hints::new(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
}

/// How many bytes a place in [`Matches`] has.
const PLACE: usize = size_of::<u64>();

/// The match on line `line`, which is `text`.
fn line_match(matcher: &RegexMatcher, line: u32, text: &[u8]) -> LineMatch {
    let first = matcher.find(text).ok().flatten();
    let column = first.map_or(0, |first| first.start());
    LineMatch {
        line,
        column: u32::try_from(column).map_or(u32::MAX, |at| at.saturating_add(1)),
    }
}

/// What searches in the files of one thread.
pub(super) struct Searchers {
    /// Counts the lines.
    numbering: Searcher,
    /// Does not, where no line is wanted.
    counting: Searcher,
}

impl Default for Searchers {
    fn default() -> Self {
        let searcher = |line_numbers| {
            SearcherBuilder::new()
                .line_number(line_numbers)
                .multi_line(false)
                // Both are looked for by ourselves, over the whole file.
                .binary_detection(BinaryDetection::none())
                .bom_sniffing(false)
                // It is given whole files, and needs no buffer of its own.
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
    /// Whether the first line will do that certainly holds no secret value.
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
