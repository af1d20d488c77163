//! Kinds of secrets by name.

use serde::Deserialize;

/// Kind of secret promised by a name.
///
/// The clearer the promise, the less the value itself has to look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A password. Most are made up by a person, so nearly any literal can be one.
    Password,
    /// `pass`, often a verb or a stage. Its value must not be a word.
    Pass,
    /// A secret, or the key to something. A single word isn't one.
    Secret,
    /// A token or key with a name that promises access, such as `api_token` or `access_key`.
    Access,
    /// A token, or the key to something.
    ///
    /// Its value is generated and thus looks random. Names of this kind also have other meanings.
    Token,
    /// Any other key, a salt or a session.
    ///
    /// Most of their values aren't secret, so only a generated-looking value counts.
    Key,
}
