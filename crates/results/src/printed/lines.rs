//! Lines of printed output, which readers take from first to last.

/// Lines that one pattern can match across, at most.
const MAX_SEEN: usize = 8;

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
        // The last line may lack its `\n`.
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

    pub(super) fn is_followed(&self) -> bool {
        self.at + 1 < self.count()
    }

    /// Returns the current line, or an empty one after the last.
    pub(super) fn line(&self) -> &'t str {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> &'t str {
        self.part(self.at + count, self.at + count + 1)
    }

    pub(super) fn from(&self, at: usize) -> impl Iterator<Item = &'t str> {
        (at..self.count()).map(|at| self.part(at, at + 1))
    }

    /// Returns the current line and those below it that one pattern can match.
    pub(super) fn several(&self) -> &'t str {
        self.part(self.at, (self.at + MAX_SEEN).min(self.count()))
    }

    pub(super) fn since(&self, first: usize) -> &'t str {
        self.part(first, self.at)
    }

    pub(super) fn pass(&mut self, count: usize) {
        self.at += count;
    }

    /// Moves back to the line `at`, but never forward.
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

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
