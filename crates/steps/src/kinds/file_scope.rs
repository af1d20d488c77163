//! The selection of files that several step kinds share.

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::{Cancel, RepoPath, counted};
use windlass_plan::{InputWords, WrittenInput};
use windlass_repo::{ListError, ListQuery, Refusal, Snapshot, Withheld};

/// File selection shared by the inputs of `files` and `search`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Scope {
    /// Folders and files to search; empty means the whole repository.
    #[serde(default)]
    pub(crate) paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`: `*.rs`, `!target/**`.
    #[serde(default)]
    pub(crate) globs: Vec<String>,
    /// Include hidden files and folders, such as `.github`.
    #[serde(default)]
    pub(crate) hidden: bool,
}

impl Scope {
    pub(crate) fn query(self, limit: Option<u32>) -> ListQuery {
        ListQuery {
            paths: self.paths,
            globs: self.globs,
            hidden: self.hidden,
            limit,
        }
    }
}

/// Checks `paths` and `globs`. For `hidden`, the schema is enough.
pub(crate) fn check_scope(input: &mut WrittenInput<'_>) {
    input.parse_items::<RepoPath>("/paths");
    for (at, glob) in input.parse_items::<String>("/globs") {
        if input.may_compile()
            && let Err(error) = ListQuery::check_glob(&glob)
        {
            input.refuse(at, error.to_string());
        }
    }
}

pub(crate) fn scope_in_words(input: &InputWords) -> String {
    let paths = match input.field("paths") {
        Some(paths) => format!("the files under {paths}"),
        None => "all files of the repository".to_owned(),
    };
    let globs = input.phrase(" that match ", "globs");
    let hidden = input.field("hidden").map_or("", |_| " (also hidden ones)");
    format!("{paths}{globs}{hidden}")
}

/// Notes each path in `paths` that has no files. Otherwise, a misspelled path would look like a
/// complete search that found nothing.
pub(crate) fn notes_without_files(
    paths: &[RepoPath],
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Vec<String> {
    let has_no_file = |path: &&RepoPath| {
        // A folder with nothing but hidden files isn't a mistake, so count those too.
        let query = ListQuery {
            paths: vec![(*path).clone()],
            hidden: true,
            limit: Some(1),
            ..ListQuery::default()
        };
        match snapshot.list(&query, cancel) {
            Ok(listing) => listing.total == 0 && listing.withheld.total() == 0,
            Err(error) => matches!(
                error,
                ListError::Scope {
                    refusal: Refusal::Missing,
                    ..
                }
            ),
        }
    };
    let empty = paths.iter().filter(has_no_file);
    empty
        .map(|path| format!("no file matches `{path}`"))
        .collect()
}

/// Describes the files that were skipped, and the ignore files that had no effect.
pub(crate) fn withheld_note(withheld: Withheld) -> Option<String> {
    let left_out = withheld_by_reason(withheld).map(|why| format!("files skipped: {why}"));
    let unheeded = (withheld.unheeded > 0).then(|| {
        let files = counted(withheld.unheeded, "ignore file");
        format!("{files} ignored: links to elsewhere, not files, too large or unreadable")
    });
    let notes: Vec<String> = left_out.into_iter().chain(unheeded).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

pub(crate) fn withheld_by_reason(withheld: Withheld) -> Option<String> {
    let parts: Vec<String> = [
        (withheld.secret, "kept secret"),
        (
            withheld.not_utf8,
            "with a name that is not UTF-8 or reads as an absolute path",
        ),
        (withheld.too_large, "too large"),
        (withheld.unreadable, "not readable"),
        (
            withheld.wide_text,
            "in UTF-16 or UTF-32 with a match that cannot be shown",
        ),
        (
            withheld.nul_text,
            "with a NUL byte after text, so treated as binary",
        ),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| format!("{count} {why}"))
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
