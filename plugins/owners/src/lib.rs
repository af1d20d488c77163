//! Rules of `CODEOWNERS` files, as documented by GitHub.
//!
//! Context packs and the shipped plugin `codeowners` read the same file by these rules. The crate is compiled
//! into both: it must never read a file, and has no dependencies.
//!
//! Source:
//! <https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners>

mod pattern;
mod rule;

pub use pattern::Pattern;
pub use rule::Rule;
