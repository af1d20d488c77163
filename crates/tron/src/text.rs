//! Strings that avoid copying the source text.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A string in a [`Value`](crate::Value). If possible, it is a slice of the source text, and
/// otherwise it is reference-counted. Both are cheap to clone.
#[derive(Clone)]
pub struct Text<'a>(Held<'a>);

#[derive(Clone)]
enum Held<'a> {
    Borrowed(&'a str),
    Shared(Arc<str>),
}

impl<'a> Text<'a> {
    /// Copies `text` once. All clones share the copy.
    pub(crate) fn shared(text: &str) -> Self {
        Self(Held::Shared(text.into()))
    }

    /// The string, regardless of where it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Held::Borrowed(text) => text,
            Held::Shared(text) => text,
        }
    }

    /// The slice of the source text, or `None` if the string is not one.
    #[must_use]
    pub fn borrowed(&self) -> Option<&'a str> {
        match self.0 {
            Held::Borrowed(text) => Some(text),
            Held::Shared(_) => None,
        }
    }

    /// Copies the string if it is a slice of the source text, so that it can outlive the text.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Held::Shared(match self.0 {
            Held::Borrowed(text) => text.into(),
            Held::Shared(text) => text,
        }))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Held::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Held::Shared(text.into()))
    }
}

impl From<Arc<str>> for Text<'_> {
    fn from(text: Arc<str>) -> Self {
        Self(Held::Shared(text))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
