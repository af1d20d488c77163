use serde_json::{Map, Value};

use super::Schema;

/// The most parts of a schema that are looked at, each as often as it is led to, and the most that are inside of each other.
const MAX_PARTS: usize = 2_000;
const MAX_DEPTH: usize = 64;
/// The most references in a row: fewer than the checker follows.
const MAX_HOPS: usize = 8;

/// What says something about a schema and asks nothing of a value.
const ANNOTATIONS: [&str; 12] = [
    "$comment",
    "$defs",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    // In this dialect it asks nothing.
    "format",
    "readOnly",
    "title",
    "writeOnly",
];

/// Whether `value` fits `schema` beyond doubt. It says so only of schemas that are, in all their parts, of what the checker
/// knows and judges as JSON Schema (2020-12) says: `false` means that somebody who knows more has to be asked.
///
/// `schema` is one that is sound, as its own schema says. It is for values that are checked a few times: a compiled
/// validator is faster, once there is one.
#[must_use]
pub fn surely_fits(schema: &Value, value: &Value) -> bool {
    let mut walk = Walk {
        root: schema,
        left: MAX_PARTS,
    };
    walk.is_known(schema, Within::default())
        && Schema::new(schema).check(value, false, 0).is_empty()
}

/// Where a part of a schema is.
#[derive(Debug, Clone, Copy, Default)]
struct Within {
    depth: usize,
    hops: usize,
    choice: bool,
}

struct Walk<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> Walk<'a> {
    fn is_known(&mut self, part: &'a Value, within: Within) -> bool {
        let Value::Object(keywords) = part else {
            return part.is_boolean();
        };
        let Some(left) = self.left.checked_sub(1) else {
            return false;
        };
        self.left = left;
        // A schema that leads back to itself ends here.
        if within.depth >= MAX_DEPTH {
            return false;
        }
        if let Some(reference) = keywords.get("$ref") {
            // What stands beside one counts as well, and the checker does not look at it.
            let mut others = keywords.keys().filter(|keyword| *keyword != "$ref");
            return others.all(|keyword| ANNOTATIONS.contains(&&**keyword))
                && self.is_target_known(reference, within);
        }
        let both = keywords.contains_key("enum") && keywords.contains_key("const");
        !both
            && keywords
                .iter()
                .all(|(keyword, asked)| self.is_keyword_known(keyword, asked, within))
    }

    fn is_target_known(&mut self, reference: &Value, within: Within) -> bool {
        let place = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let target = place
            .filter(|place| !place.contains('%'))
            .and_then(|place| self.root.pointer(place));
        within.hops < MAX_HOPS
            && target.is_some_and(|target| {
                let within = Within {
                    depth: within.depth + 1,
                    hops: within.hops + 1,
                    ..within
                };
                self.is_known(target, within)
            })
    }

    fn is_keyword_known(&mut self, keyword: &str, asked: &'a Value, within: Within) -> bool {
        let below = Within {
            depth: within.depth + 1,
            hops: 0,
            ..within
        };
        match keyword {
            "type" | "enum" | "const" | "required" => true,
            "minItems" | "maxItems" | "minLength" | "maxLength" => asked.is_u64(),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => asked.is_number(),
            "items" | "additionalProperties" => self.is_known(asked, below),
            "properties" => asked
                .as_object()
                .is_some_and(|fields| fields.values().all(|part| self.is_known(part, below))),
            "prefixItems" | "allOf" => self.are_known(asked, below),
            // One choice in another may take so long that the checker gives up.
            "anyOf" if !within.choice => {
                let below = Within {
                    choice: true,
                    ..below
                };
                self.are_known(asked, below) && self.are_words_alone(asked)
            }
            other => ANNOTATIONS.contains(&other),
        }
    }

    fn are_known(&mut self, parts: &'a Value, within: Within) -> bool {
        let parts = parts.as_array();
        parts.is_some_and(|parts| parts.iter().all(|part| self.is_known(part, within)))
    }

    /// Whether branches that name words ask nothing else: of those the checker looks at nothing else.
    fn are_words_alone(&self, branches: &Value) -> bool {
        let asks_more = |keywords: &Map<String, Value>| {
            let names_words = |keyword: &str| matches!(keyword, "enum" | "const");
            let is_fine = |keyword: &str| {
                names_words(keyword) || keyword == "type" || ANNOTATIONS.contains(&keyword)
            };
            keywords.keys().any(|keyword| names_words(keyword))
                && !keywords.keys().all(|keyword| is_fine(keyword))
        };
        let branches = branches.as_array().into_iter().flatten();
        let mut resolved = branches.filter_map(|branch| super::target(self.root, branch));
        !resolved.any(|branch| branch.as_object().is_some_and(asks_more))
    }
}
