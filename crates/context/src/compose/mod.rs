//! Builds packs. The steps are always the same: the request itself, the documents of the contract,
//! changes since a commit or a pack, test results, relevant files, and recalled records. Each part
//! records where it comes from.
//!
//! The result only depends on the files, the history and the request. It does not matter who the
//! caller is, and where the repository is.

mod bookkeeping;
pub(crate) mod changes;
pub(crate) mod contract;
mod docs_root;
mod given;
mod goal_words;
mod ground;
mod nameable;
pub(crate) mod outcomes;
mod pack_draft;
mod pack_request;
pub(crate) mod picked_lines;
pub(crate) mod recalled_records;
mod relevance;
mod repo_facts;
pub(crate) mod source_notes;
mod usual_documents;

use windlass_base::Cancel;
use windlass_packs::context::ContextPack;
use windlass_repo::{ListQuery, Snapshot};
use windlass_site::{Error, Site, SiteError};

use self::changes::ChangesTaken;
use self::contract::Contract;
use self::given::Given;
use self::ground::Ground;
use self::nameable::nameable;
use self::outcomes::Outcomes;
use self::pack_draft::{Draft, wanted_words};
use self::recalled_records::RecordsRecalled;
use self::relevance::{Relevance, lately};
use self::repo_facts::take_facts;
use crate::named_packs::NamedPacks;

pub(crate) use self::nameable::safe;
pub(crate) use self::outcomes::shown_outside;
pub use self::pack_request::BuildPack;

/// Builds a pack from the files in `snapshot`. Packs that the request names are looked up in
/// `shelf`.
///
/// # Errors
/// Returns an error if a document, a file or a pack that the request names is missing or cannot be
/// read.
pub(crate) fn compose_pack(
    (site, shelf): (&Site, &NamedPacks),
    request: &BuildPack,
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<ContextPack, Error> {
    // There are no files in a bare git folder. The pack would be empty, and claim that nothing is
    // relevant.
    if site.repo().is_git_folder() {
        return Err(SiteError::GitFolder.into());
    }
    let query = ListQuery {
        hidden: true,
        ..ListQuery::default()
    };
    let (files, unnameable) = nameable(snapshot.list(&query, cancel)?.files);
    let ground = &Ground {
        site,
        shelf,
        snapshot: snapshot.clone(),
        cancel: cancel.clone(),
        request,
        results: request
            .results
            .iter()
            .filter_map(|name| site.repo().path_of(&request.start.join(name)))
            .collect(),
        files,
        unnameable,
    };
    let mut draft = Draft {
        wanted: wanted_words(&request.goal, &request.done),
        ..Draft::default()
    };
    let taken = &mut draft;
    Given {
        ground,
        draft: taken,
    }
    .take()?;
    Contract {
        ground,
        draft: taken,
    }
    .take()?;
    let changed = ChangesTaken {
        ground,
        draft: taken,
    }
    .take()?;
    // Git takes a while to read the recent commits. Do that while we're reading files.
    std::thread::scope(|scope| {
        scope.spawn(|| lately(snapshot));
        Outcomes::new(ground, taken).take()?;
        Relevance {
            ground,
            draft: taken,
        }
        .take(&changed)
    })?;
    RecordsRecalled {
        ground,
        draft: taken,
    }
    .take();
    take_facts(&ground.files, taken);
    Ok(draft.finished(ground))
}
