//! Looking for all keywords of all rules at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, FindOverlappingIter, MatchKind};

use super::engine::Rule;
use super::rules::NAME_STEMS;

/// What a keyword is for.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    /// The rule with this number.
    Rule(usize, &'static Rule),
    /// A part of a name.
    Name,
}

/// All keywords, and what looks for them.
pub(super) struct Keywords {
    owners: Vec<(Owner, &'static str)>,
    /// Soon ready, and slower.
    sparse: OnceLock<AhoCorasick>,
    /// Several times as fast, once it was made.
    dense: OnceLock<AhoCorasick>,
    /// How much was looked through so far, in bytes.
    seen: AtomicUsize,
}

/// From how much text on, in bytes, it pays to make what is fast.
const DENSE_PAYS: usize = 256 << 10;

impl Keywords {
    pub(super) fn of(rules: impl Iterator<Item = (usize, &'static Rule)>) -> Self {
        let of_names = NAME_STEMS.iter().map(|stem| (Owner::Name, *stem));
        let of_rules = rules.flat_map(|(at, rule)| {
            let words = rule.keywords.iter();
            words.map(move |word| (Owner::Rule(at, rule), *word))
        });
        Self {
            owners: of_names.chain(of_rules).collect(),
            sparse: OnceLock::new(),
            dense: OnceLock::new(),
            seen: AtomicUsize::new(0),
        }
    }

    /// What stands in `text`, from its start to its end. Which automaton finds it makes no difference.
    pub(super) fn find<'a, 't>(&'a self, text: &'t [u8]) -> FindOverlappingIter<'a, 't> {
        let seen = self.seen.fetch_add(text.len(), Ordering::Relaxed);
        let automaton =
            if self.dense.get().is_some() || seen.saturating_add(text.len()) >= DENSE_PAYS {
                self.dense.get_or_init(|| self.build(AhoCorasickKind::DFA))
            } else {
                self.sparse
                    .get_or_init(|| self.build(AhoCorasickKind::NoncontiguousNFA))
            };
        automaton.find_overlapping_iter(text)
    }

    /// Keyword number `at`, and what it is for.
    pub(super) fn owner(&self, at: usize) -> (Owner, &'static str) {
        self.owners[at]
    }

    fn build(&self, kind: AhoCorasickKind) -> AhoCorasick {
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(kind))
            .ascii_case_insensitive(true)
            .build(self.owners.iter().map(|(_, word)| word))
            .expect("the keywords are few and short")
    }
}
