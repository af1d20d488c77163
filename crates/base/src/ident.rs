use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

/// Maximum length of an identifier, in bytes.
const MAX_LEN: usize = 128;

/// The name of a runbook, step, section or anchor: `[A-Za-z0-9_][A-Za-z0-9_.-]*`, with at most 128
/// bytes.
///
/// Such a name needs no escapes in file names, JSON pointers, shell words, or in graphs for Mermaid
/// and DOT.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(Box<str>);

/// Reason why a text is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentError {
    /// There is no text at all.
    #[error("an identifier must not be empty")]
    Empty,
    /// The text has more than 128 bytes. For the message, this is its length in characters.
    #[error("an identifier has at most {MAX_LEN} characters, this one has {0}")]
    TooLong(usize),
    /// There is a character that is not allowed, or not in this position.
    #[error(
        "`{found}` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`"
    )]
    Character {
        /// The first such character.
        found: char,
    },
}

impl Ident {
    /// Checks that `text` is a valid identifier.
    ///
    /// # Errors
    /// Returns an error if a character is not allowed, or the text is empty or too long.
    pub fn parse(text: &str) -> Result<Self, IdentError> {
        if text.is_empty() {
            return Err(IdentError::Empty);
        }
        if text.len() > MAX_LEN {
            return Err(IdentError::TooLong(text.chars().count()));
        }
        for (at, c) in text.char_indices() {
            let allowed =
                c.is_ascii_alphanumeric() || c == '_' || (at > 0 && matches!(c, '.' | '-'));
            if !allowed {
                return Err(IdentError::Character { found: c });
            }
        }
        Ok(Self(text.into()))
    }

    /// Returns the name, which is always ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for Ident {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for Ident {
    type Err = IdentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

crate::written_as_text!(Ident);

crate::text_schema!(Ident, "Ident", {
    "type": "string",
    "pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]*$",
    "maxLength": MAX_LEN
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_accepts_only_safe_names() {
        for good in ["api-contracts", "a", "_x", "9.1", "A_b-c.d"] {
            assert_eq!(Ident::parse(good).unwrap().as_str(), good);
        }
        assert_eq!(Ident::parse(""), Err(IdentError::Empty));
        assert_eq!(
            Ident::parse("-a"),
            Err(IdentError::Character { found: '-' })
        );
        assert_eq!(
            Ident::parse("a/b"),
            Err(IdentError::Character { found: '/' })
        );
        assert_eq!(Ident::parse("ü"), Err(IdentError::Character { found: 'ü' }));
        assert!(matches!(
            Ident::parse(&"a".repeat(129)),
            Err(IdentError::TooLong(129))
        ));
    }
}
