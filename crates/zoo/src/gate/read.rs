//! Reading `gates.toml`.

use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics, did_you_mean};
use windlass_plan::Document;

use super::{Gate, Gates, Must, Number, Wrong};
use crate::{Kind, Metric, ZooError};

fn told(finding: &Diagnostic) -> String {
    match &finding.help {
        Some(help) => format!("{finding} ({help})"),
        None => finding.to_string(),
    }
}

/// That what is found must be what the baseline was written of.
const SAME: &str = "same_as_baseline";

/// What a gate may say.
const FIELDS: [&str; 12] = [
    "metric",
    "archetypes",
    "except",
    "kinds",
    "case",
    "of",
    "at_least",
    "at_most",
    "ahead_of",
    "level_with",
    "no_worse_than",
    "lose_at_most",
];

/// Reads the gates in `text`, which `name` stands for; archetypes and systems must be among the known. A gate that makes no sense is one
/// that does not hold: the others are held against what is measured all the same.
///
/// # Errors
/// What is wrong with the file as a whole, or with all gates where none makes sense; with places.
pub fn read_gates(
    name: &str,
    text: &str,
    archetypes: &[&str],
    systems: &[&str],
) -> Result<Gates, ZooError> {
    let document = Document::parse_toml(name, text.as_bytes()).map_err(ZooError::Document)?;
    let mut reader = Reader {
        document: &document,
        archetypes,
        systems,
        found: Diagnostics::default(),
        of_gates: Diagnostics::default(),
        wrong: Vec::new(),
    };
    let gates = reader.gates();
    if reader.found.has_errors() {
        return Err(ZooError::Document(reader.found));
    }
    let same_as_baseline = reader.same_as_baseline();
    if gates.is_empty() && (!same_as_baseline || reader.of_gates.has_errors()) {
        return Err(ZooError::Document(reader.of_gates));
    }
    Ok(Gates {
        gates,
        same_as_baseline,
        wrong: reader.wrong,
    })
}

struct Reader<'a> {
    document: &'a Document,
    archetypes: &'a [&'a str],
    systems: &'a [&'a str],
    found: Diagnostics,
    /// What is wrong with single gates.
    of_gates: Diagnostics,
    wrong: Vec<Wrong>,
}

