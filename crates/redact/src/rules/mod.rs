//! Rules in the format of gitleaks, both the built-in ones from `data/*.toml` and a repository's.

pub(crate) mod gitleaks_config;
mod judge;
mod lead;
pub(crate) mod readers;
pub(crate) mod rule;
mod sql_rows;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use self::gitleaks_config::Config;
use self::rule::Rule;

/// Location of a secret value, and the rule that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) rule: RuleId,
}

/// Identity of the rule that found a value. For two values at the same place, the lower rank gives
/// the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleId {
    rank: usize,
    name: &'static str,
}

impl RuleId {
    /// The rule for values that are secret because of their name.
    pub(crate) const ASSIGNED: Self = Self {
        rank: usize::MAX - 1,
        name: "assigned-secret",
    };

    /// Gives a repository's rule a rank behind all built-in ones.
    pub(crate) fn own(name: &str) -> Self {
        Self::ranked(usize::MAX, name)
    }

    fn ranked(rank: usize, name: &str) -> Self {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.get(name).copied();
        let name = known.unwrap_or_else(|| Box::leak(name.to_owned().into_boxed_str()));
        names.insert(name);
        Self { rank, name }
    }

    /// The name used in marks.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// Looks up the rule called `name` in marks. If several rules share the name, this is the first
    /// one.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        if let Some(known) = built_in_id(name) {
            return Some(known);
        }
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = usize::MAX;
        names.get(name).map(|name| Self { rank, name })
    }
}

/// The names of all rules seen so far, without duplicates.
///
/// They are never freed, because marks refer to a rule even after its repository is closed.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

pub(crate) fn built_in() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let files = [
            include_str!(concat!(env!("OUT_DIR"), "/forms.json")),
            include_str!(concat!(env!("OUT_DIR"), "/issuers.json")),
        ];
        let entries = files.into_iter().flat_map(|file| {
            let config: Config = serde_json::from_str(file).expect("a test parses the data");
            config.rules
        });
        let rules = entries.enumerate().map(|(rank, entry)| {
            let id = RuleId::ranked(rank, &entry.id);
            Rule::built_in(id, entry)
        });
        rules.collect()
    })
}

fn built_in_id(name: &str) -> Option<RuleId> {
    let mut ids = built_in().iter().map(|rule| rule.id);
    let known = ids.find(|id| id.name == name);
    known.or_else(|| (name == RuleId::ASSIGNED.name).then_some(RuleId::ASSIGNED))
}

pub(crate) fn is_built_in(name: &str) -> bool {
    built_in_id(name).is_some()
}
