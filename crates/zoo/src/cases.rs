//! Questions that somebody wrote down, with the places that answer them; and samples, written out to be looked at.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use windlass_base::Cancel;

use crate::ZooError;
use crate::folder::{lay_out, put};
use crate::plan::Doing;
use crate::recipe::{Gold, Kind, Question, Recipe, SHIPPED, read};

/// Where a sample has its questions: in a hidden folder, so that nobody finds them who looks for something else.
pub const CASES: &str = ".windlass/cases.toml";

/// A file of questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "cases")]
struct Cases {
    schema_version: u32,
    case: Vec<Case>,
}

/// A question; nothing answers it where it has no `answer`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "case")]
struct Case {
    id: String,
    question: String,
    #[serde(default = "plain")]
    kind: Kind,
    /// Whether the memory is asked, and not the files.
    #[serde(default)]
    memory: bool,
    #[serde(default)]
    answer: Vec<Gold>,
}

fn plain() -> Kind {
    Kind::Plain
}

/// Reads the questions in `text`, which `name` stands for. Whether their places are there is seen when they are asked. A case without a
/// name, or with that of one before it, is a wrong one, under a name of its own.
///
/// # Errors
/// What is wrong with the file: its form, or that there is no case in it.
pub fn read_cases(name: &str, text: &str) -> Result<Vec<Question>, ZooError> {
    let cases: Cases = read(name, text)?;
    let wrong = |why: &str| Err(ZooError::Data(format!("{name}: {why}")));
    if cases.schema_version != 1 {
        return wrong("a newer version of Windlass wrote these cases; update Windlass");
    }
    if cases.case.is_empty() {
        return wrong("there is no case in it; write `[[case]]`");
    }
    let mut names: BTreeSet<String> = cases.case.iter().map(|case| case.id.clone()).collect();
    let mut seen = BTreeSet::new();
    let mut questions: Vec<Question> = Vec::new();
    for case in cases.case {
        let wrong = match () {
            () if case.id.trim().is_empty() => {
                Some("it has no name: write `id = \"NAME\"`".to_owned())
            }
            () if !seen.insert(case.id.clone()) => Some(format!(
                "another case before it is called `{}`, too",
                case.id
            )),
            () => None,
        };
        let id = match wrong {
            Some(_) => free_name(&mut names, &case.id, questions.len() + 1),
            None => case.id,
        };
        let kind = match (case.answer.is_empty(), case.memory) {
            (true, true) => Kind::Forgotten,
            (true, false) => Kind::Nothing,
            (false, _) => case.kind,
        };
        questions.push(Question {
            id,
            kind,
            is_of_memory: case.memory,
            text: case.question,
            gold: case.answer,
            neutral: Vec::new(),
            wrong,
        });
    }
    Ok(questions)
}

/// A name that is none of `names` yet, for a case called `id` that has the number `at` in its file.
fn free_name(names: &mut BTreeSet<String>, id: &str, at: usize) -> String {
    let stem = match id.trim() {
        "" => "case",
        id => id,
    };
    let mut at = at;
    loop {
        let name = format!("{stem}-{at}");
        if names.insert(name.clone()) {
            return name;
        }
        at += 1;
    }
}

/// Questions as [`read_cases`] reads them.
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

/// Writes the sample of `archetype` into `folder`, with its runbook, and its questions in [`CASES`]; says how many files and questions
/// there are.
///
/// # Errors
/// When there is no such archetype, something is in the folder already, or it cannot be written.
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
        let message = format!("`{}` is no empty folder, nor a new one", folder.display());
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
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("sample");
        let (files, count) = write_sample("changing", &root).unwrap();
        assert!(files > 100, "{files}");
        let text = windlass_store::read_file(&root.join(CASES), 1 << 20).unwrap();
        let text = String::from_utf8(text.unwrap()).unwrap();
        let questions = read_cases("cases.toml", &text).unwrap();
        let own = Recipe::read("changing", SHIPPED[7].1)
            .unwrap()
            .make()
            .unwrap();
        assert_eq!((questions.len(), questions), (count, own.questions));
        let again = write_sample("changing", &root).unwrap_err();
        assert!(again.to_string().contains("no empty folder"), "{again}");
        assert!(matches!(
            write_sample("zebra", &root),
            Err(ZooError::Unknown { .. })
        ));
    }

    #[test]
    fn what_is_wrong_with_a_file_of_cases_is_told() {
        let case = "[[case]]\nid = \"a\"\nquestion = \"where\"\n";
        for (text, why) in [
            ("schema_version = 1\ncase = []\n".to_owned(), "no case"),
            (format!("schema_version = 7\n{case}"), "newer version"),
            (format!("schema_version = 1\n{case}anser = 1\n"), "anser"),
        ] {
            let found = read_cases("cases.toml", &text).unwrap_err();
            assert!(
                format!("{found} {found:?}").contains(why),
                "{text}: {found:?}"
            );
        }
        let twice =
            case.replace("\"a\"", "\"a-3\"") + &case.repeat(2) + &case.replace("\"a\"", "\"\"");
        let twice = read_cases("c", &format!("schema_version = 1\n{twice}")).unwrap();
        let names: Vec<(&str, bool)> = twice
            .iter()
            .map(|one| (&*one.id, one.wrong.is_some()))
            .collect();
        assert_eq!(
            names,
            [
                ("a-3", false),
                ("a", false),
                ("a-4", true),
                ("case-4", true)
            ]
        );
        let told = twice[2].wanted(&Default::default()).unwrap_err();
        assert_eq!(told, "another case before it is called `a`, too");
        let nothing = read_cases("c", &format!("schema_version = 1\n{case}")).unwrap();
        assert_eq!(nothing[0].kind, Kind::Nothing);
    }
}
