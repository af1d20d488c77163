use windlass_ledger::LedgerError;
use windlass_notebook::NotebookError;
use windlass_pack::ViewError;
use windlass_store::StoreError;
use windlass_vcontext::MigrateError;

use super::Error;

impl Error {
    /// What to do next, where the message does not say it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NothingToFind => {
                Some("say what it is about: `windlass find \"where are sessions expired\"`".to_owned())
            }
            Self::NoSuchRunbook { known, .. } | Self::NoRunbookNamed { known }
                if known.is_empty() =>
            {
                Some("`windlass init` writes a runbook that fits this repository".to_owned())
            }
            Self::NoSuchRunbook { known, .. } | Self::NoRunbookNamed { known } => {
                Some(format!("there are: {}", known.join(", ")))
            }
            Self::NoSuchFormula { searched, .. } => Some(format!(
                "it was looked for as `NAME.formula.toml`, `NAME.formula.json` and `NAME.toml` in {}",
                searched.join(", ")
            )),
            Self::Ambiguous { name, first, .. } if first.starts_with("notebook:") => Some(format!(
                "`windlass notebook import {name} --replace` lets the one in the repository count, `windlass notebook \
                 export {name} --replace` the one in the notebook"
            )),
            Self::NothingHandedOver => Some(
                "`windlass notebook export` writes it, where somebody has something saved; `windlass notebook suggest` \
                 proposes what to save"
                    .to_owned(),
            ),
            Self::NothingToHandOver { .. } => {
                Some("`windlass notebook show` names what is saved".to_owned())
            }
            Self::Ledger(LedgerError::Rejected(rejected)) => {
                let won = rejected.won.as_ref()?;
                Some(format!("`windlass events list --id {won}` shows what came before"))
            }
            Self::Ledger(LedgerError::NothingReady) => {
                Some("`windlass bead blocked` says what the others wait for".to_owned())
            }
            Self::Ledger(LedgerError::NoStepReady { mol, for_others: 1.. }) => {
                let mol = mol.as_ref().map_or(String::new(), |mol| format!(" {mol}"));
                Some(format!("`windlass mol ready{mol} --all` names it; `windlass mol claim MOL STEP` takes one all the same"))
            }
            Self::Ledger(LedgerError::NoStepReady { mol, .. }) => {
                let mol = mol.as_ref().map_or(String::new(), |mol| format!(" {mol}"));
                Some(format!("`windlass mol doctor{mol}` says what stands still, and what would move it"))
            }
            Self::Ledger(LedgerError::Untrusted { mol, .. }) => Some(format!(
                "look at its conditions with `windlass trust mol:{mol} --dry-run`, then `windlass trust mol:{mol}`"
            )),
            Self::Ledger(LedgerError::Missing { what: "molecule", .. }) => {
                Some("`windlass mol list` names those there are".to_owned())
            }
            Self::Ledger(LedgerError::Missing { what: "bead", .. }) => {
                Some("`windlass bead list` names those there are; `windlass route add` says where those of a prefix lie".to_owned())
            }
            Self::Ledger(LedgerError::Secret { .. }) => Some(
                "say where it can be had instead: the name of an environment variable, or of an entry of a store for secrets"
                    .to_owned(),
            ),
            Self::Ledger(LedgerError::Foreign { records, .. }) => Some(match records {
                Some(file) => format!(
                    "`windlass bead import {file} --adopt` takes its beads over, without losing a field, and keeps the ledger in \
                     the same folder from then on; `--dry-run` in place of `--adopt` says what would be taken"
                ),
                None => "let that tool write its beads as JSON Lines (`bd export -o FILE`); `windlass bead import FILE --adopt` takes \
                         them over, without losing a field, and keeps the ledger in the same folder from then on"
                    .to_owned(),
            }),
            Self::UntrustedRoute { prefix, .. } => Some(match is_plain(prefix) {
                true => format!(
                    "if the beads of that prefix are to be read and written there: `windlass trust route:{prefix}`"
                ),
                false => "`windlass route add PREFIX FOLDER` adds one that is trusted".to_owned(),
            }),
            Self::Memory(error) => error.help(),
            Self::Migrate(MigrateError::NoDocument) => {
                Some("begin a document: `windlass doc new todo --title TITLE`".to_owned())
            }
            Self::Plugin { help, .. } => help.clone(),
            Self::OtherPlugin { name, .. } => {
                Some(format!("look at it again: `windlass trust plugin:{name} --dry-run`"))
            }
            Self::NoSuchPack { .. } => Some(
                "name it by its id, six or more of its first digits, `last`, or a file; the newest thousand are kept, and \
                 `windlass pack build` makes one"
                    .to_owned(),
            ),
            Self::NoGoal => Some(
                "give a goal in one to three sentences, or a plan that says it: a vContext document with a title"
                    .to_owned(),
            ),
            Self::PackNotWhole { .. } => Some(
                "hand over the whole pack: `windlass pack build --out FILE` writes it, and so does `pack show ID --format json` \
                 without a budget"
                    .to_owned(),
            ),
            Self::JoinWaits { .. } => Some(
                "merge again when more have arrived, or say with `--policy any` or `--policy quorum:K` that fewer are enough".to_owned(),
            ),
            Self::NoSuchSection { .. } => Some(
                "name a section as a link does: its heading in lower case, with hyphens for spaces".to_owned(),
            ),
            Self::NoDocsRoot { .. } => Some(
                "name a folder of this repository, such as `docs`, or leave it out".to_owned(),
            ),
            Self::OutsideOfPacks(_) => Some(
                "copy it into the repository; what tests and compilers said (`--results`) may lie elsewhere".to_owned(),
            ),
            Self::Results { .. } => Some(
                "JUnit XML is read, and what cargo, rustc, pytest, go test and others print".to_owned(),
            ),
            Self::LargePack { .. } => Some("name fewer documents and files".to_owned()),
            Self::CursorExpired => {
                Some("run the runbook again; its pack has new cursors".to_owned())
            }
            Self::SuggestionsChanged | Self::NotSuggested(_) => {
                Some("`windlass notebook suggest` lists what is suggested now".to_owned())
            }
            Self::ListChanged => {
                Some("make the list again without `--cursor`; it has new cursors".to_owned())
            }
            Self::PackBudget(windlass_context::TooSmall {
                least,
                profile: Some(_),
                ..
            }) => Some(format!(
                "give `--max-tokens {least}` or more, or a larger `--profile`; `routine` holds where neither is given"
            )),
            Self::PackBudget(windlass_context::TooSmall { least, .. })
            | Self::View(ViewError::TooSmall { least, .. }) => {
                Some(format!("raise the budget to {least} or more"))
            }
            Self::Notebook(NotebookError::NoSuchAnchor { .. }) => {
                Some("`windlass anchor list` names those there are".to_owned())
            }
            Self::Notebook(NotebookError::NoSuchRunbook { .. }) => {
                Some("`windlass notebook show` names those there are".to_owned())
            }
            Self::Notebook(NotebookError::NoSuchRevision { .. }) => {
                Some("`windlass notebook history` names those there are".to_owned())
            }
            Self::Notebook(NotebookError::Changed { .. }) => Some(
                "look at it with `windlass notebook show`, and try again with the revision it is at".to_owned(),
            ),
            Self::Notebook(NotebookError::Store(StoreError::Malformed { .. })) => Some(
                "`windlass notebook history` names what is kept of it, and `windlass notebook rollback` brings that back"
                    .to_owned(),
            ),
            Self::UnprovenTrust { .. } => Some(
                "move that file aside to begin a new list; what is to be trusted has to be looked at anew".to_owned(),
            ),
            Self::UnknownProgram { .. } => Some(
                "name a program that lies outside the repository by its absolute path, or by a name found on PATH"
                    .to_owned(),
            ),
            Self::OtherDigest { .. } => {
                Some("look at it again with `--dry-run` in place of `--digest`".to_owned())
            }
            Self::NoSuchRun { any: true, .. } | Self::AmbiguousRun { .. } => {
                Some("`windlass runs list` names those there are".to_owned())
            }
            Self::NothingToCompare { .. } => Some(
                "runs of some steps, runs that were refused or stopped, and runs with other inputs are compared where both \
                 are named: `windlass runs diff OLD NEW`"
                    .to_owned(),
            ),
            Self::NoSuchRun { any: false, .. }
            | Self::NoEarlierRun(_) => Some(
                "runs are recorded as they are made, for each working tree, unless `WINDLASS_RUNS` switches that off"
                    .to_owned(),
            ),
            Self::NoPack(_) => Some("`windlass runs resume` finishes a run that was interrupted".to_owned()),
            Self::NoSuchState { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::NoSuchStep { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::WithheldInputs(names) => {
                let again = names.iter().map(|name| format!("`--input {name}=…`"));
                Some(format!("give them again: {}", again.collect::<Vec<_>>().join(" ")))
            }
            Self::NotJson(_) => Some("name it otherwise: TRON `.tron`, Markdown `.md`".to_owned()),
            Self::UnfinishedMemory(_) => Some(
                "do not say it again: make room, or let the folder be written to, and any `windlass memory` command completes it"
                    .to_owned(),
            ),
            Self::ChangedMeanwhile(_) | Self::DocumentChanged(_) => Some("run it again".to_owned()),
            Self::PartlyWritten { .. } => {
                Some("run it again when that one can be written: what is written already stands".to_owned())
            }
            Self::HooksElsewhere(folder) => Some(format!(
                "add the line `windlass impact` to `{folder}/pre-commit`; `windlass init --hook --dry-run` prints a whole hook"
            )),
            Self::GitFolder => Some(
                "work in a working tree: `git worktree add ../NAME` makes one, `git clone` makes a repository with one"
                    .to_owned(),
            ),
            Self::DocumentExists(_) => {
                Some("give another name; `windlass doc item add` adds to a list or plan that is there".to_owned())
            }
            Self::Exists(_) => Some("`--force` replaces it, `--dry-run` prints the new one and leaves it as it is".to_owned()),
            _ => None,
        }
    }
}

/// True if `text` means the same to every shell.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.chars().all(is_plain)
}
