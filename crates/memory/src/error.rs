use windlass_base::RepoPath;
use windlass_site::{ErrorKind, Explain};
use windlass_store::StoreError;

/// Reason why an operation on a memory failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The repository has no memory.
    #[error("no memory in this repository")]
    NotInitialized,
    /// The text is not a valid project id, which consists of lower-case letters, digits and hyphens.
    #[error("`{0}` is not a valid project id")]
    NoProject(String),
    /// The requested scope differs from the memory's.
    #[error("`{scope}` is not the scope of this memory, which is `{known}`")]
    OtherScope {
        /// The existing memory's scope.
        known: String,
        /// Requested scope.
        scope: String,
    },
    /// Neither the summary nor any other file states a scope.
    #[error("the memory has no scope: neither the summary nor any other file states one")]
    NoScope,
    /// No record has the requested id or path.
    #[error("unknown record `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRecord {
        /// Requested id or path.
        name: String,
        /// The most similar known id.
        similar: Option<String>,
    },
    /// The record exists but cannot be read.
    #[error("`{file}` cannot be read: {why}")]
    UnreadableRecord {
        /// Path of the record.
        file: String,
        /// The reason, as a sentence about `it`.
        why: String,
    },
    /// Two records have the same id.
    #[error("`{name}` is the id of `{first}` and of `{second}`")]
    SameId {
        /// The id they share.
        name: String,
        /// Path of the first record.
        first: String,
        /// Path of the second record.
        second: String,
    },
    /// The id already belongs to a record or an impression.
    #[error("the id `{0}` is already taken by a record or an impression")]
    IdTaken(String),
    /// The requested id would be stored in another spelling.
    #[error("`{id}` is not a valid id; use `{near}`")]
    OddId {
        /// Requested id.
        id: String,
        /// The most similar valid id.
        near: String,
    },
    /// The record has no title.
    #[error("missing title")]
    NoTitle,
    /// The text would not be parsed back as a section heading.
    #[error("`{}` is not a valid section name", .0.escape_debug())]
    NoSection(String),
    /// The text exceeds its maximum length.
    #[error("the {what} is longer than {most} characters")]
    TooLong {
        /// Name of the text in messages, such as `title`.
        what: &'static str,
        /// Maximum length in characters.
        most: usize,
    },
    /// The text is empty. That often means that the command meant to produce it failed, or that a
    /// variable is unset.
    #[error("the text {}is empty; nothing was written", .section.as_ref().map(|name| format!("of the section `{name}` ")).unwrap_or_default())]
    EmptyText {
        /// The section the text is for, or `None` for the text of the whole record.
        section: Option<String>,
    },
    /// The text contains a NUL character.
    #[error("the {what} contains a NUL, which would make the file binary")]
    Binary {
        /// Name of the text in messages, such as `title`.
        what: &'static str,
    },
    /// The text contains a secret.
    #[error("the {what} holds a secret value (`{rule}`), which must not be stored in a memory")]
    Secret {
        /// Name of the text in messages, such as `title`.
        what: &'static str,
        /// Name of the redaction rule that detected it.
        rule: String,
    },
    /// The text contains personal data.
    #[error("the {what} contains the address or number of a person")]
    Personal {
        /// Name of the text in messages, such as `query`.
        what: &'static str,
    },
    /// The text looks like a conversation or a program's markup.
    #[error("the {what} looks like a conversation or the markup of a program")]
    Transcript {
        /// Name of the text in messages, such as `query`.
        what: &'static str,
    },
    /// The index or the summary has conflict markers, so it can't be updated.
    #[error("`{0}` has unresolved conflict markers")]
    UnmergedList(RepoPath),
    /// The record or a given text has conflict markers.
    #[error("the {what} has unresolved conflict markers")]
    ConflictMarks {
        /// Name of the text in messages, such as `record`.
        what: &'static str,
    },
    /// The query exceeds its maximum length.
    #[error("the query is longer than {most} characters; a cue is a few words")]
    LongQuery {
        /// Maximum length in characters.
        most: usize,
    },
    /// The query has no word worth searching for.
    #[error("the query has no word to search for")]
    NoQuery,
    /// Feedback with this outcome must name the record that helped.
    #[error("`{0}` needs the id of a recalled record")]
    NoId(&'static str),
    /// The record already has another successor.
    #[error("`{old}` is already superseded by `{by}`")]
    Superseded {
        /// The record to supersede.
        old: String,
        /// The record's present successor.
        by: String,
    },
    /// The record can't supersede another, or can't be superseded.
    #[error("{what} cannot {part}")]
    NotReplaced {
        /// Description of the record, including its status.
        what: String,
        /// The operation that the record doesn't support.
        part: &'static str,
    },
    /// The supersession would close a cycle. The second record was to supersede the first.
    #[error("`{1}` cannot supersede `{0}`: `{0}` already supersedes it, directly or indirectly")]
    Circle(String, String),
    /// A record would supersede itself.
    #[error("`{0}` cannot supersede itself")]
    Itself(String),
    /// The field can't be set as a section, because other commands manage it.
    #[error("`{0}` is a managed field and cannot be a section")]
    OwnField(&'static str),
    /// A date field's value isn't a date.
    #[error("`{says}` is not a date, but `{field}` requires one")]
    DayOfField {
        /// Name of the field.
        field: &'static str,
        /// Value as written.
        says: String,
    },
    /// The option doesn't apply to this kind of record or operation.
    #[error("`{what}` does not apply to {of}")]
    NoPlace {
        /// Name of the option.
        what: &'static str,
        /// Description of the record or operation.
        of: &'static str,
    },
    /// An ignore file excludes the file, so later commands wouldn't read it.
    #[error("an ignore file excludes `{0}`, so it is neither read nor written")]
    Ignored(String),
    /// The field can't be set on this line because of the way its JSON is written.
    #[error("`{file}:{line}` cannot be edited because of its notation")]
    FixedLine {
        /// Path of the file.
        file: String,
        /// Line number, starting at 1.
        line: u32,
    },
    /// The system clock returned a time that isn't a valid date.
    #[error("invalid system time `{0}`")]
    NoDay(String),
    /// An active record has the same title and text.
    #[error("the record `{id}` has the same title and text: `{file}`")]
    SaidAlready {
        /// Id of the existing record.
        id: String,
        /// Path of the existing record.
        file: String,
    },
    /// Any other invalid argument. The text is the complete message.
    #[error("{0}")]
    Senseless(String),
}

/// A change that could only be written in part. The journal holds the rest, and the next command
/// completes it.
#[derive(Debug, thiserror::Error)]
#[error(
    "the change could be written only in part: {0}; the rest is recorded and will be written by the next command"
)]
pub struct UnfinishedChange(#[source] pub StoreError);

impl Explain for UnfinishedChange {
    fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    fn help(&self) -> Option<String> {
        Some(
            "do not repeat the command: free disk space or make the folder writable, and any `windlass memory` command completes it"
                .to_owned(),
        )
    }
}

impl MemoryError {
    fn next(&self) -> Option<String> {
        let help = match self {
            Self::NotInitialized => "run `windlass memory init` to create one",
            Self::NoProject(_) => "use lower-case letters, digits and hyphens",
            Self::NotReplaced { .. } => {
                "name an active record, as listed by `windlass memory recall`; to change the summary, run `windlass memory remember summary`; \
                 the index follows from the records"
            }
            Self::OtherScope { .. } => {
                "omit `--project`: missing files get the scope of the memory"
            }
            Self::NoScope => {
                "add `scope: project:NAME` to the frontmatter of `memory/summary.md`, or run `windlass memory init` if the file is missing"
            }
            Self::EmptyText { section: None } => {
                "pass a text to `--text`; with `-`, check that the command writing to standard input succeeded"
            }
            Self::EmptyText { .. } => {
                "pass a text, or state that there is none: `--section 'Consequences=None.'`"
            }
            Self::NoSuchRecord { .. } => "run `windlass memory recall \"TOPIC\"` to find its id",
            Self::UnreadableRecord { .. } => {
                "run `windlass memory check` to see the problem; once the file can be read, it can be changed"
            }
            Self::SameId { .. } => "use the path of the record, and give one of the two another id",
            Self::IdTaken(_) => {
                "pass another `--id`, change the existing record (`windlass memory remember update ID`), or supersede it (`--supersedes ID`)"
            }
            Self::OddId { .. } => {
                "ids consist of lower-case letters and digits, with hyphens between words"
            }
            Self::LongQuery { .. } => "keep the few words that matter",
            Self::NoQuery => "name the component, tool or file that it is about",
            Self::NoId(_) => "pass its id with `--id`, as shown by `windlass memory recall`",
            Self::Superseded { by, .. } => {
                return Some(format!(
                    "to replace `{by}` too, supersede `{by}`; to undo a mistake, remove `superseded_by` from the record, and the record from `supersedes` of `{by}`"
                ));
            }
            Self::Itself(_) => "name the older record first, then its successor",
            Self::NoSection(_) => {
                "use a few plain words on one line, without Markdown: `--section 'Next trigger=…'`"
            }
            Self::OwnField("title") => "pass `--title` to change it everywhere",
            Self::OwnField("status" | "supersedes" | "superseded_by") => {
                "run `windlass memory supersede OLD NEW` to update both records"
            }
            Self::OwnField(_) => "omit it: it cannot be changed",
            Self::DayOfField { .. } => "write `2026-03-01`, or a time as `2026-03-01T10:00:00Z`",
            Self::NoPlace {
                what: "--supersedes",
                ..
            } => "run `windlass memory supersede OLD NEW` for existing records",
            Self::NoPlace {
                what: "--related", ..
            } => "pass it as a section: `--section 'Related records=…'`",
            Self::NoPlace { .. } => "omit the option",
            Self::Ignored(_) => {
                "run `git check-ignore -v` on it to find the pattern; exclude only private folders, such as `memory/private/`"
            }
            Self::FixedLine { .. } => "write one complete JSON object on that line",
            Self::NoDay(_) => "set the system clock",
            Self::SaidAlready { id, .. } => {
                return Some(format!(
                    "run `windlass memory remember update {id}` to change it, or pass `--id` to create another one"
                ));
            }
            Self::UnmergedList(_) => {
                "keep one side or both without the conflict markers, then run `windlass memory index`"
            }
            Self::ConflictMarks { .. } => "keep one side or both, without the conflict markers",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

impl Explain for MemoryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotInitialized | Self::NoSuchRecord { .. } => ErrorKind::NotFound,
            Self::Secret { .. }
            | Self::Personal { .. }
            | Self::Transcript { .. }
            | Self::LongQuery { .. } => ErrorKind::Refused,
            Self::IdTaken(_)
            | Self::SameId { .. }
            | Self::Itself(_)
            | Self::Circle(..)
            | Self::Superseded { .. } => ErrorKind::Conflict,
            _ => ErrorKind::Invalid,
        }
    }

    fn help(&self) -> Option<String> {
        self.next()
    }
}
