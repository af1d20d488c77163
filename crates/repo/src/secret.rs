//! Which paths hold secrets: by name, by place, by contents, and by the repository's own list.

mod contents;
mod floor;
mod pattern;
mod policy;

pub(crate) use contents::secret_contents;
pub(crate) use policy::read_own_file;
pub use policy::{NarrowingLine, SecretPolicy, SecretPolicyError};
