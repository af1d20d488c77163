//! Builds packs in fixed steps: the request itself, the contract documents, changes since a commit
//! or pack, test results, relevant files, and recalled records. Each part records its origin.
//!
//! The same files, history and request give the same pack, for every caller and at any path.

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

/// Builds a pack from the files of `site` in the state of `snapshot`. Packs named in the request
/// are looked up in `shelf`.
///
/// # Errors
/// Returns an error if a named document, file or pack is missing or cannot be read.
pub(crate) fn compose_pack(
    (site, shelf): (&Site, &NamedPacks),
    request: &BuildPack,
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<ContextPack, Error> {
    // A bare git folder has no files, and an empty pack would wrongly claim that nothing is
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
    // To save time, let git read the recent commits while we read files.
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
