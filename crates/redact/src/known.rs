//! Secret values found by this process in any text, and hidden in all of its output.
//!
//! A run, a pack or an answer shows lines from many files. If one of them has
//! `password = "zQ8kd92h"`, the name gives the value away, while another file may show `zQ8kd92h`
//! without a name. We hide the value in both. This is only possible at output, after all texts have
//! been read, in whatever order.
//!
//! The output must only depend on the files read for it. A caller with cached text has to scan the
//! files that would otherwise have been read, so that their values are hidden as well. A caller
//! with many answers in one process begins a [`SecretScope`] for each.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::repeated::{Search, Values};
use crate::rules::Found;

/// Mark for a value.
///
/// Shorter values are replaced with stars instead, because the output must not grow beyond its
/// budget.
const MARK: &str = "[redacted]";

#[derive(Default)]
struct Known {
    values: Values,
    /// The search for `values`, or `None` after adding a value.
    search: Option<Arc<Search>>,
    scopes: usize,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lifetime of the values found for one answer, in a process with many answers.
///
/// Beginning a scope forgets the values of earlier answers, unless one of them is still in
/// progress. Simultaneous answers share their values, so none of them loses a found value.
#[derive(Debug)]
#[must_use = "the scope ends as soon as this is dropped"]
pub struct SecretScope(());

impl SecretScope {
    /// Begins a scope. If no other scope is open, this forgets the values found so far.
    pub fn begin() -> Self {
        let mut known = known();
        let known = known.get_or_insert_default();
        if known.scopes == 0 {
            *known = Known::default();
        }
        known.scopes += 1;
        Self(())
    }
}

impl Drop for SecretScope {
    fn drop(&mut self) {
        if let Some(known) = known().as_mut() {
            known.scopes = known.scopes.saturating_sub(1);
        }
    }
}

/// Adds the distinctive values among `found` to those hidden by [`hide_known`].
pub(crate) fn remember(bytes: &[u8], found: &[Found]) {
    if found.is_empty() {
        return;
    }
    let mut known = known();
    let known = known.get_or_insert_default();
    if known.values.add(bytes, found, |_| false) {
        known.search = None;
    }
}

/// Hides the values found in this [`SecretScope`], no matter in which text.
///
/// Call this on text to be printed, after everything has been read.
#[must_use]
pub fn hide_known(text: &str) -> Cow<'_, str> {
    let search = {
        let mut known = known();
        let Some(known) = known.as_mut() else {
            return Cow::Borrowed(text);
        };
        match &known.search {
            Some(search) => Arc::clone(search),
            None => {
                let search = Arc::new(known.values.search());
                known.search = Some(Arc::clone(&search));
                search
            }
        }
    };
    let mut out = String::new();
    let mut done = 0;
    for place in search.places(text.as_bytes()) {
        let range = place.range;
        // Values are text, so they begin and end between characters.
        let (Some(before), Some(value)) = (text.get(done..range.start), text.get(range.clone()))
        else {
            continue;
        };
        out.push_str(before);
        match value.chars().count() {
            short if short < MARK.len() => out.push_str(&"*".repeat(short)),
            _ => out.push_str(MARK),
        }
        done = range.end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact_text;

    #[test]
    fn known_value_in_output_is_hidden() {
        let value = "kN0wn-vAl7e-Zq81x";
        let shown = format!("connect(\"{value}\") # {value}!");
        assert_eq!(hide_known(&shown), shown);
        let _ = redact_text(&format!("password = \"{value}\"\nuser = \"kN0wn\"\n"));
        assert_eq!(hide_known(&shown), "connect(\"[redacted]\") # [redacted]!");
        assert_eq!(hide_known("user = \"kN0wn\""), "user = \"kN0wn\"");
        let _ = redact_text("password = \"kN0w!vA7\"\n");
        assert_eq!(hide_known("ö kN0w!vA7 ö"), "ö ******** ö");
        // Beginning the next answer forgets the value, unless another answer is still in progress.
        let scope = SecretScope::begin();
        assert_eq!(hide_known(&shown), shown);
        let _ = redact_text(&format!("password = \"{value}\"\n"));
        let other = SecretScope::begin();
        drop(scope);
        drop(SecretScope::begin());
        assert_ne!(hide_known(&shown), shown);
        drop(other);
        drop(SecretScope::begin());
        assert_eq!(hide_known(&shown), shown);
    }
}
