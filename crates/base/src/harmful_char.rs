/// Returns true if `c` could control a terminal or deceive a reader. These are control characters
/// except for the tab, changes of text direction, line ends that most programs do not know, and
/// invisible tags.
#[must_use]
pub fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{e0000}'..='\u{e007f}')
}
