//! Sets up a repository for agents: a client's configuration, a skill, and a paragraph in
//! `AGENTS.md`.
//!
//! [`AgentClient`] is the table of clients. There is one way of changing each file format, and all
//! of them keep what's there: a configuration gets another entry, and a document another paragraph.
//! If that is impossible, we leave the file alone and report it.

mod agent_client;
mod client_files;
mod client_health;
mod client_hooks;
mod codex_config;
mod json_config;
mod memory_file;
mod plugin_bundle;
mod server_entry;

use windlass::base::{Ident, RepoPath};
use windlass::repo::{Refusal, Snapshot};
use windlass::site::{Site, unreadable};
use windlass::store::{RootedPath, write_shared};
use windlass::{Error, SiteError, Workspace};

pub use self::agent_client::AgentClient;
pub use self::client_health::client_health;

const SKILL: &str = include_str!("skill.md");

const PARAGRAPH: &str = include_str!("paragraph.md");

const AGENTS_FILE: &str = "AGENTS.md";

/// Markers around the paragraph, by which a newer version can find and replace it.
const MARKS: [&str; 2] = ["<!-- windlass -->", "<!-- /windlass -->"];

/// A file before and after the set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUpFile {
    /// Path of the file, relative to the root.
    pub file: RepoPath,
    /// Its contents, or `None` if it does not exist.
    pub before: Option<String>,
    /// Contents that it should have.
    pub after: String,
}

impl SetUpFile {
    /// True if the file needs no change.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.before.as_deref() == Some(self.after.as_str())
    }

    /// The change as a unified diff. It is empty if there is none.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let old = match &self.before {
            Some(_) => format!("a/{}", self.file),
            None => "/dev/null".to_owned(),
        };
        let diff = similar::TextDiff::from_lines(before, &self.after);
        diff.unified_diff()
            .header(&old, &format!("b/{}", self.file))
            .to_string()
    }
}

/// The files that agents need in a repository.
#[derive(Debug, Default)]
pub struct AgentSetUp {
    /// All of them, including those that need no change.
    pub files: Vec<SetUpFile>,
    /// Errors about files that we skip, since we cannot read or merge them.
    pub left: Vec<Error>,
    /// The runbook that runs when a session begins, if there is a suitable one.
    pub begins_with: Option<String>,
}

impl AgentSetUp {
    /// Plans the changes in `workspace` that `client` needs in order to call our tools and know
    /// what they are for.
    ///
    /// Nothing is written yet, so the caller can show the changes to the user first.
    #[must_use]
    pub fn of(workspace: &Workspace, client: &AgentClient) -> Self {
        let site = workspace.site();
        let snapshot = site.snapshot();
        let runbook = runbook_to_begin_with(workspace, &snapshot);
        let mut set_up = Self::default();
        for (file, merge) in client.files(site.repo().root(), runbook.as_deref()) {
            set_up.add(file_with(&snapshot, &file, merge.as_ref()));
        }
        set_up.begins_with = runbook;
        set_up
    }

    /// Plans a plugin for `client` in `folder`, with the skill, the hooks and the server. Users can
    /// install it instead of setting up each repository. Returns `None` if the client has no
    /// plugins.
    #[must_use]
    pub fn plugin(workspace: &Workspace, client: &AgentClient, folder: &RepoPath) -> Option<Self> {
        let snapshot = workspace.site().snapshot();
        let mut set_up = Self::default();
        for (file, text) in client.plugin_files()? {
            let file = format!("{folder}/{file}");
            set_up.add(file_with(&snapshot, &file, &|_, _| Ok(text.clone())));
        }
        Some(set_up)
    }

    /// Writes the files that change to the repository of `site`, and returns them.
    ///
    /// # Errors
    /// Returns [`SiteError::ChangedMeanwhile`] if a file has changed since we read it. Returns
    /// other errors if a link is in the way, or a file cannot be written.
    pub fn write(&self, site: &Site) -> Result<Vec<&SetUpFile>, Error> {
        let snapshot = site.snapshot();
        // Check all files before writing the first one. It's better to write none than half of
        // them.
        let open: Vec<&SetUpFile> = self.files.iter().filter(|file| !file.is_done()).collect();
        let mut places: Vec<RootedPath> = Vec::new();
        for file in &open {
            if text_of(&snapshot, &file.file)? != file.before {
                return Err(SiteError::ChangedMeanwhile(file.file.clone()).into());
            }
            places.push(site.files().document_place(&file.file)?);
        }
        for (file, place) in open.iter().zip(&places) {
            write_shared(place, file.after.as_bytes())?;
        }
        Ok(open)
    }

