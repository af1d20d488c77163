use windlass_base::RepoPath;
use windlass_site::{ErrorKind, Explain};
use windlass_store::StoreError;

/// Reason why an operation on a memory failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The repository has no memory.
    #[error("there is no memory in this repository")]
    NotInitialized,
    /// The text is not a valid project id.
    #[error("`{0}` is no id of a project: it has blanks or colons, or is empty")]
    NoProject(String),
    /// The memory belongs to another project.
    #[error("this is the memory of `{known}`, and not of `{scope}`")]
    OtherScope {
        /// Scope of the memory.
        known: String,
        /// Requested scope.
        scope: String,
    },
    /// Neither the summary nor any other file states a scope.
    #[error(
        "the memory does not say whose it is: neither the summary nor anything else has a scope"
    )]
    NoScope,
    /// No record has this name.
    #[error("there is no record `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRecord {
        /// Requested name.
        name: String,
        /// Most similar id.
        similar: Option<String>,
    },
    /// The record exists but cannot be read.
    #[error("`{file}` cannot be read: {why}")]
    UnreadableRecord {
        /// Path of the file.
        file: String,
        /// Reason, as a sentence with `it` as its subject.
        why: String,
    },
    /// Two records share an id.
    #[error("`{name}` is the id of `{first}` and of `{second}`")]
    SameId {
        /// The id.
        name: String,
        /// Path of the first record.
        first: String,
        /// Path of the second record.
        second: String,
    },
    /// The id already belongs to a record or an impression.
    #[error("there is a record or an impression `{0}` already")]
    IdTaken(String),
    /// The text is not a valid id.
    #[error("`{id}` is no id; `{near}` would be one")]
    OddId {
        /// Requested id.
        id: String,
        /// Valid id similar to it.
        near: String,
    },
    /// The record has no title.
    #[error("a record needs a title")]
    NoTitle,
    /// The text cannot be the heading of a section.
    #[error("`{}` is no name of a section", .0.escape_debug())]
    NoSection(String),
    /// The text exceeds its maximum length.
    #[error("the {what} is longer than {most} characters")]
    TooLong {
        /// Kind of text.
        what: &'static str,
        /// Maximum length in characters.
        most: usize,
    },
    /// The text is empty, for example because its command failed or a variable is unset.
    #[error("the text {}is empty: nothing was written", .section.as_ref().map(|name| format!("of the section `{name}` ")).unwrap_or_default())]
    EmptyText {
        /// Section of the text, if it belongs to one.
        section: Option<String>,
    },
    /// The text contains a NUL.
    #[error("there is a NUL in the {what}, which makes a file binary: leave it out")]
    Binary {
        /// Kind of text.
        what: &'static str,
    },
    /// The text holds a secret value.
    #[error(
        "there is a secret value (`{rule}`) in the {what}, and a memory keeps none: say it in other words"
    )]
    Secret {
        /// Kind of text.
        what: &'static str,
        /// Name of the redaction rule.
        rule: String,
    },
    /// The text holds personal data.
    #[error("the {what} holds the address or number of a person: leave it out")]
    Personal {
        /// Kind of text.
        what: &'static str,
    },
    /// The text is part of a conversation.
    #[error(
        "the {what} looks like a conversation or what a program passes on: say what it is about"
    )]
    Transcript {
        /// Kind of text.
        what: &'static str,
    },
    /// The index or the summary has conflict markers.
    #[error("`{0}` has the marks of a merge that was not brought to an end")]
    UnmergedList(RepoPath),
    /// A text has conflict markers.
    #[error("the {what} has the marks of a merge that was not brought to an end")]
    ConflictMarks {
        /// Kind of text.
        what: &'static str,
    },
    /// The query exceeds its maximum length.
    #[error("the query is longer than {most} characters: it is what somebody typed, and no cue")]
    LongQuery {
        /// Maximum length in characters.
        most: usize,
    },
    /// The query has no word to search for.
    #[error("no word of the query says what it is about")]
    NoQuery,
    /// Feedback with this outcome must name an id.
    #[error("`{0}` is said of something that was recalled, and nothing is named")]
    NoId(&'static str),
    /// Another record already superseded this one.
    #[error("`{old}` is superseded by `{by}` already")]
    Superseded {
        /// The superseded record.
        old: String,
        /// Its successor.
        by: String,
    },
    /// The record cannot supersede another one, or be superseded.
    #[error("{what} cannot {part}")]
    NotReplaced {
        /// The record and its status.
        what: String,
        /// The operation that it does not support.
        part: &'static str,
    },
    /// The records would supersede each other.
    #[error("`{1}` cannot take the place of `{0}`: `{0}` takes its place in the end")]
    Circle(String, String),
    /// A record would supersede itself.
    #[error("`{0}` cannot take its own place")]
    Itself(String),
    /// The field is managed by other commands.
    #[error("`{0}` is no section: it says what the record is among others")]
    OwnField(&'static str),
    /// The value of a date field is not a date.
    #[error("`{field}` is a day, and `{says}` is none")]
    DayOfField {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        says: String,
    },
    /// The option is not supported here.
    #[error("{of} has no `{what}`")]
    NoPlace {
        /// Name of the option.
        what: &'static str,
        /// Kind of record.
        of: &'static str,
    },
    /// An ignore file excludes the file, so it would never be read again.
    #[error("an ignore file leaves out `{0}`, so that it is neither read nor written")]
    Ignored(String),
    /// The line cannot be edited because of its notation.
    #[error("line {line} of `{file}` cannot be changed as it is written")]
    FixedLine {
        /// Path of the file.
        file: String,
        /// Line number, from 1.
        line: u32,
    },
    /// The clock returned a time whose date cannot be written.
    #[error("the clock says `{0}`, which is no day that a memory can say")]
    NoDay(String),
    /// An active record has the same title and text.
    #[error("`{id}` has this title, and says the same: `{file}`")]
    SaidAlready {
        /// Id of that record.
        id: String,
        /// Path of that record.
        file: String,
    },
    /// Any other invalid argument, in words.
    #[error("{0}")]
    Senseless(String),
}

/// Change to a memory that was written in part; the journal holds the rest.
#[derive(Debug, thiserror::Error)]
#[error(
    "not all of the change could be written: {0}; it is noted, and whoever uses the memory next writes the rest of it"
)]
pub struct UnfinishedChange(#[source] pub StoreError);

impl Explain for UnfinishedChange {
    fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    fn help(&self) -> Option<String> {
        Some(
            "do not say it again: make room, or let the folder be written to, and any `windlass memory` command completes it"
                .to_owned(),
        )
    }
}

impl MemoryError {
    fn next(&self) -> Option<String> {
        let help = match self {
            Self::NotInitialized => "`windlass memory init` begins one",
            Self::NoProject(_) => "write small letters, digits and hyphens",
            Self::NotReplaced { .. } => {
                "name the record that holds now: `windlass memory recall` and `windlass memory check` name them; what is to be said in \
                 the summary, `windlass memory remember summary` says, and the index follows from the records"
            }
            Self::OtherScope { .. } => {
                "leave `--project` out: what is missing is written for whose memory it is"
            }
            Self::NoScope => {
                "write `scope: project:NAME` into the frontmatter of `memory/summary.md`; `windlass memory init` writes one where it is missing"
            }
            Self::EmptyText { section: None } => {
                "give `--text` what is to be said; after `-` it is read from standard input, where the command that was to write it may have failed"
            }
            Self::EmptyText { .. } => {
                "say it, or that there is none: `--section 'Consequences=None.'`"
            }
            Self::NoSuchRecord { .. } => {
                "`windlass memory recall` finds it by what it is about; `windlass memory stats` counts what there is"
            }
            Self::UnreadableRecord { .. } => {
                "`windlass memory check` says where; once it can be read, it can be changed"
            }
            Self::SameId { .. } => {
                "name the one that is meant by its path, and give one of them another id"
            }
            Self::IdTaken(_) => {
                "give it another `--id`, change the one that is there (`windlass memory remember update ID`), or let it take its place (`--supersedes ID`)"
            }
            Self::OddId { .. } => "ids have small letters and digits, with hyphens between words",
            Self::LongQuery { .. } => "keep the few words that matter",
            Self::NoQuery => "name the part, the tool or the file that it is about",
            Self::NoId(_) => "name it with `--id`; what was recalled has one",
            Self::Superseded { by, .. } => {
                return Some(format!(
                    "if that holds no longer, supersede `{by}`; if it was a mistake, take `superseded_by` out of the record, and the record out of `supersedes` of `{by}`"
                ));
            }
            Self::Itself(_) => "name the older record first, then the one that holds now",
            Self::NoSection(_) => {
                "write a few plain words on one line, without marks of Markdown: `--section 'Next trigger=…'`"
            }
            Self::OwnField("title") => "`--title` changes it, wherever it stands",
            Self::OwnField("status" | "supersedes" | "superseded_by") => {
                "`windlass memory supersede OLD NEW` says it on both sides"
            }
            Self::OwnField(_) => "leave it as it is",
            Self::DayOfField { .. } => "write `2026-03-01`, or a time as `2026-03-01T10:00:00Z`",
            Self::NoPlace {
                what: "--supersedes",
                ..
            } => "`windlass memory supersede OLD NEW` says it of records that are there",
            Self::NoPlace {
                what: "--related", ..
            } => "say it in a section: `--section 'Related records=…'`",
            Self::NoPlace { .. } => "leave it out",
            Self::Ignored(_) => {
                "`git check-ignore -v` names the pattern; leave out only what is private: `memory/private/` and the like"
            }
            Self::FixedLine { .. } => "write one whole JSON object on that line",
            Self::NoDay(_) => "set the clock: a day is written as `2026-03-01`",
            Self::SaidAlready { id, .. } => {
                return Some(format!(
                    "`windlass memory remember update {id}` says more, or something else, in it; `--id` makes another one all the same"
                ));
            }
            Self::UnmergedList(_) => {
                "keep one side, or both, without the lines of marks; then `windlass memory index` adds what is missing"
            }
            Self::ConflictMarks { .. } => "keep one side, or both, without the lines of marks",
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
