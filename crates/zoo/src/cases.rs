//! Questions that somebody wrote down, with the places that answer them; and samples, written out to be looked at.

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

/// Where a sample has its questions: in a hidden folder, so that nobody finds them who looks for something else.
pub const CASES: &str = ".windlass/cases.toml";

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

/// Reads the questions in `text`, which `name` stands for. Whether their places are there is seen when they are asked. A case that cannot be
/// read, without a name, or with that of one before it, is a wrong one, under a name of its own.
///
/// # Errors
/// What is wrong with the file as a whole, with its place: its form, that a newer version wrote it, or that there is no case in it.
pub fn read_cases(name: &str, text: &str) -> Result<Vec<Question>, ZooError> {
    let document = Document::parse_toml(name, text.as_bytes()).map_err(ZooError::Document)?;
    let cases = listed(&document)?;
    let mut names: BTreeSet<String> = cases.iter().map(|case| word(case, "id")).collect();
    let mut seen = BTreeSet::new();
    let mut questions: Vec<Question> = Vec::new();
    for (at, value) in cases.iter().enumerate() {
        let (case, unread) = match Case::deserialize(value) {
            Ok(case) => (case, None),
            Err(error) => (
                Case::unread(value),
                Some(told(&document, at, value, &error)),
            ),
        };
        let id = case.id.clone();
        let is_first = seen.insert(id.clone());
        let wrong = match () {
            () if unread.is_some() => unread,
            () if id.trim().is_empty() => Some("it has no name: write `id = \"NAME\"`".to_owned()),
            () if !is_first => Some(format!("another case before it is called `{id}`, too")),
            () => None,
        };
        let id = match is_first && !id.trim().is_empty() {
            true => id,
            false => free_name(&mut names, &id, at + 1),
        };
        questions.push(case.question(id, wrong));
    }
    Ok(questions)
}

/// What a case says at `field`, if that is a text.
fn word(case: &Value, field: &str) -> String {
    let text = case.get(field).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The cases in a document, none of which is looked at.
fn listed(document: &Document) -> Result<&[Value], ZooError> {
    let wrong = |at: &str, message: &str| {
        let mut finding = Diagnostic::error("zoo", message);
        finding.place = document.at(at).map(|node| node.place());
        Err(ZooError::Document(finding.into()))
    };
    let value = document.value();
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(1) => {}
        Some(2..) => {
            let message = "a newer version of Windlass wrote these cases; update Windlass";
            return wrong("/schema_version", message);
        }
        _ => return wrong("", "`schema_version = 1` is missing"),
    }
    let mut keys = value.as_object().into_iter().flat_map(|map| map.keys());
    if let Some(key) = keys.find(|key| !["schema_version", "case"].contains(&key.as_str())) {
        let message = format!("unknown field `{key}`; write `[[case]]`");
        return wrong(&format!("/{key}"), &message);
    }
    match value.get("case") {
        Some(Value::Array(cases)) if !cases.is_empty() => Ok(cases),
        Some(Value::Array(_)) | None => wrong("", "there is no case in it; write `[[case]]`"),
        Some(_) => wrong("/case", "`case` is no list of cases; write `[[case]]`"),
    }
}

/// Why a case cannot be read, with the place: that of the answer which cannot be, if it is one.
fn told(document: &Document, at: usize, case: &Value, error: &serde_json::Error) -> String {
    let answers = case.get("answer").and_then(Value::as_array);
    let mut answers = answers.into_iter().flatten();
    let at = match answers.position(|answer| Gold::deserialize(answer).is_err()) {
        Some(answer) => format!("/case/{at}/answer/{answer}"),
        None => format!("/case/{at}"),
    };
    match document.at(&at) {
        Some(node) => format!("{}: {error}", node.place()),
        None => error.to_string(),
    }
}

impl Case {
    /// What stands for one that cannot be read: what it asks, if it says so.
    fn unread(value: &Value) -> Self {
        Self {
            id: word(value, "id"),
            question: word(value, "question"),
            kind: plain(),
            memory: false,
            answer: Vec::new(),
        }
    }

