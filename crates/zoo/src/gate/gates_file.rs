//! Reads `gates.toml`.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Diagnostic, did_you_mean};
use windlass_plan::Document;

use super::{Gate, Gates, Must, Number};
use crate::{Kind, Metric, ZooError};

/// A gate as written in the file, before validation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "gate")]
struct Written {
    metric: String,
    #[serde(default)]
    archetypes: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    kinds: Vec<Kind>,
    case: Option<String>,
    of: Option<Number>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    lose_at_most: Option<f64>,
    ahead_of: Option<Vec<String>>,
    level_with: Option<Vec<String>>,
    no_worse_than: Option<Vec<String>>,
}

/// A mistake in a gate: the JSON pointer to it within the gate, and the message.
type Wrong = (&'static str, String);

/// Reads the gates in `text`. Error messages refer to the file as `name`. Archetypes and systems must be known.
///
/// # Errors
///
/// Returns an error for the first mistake, with its location.
pub fn read_gates(
    name: &str,
    text: &str,
    archetypes: &[&str],
    systems: &[&str],
) -> Result<Gates, ZooError> {
    let document = Document::parse_toml(name, text.as_bytes()).map_err(ZooError::Document)?;
    let wrong = |at: &str, message: String| {
        let mut finding = Diagnostic::error("gates", message);
        finding.place = document.at(at).map(|node| node.place());
        ZooError::Document(finding.into())
    };
    let value = document.value();
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(1) => {}
        Some(2..) => {
            let message = "a newer version of Windlass wrote these gates; update Windlass";
            return Err(wrong("/schema_version", message.to_owned()));
        }
        _ => return Err(wrong("", "`schema_version = 1` is missing".to_owned())),
    }
    let mut keys = value.as_object().into_iter().flat_map(|map| map.keys());
    if let Some(key) =
        keys.find(|key| !["schema_version", "same_as_baseline", "gate"].contains(&key.as_str()))
    {
        let message = format!("unknown field `{key}`; write `[[gate]]`");
        return Err(wrong(&format!("/{key}"), message));
    }
    let same_as_baseline = match value.get("same_as_baseline") {
        None => false,
        Some(Value::Bool(same)) => *same,
        Some(_) => {
            let message = "`same_as_baseline` must be `true` or `false`";
            return Err(wrong("/same_as_baseline", message.to_owned()));
        }
    };
    let listed = match value.get("gate") {
        Some(Value::Array(gates)) => &gates[..],
        None => &[],
        Some(_) => {
            let message = "`gate` is not a list: write `[[gate]]`";
            return Err(wrong("/gate", message.to_owned()));
        }
    };
    if listed.is_empty() && !same_as_baseline {
        let message = "no gate: write `[[gate]]` with a requirement, or `same_as_baseline = true`";
        return Err(wrong("", message.to_owned()));
    }
    let mut gates = Vec::new();
    for (at, gate) in listed.iter().enumerate() {
        let written = Written::deserialize(gate)
            .map_err(|error| wrong(&format!("/gate/{at}"), error.to_string()))?;
        let gate = written
            .checked(archetypes, systems)
            .map_err(|(field, message)| wrong(&format!("/gate/{at}{field}"), message))?;
        gates.push(gate);
    }
    Ok(Gates {
        gates,
        same_as_baseline,
    })
}

/// Returns an error unless all `names` are in `known`.
fn all_known(
    field: &'static str,
    what: &str,
    names: &[String],
    known: &[&str],
) -> Result<(), Wrong> {
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let help = match did_you_mean(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}", known.join(", ")),
            };
            Err((field, format!("unknown {what} `{name}`; {help}")))
        }
    }
}

impl Written {
    /// Validates the gate and returns it. `archetypes` is empty for a user's repository.
    fn checked(self, archetypes: &[&str], systems: &[&str]) -> Result<Gate, Wrong> {
        let metrics: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        all_known(
            "/metric",
            "metric",
            std::slice::from_ref(&self.metric),
            &metrics,
        )?;
        let is_about_samples = !self.archetypes.is_empty() || !self.except.is_empty();
        if archetypes.is_empty() && is_about_samples {
            let message = "`archetypes` and `except` apply to samples only: remove them to measure a repository";
            return Err(("", message.to_owned()));
        }
        all_known("/archetypes", "archetype", &self.archetypes, archetypes)?;
        all_known("/except", "archetype", &self.except, archetypes)?;
        let must = self.must(systems)?;
        let is_of_some = !self.kinds.is_empty() || self.case.is_some();
        let is_compared = !matches!(must, Must::AtLeast(_) | Must::AtMost(_));
        let wrong = [
            (
                !self.archetypes.is_empty() && !self.except.is_empty(),
                "`archetypes` and `except` exclude each other",
            ),
            (
                !self.kinds.is_empty() && self.case.is_some(),
                "`case` and `kinds` exclude each other",
            ),
            (
                is_of_some && matches!(must, Must::LoseAtMost(_)),
                "a baseline has neither kinds of questions nor single cases",
            ),
            (
                self.of.is_some() && is_compared,
                "`of` is only for `at_least` and `at_most`: all others compare means",
            ),
        ];
        if let Some((_, message)) = wrong.into_iter().find(|(is_so, _)| *is_so) {
            return Err(("", message.to_owned()));
        }
        let mut meant = self.archetypes;
        if !self.except.is_empty() {
            let others = archetypes.iter().map(|one| (*one).to_owned());
            meant = others.filter(|one| !self.except.contains(one)).collect();
        }
        let kinds = Kind::ALL.into_iter();
        Ok(Gate {
            metric: Metric::named(&self.metric).ok_or_else(|| ("/metric", self.metric.clone()))?,
            archetypes: meant,
            kinds: kinds.filter(|kind| self.kinds.contains(kind)).collect(),
            case: self.case,
            of: self.of.unwrap_or(Number::Mean),
            must,
        })
    }

    /// Returns the requirement, of which a gate must have exactly one.
    fn must(&self, systems: &[&str]) -> Result<Must, Wrong> {
        let named = [&self.ahead_of, &self.level_with, &self.no_worse_than];
        for (field, names) in ["/ahead_of", "/level_with", "/no_worse_than"]
            .into_iter()
            .zip(named)
        {
            all_known(
                field,
                "system",
                names.as_deref().unwrap_or_default(),
                systems,
            )?;
        }
        let [ahead, level, no_worse] = named.map(Clone::clone);
        let said = [
            self.at_least.map(Must::AtLeast),
            self.at_most.map(Must::AtMost),
            self.lose_at_most.map(Must::LoseAtMost),
            ahead.map(Must::BeAheadOf),
            level.map(Must::BeLevelWith),
            no_worse.map(Must::BeNoWorseThan),
        ];
        let mut said = said.into_iter().flatten();
        match (said.next(), said.next()) {
            (Some(must), None) => Ok(must),
            _ => Err((
                "",
                "a gate has exactly one requirement: `at_least`, `at_most`, `ahead_of`, `level_with`, `no_worse_than` or `lose_at_most`"
                    .to_owned(),
            )),
        }
    }
}
