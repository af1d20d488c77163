//! The rules of `CODEOWNERS` files, as GitHub documents them.
//!
//! Context packs and the shipped plugin `codeowners` read the same file by these rules. It only matches texts: it must never
//! read a file, and has no dependencies: it is compiled into both.
//!
//! Source: <https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners>

mod pattern;
mod rule;

pub use pattern::Pattern;
pub use rule::Rule;
