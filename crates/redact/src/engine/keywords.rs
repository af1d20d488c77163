//! Looking for all keywords of all rules at once. It stands before every answer of the command, however short, so it
//! has to be ready at once: an automaton for that many words takes longer to build than most texts to read.

use std::ops::Range;

use crate::rules::rule::Rule;

/// Parts of words, one of which is in every name that promises a secret.
pub(crate) const NAME_STEMS: &[&str] = &[
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "credential",
    "key",
    "jwt",
    "masterauth",
    "psk",
    "auth",
    "cred",
    "salt",
    "sessid",
    "sessionid",
    "session_id",
    "session-id",
    // Of `kennwort`, `wachtwoord`, `senha`, `contraseña`, `hasło`, `пароль`: as much as few other words have.
    "nwort",
    "woord",
    "enha",
    "eña",
    "sło",
    "пароль",
];

/// What a keyword is for.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    /// The rule with this number.
    Rule(usize, &'static Rule),
    /// A part of a name.
    Name,
}

/// A keyword that stands in a text.
pub(crate) struct Hit {
    pub(crate) owner: Owner,
    pub(crate) word: &'static str,
    pub(crate) at: Range<usize>,
}

/// How many bytes of a keyword its head has.
const HEAD: usize = 3;

/// What the low five bits of each byte of a head make: the same for lower and upper case letters.
type Head = u16;

const HEADS: usize = 1 << (5 * HEAD);

/// All keywords, by their heads.
pub(crate) struct Keywords {
    /// A bit for each head, set where a keyword has it.
    begins: Box<[u64; HEADS / 64]>,
    /// How many heads are set before each of these.
    before: Box<[usize; HEADS / 64]>,
    /// Where in `words` those begin of each head that is set, and where the last of them end.
    starts: Vec<usize>,
    /// Sorted by their heads.
    words: Vec<(Head, Owner, &'static str)>,
}

impl Keywords {
    pub(crate) fn of(rules: impl Iterator<Item = (usize, &'static Rule)>) -> Self {
        let of_names = NAME_STEMS.iter().map(|stem| (Owner::Name, *stem));
        let of_rules = rules.flat_map(|(at, rule)| {
            let words = rule.keywords.iter();
            words.map(move |word| (Owner::Rule(at, rule), *word))
        });
        let mut words: Vec<_> = of_names
            .chain(of_rules)
            .flat_map(|(owner, word)| heads(word).map(move |head| (head, owner, word)))
            .collect();
        words.sort_by_key(|(head, ..)| *head);
        let mut begins = Box::new([0; HEADS / 64]);
        let mut starts = Vec::new();
        let mut last = None;
        for (at, (head, ..)) in words.iter().enumerate() {
            begins[usize::from(*head) / 64] |= 1 << (head % 64);
            if last.replace(*head) != Some(*head) {
                starts.push(at);
            }
        }
        starts.push(words.len());
        let mut before = Box::new([0; HEADS / 64]);
        for at in 1..begins.len() {
            before[at] = before[at - 1] + set(begins[at - 1]);
        }
        Self {
            begins,
            before,
            starts,
            words,
        }
    }

    /// What stands in `text`, in any case, by where it starts.
    pub(crate) fn find<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Hit> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let (start, head) = self.next_head(text, from)?;
            from = start + 1;
            Some(self.at(text, start, head))
        })
        .flatten()
    }

    /// The first place from `from` on where the head of a keyword stands.
    fn next_head(&self, text: &[u8], from: usize) -> Option<(usize, Head)> {
        let stands = |head: Head| self.begins[usize::from(head) / 64] >> (head % 64) & 1 == 1;
        let rest = text.get(from..)?;
        let (first, rest) = rest.split_at_checked(HEAD - 1)?;
        let mut head = first.iter().fold(0, |head, b| push(head, *b));
        for (at, last) in rest.iter().enumerate() {
            head = push(head, *last);
            if stands(head) {
                return Some((from + at, head));
            }
        }
        // Behind the end stands what is in no keyword, so that one shorter than a head by a byte is found there as well.
        let head = push(head, 0);
        stands(head).then_some((from + rest.len(), head))
    }

    /// The keywords with `head`, which some have, that stand at `start`.
    fn at<'t>(
        &'t self,
        text: &'t [u8],
        start: usize,
        head: Head,
    ) -> impl Iterator<Item = Hit> + 't {
        let (at, bit) = (usize::from(head) / 64, head % 64);
        let known = self.before[at] + set(self.begins[at] & ((1 << bit) - 1));
        self.words[self.starts[known]..self.starts[known + 1]]
            .iter()
            .filter_map(move |(_, owner, word)| {
                let at = start..start + word.len();
                let stands = text.get(at.clone())?.eq_ignore_ascii_case(word.as_bytes());
                stands.then_some(Hit {
                    owner: *owner,
                    word,
                    at,
                })
            })
    }
}

/// How many bits of `heads` are set.
fn set(heads: u64) -> usize {
    heads.count_ones() as usize
}

/// The head of what begins one byte later than `head`, and ends with `last`.
fn push(head: Head, last: u8) -> Head {
    (head << 5 | Head::from(last & 31)) & (HEADS as Head - 1)
}

/// The heads that a text with `word` can have at its place: of a word shorter than a head, all it can go on with.
fn heads(word: &str) -> impl Iterator<Item = Head> + use<> {
    let known = word.len().min(HEAD);
    let head = word.bytes().take(HEAD).fold(0, push);
    let open = 5 * (HEAD - known);
    (0..1 << open).map(move |rest| head << open | rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rules;

    #[test]
    fn every_keyword_is_found_wherever_it_stands() {
        let keywords = Keywords::of(rules());
        for (_, _, word) in &keywords.words {
            for (text, start) in [
                (word.to_string(), 0),
                (format!("a {}", word.to_ascii_uppercase()), 2),
                (format!("{word}{word}\n"), word.len()),
                (format!("é{word} z"), 2),
            ] {
                let found = keywords
                    .find(text.as_bytes())
                    .any(|hit| hit.word == *word && hit.at == (start..start + word.len()));
                assert!(found, "{word:?} in {text:?}");
            }
        }
    }

    #[test]
    fn no_keyword_is_shorter_than_a_head_by_more_than_a_byte() {
        let keywords = Keywords::of(rules());
        for (_, _, word) in &keywords.words {
            assert!(word.len() + 1 >= HEAD, "{word:?}");
        }
    }

    #[test]
    fn nothing_else_is_found() {
        let keywords = Keywords::of(rules());
        for text in ["", "p", "pa", "pas", "kezs", "zoo", "\u{1}", "se\ncret"] {
            assert_eq!(keywords.find(text.as_bytes()).count(), 0, "{text:?}");
        }
        let text = "the pwdkey";
        let hits: Vec<_> = keywords.find(text.as_bytes()).map(|hit| hit.at).collect();
        assert_eq!(hits, [4..7, 4..6, 7..10]);
    }
}
