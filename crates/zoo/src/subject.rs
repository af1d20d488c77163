//! Identity of a measured repository, for comparing results of different runs.
//!
//! It consists of the root commits and a digest of the questions. The folder's name doesn't count,
//! so clones have the same identity. We never compare results for different questions.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::recipe::Question;

/// A user's repository and the questions about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    /// The root commits, sorted, which clones share. Empty if we don't know them, as in a shallow
    /// clone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// Digest of the questions with their kinds, and with a mark for those without an answer. It
    /// excludes the locations of the answers, because these move with the code.
    pub questions: String,
}

impl Subject {
    /// Creates the subject for a repository with these root commits and questions.
    pub(crate) fn of(lineage: Vec<String>, questions: &[Question]) -> Self {
        let mut asked: Vec<String> = questions
            .iter()
            .map(|one| {
                let (kind, is_wanted) = (one.kind.as_str(), !one.gold.is_empty());
                format!(
                    "{}\0{}\0{kind}\0{is_wanted}\0{}",
                    one.id, one.is_of_memory, one.text
                )
            })
            .collect();
        asked.sort_unstable();
        Self {
            lineage,
            questions: Digest::of_bytes(asked.join("\0\0").as_bytes()).hex(),
        }
    }

    /// Returns the reason why results for `before` can't be compared with this subject, if there's
    /// one.
    pub(crate) fn unlike(&self, before: &Self) -> Option<&'static str> {
        let is_shared = |commit: &String| before.lineage.contains(commit);
        let is_known = !self.lineage.is_empty() && !before.lineage.is_empty();
        match () {
            () if is_known && !self.lineage.iter().any(is_shared) => {
                Some("the baseline is of another repository: the root commits differ")
            }
            () if self.questions != before.questions => Some(
                "the baseline is of other questions: mined questions change with every commit, so pass fixed ones with `--cases FILE`, or \
                 write a new baseline with `--write-baseline FILE`",
            ),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::read_cases;
    use crate::results::{Origin, Results};

    fn subject(first: &str, cases: &str) -> Subject {
        let text = format!("schema_version = 1\n{cases}");
        let lineage = match first {
            "" => Vec::new(),
            first => vec![first.to_owned()],
        };
        Subject::of(lineage, &read_cases("cases.toml", &text).unwrap())
    }

    const ONE: &str = "[[case]]\nid = \"a\"\nquestion = \"who ends it\"\n";

    #[test]
    fn subject_ignores_path_and_answer_places() {
        let answer = "[[case.answer]]\nfile = \"a.rs\"\nstart_line = 1\nend_line = 2\n";
        let answered = format!("{ONE}{answer}");
        let own = subject("4f", &answered);
        let moved = answered.replace("a.rs", "b.rs");
        for same in [
            subject("4f", &answered),
            subject("4f", &moved),
            subject("", &answered),
        ] {
            assert_eq!(own.unlike(&same), None);
            assert_eq!(same.unlike(&own), None);
        }
        let two = answered.replace("\"a\"", "\"b\"");
        let both = subject("4f", &format!("{answered}{two}"));
        assert_eq!(
            both,
            subject("4f", &format!("{two}{answered}")),
            "in any order"
        );
        let kind = "kind = \"both\"\n";
        for (other, why) in [
            (subject("5a", &answered), "another repository"),
            (both, "other questions"),
            // A case without an answer expects an empty result, so it's a different question.
            (subject("4f", ONE), "other questions"),
            (
                subject("4f", &format!("{ONE}{kind}{answer}")),
                "other questions",
            ),
            (
                subject("4f", &answered.replace("ends", "begins")),
                "other questions",
            ),
        ] {
            let error = own.unlike(&other).unwrap();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn baseline_of_other_subject_is_refused() {
        let samples = Results::of(Vec::new());
        let mut own = samples.clone();
        own.origin = Some(Origin {
            subject: Some(subject("4f", ONE)),
            ..Origin::default()
        });
        assert_eq!(samples.unlike(&samples.baseline()), None);
        assert_eq!(own.unlike(&own.baseline()), None);
        assert!(
            samples
                .unlike(&own.baseline())
                .unwrap()
                .contains("not of the samples")
        );
        assert!(
            own.unlike(&samples.baseline())
                .unwrap()
                .contains("names no repository")
        );
    }
}
