//! Stores the names of a run's tests in little space.
//!
//! Later packs compare their own results with these names, e.g. to find the failures that are
//! resolved by now. A run may have thousands of tests, so we only store hashes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use windlass_base::{Digest, decode_hex, encode_hex};
use windlass_results::{NamedTest, Results, TestCount, TestOutcome, file_of_test};

/// Number of bytes per name. With ten thousand names, there's a collision in one of five million
/// packs.
const BYTES: usize = 6;

/// A set of test names. It only has the first bytes of their digests, so names can be compared but
/// not printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSet(BTreeSet<[u8; BYTES]>);

impl NameSet {
    fn insert(&mut self, name: &str) {
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&Digest::of_bytes(name.as_bytes()).as_bytes()[..BYTES]);
        self.0.insert(bytes);
    }

    /// True if the set has this name. False positives are possible, but very unlikely.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        let mut one = Self::default();
        one.insert(name);
        one.0.is_subset(&self.0)
    }

    /// Number of names. If two of them collide, they count as one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the set has no names.
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
        let wanted = || D::Error::custom("expected test names of twelve hexadecimal digits each");
        names.map(Self).ok_or_else(wanted)
    }
}

/// Tests of a run by outcome. Each set is written as twelve hexadecimal digits per name, sorted and
/// without separators.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TestNames {
    /// Passed tests.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub passed: NameSet,
    /// Failed tests.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub failed: NameSet,
    /// Skipped tests.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub skipped: NameSet,
    /// Other failures, which are errors of a compiler or another program.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub errors: NameSet,
    /// Failed tests not listed in the pack.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub unlisted: NameSet,
    /// Failed tests with their location in the report, and the kinds of names that have a location.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "NameSet::is_empty")]
    pub places: NameSet,
    /// Number of tests in each file with failures, if the report counts tests without naming them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, u32>,
}

/// A key for the name and the depth of its location. All reports of the same kind have the same
/// depth, so this tells the kinds apart.
fn kind_of_place(key: &str, within: &[String]) -> String {
    format!("{key}\n{}", within.len())
}

fn placed(key: &str, within: &[String]) -> String {
    format!("{key}\n{}", within.join("\n"))
}

impl TestNames {
    /// Collects the tests by outcome.
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

    /// Like [`of`](Self::of), but includes tests that `found` only counts without naming them.
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

    /// True if a test of this name failed, or if there was an error of this name.
    #[must_use]
    pub fn has_failed(&self, name: &str) -> bool {
        self.failed.contains(name) || self.errors.contains(name)
    }

    /// True if this test from newer results failed in this run.
    ///
    /// The whole name must be the same. If reports of this kind have locations, the location must
    /// be the same as well.
    #[must_use]
    pub fn is_one_that_failed(&self, name: &NamedTest) -> bool {
        let key = name.unnumbered_key();
        self.failed.contains(key)
            && (!self.places.contains(&kind_of_place(key, &name.within))
                || self.places.contains(&placed(key, &name.within)))
    }

    /// Joins two runs. A test that failed in either of them has failed. Failing that, it has passed
    /// if it passed in either.
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

    fn listed(&self) -> NameSet {
        let mut listed = self.failed.clone();
        listed.extend(&self.errors);
        listed.remove(&self.unlisted);
        listed
    }

    pub(crate) fn bad(&self) -> u64 {
        let mut bad = self.failed.clone();
        bad.extend(&self.errors);
        bad.len() as u64
    }

    pub(crate) fn count(&self) -> TestCount {
        let number = |names: &NameSet| u32::try_from(names.len()).unwrap_or(u32::MAX);
        TestCount {
            passed: number(&self.passed),
            failed: number(&self.failed),
            skipped: number(&self.skipped),
        }
    }
}
