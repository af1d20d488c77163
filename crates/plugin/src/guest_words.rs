//! Makes texts from guests safe to show in messages. A guest is the running instance of a plugin,
//! and may say anything.

use windlass_base::is_harmful;
use windlass_base::one_line;
use windlass_redact::redact_text;

/// Maximum length of a message from a guest, in characters.
pub(crate) const MAX_SAID: usize = 500;
/// Maximum number of log lines that we show with a plugin's result.
pub(crate) const MAX_NOTES: usize = 8;
/// Number of bytes of a text that we look at.
///
/// Redacting a larger text would take too long, given that only a line is left.
const MAX_SEEN: usize = 64 << 10;
/// Divisor for the part of a shortened text that is taken from its end: the last line of a
/// traceback is usually the most useful one.
const END: usize = 3;

/// Formats `text` as a single line of about `max_chars` characters, which is cut in the middle if
/// necessary.
///
/// Secrets are replaced, and control and bidirectional characters removed. Redacting comes first,
/// because half a secret may not be recognized.
pub(crate) fn line(text: &str, max_chars: usize) -> String {
    let seen = &text[..text.floor_char_boundary(MAX_SEEN)];
    let (seen, _) = redact_text(seen);
    let harmless = seen.as_str().replace(is_harmful, " ");
    let line = one_line(&harmless);
    let count = line.chars().count();
    if count <= max_chars {
        return line;
    }
    let end = max_chars / END;
    let at = |nr: usize| line.char_indices().nth(nr).map_or(line.len(), |(at, _)| at);
    format!(
        "{} … {}",
        &line[..at(max_chars - end)],
        &line[at(count - end)..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_short_and_harmless() {
        assert_eq!(line(" one\n  two\u{1b}[2J\u{202e} ", 80), "one two [2J");
        let long = format!("first {} last", "x\n".repeat(9_000_000));
        let said = line(&long, 60);
        assert!(
            said.starts_with("first x x") && said.chars().count() < 70,
            "{said}"
        );
        let said = line(&format!("first {} last", "x ".repeat(1_000)), 60);
        assert!(said.ends_with("x x last"), "{said}");
        let token = concat!("ghp_", "a8Zk3Lq0Rt5Yv2Nw7Xs1Bd4Fg6Hj9Kmc0PeU");
        // A cut must not leave any part of the secret either.
        for before in 0..60 {
            let said = line(
                &format!("{}{token} {}", "y ".repeat(before), "z".repeat(200)),
                60,
            );
            assert!(
                !said.contains("a8Zk3") && !said.contains("Kmc0PeU"),
                "{said}"
            );
        }
        assert_eq!(line(&"é".repeat(40_000), 3), "éé … é");
    }
}
