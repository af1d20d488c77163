//! Secret values in text: text in, spans of secrets or text without them out.
//!
//! - [`redact_text`] and [`redact_field`] replace the secret values of a text, [`redact_value`] those of a JSON value;
//! - [`WholeText`] is a text that is shown in parts, [`Hints`] scans a text when it is first asked;
//! - [`OwnRules`] are those that a repository adds; [`SecretScope`] is the lifetime of values that [`hide_known`] hides in all output.
//!
//! This crate alone vouches for text ([`windlass_base::Redacted`]), and only for what it scanned as a whole. It must never open a
//! file or know of a repository, and never reveal a value that it found.

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
