//! The names of the kinds of secrets that repositories have for themselves.

use std::sync::{Mutex, PoisonError};

/// The names of own kinds, each once: a mark says one, whatever becomes of the repository that has it.
static KINDS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The number of an own kind.
pub(crate) fn number_of(kind: &str) -> usize {
    let mut kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = kinds.iter().position(|known| *known == kind) {
        return at;
    }
    kinds.push(Box::leak(kind.to_owned().into_boxed_str()));
    kinds.len() - 1
}

/// The own kind of this number.
pub(crate) fn kind_of(number: usize) -> Option<&'static str> {
    let kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    kinds.get(number).copied()
}

/// The number of an own kind that is known already.
pub(crate) fn known_number(kind: &[u8]) -> Option<usize> {
    let kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    kinds.iter().position(|known| known.as_bytes() == kind)
}
