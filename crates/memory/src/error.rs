use windlass_base::RepoPath;
use windlass_site::{ErrorKind, Explain};
use windlass_store::StoreError;

/// Why something cannot be done with a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is none.
    #[error("there is no memory in this repository")]
    NotInitialized,
    /// A text that is no id of a project.
    #[error("`{0}` is no id of a project: it has blanks or colons, or is empty")]
    NoProject(String),
    /// A memory that is begun for another project than it is of.
    #[error("this is the memory of `{known}`, and not of `{scope}`")]
    OtherScope {
        /// Whose it is.
        known: String,
        /// Whose it was to be.
        scope: String,
    },
    /// Nobody can say whose memory it is.
    #[error(
        "the memory does not say whose it is: neither the summary nor anything else has a scope"
    )]
    NoScope,
    /// A record that is not there.
    #[error("there is no record `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRecord {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// A record that is there, and of which nobody knows what it says.
    #[error("`{file}` cannot be read: {why}")]
    UnreadableRecord {
        /// Where it lies.
        file: String,
        /// Why, in one sentence about it.
        why: String,
    },
    /// A name that two records have.
    #[error("`{name}` is the id of `{first}` and of `{second}`")]
    SameId {
        /// The name.
        name: String,
        /// One of them.
        first: String,
        /// The other one.
        second: String,
    },
    /// A name that something else has.
    #[error("there is a record or an impression `{0}` already")]
    IdTaken(String),
    /// A name that no record has as it is written.
    #[error("`{id}` is no id; `{near}` would be one")]
    OddId {
        /// What was said.
        id: String,
        /// What is like it.
        near: String,
    },
    /// A record without a title.
    #[error("a record needs a title")]
    NoTitle,
    /// What cannot be the heading of a section.
    #[error("`{}` is no name of a section", .0.escape_debug())]
    NoSection(String),
    /// More than is kept.
    #[error("the {what} is longer than {most} characters")]
    TooLong {
        /// What is.
        what: &'static str,
        /// How long it may be.
        most: usize,
    },
    /// A text that says nothing: what was to give it failed, or a variable is not set.
    #[error("the text {}is empty: nothing was written", .section.as_ref().map(|name| format!("of the section `{name}` ")).unwrap_or_default())]
    EmptyText {
        /// The section it was to stand in, where one is named.
        section: Option<String>,
    },
    /// What no file of text holds.
    #[error("there is a NUL in the {what}, which makes a file binary: leave it out")]
    Binary {
        /// Where it is.
        what: &'static str,
    },
    /// What must not be in a memory that others read.
    #[error(
        "there is a secret value (`{rule}`) in the {what}, and a memory keeps none: say it in other words"
    )]
    Secret {
        /// Where it is.
        what: &'static str,
        /// The rule that knows it.
        rule: String,
    },
    /// What is of a person.
    #[error("the {what} holds the address or number of a person: leave it out")]
    Personal {
        /// Where it is.
        what: &'static str,
    },
    /// What somebody said, and not what came of it.
    #[error(
        "the {what} looks like a conversation or what a program passes on: say what it is about"
    )]
    Transcript {
        /// Where it is.
        what: &'static str,
    },
    /// A list whose merge was not brought to an end.
    #[error("`{0}` has the marks of a merge that was not brought to an end")]
    UnmergedList(RepoPath),
    /// A text with the marks of a merge.
    #[error("the {what} has the marks of a merge that was not brought to an end")]
    ConflictMarks {
        /// Where they are.
        what: &'static str,
    },
    /// A query that is a whole text.
    #[error("the query is longer than {most} characters: it is what somebody typed, and no cue")]
    LongQuery {
        /// How long it may be.
        most: usize,
    },
    /// A query that says nothing.
    #[error("no word of the query says what it is about")]
    NoQuery,
    /// Feedback that has to be about something.
    #[error("`{0}` is said of something that was recalled, and nothing is named")]
    NoId(&'static str),
    /// A record whose place another one has.
    #[error("`{old}` is superseded by `{by}` already")]
    Superseded {
        /// The record.
        old: String,
        /// What took its place.
        by: String,
    },
    /// What is no record that another one replaces, or that replaces one.
    #[error("{what} cannot {part}")]
    NotReplaced {
        /// Which it is, and what it is.
        what: String,
        /// What it cannot do.
        part: &'static str,
    },
    /// Records that would replace each other.
    #[error("`{1}` cannot take the place of `{0}`: `{0}` takes its place in the end")]
    Circle(String, String),
    /// A record that would replace itself.
    #[error("`{0}` cannot take its own place")]
    Itself(String),
    /// A field that other commands change.
    #[error("`{0}` is no section: it says what the record is among others")]
    OwnField(&'static str),
    /// What is no day, where a record says one.
    #[error("`{field}` is a day, and `{says}` is none")]
    DayOfField {
        /// The field.
        field: &'static str,
        /// What was said.
        says: String,
    },
    /// Something that cannot be said there.
    #[error("{of} has no `{what}`")]
    NoPlace {
        /// What was said.
        what: &'static str,
        /// Of what.
        of: &'static str,
    },
    /// A file that an ignore file leaves out: nobody would read what is written there.
    #[error("an ignore file leaves out `{0}`, so that it is neither read nor written")]
    Ignored(String),
    /// A line whose fields cannot be changed as it is written.
    #[error("line {line} of `{file}` cannot be changed as it is written")]
    FixedLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u32,
    },
    /// A time whose day cannot be written.
    #[error("the clock says `{0}`, which is no day that a memory can say")]
    NoDay(String),
    /// A record that says what another one says already.
    #[error("`{id}` has this title, and says the same: `{file}`")]
    SaidAlready {
        /// The one that is there.
        id: String,
        /// Where it lies.
        file: String,
    },
    /// What makes no sense, in words.
    #[error("{0}")]
    Senseless(String),
}

/// A change of the memory of which a part is written, and the rest is noted.
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
