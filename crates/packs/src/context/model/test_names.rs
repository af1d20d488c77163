//! Which tests a run had, in few bytes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use windlass_base::{Digest, decode_hex, encode_hex};
use windlass_results::{NamedTest, Results, TestCount, TestOutcome, file_of_test};

/// How many bytes stand for a name: among ten thousand names, two are taken for one in about five million packs.
const BYTES: usize = 6;

/// Names of tests, as the first bytes of their digests: they are compared, and not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSet(BTreeSet<[u8; BYTES]>);

impl NameSet {
    fn insert(&mut self, name: &str) {
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&Digest::of_bytes(name.as_bytes()).as_bytes()[..BYTES]);
        self.0.insert(bytes);
    }

    /// Whether `name` is among them.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        let mut one = Self::default();
        one.insert(name);
        one.0.is_subset(&self.0)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    fn remove(&mut self, other: &Self) {
        self.0.retain(|name| !other.0.contains(name));
    }
}

impl Serialize for NameSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|name| encode_hex(name)).collect();
        serializer.serialize_str(&digits)
    }
}

impl<'de> Deserialize<'de> for NameSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let names = text.as_bytes().chunks(BYTES * 2).map(|digits| {
            let digits = std::str::from_utf8(digits).ok();
            digits.and_then(decode_hex)
        });
        let names: Option<BTreeSet<_>> = names.collect();
        let wanted =
            || D::Error::custom("expected names of tests as twelve hexadecimal digits each");
        names.map(Self).ok_or_else(wanted)
    }
}

/// Which tests a run had, by how they went: of each name twelve hexadecimal digits, sorted, without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TestNames {
    /// Those that passed.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub passed: NameSet,
    /// Those that failed.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub failed: NameSet,
    /// Those that were not run.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub skipped: NameSet,
    /// What else failed: what a compiler or another program says.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub errors: NameSet,
    /// Which of those that failed the pack does not name.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub unlisted: NameSet,
    /// Of those that failed, the names with where each stands in its report, and the names of which that is known.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub places: NameSet,
    /// Of the files that failures are of, how many tests each had, where the report counts them and names none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, u32>,
}

/// A name, and that a report of this kind says where the test stands: each kind has so many parts of that.
fn kind_of_place(key: &str, within: &[String]) -> String {
    format!("{key}\n{}", within.len())
}

/// A name, and where the test stands.
fn placed(key: &str, within: &[String]) -> String {
    format!("{key}\n{}", within.join("\n"))
}

impl TestNames {
    /// Of what results name.
    #[must_use]
    pub fn of(names: &[NamedTest]) -> Self {
        let mut all = Self::default();
        for name in names {
            match name.outcome {
                TestOutcome::Passed => all.passed.insert(&name.key),
                TestOutcome::Failed => all.failed.insert(&name.key),
                TestOutcome::Skipped => all.skipped.insert(&name.key),
                TestOutcome::Error => all.errors.insert(&name.key),
            }
            if name.is_bad() && !name.within.is_empty() {
                all.places.insert(&kind_of_place(&name.key, &name.within));
                all.places.insert(&placed(&name.key, &name.within));
            }
            if name.is_bad() && !name.is_listed {
                all.unlisted.insert(&name.key);
            }
        }
        all
    }

    /// Of all that results name and count.
    #[must_use]
    pub fn of_results(found: &Results) -> Self {
        let failed = found.failures.iter().map(|failure| failure.id.as_str());
        let files: BTreeSet<&str> = failed.filter_map(file_of_test).collect();
        let counted = files.into_iter().filter_map(|file| {
            let count = found.files.get(file)?;
            Some((file.to_owned(), count.all()))
        });
        Self {
            files: counted.collect(),
            ..Self::of(&found.names)
        }
    }

    /// Whether what goes by `name` failed.
    #[must_use]
    pub fn has_failed(&self, name: &str) -> bool {
        self.failed.contains(name) || self.errors.contains(name)
    }

    /// Whether the test `name`, which results name now, is one that failed: it has its whole name, and where reports of its kind say where
    /// each stands, it stands where that one did.
    #[must_use]
    pub fn is_one_that_failed(&self, name: &NamedTest) -> bool {
        let key = name.unnumbered_key();
        self.failed.contains(key)
            && (!self.places.contains(&kind_of_place(key, &name.within))
                || self.places.contains(&placed(key, &name.within)))
    }

    /// What both have. What failed once fails; what passed once was run.
    #[must_use]
    pub(crate) fn joined(mut self, other: &Self) -> Self {
        let mut listed = self.listed();
        listed.extend(&other.listed());
        self.failed.extend(&other.failed);
        self.errors.extend(&other.errors);
        self.passed.extend(&other.passed);
        self.passed.remove(&self.failed);
        self.skipped.extend(&other.skipped);
        self.skipped.remove(&self.failed);
        self.skipped.remove(&self.passed);
        self.unlisted.extend(&other.unlisted);
        self.unlisted.remove(&listed);
        self
    }

    /// What failed, and the pack names.
    fn listed(&self) -> NameSet {
        let mut listed = self.failed.clone();
        listed.extend(&self.errors);
        listed.remove(&self.unlisted);
        listed
    }

    /// How many failed.
    pub(crate) fn bad(&self) -> u64 {
        let mut bad = self.failed.clone();
        bad.extend(&self.errors);
        bad.len() as u64
    }

    /// How many tests there were.
    pub(crate) fn count(&self) -> TestCount {
        let number = |names: &NameSet| u32::try_from(names.len()).unwrap_or(u32::MAX);
        TestCount {
            passed: number(&self.passed),
            failed: number(&self.failed),
            skipped: number(&self.skipped),
        }
    }
}
