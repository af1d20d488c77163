//! Reads TOML documents: recipes, gates and cases.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use windlass_base::{Diagnostic, Place, Source};

use crate::ZooError;

/// A document's `schema_version`. Only 1 can be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(D::Error::custom(format_args!(
                "unknown `schema_version` {other}; this version of Windlass reads 1"
            ))),
        }
    }
}

/// Reads a TOML document. Error messages call it `name`.
///
/// # Errors
///
/// Returns the first mistake, with its location.
pub(crate) fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, ZooError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let mut finding = Diagnostic::error("zoo", error.message());
        let source = Source::new(name, text);
        finding.place = error.span().map(|span| Place::new(&source, span));
        ZooError::Document(finding.into())
    })
}
