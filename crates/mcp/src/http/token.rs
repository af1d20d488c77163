//! What a client shows to be let in.

use std::fmt;

use windlass::base::Digest;

/// The fewest characters of a token: fewer can be guessed.
const LEAST: usize = 16;

/// The most: more does not fit into the head of a request.
const MOST: usize = 4_096;

/// What a client shows to be let in. Only its digest is kept, and digests are compared: how long that takes tells nothing
/// of the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Digest);

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It can be guessed, or is too long.
    #[error("a token has from {LEAST} to {MOST} characters, and this has {0}")]
    Length(usize),
    /// It cannot be sent in a header.
    #[error("a token is of letters, digits and signs of ASCII, without blanks")]
    Characters,
}

impl Token {
    /// The token that `text` is.
    ///
    /// # Errors
    /// When it is too short, or cannot be sent.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        match text.len() {
            LEAST..=MOST => Ok(Self(Digest::of_bytes(text.as_bytes()))),
            length => Err(TokenError::Length(length)),
        }
    }

    /// Whether a header `Authorization` shows it.
    pub(crate) fn is_shown_in(&self, header: &[u8]) -> bool {
        let scheme = b"bearer ";
        let Some((said, rest)) = header.split_at_checked(scheme.len()) else {
            return false;
        };
        said.eq_ignore_ascii_case(scheme) && Digest::of_bytes(rest.trim_ascii()) == self.0
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
    fn only_the_whole_token_is_let_in() {
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
    fn what_can_be_guessed_or_not_be_sent_is_none() {
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
