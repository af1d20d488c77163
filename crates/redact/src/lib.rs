//! Finds secret values in text. Text goes in, and the locations of secrets or text without them
//! come out. For example, `api_token = "ghp_…"` is shown with a mark like `[redacted:…]` that names
//! the rule in place of the token.
//!
//! - [`redact_text`] and [`redact_field`] replace the secret values in a text, and [`redact_value`]
//!   those in a JSON value.
//! - [`WholeText`] is a text that's shown in parts. [`Hints`] only scans a text once it's asked.
//! - [`OwnRules`] are added by a repository. [`SecretScope`] is the lifetime of values that
//!   [`hide_known`] hides in all output.
//!
//! Only this crate vouches for text ([`windlass_base::Redacted`]), and only if it has scanned the
//! text as a whole. It must never open a file or know of a repository, and never reveal a value it
//! has found.

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
