//! Words that are the form of a question, and no part of what it is about.

use std::collections::BTreeSet;

use windlass_search::words_of;

/// What stands directly behind `how` and asks for a time.
const HOW: [&str; 2] = ["long", "often"];
/// What asks for what a word stands for, at the end of a question.
const MEANS: [&str; 3] = ["mean", "means", "meant"];

/// Those words of `text`, in small letters, that only its form has: "what does X mean", "the meaning of X", "how long does X take",
/// "what happens when X". The same word elsewhere says what it is about: "the mean of the wind".
pub(super) fn form_words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = words_of(&lower).collect();
    let mut form = BTreeSet::new();
    for pair in words.windows(2) {
        match *pair {
            ["how", word] if HOW.contains(&word) => drop(form.insert(word)),
            ["what", word @ ("happens" | "happened")] => drop(form.insert(word)),
            [word @ "meaning", "of"] | [word @ "meant", "by"] => drop(form.insert(word)),
            _ => {}
        }
    }
    let asks_what = words.iter().position(|word| *word == "what");
    if let (Some(asks), Some(last)) = (asks_what, words.last())
        && asks + 1 < words.len()
        && MEANS.contains(last)
    {
        form.insert(last);
    }
    form.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_question_is_told_from_what_it_is_about() {
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
