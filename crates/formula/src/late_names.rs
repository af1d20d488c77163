//! Undeclared names in texts.
//!
//! A caller may supply values for them anyway, and a few stand for the molecule's bead. All others
//! are reported, because they're usually misspelled.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Names that stand for the molecule's bead in one dialect or another.
///
/// Formulas usually don't declare them.
pub(crate) const BEAD_NAMES: [&str; 3] = ["convoy_id", "bead_id", "issue"];

/// Keywords of Go's text templates. Prompts of convoys contain them, and they're never meant as
/// variables.
const FOREIGN_WORDS: [&str; 2] = ["else", "end"];

/// Collects undeclared names while a formula is cooked. Texts are filled in through shared
/// references, so the state is in cells.
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
    /// `given` holds the caller's values for undeclared names.
    pub(crate) fn new(given: BTreeMap<String, String>, bead: Option<String>) -> Self {
        Self {
            given,
            bead,
            ..Self::default()
        }
    }

    /// Looks up an undeclared name from a text.
    ///
    /// A name without a value is recorded for [`take_unknown`](Self::take_unknown), unless it looks
    /// like one from another template language: `else`, `end`, or a field such as `item.title`.
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

    /// Like [`value`](Self::value), but this only looks at the caller's values, and never records
    /// the name as unknown.
    pub(crate) fn given_value(&self, name: &str) -> Option<&str> {
        let value = self.given.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(value)
    }

    /// Returns the names without a value found since the last call. We return each name only once,
    /// even if many texts use it.
    pub(crate) fn take_unknown(&self) -> Vec<String> {
        self.unknown.take()
    }

    /// Returns the names of the caller's values that no text uses. They're probably typos.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let used = self.used.borrow();
        let names = self.given.keys().map(String::as_str);
        names.filter(|name| !used.contains(*name)).collect()
    }

    pub(crate) fn given(&self) -> impl Iterator<Item = (&String, &String)> {
        self.given.iter()
    }

    pub(crate) fn needs_bead(&self) -> bool {
        self.needs_bead.get()
    }
}
