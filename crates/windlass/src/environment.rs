use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::SystemTime;

/// What the library is told of the world outside.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The variables.
    pub variables: Arc<BTreeMap<String, OsString>>,
    /// The time now.
    pub now: SystemTime,
    /// How many threads may compute at once.
    pub threads: NonZeroUsize,
    /// Who is asking, for locks: a program and its process id.
    pub holder: String,
}

impl Environment {
    pub(crate) fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// The time now, as RFC 3339 in UTC, to the second.
    pub(crate) fn timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now).ok()?;
        now.round(jiff::Unit::Second)
            .ok()
            .map(|now| now.to_string())
    }
}
