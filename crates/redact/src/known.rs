//! Secret values found in any text of this process. We hide them wherever they occur in its output.
//!
//! A run, a pack or an answer shows lines from many files. Say one file has
//! `password = "zQ8kd92h"`, which reveals the value by its name, and another one shows `zQ8kd92h`
//! without a name. We then hide it in both. This happens at output, because all texts have been
//! read by then, in whatever order.
//!
//! The output must only depend on the files read for it. A caller may show text from a cache
//! without reading all of it again. It then has to scan the files whose values would be hidden
//! otherwise. A caller that gives many answers in one process begins a [`SecretScope`] for each.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::repeated::{Search, Values};
use crate::rules::Found;

/// The mark for a value. A shorter value is replaced with as many stars instead, so that the output
/// stays within its budget.
const MARK: &str = "[redacted]";

#[derive(Default)]
struct Known {
    values: Values,
    /// The search for these values, or `None` after one was added.
    search: Option<Arc<Search>>,
    /// Number of open scopes.
    scopes: usize,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scope of one answer, in a process that gives many. Values found for earlier answers are
/// forgotten when it begins. Answers made at the same time share their values, so that none of them
/// loses a value it has found.
#[derive(Debug)]
#[must_use = "the scope ends as soon as this is dropped"]
pub struct SecretScope(());

impl SecretScope {
    /// Begins a scope.
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

/// Remembers the distinctive values of `found` in `bytes`, for the rest of this process or of the
/// [`SecretScope`].
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

/// Replaces the secret values that this process has found in any text of this [`SecretScope`]. Call
/// this on text about to be printed.
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
        // The next answer begins without it, unless another one is still in progress.
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
