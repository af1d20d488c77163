//! Matches lines independently of the secret values in them.
//!
//! A match reveals something about its line. If part of the line is redacted, the answer must be
//! the same for every possible value, since repeated queries could otherwise extract the value
//! letter by letter. So we run the pattern's automaton on the visible text, and at a secret value,
//! we follow all transitions at once.
//!
//! On the line `token = <value>`, the pattern `token =` matches as usual. `token = a` does not,
//! even if the value does begin with `a`, because other values do not.

use std::ops::Range;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind, nfa::thompson};

use super::search_query::{CaseMode, SearchQuery};

/// Maximum number of automaton states to follow at the same time.
///
/// Ordinary patterns need a few dozen. Beyond this limit, the pattern does not match any line with
/// a secret value, which is safe but may miss a match.
const MAX_STATES: usize = 500;

/// Maximum memory for the automaton of one line, in bytes.
const CACHE: usize = 4 << 20;

#[derive(Debug, Clone)]
pub(super) struct BlindPattern {
    /// `None` if the pattern is too large.
    dfa: Option<DFA>,
    /// One byte for each class of bytes that the pattern distinguishes.
    ///
    /// Trying these is enough, since all bytes of a class lead to the same state. The space comes
    /// last, so that it can be left out.
    letters: Vec<u8>,
}

impl BlindPattern {
    pub(super) fn new(query: &SearchQuery) -> Self {
        let dfa = build(query);
        let mut seen = [false; 256];
        let mut is_new = |byte: &u8| {
            let class = dfa.as_ref().map(|dfa| dfa.byte_classes().get(*byte));
            class.is_some_and(|class| !std::mem::replace(&mut seen[usize::from(class)], true))
        };
        // A value may contain a space but can't begin with one, so we have to treat it separately.
        let mut letters: Vec<u8> = (b'!'..=b'~').filter(&mut is_new).collect();
        letters.push(b' ');
        Self { dfa, letters }
    }

    /// Returns true if `line` (without its line ending) matches for all possible values at
    /// `secrets`. The ranges must be sorted, and none of them may be empty.
    pub(super) fn matches(&self, line: &[u8], secrets: &[Range<usize>]) -> bool {
        let Some(dfa) = &self.dfa else {
            return false;
        };
        let walk = Walk {
            dfa,
            cache: dfa.create_cache(),
            letters: &self.letters,
            states: Vec::new(),
        };
        walk.all_match(line, secrets).unwrap_or(false)
    }
}

/// Builds the automaton for the pattern of `query`, with the same options as for the real search.
/// If they differ after all, the automaton may reject lines that the pattern accepts, but never the
/// other way round.
fn build(query: &SearchQuery) -> Option<DFA> {
    let mut pattern = query.pattern.clone();
    if query.fixed {
        pattern = regex::escape(&pattern);
    }
    if query.word {
        pattern = format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}");
    }
    let any_case = match query.case {
        CaseMode::Sensitive => false,
        CaseMode::Smart => !query.pattern.chars().any(char::is_uppercase),
        CaseMode::Insensitive => true,
    };
    let syntax = syntax::Config::new()
        .multi_line(true)
        .case_insensitive(any_case)
        .utf8(false);
    let nfa = thompson::Config::new()
        .utf8(false)
        .nfa_size_limit(Some(CACHE));
    let config = DFA::config()
        .match_kind(MatchKind::All)
        .unicode_word_boundary(true)
        .cache_capacity(CACHE)
        // The automaton clears its cache when it's full, which would invalidate the states in
        // `Walk`. Make it fail instead.
        .minimum_cache_clear_count(Some(0));
    let mut builder = DFA::builder();
    builder.syntax(syntax).thompson(nfa).configure(config);
    builder.build(&pattern).ok()
}

/// Follows all paths through the automaton at once. A path ends as soon as it matches, and `states`
/// has the ends of those that have not matched yet.
struct Walk<'a> {
    dfa: &'a DFA,
    cache: Cache,
    letters: &'a [u8],
    states: Vec<LazyStateID>,
}

