use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_plan::DurationText;
use windlass_store::LockRequest;

/// Maximum length of an actor name, in characters. Longer ones are cut off.
const MAX_ACTOR: usize = 80;

/// Joins the words of `name` with hyphens. Returns `None` if there are no words.
pub(crate) fn actor_name(name: &str) -> Option<String> {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(MAX_ACTOR).collect();
    (!name.is_empty()).then_some(name)
}

pub(crate) const LOCK_TIMEOUT: &str = "WINDLASS_LOCK_TIMEOUT";

/// For when the variable is not set, or is not valid.
pub(crate) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Everything that a service needs to know about its process. The binary provides it. Tests provide
/// something else.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The environment variables of the process, by name.
    pub variables: Arc<BTreeMap<String, OsString>>,
    /// Returns the current time. It is a function since a site may live for days in a server.
    pub clock: fn() -> SystemTime,
    /// Returns the time since some fixed moment. We use it to compute durations.
    pub elapsed: fn() -> Duration,
    /// Random seeds. Without them, runs that start in the same second would get the same ID.
    pub seeds: Seeds,
    /// Number of threads for computations.
    pub threads: NonZeroUsize,
    /// Describes this process in lock files. Usually, that is its command and its host. The lock
    /// adds the process ID.
    pub holder: String,
    /// Receives the description of a lock's holder once this process has waited for it for a second.
    pub on_long_wait: fn(&str),
    /// User id of the operating system, if it has one.
    pub user_id: Option<u32>,
}

/// Where random seeds come from.
#[derive(Clone)]
pub struct Seeds(Arc<dyn Fn() -> u16 + Send + Sync>);

impl Seeds {
    /// Calls `next` for every seed.
    #[must_use]
    pub fn new(next: impl Fn() -> u16 + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// Returns another seed. Equal ones may occur.
    #[must_use]
    pub fn next(&self) -> u16 {
        (self.0)()
    }
}

impl fmt::Debug for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seeds")
    }
}

impl Environment {
    /// The current time according to `clock`.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// Returns a variable. If it is empty, that is as good as not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Returns true if the user has switched a feature off with the variable `name`. Any value does
    /// that, except for `on`, `1`, `true` and `yes`: nobody sets such a variable to keep the
    /// feature on.
    #[must_use]
    pub fn switches_off(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| {
            let value = value.to_string_lossy().to_lowercase();
            !matches!(value.as_str(), "on" | "1" | "true" | "yes")
        })
    }

    /// Parses the lock timeout. It is a duration such as `5s` or `500ms`, or `0` for no waiting at
    /// all.
    ///
    /// # Errors
    /// Returns a description of the problem if the value is not a duration.
    pub(crate) fn lock_timeout(&self) -> Result<Duration, String> {
        let Some(value) = self.get(LOCK_TIMEOUT) else {
            return Ok(DEFAULT_LOCK_TIMEOUT);
        };
        let value = value.to_string_lossy();
        if value == "0" {
            return Ok(Duration::ZERO);
        }
        let parsed = DurationText::new(&*value).parse();
        parsed.map_err(|error| error.to_string())
    }

    /// Returns the terms on which this process waits up to `timeout` for a lock.
    #[must_use]
    pub fn lock_request(&self, timeout: Duration) -> LockRequest {
        LockRequest {
            timeout,
            holder: self.holder.clone(),
            on_long_wait: self.on_long_wait,
        }
    }

    /// Returns the login name. Without one, makes a name of the user id.
    #[must_use]
    pub(crate) fn login(&self) -> Option<String> {
        let named = ["USER", "USERNAME", "LOGNAME"]
            .into_iter()
            .find_map(|name| actor_name(&self.get(name)?.to_string_lossy()));
        named.or_else(|| self.user_id.map(|id| format!("uid-{id}")))
    }

    /// Returns the current time in UTC as RFC 3339, in seconds.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now()).ok()?;
        now.round(jiff::Unit::Second)
            .ok()
            .map(|now| now.to_string())
    }

    /// Returns the current time in microseconds, formatted so that the alphabetical order is also
    /// the order in time.
    #[must_use]
    pub fn precise_timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now()).ok()?;
        Some(format!("{now:.6}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actor_name_is_one_word() {
        assert_eq!(actor_name(" ann\tlee\n").as_deref(), Some("ann-lee"));
        assert_eq!(actor_name(" \n"), None);
    }
}
