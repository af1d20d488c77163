//! Finds secrets in text and replaces them with marks: `api_token = "ghp_…"` becomes
//! `api_token = "[redacted:…]"`, with the name of the rule that found the token.
//!
//! - [`redact_text`] and [`redact_field`] replace the secrets in a text, and [`redact_value`] those
//!   in a JSON value.
//! - [`WholeText`] is a text shown in parts. [`Hints`] only scans a text on first use.
//! - [`OwnRules`] are added by a repository. [`SecretScope`] is the lifetime of values hidden in
//!   all output by [`hide_known`].
//!
//! No other crate may vouch for text ([`windlass_base::Redacted`]), and this one only does so after
//! scanning the text as a whole. It must never open a file, know of a repository, or reveal a found
//! value.

mod assign;
mod engine;
mod hidden;
mod hint;
mod json;
mod keyword_index;
mod known;
mod line_index;
mod mark;
mod name;
mod name_kind;
mod own_rules;
mod repeated;
mod replace;
mod rules;
mod scan;
mod scanned_text;
mod value;
mod views;
mod whole_text;
mod words;

pub use hint::Hints;
pub use json::{
    hide_known_in, json_has_secrets, map_texts, redact_fields, redact_under, redact_value,
};
pub use known::{SecretScope, hide_known};
pub use line_index::LineIndex;
pub use own_rules::{OwnRuleError, OwnRules};
pub use replace::{Finding, redact_field, redact_for_cache, redact_text};
pub use scan::SECRET_REACH;
pub use whole_text::{Shown, WholeText};
