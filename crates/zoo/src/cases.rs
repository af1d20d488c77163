//! Reads questions with their answers from a file of cases, and writes samples to a folder.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Cancel, Diagnostic};
use windlass_plan::Document;

use crate::ZooError;
use crate::folder::{lay_out, put};
use crate::recipe::{Gold, Kind, Question, Recipe, SHIPPED};
use crate::run_plan::Doing;

/// Path of the file of cases in a sample. The folder is hidden, or else searches in the sample
/// would find the answers there.
pub const CASES: &str = ".windlass/cases.toml";

/// A question as written in the file. Without `answer`, the right answer is that there's none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "case")]
struct Case {
    id: String,
    question: String,
    #[serde(default = "plain")]
    kind: Kind,
    /// True if the question is about the memory instead of the files.
    #[serde(default)]
    memory: bool,
    #[serde(default)]
    answer: Vec<Gold>,
}

fn plain() -> Kind {
    Kind::Plain
}

/// Reads the questions in `text`. Error messages refer to the file as `name`. Answers are not
/// looked up here: their locations are checked once the questions are asked.
///
/// # Errors
///
/// Returns an error for the first mistake, with its location. It may be an invalid file, a newer format version, a
/// file without cases, or a case without a unique id.
pub fn read_cases(name: &str, text: &str) -> Result<Vec<Question>, ZooError> {
    let document = Document::parse_toml(name, text.as_bytes()).map_err(ZooError::Document)?;
    let wrong = |at: &str, message: &str| {
        let mut finding = Diagnostic::error("zoo", message);
        finding.place = document.at(at).map(|node| node.place());
        ZooError::Document(finding.into())
    };
    match document
        .value()
        .get("schema_version")
        .and_then(Value::as_u64)
    {
        Some(1) => {}
        Some(2..) => {
            let message = "a newer version of Windlass wrote these cases; update Windlass";
            return Err(wrong("/schema_version", message));
        }
        _ => return Err(wrong("", "`schema_version = 1` is missing")),
    }
    let cases = document.value().get("case").and_then(Value::as_array);
    let cases = cases.filter(|cases| !cases.is_empty());
    let cases = cases.ok_or_else(|| wrong("", "no case: write `[[case]]`"))?;
    let (mut names, mut questions) = (BTreeSet::new(), Vec::new());
    for (at, value) in cases.iter().enumerate() {
        let at = format!("/case/{at}");
        let case = Case::deserialize(value).map_err(|error| wrong(&at, &error.to_string()))?;
        if case.id.trim().is_empty() || !names.insert(case.id.clone()) {
            let message = "missing or duplicate `id`: write a unique `id = \"NAME\"`";
            return Err(wrong(&at, message));
        }
        questions.push(case.question());
    }
    Ok(questions)
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
            gold: self.answer,
            neutral: Vec::new(),
        }
    }
}

/// Formats questions as a file for [`read_cases`].
fn written(questions: &[Question]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = "schema_version = 1\n".to_owned();
    for one in questions {
        let _ = write!(
            text,
            "\n[[case]]\nid = {}\nquestion = {}\nkind = \"{}\"\n",
            quoted(&one.id),
            quoted(&one.text),
            one.kind.as_str()
        );
        if one.is_of_memory {
            text += "memory = true\n";
        }
        for gold in &one.gold {
            let _ = writeln!(
                text,
                "[[case.answer]]\nfile = {}\nstart_line = {}\nend_line = {}",
                quoted(&gold.file),
                gold.start_line,
                gold.end_line
            );
        }
    }
    text
}

/// Writes the sample of `archetype` into `folder`, with its runbook, and with its questions in
/// [`CASES`]. Returns the number of files and the number of questions.
///
/// # Errors
///
/// Returns an error if the archetype is unknown, the folder is not empty, or writing fails.
pub fn write_sample(archetype: &str, folder: &Path) -> Result<(usize, usize), ZooError> {
    let Some((name, text)) = SHIPPED.iter().find(|(name, _)| *name == archetype) else {
        let known: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        return Err(ZooError::Unknown {
            what: "archetype",
            name: archetype.to_owned(),
            known: known.join(", "),
        });
    };
    if !is_free(folder) {
        let message = format!("`{}` is not an empty folder", folder.display());
        return Err(ZooError::Data(message));
    }
    let sample = Recipe::read(&format!("eval-zoo/{name}.toml"), text)?.make()?;
    let doing = Doing {
        cancel: &Cancel::default(),
        progress: &|_, _| {},
    };
    lay_out(&sample, folder, &doing)?;
    put(&folder.join(CASES), &written(&sample.questions))?;
    Ok((sample.files.len(), sample.questions.len()))
}

/// Returns true if `folder` is empty or does not exist.
#[expect(
    clippy::disallowed_methods,
    reason = "the user named the folder in which a sample is made"
)]
fn is_free(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_sample_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("sample");
        let (files, count) = write_sample("changing", &root).unwrap();
        assert!(files > 100, "{files}");
        let text =
            windlass_store::read_file(&windlass_store::RootedPath::new(&root).join(CASES), 1 << 20)
                .unwrap();
        let text = String::from_utf8(text.unwrap()).unwrap();
        let questions = read_cases("cases.toml", &text).unwrap();
        let own = Recipe::read("changing", SHIPPED[7].1)
            .unwrap()
            .make()
            .unwrap();
        assert_eq!((questions.len(), questions), (count, own.questions));
        let again = write_sample("changing", &root).unwrap_err();
        assert!(again.to_string().contains("not an empty folder"), "{again}");
        assert!(matches!(
            write_sample("zebra", &root),
            Err(ZooError::Unknown { .. })
        ));
    }

    #[test]
    fn invalid_cases_are_located() {
        let case = "[[case]]\nid = \"a\"\nquestion = \"where\"\n";
        for (text, why) in [
            ("schema_version = 1\ncase = []\n".to_owned(), "no case"),
            (format!("schema_version = 7\n{case}"), "newer version"),
            (
                format!("schema_version = 7\nnew = 1\n{case}"),
                "newer version",
            ),
            (
                format!("schema_version = 0\n{case}"),
                "`schema_version = 1` is missing",
            ),
            (
                "schema_version = 1\n[case]\nid = \"a\"".to_owned(),
                "no case: write",
            ),
        ] {
            let found = read_cases("cases.toml", &text).unwrap_err();
            assert!(
                format!("{found} {found:?}").contains(why),
                "{text}: {found:?}"
            );
        }
        for (text, why) in [
            (format!("{case}anser = 1"), ":2:1: unknown field `anser`"),
            (case.repeat(2), ":5:1: missing or duplicate `id`"),
            (
                case.replace("\"a\"", "\"\""),
                ":2:1: missing or duplicate `id`",
            ),
        ] {
            let found = read_cases("cases.toml", &format!("schema_version = 1\n{text}"));
            let told = format!("{:?}", found.unwrap_err());
            let (place, why) = why.split_once(": ").unwrap();
            assert!(told.contains(why), "{place} {told}");
        }
        let nothing = read_cases("c", &format!("schema_version = 1\n{case}")).unwrap();
        assert_eq!(nothing[0].kind, Kind::Nothing);
    }
}
