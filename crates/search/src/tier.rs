//! Confidence that what is found first answers the question.

use serde::{Deserialize, Serialize};

use crate::params;
use crate::ranking::{FoundDocument, Search, WordMatch};
use crate::terms::TermKind;

/// Number of the field of headings: those before it are written to be found by.
const HEADINGS: usize = 3;

/// Confidence that something found is meant, in three steps.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Level")]
pub enum Tier {
    /// Nothing found is likely to be meant.
    None,
    /// Something found may be meant.
    Weak,
    /// Something found is meant.
    Strong,
}

impl Tier {
    /// The tier in small letters, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }

    /// The tier of a confidence, with bounds for weak and strong, all in thousandths.
    #[must_use]
    pub fn within((weak, strong): (i64, i64), confidence: u32) -> Self {
        match i64::from(confidence) {
            sure if sure >= strong => Self::Strong,
            sure if sure >= weak => Self::Weak,
            _ => Self::None,
        }
    }
}

/// Number of features.
pub const FEATURES: usize = 6;

/// Features of a document that was found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// Share of the weight of the question that the document has; the same in title, keywords and aliases; share of its second
    /// rarest word; lead over the next document; logarithm of the number of documents; 1 if it lacks something exact.
    pub values: [f64; FEATURES],
    /// Number of telling words that the document has, and of names of code.
    pub telling: usize,
    /// Number of telling words that it has as they were corrected.
    pub corrected: usize,
    /// True if the document lacks a version, a date, a file or part of a name of code that was asked for.
    pub lacks_exact: bool,
}

impl Search<'_> {
    /// Features of `found`, whose score is `ahead` of the next one. The index is one of several that are asked, which have
    /// `beside` documents more.
    #[must_use]
    pub fn features(
        &self,
        found: &FoundDocument,
        matches: &[WordMatch],
        ahead: f64,
        beside: usize,
    ) -> Features {
        let mut features = Features::default();
        let (mut told, mut headed, mut asked) = (0.0, 0.0, 0.0);
        let (mut rarest, mut second) = (0.0f64, 0.0f64);
        for (at, word) in self.query.words.iter().enumerate() {
            let own = matches.iter().find(|one| one.word == at);
            let own = own.map(|one| one.counts);
            let is_taught = found.taught & (1 << at.min(63)) > 0;
            let is_there = own.is_some() || is_taught;
            if is_there && (word.is_telling() || word.kind == TermKind::Name) {
                match word.corrected {
                    Some(_) if !is_taught => features.corrected += 1,
                    // Nobody writes a name of common words by chance.
                    _ if word.kind == TermKind::Name && word.is_common => features.telling += 2,
                    _ => features.telling += 1,
                }
            }
            if !word.is_asked() {
                continue;
            }
            let value = self.value(at);
            asked += value;
            if !is_there {
                continue;
            }
            let strength = match own {
                Some(_) => 1.0 + params::UNLEARNED * found.learned.min(0.0),
                None => found.learned.max(0.0).sqrt(),
            };
            told += value * strength;
            if own.is_some_and(|own| own[..HEADINGS].iter().any(|count| *count > 0)) {
                headed += value;
            }
            if word.is_telling() {
                let tells = self.words[at].rarity * strength;
                second = second.max(tells.min(rarest));
                rarest = rarest.max(tells);
            }
        }
        features.lacks_exact = found.learned <= 0.0 && self.lacks_exact(matches);
        #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
        let documents = (self.index.len() + beside).max(params::FEWEST) as f64;
        let asked = asked.max(f64::MIN_POSITIVE);
        features.values = [
            told / asked,
            headed / asked,
            second / self.index.rarity(0, false),
            ahead / (asked * (params::RANKING.k1 + 1.0)),
            documents.ln_1p(),
            f64::from(u8::from(features.lacks_exact)),
        ];
        features
    }

    /// True if a word that no other says is missing, or part of a name of code.
    fn lacks_exact(&self, matches: &[WordMatch]) -> bool {
        let lacks = |at: usize| matches.iter().all(|one| one.word != at);
        self.query.words.iter().enumerate().any(|(at, word)| {
            let lacks_part = word.parts.iter().any(|part| lacks(*part));
            lacks(at) && (word.is_exact || lacks_part)
        })
    }

    /// Weight of a word among those that an answer is expected to have, in nats.
    #[must_use]
    pub fn value(&self, at: usize) -> f64 {
        let (word, looked_up) = (&self.query.words[at], &self.words[at]);
        let factor = match looked_up.documents {
            _ if word.is_common => params::COMMON_VALUE,
            0 if word.is_exact => params::UNKNOWN_EXACT,
            0 => params::UNKNOWN,
            _ => 1.0,
        };
        looked_up.rarity * factor
    }
}

/// Confidence that a document with these features answers, 0 to 1: a logistic curve. By one word alone nobody is sure, nor by a
/// document that lacks a version or a name.
#[must_use]
pub fn confidence(features: &Features) -> f64 {
    let most = match (features.telling, features.corrected) {
        (0, 0) => params::MAX_COMMON,
        (0 | 1, _) => params::MAX_UNSURE,
        _ if features.lacks_exact => params::MAX_UNSURE,
        _ => 1.0,
    };
    let weighed = features.values.iter().zip(params::CURVE);
    let sum: f64 = params::INTERCEPT + weighed.map(|(value, weight)| value * weight).sum::<f64>();
    (1.0 / (1.0 + (-sum).exp())).min(most)
}
