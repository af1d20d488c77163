//! Reads the files that the command line names, or standard input.

use windlass::Workspace;

use super::Failure;
use crate::outside::here;

/// Reads the document `from`, and returns its name for messages as well. `-` is standard input.
pub(super) fn read_given(workspace: &Workspace, from: &str) -> Result<(String, Vec<u8>), Failure> {
    let input = std::io::stdin();
    Ok(workspace
        .site()
        .files()
        .read_given(from, input, &here(), &workspace.site().snapshot())?)
}

pub(super) fn read_lines(workspace: &Workspace, from: &str) -> Result<(String, String), Failure> {
    let (name, bytes) = read_given(workspace, from)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Failure::Usage(format!(
                "{name} is not UTF-8: invalid byte at offset {at}"
            )))
        }
    }
}
