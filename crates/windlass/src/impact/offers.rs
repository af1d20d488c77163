//! Where a change is looked at without anybody asking: before a commit, and where changes are proposed.

use windlass_base::RepoPath;
use windlass_repo::GitError;

use windlass_store::{RootedPath, StoreError, look_at};

use crate::ImpactError;
use crate::{Error, Workspace};
use windlass_site::SiteError;

/// A file that has the impact of changes looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Git's hook that runs before each commit.
    Hook,
    /// A workflow of GitHub Actions that runs for each proposed change.
    Ci,
}

/// Runs only where the command is there, so that nobody who has not installed it is kept from committing.
const HOOK: &str = "#!/bin/sh\n\
    # Made by `windlass init --hook`: before each commit, brings the files of the ledger up to date, and says what the\n\
    # change makes stale.\n\
    # It looks at the files that are committed, as they lie in the working tree, also where that is not what is staged.\n\
    # `git commit --no-verify` goes around it; delete this file to be rid of it.\n\
    command -v windlass >/dev/null 2>&1 || exit 0\n\
    if [ -f .beads/events.jsonl ] && windlass events sync >/dev/null; then\n  \
    git add -u -- ':(glob).beads/*.jsonl' 2>/dev/null\nfi\n\
    if ! git diff --quiet; then\n  \
    echo 'windlass: some of what is looked at is not staged, so this commit may leave stale what is not told here' >&2\n\
    fi\n\
    git diff --cached --quiet && exit 0\n\
    git diff --cached --name-only --no-renames -z | xargs -0 windlass impact -- && exit 0\n\
    echo 'windlass: this commit is held back; mend what is named, or go around with `git commit --no-verify`' >&2\n\
    exit 1\n";

const WORKFLOW: &str = "\
# Made by `windlass init --ci`: says what a proposed change makes stale, and fails if it is not repaired in it.
# It looks at the anchors in `.windlass/anchors.json` (`windlass notebook export` writes them), at the runbooks
# here, and at what Markdown documents cite.
name: windlass
on: pull_request
permissions:
  contents: read
jobs:
  impact:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          # The branch it is to be merged into is needed, and how it came to be.
          fetch-depth: 0
      - run: cargo install --locked --git https://github.com/windlass-dev/windlass windlass-cli
      # With this shell the step fails where windlass does, though `tee` does not.
      - shell: bash
        run: windlass impact --base \"origin/$GITHUB_BASE_REF\" --format markdown | tee -a \"$GITHUB_STEP_SUMMARY\"
";

/// Where the workflow lies.
const WORKFLOW_FILE: &str = ".github/workflows/windlass.yml";

impl Offer {
    /// What is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Hook => HOOK,
            Self::Ci => WORKFLOW,
        }
    }
}

impl Workspace {
    /// Writes what `offer` stands for, unless a file is there and `force` is false; gives back where, as it may be
    /// shown.
    ///
    /// # Errors
    /// Without git, when the file is there already, hooks are kept in a folder of somebody's choice, or it cannot be
    /// written.
    pub fn write_offer(&self, offer: Offer, force: bool) -> Result<String, Error> {
        let place = match offer {
            Offer::Hook => self.hook()?,
            Offer::Ci => {
                self.repo().git()?;
                self.files().place_of(&RepoPath::parse(WORKFLOW_FILE)?)?
            }
        };
        let root = self.repo().root();
        let shown = place.path().strip_prefix(root).unwrap_or(place.path());
        let shown = shown.display().to_string();
        let there = look_at(&place).map_err(|error| StoreError::of(&place, error))?;
        if !force && there.is_some() {
            return Err(SiteError::Exists(shown).into());
        }
        let text = offer.text().as_bytes();
        match offer {
            Offer::Hook => windlass_store::write_shared_program(&place, text)?,
            Offer::Ci => windlass_store::write_shared(&place, text)?,
        }
        Ok(shown)
    }

    fn hook(&self) -> Result<RootedPath, Error> {
        let git = self.repo().git()?;
        if let Some(folder) = git.hooks_setting()? {
            return Err(ImpactError::HooksElsewhere(folder).into());
        }
        let common = self.repo().git_common_dir();
        let common = common.ok_or(GitError::NotARepository)?;
        let hooks = RootedPath::new(common).join("hooks");
        // Some keep the hooks with the files, and make a link to them.
        let root = self.repo().root();
        let hooks = match hooks.path().canonicalize() {
            Ok(real) if real.starts_with(root) => RootedPath::new(real),
            _ => hooks,
        };
        Ok(hooks.join("pre-commit"))
    }
}
