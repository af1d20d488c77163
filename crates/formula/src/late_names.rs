//! Names in texts that no formula declares. The caller may supply values for them, and some stand
//! for the molecule's bead.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Names for the molecule's bead, which formulas use without declaring them.
pub(crate) const BEAD_NAMES: [&str; 3] = ["convoy_id", "bead_id", "issue"];

/// Words in double braces that belong to other template languages.
const FOREIGN_WORDS: [&str; 2] = ["else", "end"];

/// Undeclared names that occur while we cook one formula.
#[derive(Debug, Default)]
pub(crate) struct LateNames {
    given: BTreeMap<String, String>,
    bead: Option<String>,
    used: RefCell<BTreeSet<String>>,
    known: RefCell<BTreeSet<String>>,
    unknown: RefCell<Vec<String>>,
    needs_bead: Cell<bool>,
}

impl LateNames {
    /// Creates the record. `given` has the caller's values for undeclared names, and `bead` is the
    /// molecule's bead.
    pub(crate) fn new(given: BTreeMap<String, String>, bead: Option<String>) -> Self {
        Self {
            given,
            bead,
            ..Self::default()
        }
    }

    /// Returns the value of an undeclared name in a text. We record a name without a value, unless
    /// it belongs to another template language: `else`, `end`, or a field such as `item.title`.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        if let Some(value) = self.given_value(name) {
            return Some(value);
        }
        if BEAD_NAMES.contains(&name) {
            self.needs_bead.set(true);
            return self.bead.as_deref();
        }
        let is_foreign = name.contains('.') || FOREIGN_WORDS.contains(&name);
        if !is_foreign && self.known.borrow_mut().insert(name.to_owned()) {
            self.unknown.borrow_mut().push(name.to_owned());
        }
        None
    }

    /// Returns the caller's value for an undeclared name, and marks it as used.
    pub(crate) fn given_value(&self, name: &str) -> Option<&str> {
        let value = self.given.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(value)
    }

    /// Returns the names without a value found since the last call. Each name is only returned once
    /// per cooking.
    pub(crate) fn take_unknown(&self) -> Vec<String> {
        self.unknown.take()
    }

    /// Returns the names of given values that haven't been used in any text.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let used = self.used.borrow();
        let names = self.given.keys().map(String::as_str);
        names.filter(|name| !used.contains(*name)).collect()
    }

    /// Iterates over the caller's values for undeclared names.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&String, &String)> {
        self.given.iter()
    }

    /// True if a text mentions the molecule's bead.
    pub(crate) fn needs_bead(&self) -> bool {
        self.needs_bead.get()
    }
}