    fn add(&mut self, file: Result<SetUpFile, Error>) {
        match file {
            Ok(file) => self.files.push(file),
            Err(error) => self.left.push(error),
        }
    }
}

/// The runbook to run when a session begins: `overview`, or else the only one.
///
/// Its name comes from a file of the repository and becomes part of a shell command, so we only
/// accept identifiers.
fn runbook_to_begin_with(workspace: &Workspace, snapshot: &Snapshot) -> Option<String> {
    let all = workspace.runbooks().all(snapshot);
    let overview = all.iter().find(|entry| entry.name == "overview");
    let only = all.first().filter(|_| all.len() == 1);
    let runbook = overview.or(only)?;
    match Ident::parse(&runbook.name) {
        Ok(_) => Some(runbook.name.clone()),
        Err(error) => {
            tracing::debug!(%error, "the only runbook has no valid name");
            None
        }
    }
}

/// Computes what a file should have, from its name and its contents.
type Merge<'a> = dyn Fn(&str, Option<&str>) -> Result<String, Error> + 'a;

fn file_with(snapshot: &Snapshot, file: &str, merge: &Merge<'_>) -> Result<SetUpFile, Error> {
    let path = RepoPath::parse(file)?;
    let before = text_of(snapshot, &path)?;
    let after = merge(file, before.as_deref())?;
    Ok(SetUpFile {
        file: path,
        before,
        after,
    })
}

/// Reads a file as UTF-8. Unlike for excerpts, we must not replace anything, since we write the
/// result back.
fn text_of(snapshot: &Snapshot, file: &RepoPath) -> Result<Option<String>, Error> {
    match snapshot.read(file) {
        Err(Refusal::Missing) => Ok(None),
        Err(refusal) => Err(unreadable(file.as_str(), &refusal)),
        Ok(source) => match std::str::from_utf8(source.bytes()) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(Error::unusable(file, "not UTF-8")),
        },
    }
}

fn with_paragraph(_: &str, before: Option<&str>) -> Result<String, Error> {
    let [begin, end] = MARKS;
    let paragraph = format!("{begin}\n{}\n{end}\n", PARAGRAPH.trim_end());
    let Some(before) = before else {
        return Ok(format!("# For agents\n\n{paragraph}"));
    };
    // A begin marker without an end is ordinary text, so take the last one before the end marker.
    let place = before.find(end).and_then(|at| {
        let from = before[..at].rfind(begin)?;
        Some((from, at + end.len()))
    });
    Ok(match place {
        Some((from, to)) => {
            format!(
                "{}{}{}",
                &before[..from],
                paragraph.trim_end(),
                &before[to..]
            )
        }
        None if before.is_empty() => paragraph,
        None => {
            let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
            format!("{before}{gap}{paragraph}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum length of the skill, in words. Agents read all of it.
    const MAX_SKILL_WORDS: usize = 400;

    fn paragraph(before: &str) -> String {
        with_paragraph("AGENTS.md", Some(before)).unwrap()
    }

    #[test]
    fn paragraph_is_added_once() {
        let once = paragraph("# Mine\n\nText.");
        assert!(
            once.starts_with("# Mine\n\nText.\n\n<!-- windlass -->\n"),
            "{once}"
        );
        assert_eq!(paragraph(&once), once);
        let older = "a\n<!-- windlass -->\nold\n<!-- /windlass -->\nb\n";
        let newer = paragraph(older);
        assert!(
            newer.starts_with("a\n<!--") && newer.ends_with("-->\nb\n"),
            "{newer}"
        );
        assert!(!newer.contains("old"));
        // A begin marker without an end is ordinary text.
        let half = "x <!-- windlass --> y\n";
        let once = paragraph(half);
        assert!(once.starts_with(half));
        assert_eq!(paragraph(&once), once);
    }

    #[test]
    fn skill_has_valid_header() {
        let head = SKILL
            .strip_prefix("---\nname: windlass\ndescription: ")
            .unwrap();
        let (description, body) = head.split_once("\n---\n").unwrap();
        assert!(description.len() <= 1_024 && !description.contains('\n'));
        let words = body.split_whitespace().count();
        assert!(words <= MAX_SKILL_WORDS, "{words} words");
    }

    #[test]
    fn diff_names_file_and_changes() {
        let file = SetUpFile {
            file: RepoPath::parse("a.txt").unwrap(),
            before: Some("x\n".to_owned()),
            after: "x\ny\n".to_owned(),
        };
        assert!(
            file.diff().starts_with("--- a/a.txt\n+++ b/a.txt\n"),
            "{}",
            file.diff()
        );
        assert!(file.diff().ends_with("+y\n") && !file.is_done());
    }
}
