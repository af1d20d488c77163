//! Words of guests, fit to stand in a message.

use windlass_base::is_harmful;
use windlass_base::one_line;
use windlass_redact::redact_text;

/// The most characters of what a guest says.
pub(crate) const MAX_SAID: usize = 500;
/// The most lines of what a plugin said that are shown with its result.
pub(crate) const MAX_NOTES: usize = 8;
/// How much of it is looked at, in bytes.
const MAX_SEEN: usize = 64 << 10;
/// The share of a cut text that is of its end: the last line of a traceback says most.
const END: usize = 3;

/// `text` on one line of at most about `most` characters: secrets replaced, nothing in it that moves a cursor or turns the
/// direction of what follows. Of what is longer, the beginning and the end stay.
pub(crate) fn line(text: &str, most: usize) -> String {
    let seen = &text[..text.floor_char_boundary(MAX_SEEN)];
    let (seen, _) = redact_text(seen);
    let harmless = seen.as_str().replace(is_harmful, " ");
    let line = one_line(&harmless);
    let count = line.chars().count();
    if count <= most {
        return line;
    }
    let end = most / END;
    let at = |nr: usize| line.char_indices().nth(nr).map_or(line.len(), |(at, _)| at);
    format!("{} … {}", &line[..at(most - end)], &line[at(count - end)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_short_harmless_and_without_secrets() {
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
        // Not even a part of one that stands where the text is cut.
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
