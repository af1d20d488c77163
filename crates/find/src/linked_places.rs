//! Raises the scores of definitions that use one of the best places, or are used by it.
//!
//! Suppose that the best place defines `parse`, which calls `lex_all` and is called by `run_it`.
//! These two may well be part of the answer even though they have fewer words of the question, so
//! we raise their scores. (A test that calls `parse` does not benefit.)
//!
//! Links just go by name, so unrelated definitions with the same name are linked as well. That is a
//! trade-off, since anything better would require resolving names in every language.

use std::collections::{BTreeMap, BTreeSet};

use windlass_search::words_of;

pub(crate) struct Named {
    /// The definition that the place is a part of. A long definition has several places, which
    /// count as a single link.
    pub(crate) whole: Whole,
    pub(crate) score: f64,
    /// Last part of the name of the defined symbol, e.g. `parse` for `Parser::parse`. A short name
    /// is left out.
    pub(crate) name: Option<String>,
    /// True for places in tests, changelogs and the like, whose score we do not raise.
    pub(crate) is_aside: bool,
}

/// A definition, identified by the index of its file and the path of the symbol.
pub(crate) type Whole = (usize, Option<String>);

/// The part of a place's score that we pass on. If there are `n` linked definitions, each gets this
/// part divided by the square root of `n`.
const SHARE: f64 = 0.4;
/// Number of best places whose links we follow. For each of these, we have to look for its name in
/// the text of all other passages.
const BEST: usize = 2;
/// Minimum score of a place that passes something on, relative to the best score.
const LEAST: f64 = 0.6;
/// Minimum length of a name, in bytes. Shorter names occur by chance.
const MIN_NAME: usize = 5;

pub(crate) fn own_name(symbol: Option<&str>) -> Option<String> {
    let last = words_of(symbol?).last()?;
    (last.len() >= MIN_NAME).then(|| last.to_owned())
}

/// Computes how much to add to the score of each linked place, by index in `all`. `text` returns
/// the text of a place.
pub(crate) fn gains(all: &[Named], text: impl Fn(usize) -> String) -> BTreeMap<usize, f64> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|one, other| {
        all[*other]
            .score
            .total_cmp(&all[*one].score)
            .then(one.cmp(other))
    });
    let most = order.first().map_or(0.0, |at| all[*at].score);
    let best = order
        .into_iter()
        .take(BEST)
        .filter(|at| all[*at].score >= most * LEAST);
    let mut gains: BTreeMap<usize, f64> = BTreeMap::new();
    for from in best {
        let (own, own_text) = (&all[from].name, text(from));
        let used: BTreeSet<&str> = words_of(&own_text).collect();
        let others = all.iter().enumerate().filter(|(at, other)| {
            *at != from && !other.is_aside && other.name.is_some() && other.name != *own
        });
        let (mut uses, mut is_used) = (Vec::new(), Vec::new());
        for (at, other) in others {
            let name = other.name.as_deref();
            if name.is_some_and(|name| used.contains(name)) {
                is_used.push(at);
            } else if own.as_ref().is_some_and(|own| has_word(&text(at), own)) {
                uses.push(at);
            }
        }
        for linked in [uses, is_used] {
            // If a name is used everywhere, that says little about each of its users. Likewise, a
            // place that uses everything says little about each of the definitions.
            let links: BTreeSet<&Whole> = linked.iter().map(|at| &all[*at].whole).collect();
            let share = SHARE * all[from].score / (links.len() as f64).max(1.0).sqrt();
            for at in linked {
                let gain = gains.entry(at).or_default();
                *gain = gain.max(share);
            }
        }
    }
    gains
}

fn has_word(text: &str, wanted: &str) -> bool {
    text.contains(wanted) && words_of(text).any(|word| word == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates places that define `names`. The first one has the best score.
    fn named(names: &[&str]) -> Vec<Named> {
        let named = |(at, name): (usize, &&str)| Named {
            whole: (0, Some((*name).to_owned())),
            score: if at == 0 { 10.0 } else { 1.0 },
            name: own_name(Some(name)),
            is_aside: name.starts_with("test_"),
        };
        names.iter().enumerate().map(named).collect()
    }

    #[test]
    fn uses_and_users_gain_tests_do_not() {
        let texts = [
            "fn parse() { lex_all(); }",
            "fn lex_all() {}",
            "fn run_it() { parse() }",
            "fn test_parse() { parse(); lex_all(); }",
            "fn other_one() { parser() }",
        ];
        let all = named(&["parse", "lex_all", "run_it", "test_parse", "other_one"]);
        let gains = gains(&all, |at| texts[at].to_owned());
        assert_eq!(gains.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert!((gains[&1] - 4.0).abs() < 1e-9);
        assert_eq!(own_name(Some("Type::get")), None);
    }

    #[test]
    fn gain_shrinks_with_many_users() {
        let texts = [
            "struct Command {}",
            "fn execute(c: Command)",
            "fn inherit(c: Command)",
            "fn print_usage(c: Command)",
            "fn validate(c: Command)",
        ];
        let all = named(&["Command", "execute", "inherit", "print_usage", "validate"]);
        let gains = gains(&all, |at| texts[at].to_owned());
        assert_eq!(gains.len(), 4);
        assert!(gains.values().all(|gain| (gain - 2.0).abs() < 1e-9));
    }
    #[test]
    fn cut_definition_counts_as_one_link() {
        let texts = [
            "fn run() { again() }",
            "fn again() {",
            "step();",
            "step(); }",
        ];
        let all = named(&["run", "again", "again", "again"]);
        let gains = gains(&all, |at| texts[at].to_owned());
        assert_eq!(gains.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert!(gains.values().all(|gain| (gain - 4.0).abs() < 1e-9));
    }
}
