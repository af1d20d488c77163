use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use windlass_base::Digest;

use super::{CaseMode, LineMatch, SearchError, SearchQuery};

/// A pattern ready to search with.
#[derive(Clone, Debug)]
pub(super) struct Pattern(RegexMatcher);

/// The matches in one file.
#[derive(Debug)]
pub(super) struct Matches {
    /// The first of them.
    pub(super) lines: Vec<LineMatch>,
    /// How many there are.
    pub(super) total: u32,
    /// Of where all matching lines begin.
    pub(super) digest: Digest,
}

impl Pattern {
    pub(super) fn new(query: &SearchQuery) -> Result<Self, SearchError> {
        Self::builder(query)
            .build(&query.pattern)
            .map(Self)
            .map_err(|e| SearchError::Pattern {
                message: e.to_string(),
            })
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
        let found = self.find(&mut Searchers::default(), bytes, limit);
        found.map_or_else(Vec::new, |found| found.lines)
    }

    /// The matches in a text file, the first `limit` by line; `None` when there is none.
    pub(super) fn find(
        &self,
        searchers: &mut Searchers,
        bytes: &[u8],
        limit: usize,
    ) -> Option<Matches> {
        let mut sink = Collect {
            matcher: &self.0,
            limit,
            lines: Vec::new(),
            total: 0,
            places: Vec::new(),
        };
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // There is no reading here that could fail, and the sink never does.
        let _ = searchers.of(limit).search_slice(&self.0, text, &mut sink);
        if sink.total == 0 {
            return None;
        }
        Some(Matches {
            lines: sink.lines,
            total: sink.total,
            digest: Digest::of_bytes(&sink.places),
        })
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
    lines: Vec<LineMatch>,
    total: u32,
    /// Where all matching lines begin, eight bytes each.
    places: Vec<u8>,
}

impl Sink for Collect<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.total = self.total.saturating_add(1);
        let place = found.absolute_byte_offset();
        self.places.extend_from_slice(&place.to_le_bytes());
        if self.lines.len() < self.limit {
            let first = self.matcher.find(found.bytes()).ok().flatten();
            let column = first.map_or(0, |first| first.start());
            let line = found
                .line_number()
                .and_then(|line| u32::try_from(line).ok());
            self.lines.push(LineMatch {
                line: line.unwrap_or(u32::MAX),
                column: u32::try_from(column).map_or(u32::MAX, |at| at.saturating_add(1)),
            });
        }
        Ok(true)
    }
}
