use serde::Deserialize;

use super::{Gate, Gates, Must, Number};
use crate::documents::{Version, read};
use crate::{Kind, Metric, ZooError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GatesFile {
    #[serde(rename = "schema_version")]
    _version: Version,
    #[serde(default)]
    same_as_baseline: bool,
    #[serde(default)]
    gate: Vec<Gate>,
}

/// A gate as it's written in the file. Exactly one of the requirements must be there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenGate {
    metric: Metric,
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
    no_worse_than: Option<Vec<String>>,
}

/// Reads gates. `name` is how error messages call the file. If a gate names an archetype or a
/// system that isn't measured, the gate will be violated.
///
/// # Errors
///
/// Returns the first mistake, with its location.
pub fn read_gates(name: &str, text: &str) -> Result<Gates, ZooError> {
    let file: GatesFile = read(name, text)?;
    if file.gate.is_empty() && !file.same_as_baseline {
        return Err(ZooError::Data(format!(
            "no gate in `{name}`: write `[[gate]]` with a requirement, or `same_as_baseline = true`"
        )));
    }
    Ok(Gates {
        gates: file.gate,
        same_as_baseline: file.same_as_baseline,
    })
}

impl TryFrom<WrittenGate> for Gate {
    type Error = &'static str;

    fn try_from(gate: WrittenGate) -> Result<Self, Self::Error> {
        let requirements = [
            gate.at_least.map(Must::AtLeast),
            gate.at_most.map(Must::AtMost),
            gate.lose_at_most.map(Must::LoseAtMost),
            gate.ahead_of.map(Must::BeAheadOf),
            gate.no_worse_than.map(Must::BeNoWorseThan),
        ];
        let mut requirements = requirements.into_iter().flatten();
        let (Some(must), None) = (requirements.next(), requirements.next()) else {
            return Err(
                "a gate has exactly one of `at_least`, `at_most`, `ahead_of`, `no_worse_than` and `lose_at_most`",
            );
        };
        let is_of_some = !gate.kinds.is_empty() || gate.case.is_some();
        match &must {
            _ if !gate.archetypes.is_empty() && !gate.except.is_empty() => {
                return Err("`archetypes` and `except` exclude each other");
            }
            Must::LoseAtMost(_) if is_of_some => {
                return Err("a baseline has neither kinds of questions nor single cases");
            }
            Must::AtLeast(_) | Must::AtMost(_) => {}
            _ if gate.of.is_some() => {
                return Err("`of` is only for `at_least` and `at_most`: all others compare means");
            }
            _ => {}
        }
        Ok(Self {
            metric: gate.metric,
            archetypes: gate.archetypes,
            except: gate.except,
            kinds: gate.kinds,
            case: gate.case,
            of: gate.of.unwrap_or(Number::Mean),
            must,
        })
    }
}
