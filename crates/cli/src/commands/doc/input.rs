//! Documents that are read, also from standard input.

use windlass::repo::{Snapshot, read_bounded};
use windlass::site::unreadable;
use windlass::vcontext::{Document, MAX_DOCUMENT_BYTES};
use windlass::{Error, Workspace};

use crate::outside::here;

/// What standard input is called in messages.
const STDIN: &str = "standard input";

/// The document in the file `name`, or the one that comes by standard input where that is `-`.
pub(super) fn document(
    workspace: &Workspace,
    name: &str,
    snapshot: &Snapshot,
) -> Result<Document, Error> {
    if name != "-" {
        return workspace.documents().vcontext(name, &here(), snapshot);
    }
    let most = u64::try_from(MAX_DOCUMENT_BYTES).unwrap_or(u64::MAX);
    let bytes = read_bounded(std::io::stdin().lock(), most)
        .map_err(|refusal| unreadable(STDIN, &refusal))?;
    Document::parse(STDIN, &bytes).map_err(Error::document)
}
