//! Kinds of names of secrets.

use serde::Deserialize;

/// Kinds of names. The more a kind promises, the less its value has to look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A password. People choose them, so nearly any literal can be one.
    Password,
    /// `pass`, which is often a verb or a stage. Its value must not be a word.
    Pass,
    /// A secret, or the key to something. Its value isn't a word.
    Secret,
    /// A token or key whose name promises access, such as `api_token` or `access_key`.
    Access,
    /// A token or key to something. It's random, because it's made by a program. The name is used
    /// for other things, too.
    Token,
    /// Any other key, a salt or a session. Most of their values aren't secret, so this one must
    /// look generated.
    Key,
}

pub(crate) const KINDS: usize = Kind::Key as usize + 1;
