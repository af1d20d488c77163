//! Information in a text, measured as the number of its letters and digits.

use crate::params;
use windlass_base::LineSpan;
use windlass_repo::SourceFile;

/// Returns true if the lines in `span` contain enough information to prove a move by being unique.
pub(crate) fn proves_a_move(source: &SourceFile, span: LineSpan) -> bool {
    let lines = (span.start()..=span.end()).filter_map(|line| source.line(line));
    let letters_and_digits = lines
        .flat_map(<[u8]>::utf8_chunks)
        .flat_map(|chunk| chunk.valid().chars())
        .filter(|c| c.is_alphanumeric());
    letters_and_digits
        .take(params::MIN_INFORMATION as usize)
        .count()
        == params::MIN_INFORMATION as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says_enough(text: &str) -> bool {
        let source = SourceFile::from_bytes(text.as_bytes().to_vec());
        let span = LineSpan::new(1, source.line_count()).unwrap();
        proves_a_move(&source, span)
    }

    #[test]
    fn letters_and_digits_count_and_nothing_else_does() {
        let (enough, too_few) = ("abcdefgh1234", "abcdefgh123");
        assert!(says_enough(enough));
        assert!(!says_enough(too_few));
        assert!(!says_enough(&format!("{too_few} \t(){{}}<>_-+*/;:,.\"'\n")));
        assert!(says_enough("abcd efgh\r\n}\n\n1234"));
        assert!(says_enough(&"éö漢字".repeat(3)));
        assert!(!says_enough(&"}\n".repeat(400)));
        assert!(!says_enough("        return false;"));
        assert!(says_enough("pub fn list() -> u32 {\n    7\n}"));
    }
}
