use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_plan::DurationText;

/// Maximum length of an actor name from the environment, in characters.
const MAX_ACTOR: usize = 80;

/// Converts `name` to an actor name by joining its words with hyphens. Returns `None` if there are
/// no words.
pub(crate) fn actor_name(name: &str) -> Option<String> {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(MAX_ACTOR).collect();
    (!name.is_empty()).then_some(name)
}

/// Environment variable with the lock timeout.
pub(crate) const LOCK_TIMEOUT: &str = "WINDLASS_LOCK_TIMEOUT";

/// Lock timeout if the variable isn't set.
pub(crate) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Environment variables, clock and process state. The binary passes them in so that tests can
/// replace them.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The process's environment variables, by name.
    pub variables: Arc<BTreeMap<String, OsString>>,
    /// Returns the current time. A fixed time wouldn't do, since a site can live for days in a
    /// server.
    pub clock: fn() -> SystemTime,
    /// Returns the time since a fixed moment, for measuring durations.
    pub elapsed: fn() -> Duration,
    /// Source of random seeds, which distinguish the ids of runs starting in the same second.
    pub seeds: Seeds,
    /// Number of threads for computations.
    pub threads: NonZeroUsize,
    /// Description of this process in lock files, usually the command and the host. The lock adds
    /// the process id.
    pub holder: String,
    /// The operating system's user id, if there is one.
    pub user_id: Option<u32>,
}

/// A source of random seeds.
#[derive(Clone)]
pub struct Seeds(Arc<dyn Fn() -> u16 + Send + Sync>);

impl Seeds {
    /// Creates seeds from the function `next`.
    #[must_use]
    pub fn new(next: impl Fn() -> u16 + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// Returns the next seed.
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
    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// Returns the variable `name`, or `None` if it's unset or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Returns true if the user has turned a feature off with the variable `name`. Any value does
    /// so, except an affirmative one: nobody sets such a variable to keep the feature on.
    #[must_use]
    pub fn switches_off(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| {
            let value = value.to_string_lossy().to_lowercase();
            !matches!(value.as_str(), "on" | "1" | "true" | "yes")
        })
    }

    /// Returns the lock timeout. The variable has a duration such as `5s` or `500ms`, or `0` for no
    /// waiting.
    ///
    /// # Errors
    ///
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

    /// Returns the login name, or else a name made of the user id.
    #[must_use]
    pub(crate) fn login(&self) -> Option<String> {
        let named = ["USER", "USERNAME", "LOGNAME"]
            .into_iter()
            .find_map(|name| actor_name(&self.get(name)?.to_string_lossy()));
        named.or_else(|| self.user_id.map(|id| format!("uid-{id}")))
    }

    /// Returns the current time as RFC 3339 in UTC, to the second.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now()).ok()?;
        now.round(jiff::Unit::Second)
            .ok()
            .map(|now| now.to_string())
    }

    /// Returns the current time to the microsecond, in a form that sorts by time.
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
