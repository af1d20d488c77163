//! Settings of the web server, and the state shared by all of its requests.

use std::fmt;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use minijinja::Environment;
use tokio::sync::Semaphore;
use windlass::base::Pointer;
use windlass::engine::Stop;
use windlass::packs::harmless;
use windlass::{Error, Workspace};
use windlass_page::{Door, Token};
use windlass_render::uri_path;

use crate::assets;
use crate::live::Live;
use crate::page_parts::Versions;
use crate::templates::templates;

const TOKEN_BYTES: usize = 16;

/// Opens the repository. We call this again for each page and action, so that they see its present
/// state.
pub type OpenWorkspace = Arc<dyn Fn() -> Result<Workspace, Error> + Send + Sync>;

/// Settings of a server, as given on the command line.
#[derive(Clone)]
pub struct Settings {
    /// Opens the repository for a page. A page only reads, so we don't contact a shared ledger but
    /// use its local replica.
    pub open: OpenWorkspace,
    /// Opens the repository for an action. Unlike `open`, this connects to a shared ledger.
    pub open_for_action: OpenWorkspace,
    /// Name of the actor for actions. `None` if not given by the user.
    pub actor: Option<String>,
    /// True to allow changes by forms. Otherwise, pages offer no actions, and we refuse those that
    /// are posted anyway.
    pub allow_actions: bool,
    /// Turns evidence into links that open an editor.
    pub editor: EditorLink,
    /// Admission policy for requests.
    pub door: Door,
}

// `open` and `open_for_action` are closures, so we can't derive this.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("actor", &self.actor)
            .field("allow_actions", &self.allow_actions)
            .finish_non_exhaustive()
    }
}

/// Template of a link to a line in an editor, e.g. `vscode://file/{path}:{line}`. `{path}` stands
/// for the absolute path and `{line}` for the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorLink(Option<String>);

impl EditorLink {
    /// Parses a template. An empty one turns the links off.
    ///
    /// # Errors
    /// Returns a message if the template lacks `{path}` or a scheme, or would run a script.
    pub fn parse(form: &str) -> Result<Self, String> {
        if form.is_empty() {
            return Ok(Self(None));
        }
        let scheme = form
            .split_once(':')
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        // Pages use this as the address of a link, so a template such as `javascript:...` would run
        // in the reader's browser. Without a scheme, the browser would look for the file on our own
        // server.
        match scheme.as_deref() {
            _ if !form.contains("{path}") => Err(format!("`{form}` has no `{{path}}`")),
            None | Some("javascript" | "data" | "vbscript" | "blob") => {
                Err(format!("`{form}` is not the address of an editor"))
            }
            Some(_) => Ok(Self(Some(form.to_owned()))),
        }
    }

    /// Returns the address of `place` in the repository at `root`, or `None` if there's no template
    /// or the path isn't UTF-8.
    pub(crate) fn to(&self, root: &Path, place: &Pointer) -> Option<String> {
        let form = self.0.as_ref()?;
        let path = root.join(place.file.as_str());
        let path = uri_path(path.to_str()?);
        let line = place.span.start().to_string();
        Some(form.replace("{path}", &path).replace("{line}", &line))
    }
}

pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) templates: Environment<'static>,
    /// The random token in this server's forms. Each start makes a new one, so we refuse a form
    /// that was opened before the server was restarted.
    pub(crate) form_token: String,
    /// The same token, for comparing it with that of a submitted form.
    pub(crate) expected_form_token: Token,
    /// Name of the repository's folder, for titles.
    pub(crate) repository: String,
    pub(crate) live: Live,
    pub(crate) stop: Stop,
    /// Two places for pages being computed. Further requests wait for one of them.
    pub(crate) places: Arc<Semaphore>,
    /// Recent page versions, for clients that only want changes.
    pub(crate) versions: Versions,
    /// Part of the addresses of all assets. We derive it from their contents, so browsers never use
    /// an outdated copy from their cache.
    pub(crate) version: String,
}

impl App {
    /// Prepares a server. This already opens the repository once, so that we report a broken one at
    /// the start rather than on the first page.
    ///
    /// # Errors
    /// Returns an error if opening the repository fails, a template is invalid, or the system
    /// doesn't provide random numbers.
    pub(crate) fn new(settings: Settings, live: Live, stop: Stop) -> Result<Self, Error> {
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(Error::internal)?;
        let form_token = random.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let workspace = (settings.open)()?;
        // The folder's name goes into titles, so replace secrets and control characters in it.
        let folder = workspace.site().repo().root().file_name();
        let repository = folder.map(|name| harmless(&name.to_string_lossy()));
        Ok(Self {
            repository: repository.unwrap_or_default(),
            settings,
            templates: templates().map_err(Error::internal)?,
            expected_form_token: Token::new(&form_token).map_err(Error::internal)?,
            form_token,
            live,
            stop,
            places: Arc::new(Semaphore::new(2)),
            versions: Versions::default(),
            version: assets::version(),
        })
    }
}

#[cfg(test)]
mod tests {
    use windlass::base::{LineSpan, RepoPath};

    use super::*;

    #[test]
    fn editor_link_escapes_the_path() {
        let link = EditorLink::parse("vscode://file/{path}:{line}").unwrap();
        let place = Pointer {
            file: RepoPath::parse("a b/\"<x>?#.rs").unwrap(),
            span: LineSpan::new(7, 9).unwrap(),
            source_hash: None,
        };
        let shown = link.to(Path::new("/r"), &place).unwrap();
        assert_eq!(shown, "vscode://file//r/a%20b/%22%3Cx%3E%3F%23.rs:7");
        assert!(EditorLink::parse("javascript:alert('{path}')").is_err());
        assert!(EditorLink::parse("vscode://file/x").is_err());
        assert_eq!(
            EditorLink::parse("").unwrap().to(Path::new("/r"), &place),
            None
        );
    }
}
