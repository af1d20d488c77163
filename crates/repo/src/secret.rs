//! Which paths hold secrets: by name, by place, by contents, and by the repository's own list.

mod contents;
mod floor;
mod pattern;
mod policy;
mod redactions;

pub(crate) use contents::secret_contents;
pub use policy::{NarrowingLine, SecretPolicy, SecretPolicyError};
pub use redactions::OwnRulesError;
pub(crate) use redactions::load_redactions;
