use crate::english_words::has_line;

/// A list of words from a data file with one word per line.
///
/// We look up every word of every text that we search, so this has to be fast. Most words are
/// rejected right away, because there's no word of the same first letter and length on the list.
/// For the others, we search among the words with the same first letter.
#[derive(Debug)]
pub struct WordList {
    text: &'static str,
    /// For each first letter, the lengths of the words with that letter, as one bit per length.
    lengths: [u32; 26],
    /// For each first letter, the offset of the first word. The last element is the length of the
    /// text.
    starts: [usize; 27],
}

impl WordList {
    /// Indexes a text. Its lines must be sorted, start with a lowercase letter, and be at most 31
    /// bytes long.
    ///
    /// # Panics
    /// Panics if a line starts with another character or is too long. For a `static`, that's a
    /// compile error.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let (mut lengths, mut starts) = ([0; 26], [bytes.len(); 27]);
        let (mut at, mut next) = (0, 0);
        while at < bytes.len() {
            let (letter, mut end) = ((bytes[at] - b'a') as usize, at);
            while bytes[end] != b'\n' {
                end += 1;
            }
            lengths[letter] |= 1 << (end - at);
            while next <= letter {
                starts[next] = at;
                next += 1;
            }
            at = end + 1;
        }
        Self {
            text,
            lengths,
            starts,
        }
    }

    /// True if `word` is on the list in exactly this form.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        let Some(first) = word.bytes().next().filter(u8::is_ascii_lowercase) else {
            return false;
        };
        let letter = usize::from(first - b'a');
        if word.len() >= 32 || self.lengths[letter] & (1 << word.len()) == 0 {
            return false;
        }
        let alike = self.text.get(self.starts[letter]..self.starts[letter + 1]);
        alike.is_some_and(|alike| has_line(alike, word))
    }

    /// True if `word` is on the list, with or without one of `endings`.
    #[must_use]
    pub fn has_form(&self, word: &str, endings: &[&str]) -> bool {
        let mut plain = endings.iter().filter_map(|end| word.strip_suffix(end));
        self.has(word) || plain.any(|word| self.has(word))
    }

    /// Iterates over all words in alphabetical order.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_words_are_found() {
        static LIST: WordList = WordList::new("at\nbe\nbecause\nzoo\n");
        assert!(LIST.words().all(|word| LIST.has(word)));
        for other in ["", "a", "bee", "becausf", "cat", "é", "At", "1", "zoos"] {
            assert!(!LIST.has(other), "{other}");
        }
        assert!(LIST.has_form("zoos", &["d", "s"]) && !LIST.has_form("zood", &["s"]));
        assert!(!LIST.has(&"a".repeat(40)));
    }
}
