//! How programs that were measured were started.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use windlass_redact::redact_text;

use crate::system::{PATIENCE, System};

/// Programs that were measured, by their names.
pub type Programs = BTreeMap<String, Started>;

/// How a program was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// What has to be typed behind `--system`, secret values in it replaced.
    pub typed: String,
    /// How long it may take for an answer, in seconds, where that is not [`PATIENCE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Started {
    /// How `system` is started, where that is a program.
    pub(super) fn of(system: &dyn System) -> Option<Self> {
        let seconds = system.patience().map(|patience| patience.as_secs());
        Some(Self {
            typed: redact_text(&system.typed()?).0.to_string(),
            patience: seconds.filter(|seconds| *seconds != PATIENCE),
        })
    }
}

/// How programs were started, by archetype. Versions before wrote what was typed by the name of the program alone, which says nothing of an
/// archetype: it is left out.
pub(super) fn all_of_now<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Programs>, D::Error> {
    let all = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    let each = all.into_iter();
    Ok(each
        .filter_map(|(archetype, programs)| {
            Some((archetype, serde_json::from_value(programs).ok()?))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use crate::Results;

    #[test]
    fn what_a_version_before_wrote_is_read_and_says_nothing_of_archetypes() {
        let read = |programs: &str| {
            let text = format!(r#"{{"schema_version": 1, "cases": [], "programs": {programs}}}"#);
            serde_json::from_str::<Results>(&text).unwrap().programs
        };
        assert!(read(r#"{"mine": "mine=it"}"#).is_empty());
        let now = read(r#"{"docs": {"mine": {"typed": "mine=it"}}}"#);
        assert_eq!(now["docs"]["mine"].typed, "mine=it");
    }
}
