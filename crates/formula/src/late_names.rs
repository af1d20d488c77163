//! Names in texts that no formula declares: values that the caller gives for them, and the bead of the molecule.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Names of the bead that a molecule works on; formulas use them without declaring them.
pub(crate) const BEAD_NAMES: [&str; 3] = ["convoy_id", "bead_id", "issue"];

/// Keywords in double braces of other template languages.
const FOREIGN_WORDS: [&str; 2] = ["else", "end"];

/// Undeclared names of one cooking.
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
    /// Creates the names with the values that the caller gave for undeclared ones, and the bead of the molecule.
    pub(crate) fn new(given: BTreeMap<String, String>, bead: Option<String>) -> Self {
        Self {
            given,
            bead,
            ..Self::default()
        }
    }

    /// Returns the value of an undeclared name in a text. A name without one is recorded, unless it belongs to
    /// another template language: `else`, `end`, or a field such as `item.title`.
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

    /// Returns the value that the caller gave for an undeclared name.
    pub(crate) fn given_value(&self, name: &str) -> Option<&str> {
        let value = self.given.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(value)
    }

    /// Returns the names without a value since the last call, each once per cooking.
    pub(crate) fn take_unknown(&self) -> Vec<String> {
        self.unknown.take()
    }

    /// Returns the values that no text used.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let used = self.used.borrow();
        let names = self.given.keys().map(String::as_str);
        names.filter(|name| !used.contains(*name)).collect()
    }

    /// Iterates over the values given for undeclared names.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&String, &String)> {
        self.given.iter()
    }

    /// True if a text names the bead that the molecule works on.
    pub(crate) fn needs_bead(&self) -> bool {
        self.needs_bead.get()
    }
}
