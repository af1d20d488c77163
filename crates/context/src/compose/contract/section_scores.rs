use std::collections::{BTreeMap, BTreeSet};

use crate::compose::goal_words::words_of;

/// Scores each heading and text by the `wanted` words in it. A word is worth more if few of the
/// texts have it, and counts twice in a heading.
#[must_use]
pub(crate) fn scores(texts: &[(String, String)], wanted: &BTreeSet<String>) -> Vec<u32> {
    let words: Vec<(BTreeSet<String>, BTreeSet<String>)> = texts
        .iter()
        .map(|(heading, text)| (words_of(heading), all_words(text)))
        .collect();
    let mut spread: BTreeMap<&String, u32> = BTreeMap::new();
    for (heading, text) in &words {
        for word in wanted
            .iter()
            .filter(|word| text.contains(*word) || heading.contains(*word))
        {
            *spread.entry(word).or_default() += 1;
        }
    }
    let weight = |word: &String| {
        let of = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        10 + 40 * (of - spread.get(word).copied().unwrap_or(of).min(of)) / of.max(1)
    };
    words
        .iter()
        .map(|(heading, text)| {
            let in_text: u32 = wanted.intersection(text).map(weight).sum();
            let in_heading: u32 = wanted.intersection(heading).map(weight).sum();
            in_text + 2 * in_heading
        })
        .collect()
}

/// [`words_of`] has a limit on the number of words. Applied to each line, it does not matter.
fn all_words(text: &str) -> BTreeSet<String> {
    text.lines().flat_map(words_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_headings_count_more() {
        let text = |heading: &str, text: &str| (heading.to_owned(), text.to_owned());
        let texts = [
            text("Retries", "the schedule tries again"),
            text("Other", "the schedule runs retries"),
            text("Else", "the schedule"),
        ];
        let scores = scores(&texts, &words_of("schedule retries"));
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
    }
}
