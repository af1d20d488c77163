//! What the best places use, and what uses them.

use std::collections::{BTreeMap, BTreeSet};

use windlass_search::words_of;

/// A place, as far as names go.
pub(crate) struct Named {
    /// What it is a place of: what is long has several.
    pub(crate) whole: Whole,
    pub(crate) score: f64,
    /// The last part of the name of what it defines.
    pub(crate) name: Option<String>,
    /// Whether it speaks of other things than it does itself.
    pub(crate) is_aside: bool,
}

/// The number of a file, and what is defined in it.
pub(crate) type Whole = (usize, Option<String>);

/// How much of the score of a place goes to one that it uses, or that uses it, where there is no other.
const SHARE: f64 = 0.4;
/// Of how many places.
const BEST: usize = 2;
/// Only of those that have at least so much of the best score.
const LEAST: f64 = 0.6;
/// Shorter names stand in many places by chance.
const MIN_NAME: usize = 5;

/// The last part of the name of a symbol, where it is long enough to tell something.
pub(crate) fn own_name(symbol: Option<&str>) -> Option<String> {
    let last = words_of(symbol?).last()?;
    (last.len() >= MIN_NAME).then(|| last.to_owned())
}

/// How much each place gains, where it gains something; `text` gives what stands there.
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
            // What everybody uses says little of who does, and the other way round.
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

    /// Places that define these; the first answers best.
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
    fn what_is_used_and_what_uses_gain_and_tests_do_not() {
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
    fn what_many_use_says_less_of_each() {
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
    fn the_places_of_one_long_thing_are_one_that_is_linked() {
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
