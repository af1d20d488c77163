//! Reads documents that the command line names.

use windlass::repo::{Snapshot, read_bounded};
use windlass::site::unreadable;
use windlass::vcontext::{Document, MAX_DOCUMENT_BYTES};
use windlass::{Error, Workspace};

use crate::outside::here;

const STDIN: &str = "standard input";

/// Reads the document in the file `name`, or from standard input for `-`.
pub(super) fn document(
    workspace: &Workspace,
    name: &str,
    snapshot: &Snapshot,
) -> Result<Document, Error> {
    if name != "-" {
        return workspace.documents().vcontext(name, &here(), snapshot);
    }
    let max = u64::try_from(MAX_DOCUMENT_BYTES).unwrap_or(u64::MAX);
    let bytes = read_bounded(std::io::stdin().lock(), max)
        .map_err(|refusal| unreadable(STDIN, &refusal))?;
    Document::parse(STDIN, &bytes).map_err(Error::document)
}
