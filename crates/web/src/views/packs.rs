use serde::Serialize;
use windlass::ledger::LedgerError;
use windlass::packs::Format;
use windlass::packs::context::{ContextPack, PackId};
use windlass::{Error, PackView};

use crate::paging::Pages;
use crate::view::{View, Visit};

/// Maximum number of listed packs. Older ones aren't listed, but still have a page.
const MAX_PACKS: usize = 100;

#[derive(Serialize)]
pub(crate) struct Packs {
    packs: Vec<PackRow>,
    pages: Pages,
}

#[derive(Serialize)]
struct PackRow {
    id: String,
    goal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    documents: usize,
    files: usize,
}

impl View for Packs {
    const TEMPLATE: &'static str = "packs.html";
    const FOLLOWS: &'static str = "";
    const PARAMETERS: &'static [&'static str] = &["page"];

    fn title(&self) -> String {
        "Context packs".to_owned()
    }
}

pub(crate) fn packs(visit: &Visit<'_>) -> Result<Packs, Error> {
    let packs = visit.workspace.packs().newest(MAX_PACKS)?;
    let total = packs.len();
    let row = |pack: ContextPack| PackRow {
        id: pack.pack_id.to_string(),
        goal: pack.goal,
        created_at: pack.created_at,
        documents: pack.doc_refs.len(),
        files: pack.relevant_files.len(),
    };
    Ok(Packs {
        pages: visit.query.pages(total),
        packs: visit.query.rows(packs).into_iter().map(row).collect(),
    })
}

#[derive(Serialize)]
pub(crate) struct Pack {
    pack: ContextPack,
    text: String,
}

impl View for Pack {
    const TEMPLATE: &'static str = "pack.html";
    const FOLLOWS: &'static str = "";

    fn title(&self) -> String {
        self.pack.goal.clone()
    }
}

pub(crate) fn pack(visit: &Visit<'_>) -> Result<Pack, Error> {
    let service = visit.workspace.packs();
    let name = visit.name("pack");
    // Only accept the ID of a stored pack. The command line also takes file names, but here, they'd
    // let a client read any folder.
    let id: PackId = name.parse().map_err(|_| unknown(name))?;
    let pack = service.kept(id)?.ok_or_else(|| unknown(name))?;
    let view = PackView {
        format: Format::Text { width: None },
        limit: None,
        profile: None,
    };
    let printed = service.print(&pack, view, Vec::new())?;
    Ok(Pack {
        pack,
        text: printed.text,
    })
}

fn unknown(name: &str) -> Error {
    LedgerError::missing("context pack", name, []).into()
}
