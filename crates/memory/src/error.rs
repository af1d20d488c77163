//! Errors of the memory, with the help that we print below them.
//!
//! Messages name the offending value where that is safe. The errors about secrets and personal data
//! do not: they only name the text (`title`, `query`) and, at most, the rule that matched.

use windlass_base::RepoPath;
use windlass_site::{ErrorKind, Explain};
use windlass_store::StoreError;

/// An error about the memory itself.
///
/// Failures to read or write its files are not part of this type; they are [`StoreError`]s.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The repository does not contain a memory.
    #[error("no memory in this repository")]
    NotInitialized,
    /// The project ID contains something other than lower-case letters, digits and hyphens.
    #[error("`{0}` is not a valid project id")]
    NoProject(String),
    /// The caller asked for a scope that differs from the scope of the existing memory.
    #[error("`{scope}` is not the scope of this memory, which is `{known}`")]
    OtherScope {
        /// The existing memory's scope.
        known: String,
        /// The requested scope.
        scope: String,
    },
    /// Neither the summary nor any other file states a scope.
    #[error("the memory has no scope: neither the summary nor any other file states one")]
    NoScope,
    /// No record matches the requested ID or path.
    #[error("unknown record `{name}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchRecord {
        /// The ID or path, as given by the caller.
        name: String,
        /// The most similar known ID, or `None` if none comes close.
        similar: Option<String>,
    },
    /// The record's file exists, but we could not read it.
    #[error("`{file}` cannot be read: {why}")]
    UnreadableRecord {
        /// Path of the record.
        file: String,
        /// The reason, as a sentence whose subject is `it`, e.g. `it is binary`.
        why: String,
    },
    /// Two records share the requested ID, so we cannot tell which one the caller means. A path
    /// still works.
    #[error("`{name}` is the id of `{first}` and of `{second}`")]
    SameId {
        /// The shared ID.
        name: String,
        /// Path of the first record.
        first: String,
        /// Path of the second record.
        second: String,
    },
    /// The ID already belongs to a record or an impression.
    #[error("the id `{0}` is already taken by a record or an impression")]
    IdTaken(String),
    /// The requested ID is not in its normal form, e.g. because of upper-case letters. We would
    /// have to store another spelling, and the author would not find the record under the one they
    /// chose.
    #[error("`{id}` is not a valid id; use `{near}`")]
    OddId {
        /// The ID as requested.
        id: String,
        /// The spelling that we would store.
        near: String,
    },
    /// The title is empty.
    #[error("missing title")]
    NoTitle,
    /// This name would not survive as a heading: once written, the parser would read it as another
    /// name or as no heading at all.
    #[error("`{}` is not a valid section name", .0.escape_debug())]
    NoSection(String),
    /// A text is too long.
    #[error("the {what} is longer than {most} characters")]
    TooLong {
        /// The name of the text in messages, e.g. `title`.
        what: &'static str,
        /// The limit, in characters.
        most: usize,
    },
    /// The text is empty, which often means that the command producing it has failed, or that a
    /// shell variable is unset.
    #[error("the text {}is empty; nothing was written", .section.as_ref().map(|name| format!("of the section `{name}` ")).unwrap_or_default())]
    EmptyText {
        /// The section for the text, or `None` for the text of the whole record.
        section: Option<String>,
    },
    /// The text contains a NUL character.
    #[error("the {what} contains a NUL, which would make the file binary")]
    Binary {
        /// Name of the text in messages, such as `title`.
        what: &'static str,
    },
    /// The text contains a secret. A memory is usually committed, so everyone who clones the
    /// repository would get it.
    #[error("the {what} holds a secret value (`{rule}`), which must not be stored in a memory")]
    Secret {
        /// The name of the text in messages, e.g. `title`.
        what: &'static str,
        /// The redaction rule that detected it.
        rule: String,
    },
    /// The text contains an address or a number that identifies a person.
    #[error("the {what} contains the address or number of a person")]
    Personal {
        /// The name of the text in messages, e.g. `query`.
        what: &'static str,
    },
    /// The text looks like a conversation, or like a program's markup, rather than a few words.
    #[error("the {what} looks like a conversation or the markup of a program")]
    Transcript {
        /// The name of the text in messages, e.g. `query`.
        what: &'static str,
    },
    /// The index or the summary contains conflict markers, so there are two versions of it and we
    /// cannot tell which one to update.
    #[error("`{0}` has unresolved conflict markers")]
    UnmergedList(RepoPath),
    /// A record or one of the caller's texts contains conflict markers.
    #[error("the {what} has unresolved conflict markers")]
    ConflictMarks {
        /// The name of the text in messages, e.g. `record`.
        what: &'static str,
    },
    /// The query is too long to be a cue.
    #[error("the query is longer than {most} characters; a cue is a few words")]
    LongQuery {
        /// The limit, in characters.
        most: usize,
    },
    /// The query consists of nothing but stop words, e.g. "what is the".
    #[error("the query has no word to search for")]
    NoQuery,
    /// The caller gave `helpful` feedback without the ID of the record that helped.
    #[error("`{0}` needs the id of a recalled record")]
    NoId(&'static str),
    /// The record already has another successor.
    #[error("`{old}` is already superseded by `{by}`")]
    Superseded {
        /// The record to supersede.
        old: String,
        /// The record that already supersedes `old`.
        by: String,
    },
    /// This kind of record (or a record with this status) cannot supersede others, or cannot be
    /// superseded.
    #[error("{what} cannot {part}")]
    NotReplaced {
        /// Description of the record, including the status.
        what: String,
        /// Continues the message after "cannot", e.g. with "be superseded".
        part: &'static str,
    },
    /// The two records would supersede each other: `0` is the one to supersede, but it already
    /// supersedes `1`, directly or through others.
    #[error("`{1}` cannot supersede `{0}`: `{0}` already supersedes it, directly or indirectly")]
    Circle(String, String),
    /// The caller named the same record twice.
    #[error("`{0}` cannot supersede itself")]
    Itself(String),
    /// The named section is a frontmatter field that other commands manage, such as
    /// `superseded_by`.
    #[error("`{0}` is a managed field and cannot be a section")]
    OwnField(&'static str),
    /// The value of a date field is not a date.
    #[error("`{says}` is not a date, but `{field}` requires one")]
    DayOfField {
        /// Name of the field.
        field: &'static str,
        /// The value as written.
        says: String,
    },
    /// The option does not apply to this kind of record or operation.
    #[error("`{what}` does not apply to {of}")]
    NoPlace {
        /// Name of the option.
        what: &'static str,
        /// The record or operation, in words.
        of: &'static str,
    },
    /// An ignore file excludes this path. Since we respect ignore files when reading, we would
    /// never see our own text again.
    #[error("an ignore file excludes `{0}`, so it is neither read nor written")]
    Ignored(String),
    /// A fix has to set a field on this line, but we can only edit JSON in the usual notation.
    #[error("`{file}:{line}` cannot be edited because of its notation")]
    FixedLine {
        /// Path of the file.
        file: String,
        /// The line number (1-based).
        line: u32,
    },
    /// The system clock returned a time that is not a valid date.
    #[error("invalid system time `{0}`")]
    NoDay(String),
    /// An active record already has the same title and text.
    #[error("the record `{id}` has the same title and text: `{file}`")]
    SaidAlready {
        /// The ID of the existing record.
        id: String,
        /// Path of the existing record.
        file: String,
    },
    /// Any other invalid argument. The string is the complete message.
    #[error("{0}")]
    Senseless(String),
}

/// A change was only written in part, and could not be undone.
///
/// The rest is in the journal. The next command on the memory completes it, so the caller must not
/// repeat the operation.
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
