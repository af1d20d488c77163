//! Kinds of names of secrets.

use serde::Deserialize;

/// Kind of name. The more a kind promises, the less a value has to look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A password: people choose them, so that nearly every literal is one.
    Password,
    /// `pass`, which is as often a verb or a stage: what is assigned must not be a word.
    Pass,
    /// A secret or the key to something: it is no word.
    Secret,
    /// A token or a key whose name promises access: `api_token`, `access_key`.
    Access,
    /// A token or a key to something: random, since a program made it. Other things are called so, too.
    Token,
    /// Any other key, salt or session: most values are none of a secret, so that one has to look generated.
    Key,
}

pub(crate) const KINDS: usize = Kind::Key as usize + 1;
