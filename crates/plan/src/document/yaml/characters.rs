//! A text as the parser reads it: one character after the other.

use saphyr_parser::Input;

/// The characters of a text.
///
/// The parser has an input for texts of its own. That one promises 128 characters at once, and the parser sets
/// room aside for as many for every scalar: most of the time of reading a long list of names goes there.
pub(super) struct Characters<'t> {
    rest: &'t str,
    promised: usize,
}

/// How many characters are promised at once: less than the room of 32 that a scalar has from the start.
const PROMISED: usize = 16;

impl<'t> Characters<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            promised: 0,
        }
    }
}

impl Input for Characters<'_> {
    /// All of them are there already.
    #[inline]
    fn lookahead(&mut self, count: usize) {
        self.promised = self.promised.max(count);
    }

    #[inline]
    fn buflen(&self) -> usize {
        self.promised
    }

    #[inline]
    fn bufmaxlen(&self) -> usize {
        PROMISED
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        let next = self.peek();
        self.skip();
        next
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let ends = |c: &char| matches!(c, '\n' | '\r' | '\0' | '\u{feff}');
        let next = self.peek_opt().filter(|c| !ends(c))?;
        self.skip();
        Some(next)
    }

    #[inline]
    fn skip(&mut self) {
        let mut characters = self.rest.chars();
        characters.next();
        self.rest = characters.as_str();
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    #[inline]
    fn peek(&self) -> char {
        self.peek_opt().unwrap_or('\0')
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        self.rest.chars().nth(n).unwrap_or('\0')
    }

    #[inline]
    fn peek_opt(&self) -> Option<char> {
        self.rest.chars().next()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saphyr_parser::{Event, Parser, ScanError, Span};

    use super::*;

    /// Up to the first error, which the parser would give again and again.
    fn events<'t, I: Input>(parser: Parser<'t, I>) -> Vec<Result<(Event<'t>, Span), ScanError>> {
        let mut events = Vec::new();
        for event in parser {
            let last = event.is_err();
            events.push(event);
            if last {
                break;
            }
        }
        events
    }

    proptest! {
        #[test]
        // Without `%`: in directives, which are refused before, its own counts bytes for characters.
        fn the_parser_reads_the_same_as_from_its_own_input(
            text in "(([a-c]{1,40}|[-:,#&*!|>'\"@\\[\\]{}é\u{feff}\t\r\n 0-9]){0,12}\n?){0,8}",
        ) {
            let own = events(Parser::new_from_str(&text));
            prop_assert_eq!(events(Parser::new(Characters::new(&text))), own);
        }
    }
}