impl Reader<'_> {
    fn gates(&mut self) -> Vec<Gate> {
        let value = self.document.value();
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(1) => {}
            Some(2..) => self.wrong(
                "/schema_version",
                "a newer version of Windlass wrote these gates",
                Some("update Windlass"),
            ),
            _ => self.wrong("", "`schema_version = 1` is missing", None),
        }
        for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
            if !["schema_version", SAME, "gate"].contains(&key.as_str()) {
                self.wrong(
                    &format!("/{key}"),
                    &format!("unknown field `{key}`"),
                    Some("write `[[gate]]`"),
                );
            }
        }
        if value.get(SAME).is_some_and(|same| !same.is_boolean()) {
            let message = format!("`{SAME}` is neither `true` nor `false`");
            self.wrong(&format!("/{SAME}"), &message, None);
        }
        let help =
            Some("write `[[gate]]`, with what must hold below it, or `same_as_baseline = true`");
        let gates = match value.get("gate") {
            Some(Value::Array(gates)) if !gates.is_empty() => &gates[..],
            Some(Value::Array(_)) | None if self.same_as_baseline() => &[],
            Some(Value::Array(_)) | None => {
                self.wrong(
                    "",
                    "there is no gate, so that nothing would be held against the results",
                    help,
                );
                &[]
            }
            Some(_) => {
                self.wrong("/gate", "`gate` is no list of gates", help);
                &[]
            }
        };
        let gates = gates.iter().enumerate();
        gates
            .filter_map(|(at, gate)| self.gate_or_wrong(&format!("/gate/{at}"), gate))
            .collect()
    }

    fn same_as_baseline(&self) -> bool {
        self.document.value().get(SAME).and_then(Value::as_bool) == Some(true)
    }

    /// The gate; one that makes no sense is put aside.
    fn gate_or_wrong(&mut self, at: &str, gate: &Value) -> Option<Gate> {
        let of_file = std::mem::take(&mut self.found);
        let read = self.gate(at, gate);
        let found = std::mem::replace(&mut self.found, of_file);
        if !found.has_errors() {
            return read;
        }
        let metric = gate.get("metric").and_then(Value::as_str);
        self.wrong.push(Wrong {
            metric: metric.unwrap_or_default().to_owned(),
            why: found.iter().map(told).collect(),
        });
        for one in found.iter() {
            self.of_gates.push(one.clone());
        }
        None
    }

    fn gate(&mut self, at: &str, gate: &Value) -> Option<Gate> {
        let before = self.found.iter().len();
        let Some(fields) = gate.as_object() else {
            self.wrong(at, "this is no gate", Some("write `[[gate]]`"));
            return None;
        };
        for key in fields.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
            self.unknown(&format!("{at}/{key}"), "field", key, &FIELDS);
        }
        let metrics: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        let name = self.word(at, gate, "metric", &metrics);
        let archetypes = self.archetypes_of(at, gate)?;
        let (kinds, case) = self.cases_of(at, gate);
        let of = self.number_of(at, gate);
        let must = self.must(at, gate, self.found.iter().len() == before);
        let whole = self.found.iter().len() == before;
        Some(Gate {
            metric: Metric::named(&name?)?,
            archetypes,
            kinds,
            case,
            of: of?,
            must: must.filter(|_| whole)?,
        })
    }

    /// The archetypes it is about by name; nothing where it cannot be about any.
    fn archetypes_of(&mut self, at: &str, gate: &Value) -> Option<Vec<String>> {
        let archetypes = self.archetypes;
        if archetypes.is_empty() {
            let said: Vec<&str> = ["archetypes", "except"]
                .into_iter()
                .filter(|field| gate.get(field).is_some())
                .collect();
            for field in &said {
                let message = format!("`{field}` is about samples, and a repository is measured");
                self.wrong(&format!("{at}/{field}"), &message, Some("leave it out"));
            }
            return said.is_empty().then(Vec::new);
        }
        let named = self.words(at, gate, "archetypes", "archetype", archetypes);
        let but = self.words(at, gate, "except", "archetype", archetypes);
        if !named.is_empty() && !but.is_empty() {
            let help = Some("name the archetypes, or those that are left out");
            let message = "`archetypes` stands beside `except`";
            self.wrong(&format!("{at}/except"), message, help);
        }
        if !named.is_empty() || but.is_empty() {
            return Some(named);
        }
        let others = archetypes
            .iter()
            .filter(|one| !but.iter().any(|but| but == *one));
        Some(others.map(|one| (*one).to_owned()).collect())
    }

    /// The kinds of questions it is about, or the case.
    fn cases_of(&mut self, at: &str, gate: &Value) -> (Vec<Kind>, Option<String>) {
        let known = Kind::ALL.map(Kind::as_str);
        let kinds = self.words(at, gate, "kinds", "kind of question", &known);
        let is_of_baseline = gate.get("lose_at_most").is_some();
        if is_of_baseline && !kinds.is_empty() {
            let message = "a baseline knows no kinds of questions";
            self.wrong(&format!("{at}/kinds"), message, None);
        }
        let case = gate.get("case").and_then(Value::as_str).map(str::to_owned);
        let is_no_text = gate.get("case").is_some() && case.is_none();
        for (wrong, message) in [
            (is_no_text, "`case` is no text"),
            (
                case.is_some() && !kinds.is_empty(),
                "`case` stands beside `kinds`",
            ),
            (
                case.is_some() && is_of_baseline,
                "a baseline knows no single cases",
            ),
        ] {
            if wrong {
                self.wrong(&format!("{at}/case"), message, None);
            }
        }
        let kinds = Kind::ALL
            .into_iter()
            .filter(|kind| kinds.iter().any(|one| one == kind.as_str()));
        (kinds.collect(), case)
    }

    /// Which number of the values it is about.
    fn number_of(&mut self, at: &str, gate: &Value) -> Option<Number> {
        for compared in ["lose_at_most", "ahead_of", "level_with", "no_worse_than"] {
            if gate.get("of").is_some() && gate.get(compared).is_some() {
                let message = format!("`of` stands beside `{compared}`, which is about means");
                self.wrong(&format!("{at}/of"), &message, Some("leave `of` out"));
            }
        }
        if gate.get("of").is_none() {
            return Some(Number::Mean);
        }
        let word = self.word(at, gate, "of", &NUMBERS.map(Number::word))?;
        NUMBERS.into_iter().find(|one| one.word() == word)
    }

    /// The one thing that must hold; that there is one is said where all else `is_right`.
    fn must(&mut self, at: &str, gate: &Value, is_right: bool) -> Option<Must> {
        let before = self.found.iter().len();
        let mut said = Vec::new();
        for field in ["at_least", "at_most", "lose_at_most"] {
            match gate.get(field).map(Value::as_f64) {
                Some(Some(number)) => said.push(match field {
                    "at_least" => Must::AtLeast(number),
                    "at_most" => Must::AtMost(number),
                    _ => Must::LoseAtMost(number),
                }),
                Some(None) => {
                    let message = format!("`{field}` is no number");
                    self.wrong(&format!("{at}/{field}"), &message, None);
                }
                None => {}
            }
        }
        for field in ["ahead_of", "level_with", "no_worse_than"] {
            let named = self.words(at, gate, field, "system", self.systems);
            if !named.is_empty() {
                said.push(match field {
                    "ahead_of" => Must::BeAheadOf(named),
                    "level_with" => Must::BeLevelWith(named),
                    _ => Must::BeNoWorseThan(named),
                });
            }
        }
        let is_right = is_right && self.found.iter().len() == before;
        if said.len() != 1 && is_right {
            let help = "give one of `at_least`, `at_most`, `ahead_of`, `level_with`, `no_worse_than` and `lose_at_most`";
            self.wrong(at, "a gate says one thing that must hold", Some(help));
        }
        said.into_iter().next()
    }

    fn word(&mut self, at: &str, gate: &Value, field: &str, known: &[&str]) -> Option<String> {
        let Some(word) = gate.get(field).and_then(Value::as_str) else {
            self.wrong(at, &format!("`{field}` is missing, or no text"), None);
            return None;
        };
        if !known.contains(&word) {
            let what = if field == "of" { "number" } else { field };
            self.unknown(&format!("{at}/{field}"), what, word, known);
            return None;
        }
        Some(word.to_owned())
    }

    fn words(
        &mut self,
        at: &str,
        gate: &Value,
        field: &str,
        what: &str,
        known: &[&str],
    ) -> Vec<String> {
        let Some(value) = gate.get(field) else {
            return Vec::new();
        };
        let Some(list) = value.as_array() else {
            self.wrong(
                &format!("{at}/{field}"),
                &format!("`{field}` is no list"),
                None,
            );
            return Vec::new();
        };
        let mut words = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let place = format!("{at}/{field}/{index}");
            match value.as_str() {
                Some(word) if known.contains(&word) => words.push(word.to_owned()),
                other => self.unknown(&place, what, other.unwrap_or("no text"), known),
            }
        }
        words
    }

    fn unknown(&mut self, at: &str, what: &str, name: &str, known: &[&str]) {
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.join(", ")),
        };
        self.wrong(
            at,
            &format!("there is no {what} called `{name}`"),
            Some(&help),
        );
    }

    fn wrong(&mut self, at: &str, message: &str, help: Option<&str>) {
        let mut finding = Diagnostic::error("gates", message);
        finding.place = self.document.at(at).map(|node| node.place());
        self.found.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }
}

const NUMBERS: [Number; 6] = [
    Number::Mean,
    Number::P5,
    Number::P50,
    Number::P95,
    Number::Min,
    Number::Max,
];
