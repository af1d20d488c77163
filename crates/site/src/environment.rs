use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_plan::DurationText;

/// The longest name of somebody that is kept, in characters.
const MAX_ACTOR: usize = 80;

/// The variable that says how long a change waits for another process.
pub(crate) const LOCK_TIMEOUT: &str = "WINDLASS_LOCK_TIMEOUT";

/// How long it waits where nothing is said.
pub(crate) const USUAL_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Facts that the library is told of the world outside.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The variables.
    pub variables: Arc<BTreeMap<String, OsString>>,
    /// The time now, asked for whenever it is needed: a workspace may live long.
    pub clock: fn() -> SystemTime,
    /// The time that has passed since some moment that stays the same.
    pub elapsed: fn() -> Duration,
    /// Any number; another one each time, so that runs of the same second have different names.
    pub seeds: Seeds,
    /// The number of threads that may compute at once.
    pub threads: NonZeroUsize,
    /// The one who is asking, for locks: the command and the host. The process id is added where it is told.
    pub holder: String,
}

/// The source of seeds.
#[derive(Clone)]
pub struct Seeds(Arc<dyn Fn() -> u16 + Send + Sync>);

impl Seeds {
    /// Those that `next` gives.
    #[must_use]
    pub fn new(next: impl Fn() -> u16 + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// The next seed.
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
    /// The time now.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// The variable `name`, where it is set to something.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// True if the user switched something off. Whatever is said but a plain yes is taken for no: the variable
    /// is there to switch off.
    #[must_use]
    pub fn switches_off(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| {
            let value = value.to_string_lossy().to_lowercase();
            !matches!(value.as_str(), "on" | "1" | "true" | "yes")
        })
    }

    /// How long a change waits for another process to finish its own: `5s`, `500ms`, `0` for not at all.
    ///
    /// # Errors
    /// When what is said is no duration: what it says.
    pub(crate) fn lock_timeout(&self) -> Result<Duration, String> {
        let Some(value) = self.get(LOCK_TIMEOUT) else {
            return Ok(USUAL_LOCK_TIMEOUT);
        };
        let value = value.to_string_lossy();
        if value == "0" {
            return Ok(Duration::ZERO);
        }
        let parsed = DurationText::new(&*value).parse();
        parsed.map_err(|error| error.to_string())
    }

    /// The person or agent that is at work, as far as that is said.
    #[must_use]
    pub fn actor(&self) -> Option<String> {
        let named = ["BD_ACTOR", "USER", "USERNAME", "LOGNAME"]
            .into_iter()
            .find_map(|name| self.get(name))?;
        let named = named.to_string_lossy();
        let plain = named.chars().filter(|c| !c.is_control());
        let actor: String = plain.take(MAX_ACTOR).collect();
        let actor = actor.trim();
        (!actor.is_empty()).then(|| actor.to_owned())
    }

    /// The time now, as RFC 3339 in UTC, to the second.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now()).ok()?;
        now.round(jiff::Unit::Second)
            .ok()
            .map(|now| now.to_string())
    }

    /// The same, to the microsecond: such texts stand in the order of time.
    #[must_use]
    pub fn precise_timestamp(&self) -> Option<String> {
        let now = jiff::Timestamp::try_from(self.now()).ok()?;
        Some(format!("{now:.6}"))
    }
}
