//! Rebuilds a stored pack from the recorded origins of its parts.
//!
//! We read the sources again, but we don't repeat the selection. A file is identified by the hash
//! of its text, either in the working tree or in the recorded commit. For example, if a committed
//! file has been edited since the pack was built, we find the excerpt in the commit, and the part
//! counts as reproduced.
//!
//! A merged part may have several origins. In that case, we use the one whose contents are closest
//! to those of the part.

mod files_again;
mod part_state;
mod sources_now;
mod statements;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use windlass_packs::context::{
    ContextPack, OutsideResults, PackId, Source, change_item, diff, doc_item, file_item,
};

use self::part_state::Again;
use self::sources_now::Lookup;
use windlass_site::{Error, Site};

use crate::named_packs::NamedPacks;

pub use self::part_state::PartState;

/// The result of a rebuild.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RebuiltPack {
    /// The stored pack's id.
    pub pack_id: PackId,
    /// The rebuilt pack's id.
    pub rebuilt_id: PackId,
    /// True if both packs are the same, byte for byte.
    pub reproduced: bool,
    /// Number of parts whose sources were read again.
    pub read: usize,
    /// Number of parts copied as they were, because no source could contradict them.
    pub given: usize,
    /// Parts that changed, couldn't be checked, or were found elsewhere, by name.
    pub parts: Vec<PartRebuilt>,
    /// The rebuilt pack.
    #[serde(skip)]
    pub pack: ContextPack,
}

/// A part of the pack that wasn't reproduced from an unchanged source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct PartRebuilt {
    /// The part's name in the provenance.
    pub item: String,
    /// The part's state.
    pub state: PartState,
    /// The difference found.
    pub why: String,
}

/// Rebuilds a pack. Where a file has changed, we use the recorded commit. Parts that we can't
/// rebuild are left out and reported.
///
/// # Errors
/// Returns an error if there's no such pack, or if the call was cancelled.
pub(crate) fn rebuild_pack(
    shelf: &NamedPacks,
    name: &str,
    start: &Path,
) -> Result<RebuiltPack, Error> {
    let site = shelf.site();
    let snapshot = site.snapshot();
    let kept = shelf.find_whole(name, start, &snapshot)?;
    let mut rebuild = Rebuild {
        site,
        look: Lookup {
            snapshot: &snapshot,
            cancel: site.cancel(),
            commits: commits(&kept),
        },
        outside: shelf.outside_of(kept.pack_id),
        seen: BTreeMap::new(),
        parts: Vec::new(),
        read: 0,
    };
    let mut pack = kept.clone();
    let sources = Sources::of(&kept);
    for doc in &mut pack.doc_refs {
        site.go_on()?;
        let item = doc_item(&doc.path);
        doc.excerpt = rebuild.excerpt(&item, sources.of_item(&item), doc.excerpt.as_deref());
    }
    for file in &mut pack.relevant_files {
        site.go_on()?;
        let item = file_item(&file.path);
        let own = sources.of_item(&item);
        file.excerpt = rebuild.excerpt(&item, own, file.excerpt.as_deref());
        rebuild.file_hash(&item, own, file);
    }
    if let Some(delta) = &mut pack.delta {
        for file in &mut delta.files {
            site.go_on()?;
            let item = change_item(&file.path);
            rebuild.change(&item, sources.of_item(&item), file);
        }
    }
    rebuild.statements(&kept, &sources, &mut pack)?;
    rebuild.fields_of_others(&kept, &sources);
    let is_sealed = kept.check_seal().is_ok();
    let pack = if is_sealed { pack.seal() } else { pack };
    let is_same = match is_sealed {
        true => pack.pack_id == kept.pack_id,
        false => pack == kept,
    };
    if !is_same && rebuild.parts.iter().all(|part| part.state.is_reproduced()) {
        rebuild.tell_differing(&kept, &pack);
    }
    // Some parts have no text, so the IDs are the same even if such a part has changed. Check the
    // states of all parts as well.
    let reproduced = is_same && rebuild.parts.iter().all(|part| part.state.is_reproduced());
    rebuild.parts.sort();
    Ok(RebuiltPack {
        pack_id: kept.pack_id,
        rebuilt_id: pack.pack_id,
        reproduced,
        read: rebuild.read,
        given: sources.len().saturating_sub(rebuild.read),
        parts: rebuild.parts,
        pack,
    })
}

/// The commit of the pack, and those added by merging.
fn commits(pack: &ContextPack) -> Vec<String> {
    let Some(provenance) = &pack.provenance else {
        return Vec::new();
    };
    let more = provenance
        .rest
        .get("commits")
        .and_then(|all| all.as_array());
    let more = more
        .into_iter()
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned));
    provenance.commit.iter().cloned().chain(more).collect()
}

/// The sources of each part. If merged packs disagree about a part, the source of the text in use
/// comes first.
struct Sources<'k>(BTreeMap<&'k str, Vec<&'k Source>>);

impl<'k> Sources<'k> {
    fn of(pack: &'k ContextPack) -> Self {
        let mut all: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
        for origin in pack.provenance.iter().flat_map(|it| &it.items) {
            all.entry(&origin.item).or_default().push(&origin.source);
        }
        Self(all)
    }

    fn of_item(&self, item: &str) -> &[&'k Source] {
        self.0.get(item).map_or(&[], Vec::as_slice)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

const NO_ORIGIN: &str = "the provenance does not say where it comes from";

struct Rebuild<'s> {
    site: &'s Site,
    look: Lookup<'s>,
    /// Locations of results outside of the repository. `None` if the pack was built elsewhere.
    outside: Option<OutsideResults>,
    /// Results by location and recorded hash, since we only want to read each file once.
    seen: BTreeMap<(bool, Option<String>, Option<String>), Again<()>>,
    parts: Vec<PartRebuilt>,
    read: usize,
}

impl Rebuild<'_> {
    fn tell(&mut self, item: &str, state: PartState, why: impl Into<String>) {
        self.parts.push(PartRebuilt {
            item: item.to_owned(),
            state,
            why: why.into(),
        });
    }

    /// Chooses the source that's closest to its recorded contents, reports its state, and returns
    /// what it has now.
    fn nearest<T>(&mut self, item: &str, tried: Vec<Again<T>>) -> Option<T> {
        let nearest = tried.into_iter().min_by_key(|again| again.state)?;
        if nearest.state != Some(PartState::Unverified) {
            self.read += 1;
        }
        if let Some(state) = nearest.state {
            self.tell(item, state, nearest.why);
        }
        Some(nearest.made)
    }

    /// Reports fields of other tools, which have no origin.
    fn fields_of_others(&mut self, kept: &ContextPack, sources: &Sources<'_>) {
        for name in kept.rest.keys() {
            let item = format!("rest/{name}");
            if sources.of_item(&item).is_empty() {
                self.tell(&item, PartState::NoOrigin, NO_ORIGIN);
            }
        }
    }

    /// Reports differences that no source explains.
    fn tell_differing(&mut self, kept: &ContextPack, made: &ContextPack) {
        for change in diff(kept, made).changes {
            self.tell(&change.item, PartState::Changed, "its sources make another");
        }
    }
}
