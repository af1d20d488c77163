//! Finds the words that belong to the form of a question rather than to its subject.

use std::collections::BTreeSet;
use windlass_base::is_on;

use windlass_search::words_of;

/// Words that ask for a time if they come right after "how".
const TIME_WORDS: [&str; 2] = ["long", "often"];
/// Words that ask for a meaning if they're at the end of a question.
const MEANING_WORDS: [&str; 3] = ["mean", "means", "meant"];

/// Finds the words of `text` that belong to its form, in lower case: "mean" in "what does X mean",
/// "long" in "how long does X take", or "happens" in "what happens when X".
///
/// The position matters, because the same word may just as well be the subject, as in "the mean of
/// the wind".
pub(super) fn form_words(text: &str) -> BTreeSet<String> {
    if !is_on("recall.form") {
        return BTreeSet::new();
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = words_of(&lower).collect();
    let mut form = BTreeSet::new();
    for pair in words.windows(2) {
        match *pair {
            ["how", word] if TIME_WORDS.contains(&word) => drop(form.insert(word)),
            ["what", word @ ("happens" | "happened")] => drop(form.insert(word)),
            [word @ "meaning", "of"] | [word @ "meant", "by"] => drop(form.insert(word)),
            _ => {}
        }
    }
    let asks_what = words.iter().position(|word| *word == "what");
    if let (Some(asks), Some(last)) = (asks_what, words.last())
        && asks + 1 < words.len()
        && MEANING_WORDS.contains(last)
    {
        form.insert(last);
    }
    form.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_words_are_separated_from_subject() {
        for (text, form) in [
            ("what does modulepath mean?", &["mean"][..]),
            ("What is meant by a sigil", &["meant"]),
            ("meaning of sigil", &["meaning"]),
            ("how long does a run take", &["long"]),
            (
                "How often, and what happens when it fails",
                &["happens", "often"],
            ),
            ("which mean of the wind closes the dome", &[]),
            ("what is the mean of the wind", &[]),
            ("long polling", &[]),
            ("mean", &[]),
            ("", &[]),
        ] {
            let found: Vec<String> = form_words(text).into_iter().collect();
            assert_eq!(found, form, "{text}");
        }
    }
}
