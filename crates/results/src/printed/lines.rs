//! Lines of printed output, read from first to last.

/// Maximum number of lines visible to one pattern.
const MAX_SEEN: usize = 8;

/// The lines of a text, and the current line.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// The start of each line, and the end of the text.
    starts: Vec<usize>,
    at: usize,
}

impl<'t> Lines<'t> {
    /// Splits `text`, whose lines end with `\n`.
    pub(super) fn of(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = [0].into_iter().chain(ends).collect();
        if starts.last() != Some(&text.len()) {
            starts.push(text.len() + 1);
        }
        Self {
            text,
            starts,
            at: 0,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_more(&self) -> bool {
        self.at < self.count()
    }

    /// True if another line follows the current one.
    pub(super) fn is_followed(&self) -> bool {
        self.at + 1 < self.count()
    }

    /// Returns the current line, or an empty one behind the last.
    pub(super) fn line(&self) -> &'t str {
        self.ahead(0)
    }

    /// Returns the line `count` lines below.
    pub(super) fn ahead(&self, count: usize) -> &'t str {
        self.part(self.at + count, self.at + count + 1)
    }

    /// Returns the lines from number `at` on.
    pub(super) fn from(&self, at: usize) -> impl Iterator<Item = &'t str> {
        (at..self.count()).map(|at| self.part(at, at + 1))
    }

    /// Returns the current line and some below it.
    pub(super) fn several(&self) -> &'t str {
        self.part(self.at, (self.at + MAX_SEEN).min(self.count()))
    }

    /// Returns the lines from `first` to the current one.
    pub(super) fn since(&self, first: usize) -> &'t str {
        self.part(first, self.at)
    }

    /// Goes on by `count` lines.
    pub(super) fn pass(&mut self, count: usize) {
        self.at += count;
    }

    /// Goes back to the line `at`.
    pub(super) fn return_to(&mut self, at: usize) {
        self.at = self.at.min(at);
    }

    /// Reads lines up to one that matches `is_end`, or to the last.
    pub(super) fn take_until(&mut self, is_end: impl Fn(&str) -> bool) -> &'t str {
        let first = self.at;
        while self.is_more() && !is_end(self.line()) {
            self.at += 1;
        }
        self.since(first)
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn part(&self, from: usize, to: usize) -> &'t str {
        match (self.starts.get(from), self.starts.get(to)) {
            (Some(from), Some(to)) if from < to => &self.text[*from..*to - 1],
            _ => "",
        }
    }
}

/// Returns the number of blanks at the start of a line.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
