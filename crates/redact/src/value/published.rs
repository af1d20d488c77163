//! Values that stand in standards: everybody knows them, and code that follows a standard is tried with its examples.

use crate::words::words;

/// Whether `value` is an example of a standard, or is signed as one.
pub(crate) fn is_published(value: &str) -> bool {
    let signature = || value.rsplit('.').next();
    let is_token = value.starts_with("eyJ");
    let published = &words().published;
    published.has(value)
        || (is_token && signature().is_some_and(|signature| published.has(signature)))
}
