//! Reads questions with their answers from a file that the user has written.

use std::collections::BTreeSet;

use serde::Deserialize;
use windlass_base::RepoPath;

use crate::ZooError;
use crate::documents::{Version, read};
use crate::recipe::{Gold, Kind, Question};

/// The path that we recommend for the file. It's in a hidden folder, because searches would find
/// the answers there otherwise.
pub const CASES: &str = ".windlass/cases.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesFile {
    #[serde(rename = "schema_version")]
    _version: Version,
    case: Vec<Case>,
}

/// A question as it's written in the file. Without an `answer`, we expect that nothing is found.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "case")]
struct Case {
    id: String,
    question: String,
    #[serde(default = "plain")]
    kind: Kind,
    /// True if the question is about the memory rather than the files.
    #[serde(default)]
    memory: bool,
    #[serde(default)]
    answer: Vec<Gold>,
}

fn plain() -> Kind {
    Kind::Plain
}

/// Reads the questions in `text`. `name` is how error messages call the file. We don't look up the
/// locations of the answers yet; that's done when the questions are asked.
///
/// # Errors
///
/// Returns an error for the first mistake: the file is invalid, has a newer format version or has
/// no cases, or a case doesn't have an ID of its own.
pub fn read_cases(name: &str, text: &str) -> Result<Vec<Question>, ZooError> {
    let file: CasesFile = read(name, text)?;
    if file.case.is_empty() {
        let message = format!("no case in `{name}`: write `[[case]]`");
        return Err(ZooError::Data(message));
    }
    let mut ids = BTreeSet::new();
    for case in &file.case {
        if case.id.trim().is_empty() || !ids.insert(&case.id) {
            return Err(ZooError::Data(format!(
                "empty or duplicate `id` in `{name}`: `{}`; give each case its own",
                case.id
            )));
        }
    }
    Ok(file.case.into_iter().map(Case::question).collect())
}

impl Case {
    fn question(self) -> Question {
        let kind = match (self.answer.is_empty(), self.memory) {
            (true, true) => Kind::Forgotten,
            (true, false) => Kind::Nothing,
            (false, _) => self.kind,
        };
        Question {
            id: self.id,
            kind,
            is_of_memory: self.memory,
            text: self.question,
            gold: self.answer.into_iter().map(plainly_named).collect(),
            neutral: Vec::new(),
        }
    }
}

/// Normalizes the path of an answer, such as `./a.rs`. A path that isn't valid stays as it is, and
/// won't match any file.
fn plainly_named(mut gold: Gold) -> Gold {
    if let Ok(path) = RepoPath::parse(&gold.file) {
        gold.file = path.to_string();
    }
    gold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_cases_are_located() {
        let case = "[[case]]\nid = \"a\"\nquestion = \"where\"\n";
        let read = |text: &str| read_cases("cases.toml", text);
        for (text, why) in [
            ("schema_version = 1\ncase = []\n".to_owned(), "no case"),
            (format!("schema_version = 7\n{case}"), "`schema_version` 7"),
            (case.to_owned(), "missing field `schema_version`"),
            (
                format!("schema_version = 1\n{case}anser = 1"),
                "cases.toml:5:1: unknown field `anser`",
            ),
            (
                format!("schema_version = 1\n{}", case.repeat(2)),
                "duplicate `id` in `cases.toml`: `a`",
            ),
            (
                format!("schema_version = 1\n{}", case.replace("\"a\"", "\"\"")),
                "empty or duplicate",
            ),
        ] {
            let told = match read(&text).unwrap_err() {
                ZooError::Document(found) => found.iter().map(ToString::to_string).collect(),
                other => other.to_string(),
            };
            assert!(told.contains(why), "{text}: {told}");
        }
        let answer = "[[case.answer]]\nfile = \"./src//a.rs\"\nstart_line = 1\nend_line = 2\n";
        let text =
            format!("schema_version = 1\n{case}[[case]]\nid = \"b\"\nquestion = \"x\"\n{answer}");
        let questions = read(&text).unwrap();
        assert_eq!(questions[0].kind, Kind::Nothing);
        assert_eq!(questions[1].gold[0].file, "src/a.rs");
    }
}