impl Walk<'_> {
    /// Returns true if all paths match, or `None` if the automaton cannot decide.
    fn all_match(mut self, line: &[u8], secrets: &[Range<usize>]) -> Option<bool> {
        // A line in the middle of a file. A pattern with `\A` or `\z` won't match here.
        let config = start::Config::new()
            .anchored(Anchored::No)
            .look_behind(Some(b'\n'));
        let first = self.dfa.start_state(&mut self.cache, &config).ok()?;
        self.states.push(first);
        let mut at = 0;
        for secret in secrets {
            self.read(&line[at..secret.start])?;
            self.read_anything()?;
            at = secret.end;
        }
        self.read(&line[at..])?;
        self.read(b"\n")?;
        Some(self.states.is_empty())
    }

    fn read(&mut self, bytes: &[u8]) -> Option<()> {
        for byte in bytes {
            if self.states.is_empty() {
                break;
            }
            let mut next = Vec::with_capacity(self.states.len());
            for state in std::mem::take(&mut self.states) {
                next.extend(self.step(state, *byte)?);
            }
            next.sort_unstable();
            next.dedup();
            self.states = next;
        }
        Some(())
    }

    /// Follows every possible value: at least one letter, the first of which is not a space. We
    /// stop once no new states turn up, so this covers values of any length.
    fn read_anything(&mut self) -> Option<()> {
        let mut reached: Vec<LazyStateID> = Vec::new();
        let mut open = std::mem::take(&mut self.states);
        let mut letters = &self.letters[..self.letters.len() - 1];
        while !open.is_empty() {
            let mut next = Vec::new();
            for state in open {
                for letter in letters {
                    next.extend(self.step(state, *letter)?);
                }
            }
            next.sort_unstable();
            next.dedup();
            next.retain(|state| !reached.contains(state));
            reached.extend(&next);
            if reached.len() > MAX_STATES {
                return None;
            }
            open = next;
            letters = self.letters;
        }
        reached.sort_unstable();
        self.states = reached;
        Some(())
    }

    /// Returns the next state, or `Some(None)` if the pattern has matched before `byte`. If this
    /// returns `None`, the automaton cannot decide, or this path can never match.
    fn step(&mut self, state: LazyStateID, byte: u8) -> Option<Option<LazyStateID>> {
        let next = self.dfa.next_state(&mut self.cache, state, byte).ok()?;
        match next {
            next if next.is_match() => Some(None),
            next if next.is_dead() || next.is_quit() => None,
            next => Some(Some(next)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches `query` against a line with its secret values in angle brackets.
    fn found(query: &SearchQuery, line: &str) -> bool {
        let mut bytes = Vec::new();
        let mut secrets = Vec::new();
        for (at, piece) in line.split(['<', '>']).enumerate() {
            if at % 2 == 1 {
                secrets.push(bytes.len()..bytes.len() + piece.len());
            }
            bytes.extend_from_slice(piece.as_bytes());
        }
        BlindPattern::new(query).matches(&bytes, &secrets)
    }

    fn query(pattern: &str) -> SearchQuery {
        SearchQuery {
            pattern: pattern.to_owned(),
            ..SearchQuery::default()
        }
    }

    #[test]
    fn match_outside_secret_is_found() {
        for (pattern, line) in [
            ("password", "password = '<hunter2>'"),
            ("password.*", "password=<hunter2>"),
            ("password=.+", "password=<hunter2>"),
            (r"password=\S+", "password=<hunter2>"),
            ("password = '.+';$", "password = '<hunter2>';"),
            ("^password", "password=<hunter2>"),
            (r"://\w+:.*@db", "postgres://app:<hunter2>@db/x"),
            ("é.+z", "é <hunter2> z"),
            ("^$|a", "a<b>"),
        ] {
            assert!(found(&query(pattern), line), "{pattern} in {line}");
        }
    }

    #[test]
    fn match_inside_secret_is_not_found() {
        let line = "password = '<hunter2>'";
        for pattern in [
            "h",
            "hunter2",
            "'h",
            "'[^h]",
            "'h|'[^h]u",
            "'(?-u:[^h])",
            "'.{7}'",
            "'.{1,20}'$",
            r"'\w",
            r"= '\B",
            "= '$",
            r"2'\z",
            r"\Apassword = 'h",
            "password = 'h?u",
            "redacted",
            ".{23}",
        ] {
            assert!(!found(&query(pattern), line), "{pattern}");
        }
        // If every value matches, the match reveals nothing.
        for pattern in ["'h|'[^h]", "'[!-~]", r"'(?-u:[^\xff])", ".{14}"] {
            assert!(found(&query(pattern), line), "{pattern}");
        }
    }

    #[test]
    fn blind_pattern_honours_options() {
        let line = "Password = '<hunter2>'";
        for (query, finds) in [
            (query("password"), false),
            (
                SearchQuery {
                    case: CaseMode::Insensitive,
                    ..query("password")
                },
                true,
            ),
            (
                SearchQuery {
                    case: CaseMode::Smart,
                    ..query("password")
                },
                true,
            ),
            (
                SearchQuery {
                    case: CaseMode::Smart,
                    ..query("PassworD")
                },
                false,
            ),
            (
                SearchQuery {
                    word: true,
                    ..query("Pass")
                },
                false,
            ),
            (
                SearchQuery {
                    word: true,
                    ..query("Password")
                },
                true,
            ),
            (
                SearchQuery {
                    fixed: true,
                    ..query("d = '")
                },
                true,
            ),
            (
                SearchQuery {
                    fixed: true,
                    ..query(".")
                },
                false,
            ),
            (query("("), false),
            (query(r"Pass(?:\w{1000}){1000}"), false),
        ] {
            assert_eq!(found(&query, line), finds, "{query:?}");
        }
    }
}
