//! The token that authenticates clients.

use std::fmt;

/// Minimum length of a token, in bytes. A shorter one could be guessed.
const MIN_LENGTH: usize = 16;

/// Maximum length of a token, in bytes. It has to fit the head of a request along with all other
/// headers.
const MAX_LENGTH: usize = 4_096;

/// Token for authenticating a client. Only its digest is stored and compared, so the time of a
/// comparison reveals nothing about the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(blake3::Hash);

/// Reason why a text cannot be a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The text is so short that it could be guessed, or too long.
    #[error("a token of {0} characters: expected {MIN_LENGTH} to {MAX_LENGTH}")]
    Length(usize),
    /// The text contains characters not allowed in a header.
    #[error("a token consists of printable ASCII characters without spaces")]
    Characters,
}

impl Token {
    /// Digests a token. The text itself is not stored.
    ///
    /// # Errors
    /// Returns an error if the text is too short or too long, or contains characters not allowed in
    /// a header.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        match text.len() {
            MIN_LENGTH..=MAX_LENGTH => Ok(Self(blake3::hash(text.as_bytes()))),
            length => Err(TokenError::Length(length)),
        }
    }

    /// True if `text` is the token. The time only depends on the length of `text`.
    #[must_use]
    pub fn is(&self, text: &[u8]) -> bool {
        blake3::hash(text) == self.0
    }

    pub(crate) fn is_shown_in(&self, header: &[u8]) -> bool {
        let scheme = b"bearer ";
        let Some((said, rest)) = header.split_at_checked(scheme.len()) else {
            return false;
        };
        said.eq_ignore_ascii_case(scheme) && self.is(rest.trim_ascii())
    }

    pub(crate) fn is_in_cookie(&self, name: &str, header: &[u8]) -> bool {
        let mut cookies = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        cookies.any(|cookie| {
            let value = cookie.strip_prefix(name.as_bytes());
            value
                .and_then(|rest| rest.strip_prefix(b"="))
                .is_some_and(|value| self.is(value))
        })
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_needs_the_whole_token() {
        let token = Token::new("0123456789abcdef").unwrap();
        for shown in ["Bearer 0123456789abcdef", "bearer  0123456789abcdef "] {
            assert!(token.is_shown_in(shown.as_bytes()), "{shown}");
        }
        for shown in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(!token.is_shown_in(shown.as_bytes()), "{shown}");
        }
    }

    #[test]
    fn token_short_or_unsendable_is_refused() {
        assert_eq!(Token::new("short"), Err(TokenError::Length(5)));
        assert_eq!(
            Token::new("a b c d e f g h i j"),
            Err(TokenError::Characters)
        );
        assert_eq!(
            Token::new("0123456789abcdef\n"),
            Err(TokenError::Characters)
        );
        assert_eq!(
            format!("{:?}", Token::new("0123456789abcdef").unwrap()),
            "Token"
        );
    }
}
