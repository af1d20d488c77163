//! Examples from published standards, which are used as values in tests.

use crate::words::words;
use windlass_base::is_on;

/// True if `value` is an example from a standard, or has the signature of one.
pub(crate) fn is_published(value: &str) -> bool {
    if !is_on("redact.published") {
        return false;
    }
    let signature = || value.rsplit('.').next();
    let is_token = value.starts_with("eyJ");
    let published = &words().published;
    published.has(value)
        || (is_token && signature().is_some_and(|signature| published.has(signature)))
}