    fn question(self, id: String, wrong: Option<String>) -> Question {
        let kind = match (self.answer.is_empty(), self.memory) {
            _ if wrong.is_some() => self.kind,
            (true, true) => Kind::Forgotten,
            (true, false) => Kind::Nothing,
            (false, _) => self.kind,
        };
        Question {
            id,
            kind,
            is_of_memory: self.memory,
            text: self.question,
            gold: self.answer,
            neutral: Vec::new(),
            wrong,
        }
    }
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
/// there are. Where that fails, nothing of it is left, so that it can be tried again.
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
    let Some(before) = Free::of(folder) else {
        let message = format!("`{}` is no empty folder, nor a new one", folder.display());
        return Err(ZooError::Data(message));
    };
    let sample = Recipe::read(&format!("eval-zoo/{name}.toml"), text)?.make()?;
    let doing = Doing {
        cancel: &Cancel::default(),
        progress: &|_, _| {},
    };
    let written = lay_out(&sample, folder, &doing)
        .and_then(|()| put(&folder.join(CASES), &written(&sample.questions)));
    if let Err(error) = written {
        before.restore(folder);
        return Err(error);
    }
    Ok((sample.files.len(), sample.questions.len()))
}

/// A place that a sample can be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Free {
    /// Nothing is there.
    New,
    /// A folder with nothing in it.
    Empty,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the user named the folder in which a sample is made"
)]
impl Free {
    /// What `folder` is, if a sample can be written there.
    fn of(folder: &Path) -> Option<Self> {
        match std::fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none().then_some(Self::Empty),
            Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then_some(Self::New),
        }
    }

    /// Removes what was written into `folder` since. What cannot be removed stays.
    fn restore(self, folder: &Path) {
        if self == Self::New {
            let _ = std::fs::remove_dir_all(folder);
            return;
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let _ = match entry.file_type() {
                Ok(sort) if sort.is_dir() => std::fs::remove_dir_all(entry.path()),
                _ => std::fs::remove_file(entry.path()),
            };
        }
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
        assert!(again.to_string().contains("no empty folder"), "{again}");
        assert!(matches!(
            write_sample("zebra", &root),
            Err(ZooError::Unknown { .. })
        ));
    }

    #[test]
    fn nothing_is_left_of_a_sample_that_cannot_be_written_and_what_was_there_stays() {
        let all = tempfile::tempdir().unwrap();
        for before in [Free::New, Free::Empty] {
            let folder = all.path().join("sample");
            put(&folder.join("a/b"), "half").unwrap();
            put(&folder.join("c"), "of it").unwrap();
            assert_eq!(Free::of(&folder), None, "something is in it");
            before.restore(&folder);
            assert_eq!(Free::of(&folder), Some(before));
        }
        let file = all.path().join("file");
        put(&file, "of somebody").unwrap();
        let refused = write_sample("changing", &file).unwrap_err();
        assert!(refused.to_string().contains("no empty folder"));
        // A file stands where the sample is to have a folder.
        let below = file.join("sample");
        assert!(write_sample("changing", &below).is_err());
        assert!(file.is_file());
    }

    #[test]
    fn what_is_wrong_with_a_file_of_cases_is_told() {
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
                format!("schema_version = 1\ncases = 1\n{case}"),
                "unknown field `cases`",
            ),
            (
                "schema_version = 1\n[case]\nid = \"a\"".to_owned(),
                "no list of cases",
            ),
        ] {
            let found = read_cases("cases.toml", &text).unwrap_err();
            assert!(
                format!("{found} {found:?}").contains(why),
                "{text}: {found:?}"
            );
        }
        for (typo, place) in [
            ("anser = 1", ":5:1: unknown field `anser`"),
            (
                "[[case.answer]]\nfile = \"a\"\nstart_line = -1\nend_line = 2",
                ":8:1: invalid value: integer `-1`",
            ),
            (
                "[[case.answer]]\nfile = \"a\"\nstrt_line = 1\nend_line = 2",
                ":8:1: unknown field `strt_line`",
            ),
        ] {
            let good = case.replace("\"a\"", "\"b\"");
            let text = format!("schema_version = 1\n{good}{case}{typo}\n");
            let questions = read_cases("cases.toml", &text).unwrap();
            assert_eq!((&*questions[0].id, &questions[0].wrong), ("b", &None));
            assert_eq!((&*questions[1].id, &*questions[1].text), ("a", "where"));
            let why = questions[1].wrong.clone().unwrap();
            assert!(
                why.starts_with("cases.toml") && why.contains(place),
                "{why}"
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
