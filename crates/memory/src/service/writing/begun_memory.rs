use std::sync::Arc;

use serde::Serialize;
use windlass_base::{NextAction, RepoPath};
use windlass_site::{Error, Site};

use super::today;
use crate::service::MemoryService;
use crate::service::on_disk::{MemoryFolder, WrittenFile};
use crate::{
    Contents, Draft, Memory, MemoryError, fix_ignore, is_scope, line_end, project_id_of,
    starting_files,
};

/// Options for [`MemoryService::init_memory`].
#[derive(Debug, Clone, Default)]
pub struct MemoryInitRequest {
    /// The project ID, with or without `project:`. By default, we derive one from the name of the
    /// folder.
    pub project: Option<String>,
    /// True to add instructions for agents to `AGENTS.md`.
    pub rules: bool,
    /// True to report the files without writing them.
    pub dry_run: bool,
}

/// The result of [`MemoryService::init_memory`].
#[derive(Debug, Clone, Serialize)]
pub struct MemoryInit {
    /// The scope, e.g. `project:demo`.
    pub scope: String,
    /// The written files or, for a dry run, those that would be written.
    pub written: Vec<WrittenFile>,
    /// True if this was a dry run.
    pub dry_run: bool,
    /// Suggested next calls.
    pub next_actions: Vec<NextAction>,
}

const RULES: &str = "AGENTS.md";

const RULES_TEXT: &str = "## Memory\n\n\
- Before work that may rest on earlier decisions: `windlass memory recall \"what it is about\"`. `none` means that nothing is \
known, not that nothing matters.\n\
- After work: `windlass memory remember …` for decisions, open loops and facts that outlive the task; nothing private, no secrets, \
no transcripts. What lies in `memory/` is shared.\n\
- When what was recalled helped, did not, or was missed: `windlass memory feedback …`.\n";

impl MemoryService {
    /// Creates a memory. If there already is one, this only adds the files that are missing.
    ///
    /// # Errors
    /// Returns an error if the project ID is invalid or is not that of the existing memory, or if
    /// writing a file fails.
    pub fn init_memory(&self, request: &MemoryInitRequest) -> Result<MemoryInit, Error> {
        let day = today(&self.site)?;
        let (scope, written) = self.folder.change(request.dry_run, |memory, draft| {
            let project = project_of(&self.site, memory, request)?;
            for (path, text) in starting_files(&project, &day) {
                if !memory.files.has(&path) {
                    draft.put(path, text);
                }
            }
            if request.rules && memory.files.rules != Some(true) {
                add_rules(&self.site, &self.folder, draft)?;
            }
            fix_ignore(memory, draft);
            Ok(format!("project:{project}"))
        })?;
        let summary = NextAction::new("memory check", "see which parts are missing");
        let remember = NextAction::new("memory remember", "record a first decision")
            .positional("decision")
            .positional("TITLE")
            .option("text", "TEXT");
        let actions = [summary, remember].into_iter();
        let actions = actions.filter_map(|action| action.for_caller(self.site.caller()));
        Ok(MemoryInit {
            scope,
            written,
            dry_run: request.dry_run,
            next_actions: actions.collect(),
        })
    }
}

fn project_of(site: &Site, memory: &Memory, request: &MemoryInitRequest) -> Result<String, Error> {
    if let Some(project) = &request.project {
        let project = project.strip_prefix("project:").unwrap_or(project);
        let scope = format!("project:{project}");
        return match is_scope(&scope) {
            true => match memory.scope().filter(|known| *known != scope) {
                Some(known) => Err(Error::from(MemoryError::OtherScope {
                    known: known.to_owned(),
                    scope,
                })),
                None => Ok(project.to_owned()),
            },
            false => Err(Error::from(MemoryError::NoProject(project.to_owned()))),
        };
    }
    if let Some(scope) = memory.scope() {
        return Ok(scope.trim_start_matches("project:").to_owned());
    }
    let name = site
        .repo()
        .root()
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Ok(project_id_of(&name.unwrap_or_default()))
}

fn add_rules(site: &Site, folder: &MemoryFolder, draft: &mut Draft<'_>) -> Result<(), Error> {
    let path = RepoPath::parse(RULES)?;
    let (before, text) = match Contents::of(&site.snapshot(), &path) {
        Contents::Text(source) => (Some(Arc::clone(&source)), source.text().to_owned()),
        Contents::NoText(_) if !folder.place(&path)?.is_there() => (None, String::new()),
        Contents::NoText(why) => return Err(Error::unusable(path, why)),
    };
    // Leave exactly one blank line above the new heading.
    let eol = line_end(&text);
    let is_apart = text.is_empty() || text.ends_with(&eol.repeat(2));
    let lines_between = match (is_apart, text.ends_with('\n')) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    };
    let (gap, rules) = (eol.repeat(lines_between), RULES_TEXT.replace('\n', eol));
    draft.put_other(path, before.as_ref(), format!("{text}{gap}{rules}"));
    Ok(())
}
