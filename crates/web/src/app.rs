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

/// Number of random bytes in the form token.
const TOKEN_BYTES: usize = 16;

/// Opens the repository as it is now.
pub type OpenWorkspace = Arc<dyn Fn() -> Result<Workspace, Error> + Send + Sync>;

/// Server settings.
#[derive(Clone)]
pub struct Settings {
    /// Opens the repository for a page. We open it again for every page, so that each shows the
    /// files as they are now. A shared ledger is read from its local replica.
    pub open: OpenWorkspace,
    /// Opens the repository for an action, with its shared ledger.
    pub open_for_action: OpenWorkspace,
    /// The actor of actions.
    pub actor: Option<String>,
    /// True if pages may change something.
    pub allow_actions: bool,
    /// The form of links to an editor.
    pub editor: EditorLink,
    /// The admission policy for requests.
    pub door: Door,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("actor", &self.actor)
            .field("allow_actions", &self.allow_actions)
            .finish_non_exhaustive()
    }
}

/// Form of the address at which an editor opens a line: `{path}` stands for the absolute path and
/// `{line}` for the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorLink(Option<String>);

impl EditorLink {
    /// Parses a form. An empty one makes no links.
    ///
    /// # Errors
    /// Returns a message if the form has no `{path}`, or if it is the address of a script.
    pub fn parse(form: &str) -> Result<Self, String> {
        if form.is_empty() {
            return Ok(Self(None));
        }
        let scheme = form
            .split_once(':')
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            _ if !form.contains("{path}") => Err(format!("`{form}` has no `{{path}}`")),
            None | Some("javascript" | "data" | "vbscript" | "blob") => {
                Err(format!("`{form}` is not the address of an editor"))
            }
            Some(_) => Ok(Self(Some(form.to_owned()))),
        }
    }

    /// Returns the address that opens `place` in the repository at `root`.
    pub(crate) fn to(&self, root: &Path, place: &Pointer) -> Option<String> {
        let form = self.0.as_ref()?;
        let path = root.join(place.file.as_str());
        let path = uri_path(path.to_str()?);
        let line = place.span.start().to_string();
        Some(form.replace("{path}", &path).replace("{line}", &line))
    }
}

/// State shared by all requests.
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) templates: Environment<'static>,
    /// The token in forms of this server.
    pub(crate) form_token: String,
    /// The same token, in the form we compare with.
    pub(crate) expected_form_token: Token,
    /// The name of the repository's folder.
    pub(crate) repository: String,
    pub(crate) live: Live,
    pub(crate) stop: Stop,
    /// Limits the number of pages computed at the same time.
    pub(crate) places: Arc<Semaphore>,
    /// Recent page versions that clients may have.
    pub(crate) versions: Versions,
    /// Part of asset addresses. It changes with the assets' contents, so browsers never use a
    /// cached old version.
    pub(crate) version: String,
}

impl App {
    /// Prepares a server.
    ///
    /// # Errors
    /// Returns an error if the repository can't be opened, a template is invalid, or the system has
    /// no randomness.
    pub(crate) fn new(settings: Settings, live: Live, stop: Stop) -> Result<Self, Error> {
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(Error::internal)?;
        let form_token = random.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let workspace = (settings.open)()?;
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
