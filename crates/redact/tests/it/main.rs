//! Tests of secret values through the crate's public interface.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod assigned_secrets;
mod encoded_keys;
mod issuers;
mod made_secrets;
mod passwords;
mod redaction;
mod syntaxes;
