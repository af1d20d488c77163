//! Recognizes conversations that a user has pasted, or that an agent has exported.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Minimum number of times that the other side begins to speak. A glossary may well name both of
/// them once.
const MIN_CHANGES: usize = 2;

/// Matches the name of a speaker with a colon at the start of a line, which may be quoted, part of
/// a list, or in bold.
static SPEAKER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?im)^[\s>#*_-]*(?:(?<asker>user|human)|assistant|ai|chatgpt|claude|codex|copilot|gemini)[*_]*:[*_]*\s";
    Regex::new(pattern).ok()
});

/// If two sides take turns in `text`, returns the location of the first speaker.
pub(crate) fn conversation(text: &str) -> Option<Range<usize>> {
    // In most texts, nobody is asking, so don't even compile the regex.
    let lower = text.to_ascii_lowercase();
    if !lower.contains("user") && !lower.contains("human") {
        return None;
    }
    let turns = SPEAKER.as_ref()?.captures_iter(text);
    let turns: Vec<_> = turns
        .filter_map(|turn| Some((turn.name("asker").is_some(), turn.get(0)?)))
        .collect();
    let changes = turns.windows(2).filter(|two| two[0].0 != two[1].0).count();
    let first = turns.first().filter(|_| changes >= MIN_CHANGES)?.1;
    let lead = first.as_str().len() - first.as_str().trim_start().len();
    let start = first.start() + lead;
    Some(start..start + first.as_str().trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversation_needs_two_changes_of_side() {
        for (text, first) in [
            ("user: fix\nassistant: ok\nuser: thanks", "user:"),
            (
                "Note.\n\nHuman: fix it\n\nAssistant: I look.\n\nHuman: thanks\n",
                "Human:",
            ),
            (
                "> **User:** a\n> **Claude**: b\n> **User:** c\n",
                "> **User:**",
            ),
            ("- User: a\r\n- AI: b\r\n- User: c\r\n", "- User:"),
        ] {
            let found = conversation(text).map(|range| &text[range]);
            assert_eq!(found, Some(first), "{text}");
        }
        for text in [
            "User: please do it\n",
            "**User:** has an account.\n\n**Assistant:** the model that answers.\n",
            "user:name\nassistant:name\nuser:name\n",
            "users: a\nmy ai: b\nuser: c\n",
            "user: a\nuser: b\nhuman: c\n",
        ] {
            assert_eq!(conversation(text), None, "{text}");
        }
    }
}
