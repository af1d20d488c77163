//! Redaction: a second pass changes nothing, no copy of a found value is left, and no text around a
//! secret reveals it.

use windlass_redact::redact_for_cache;

/// A secret value whose form every rule set recognizes.
const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (once, found) = redact_for_cache(&text);
    let (twice, _) = redact_for_cache(once.as_str());
    assert_eq!(once.as_str(), twice.as_str(), "{text:?}");
    if found.is_empty() {
        assert_eq!(once.as_str(), text);
    }
    let around = format!("{text}\nkey = {SECRET}\n{text}");
    let (shown, _) = redact_for_cache(&around);
    assert!(!shown.as_str().contains(SECRET), "{around:?}");
}
