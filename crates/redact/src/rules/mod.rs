//! The table of rules: what is a secret by its form (`forms`), and by what its issuer begins it with (`issuers`).

mod address;
mod crypt;
mod curl;
pub(crate) mod follow;
mod forms;
mod issuers;
mod likely;
mod own_kinds;
pub(crate) mod rule;
mod sql;

use std::ops::Range;

use self::forms::FORMS;
use self::issuers::ISSUERS;
use self::rule::Rule;

/// A secret value in some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) rule: RuleId,
}

/// The name of the rule for values that are secret by the name they are given to.
pub(crate) const ASSIGNED: &str = "assigned-secret";

/// Number of rules that have a pattern.
pub(crate) const RULES: usize = FORMS.len() + ISSUERS.len();

/// Which rule knows a secret: its place in the table, that of names at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleId(usize);

impl RuleId {
    /// The rule for values that are secret by the name they are given to.
    pub(crate) const ASSIGNED: Self = Self(RULES);

    /// The rule of a kind that a repository has for itself.
    pub(crate) fn own(kind: &str) -> Self {
        Self(RULES + 1 + own_kinds::number_of(kind))
    }

    /// The rule with this number in the table.
    pub(crate) fn numbered(number: usize) -> Self {
        Self(number)
    }

    /// What the mark says.
    pub(crate) fn name(self) -> &'static str {
        if let Some(own) = self.0.checked_sub(RULES + 1) {
            return own_kinds::kind_of(own).unwrap_or(ASSIGNED);
        }
        let mut rules = FORMS.iter().chain(ISSUERS);
        rules.nth(self.0).map_or(ASSIGNED, |rule| rule.name)
    }

    /// The rule whose marks say `name`; of several the first.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let known = rules().find(|(_, rule)| rule.name.as_bytes() == name);
        let assigned = || (name == ASSIGNED.as_bytes()).then_some(Self::ASSIGNED);
        let own = || own_kinds::known_number(name).map(|own| Self(RULES + 1 + own));
        let known = known.map(|(at, _)| Self(at)).or_else(assigned);
        known.or_else(own)
    }
}

/// All rules that have a pattern, with their numbers.
pub(crate) fn rules() -> impl Iterator<Item = (usize, &'static Rule)> {
    FORMS.iter().chain(ISSUERS).enumerate()
}

/// Whether a kind is built in.
pub(crate) fn is_built_in(kind: &str) -> bool {
    kind == ASSIGNED || rules().any(|(_, rule)| rule.name == kind)
}
