//! The folders that a client offers to its servers (`roots/list`).
#![expect(
    deprecated,
    reason = "clients of 2025-11-25 and before offer roots; later versions have no successor"
)]

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use rmcp::service::{RequestContext, RoleServer};

use crate::server_limits::TO_OFFER;

/// Asks the client for its roots. Returns `None` if it has none or does not answer, or if its
/// version of the protocol has no requests from servers.
pub(crate) async fn offered_roots(context: &RequestContext<RoleServer>) -> Option<Vec<PathBuf>> {
    context.client_capabilities()?.roots?;
    let asked = context.peer.list_roots();
    let roots = match tokio::time::timeout(TO_OFFER, asked).await {
        Ok(Ok(answer)) => answer.roots,
        // Some clients declare roots but don't implement the request.
        Ok(Err(error)) => {
            tracing::debug!(%error, "the client does not list its roots");
            return None;
        }
        Err(_) => {
            tracing::debug!("the client does not answer `roots/list`");
            return None;
        }
    };
    let folders: Vec<PathBuf> = roots.iter().filter_map(|root| folder(&root.uri)).collect();
    (!folders.is_empty()).then_some(folders)
}

/// The folder of a `file:` address on this machine.
fn folder(address: &str) -> Option<PathBuf> {
    let path = address.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // On Windows, the path of `file:///C:/src` begins with a slash.
    let drive = path
        .strip_prefix('/')
        .filter(|rest| rest.get(1..2) == Some(":"));
    let path = PathBuf::from(drive.unwrap_or(&path));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn addresses_of_folders_are_decoded() {
        for (address, path) in [
            ("file:///src/a", Some("/src/a")),
            ("file:///src/a%20b/%C3%A9", Some("/src/a b/é")),
            ("file://localhost/src", Some("/src")),
            ("file://other.example/src", None),
            ("https://example.org/src", None),
            ("file:///%FF", None),
            ("/src", None),
        ] {
            assert_eq!(folder(address), path.map(PathBuf::from), "{address}");
        }
    }
}
