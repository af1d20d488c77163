//! Forks of documents: copies for separate changes and a later merge.

use std::path::Path;

use windlass_base::Digest;
use windlass_site::Error;

use super::{DocumentDraft, DocumentError, DocumentService, refuse_invalid};
use crate::{Document, Encoding, Layout, Note, Value, fork, forkable, write};

/// A request to create a fork.
#[derive(Debug, Clone)]
pub struct ForkRequest {
    /// The file for the fork, which must not exist yet.
    pub out: String,
    /// The file for a copy of the current parent, which must not exist yet. The later merge needs
    /// it as its base.
    pub base: Option<String>,
    /// The reason for the fork, which is recorded there.
    pub reason: Option<String>,
    /// The actor. Without one, we use the actor from the environment.
    pub actor: Option<String>,
}

/// A fork of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forked {
    /// The `uid` that we've given to the fork.
    pub uid: String,
    /// The parent's `uid`, which may be new as well.
    pub parent_uid: String,
    /// The parent's sequence at the time of the fork.
    pub parent_sequence: u64,
}

impl DocumentService {
    /// Creates a fork of the document in the file `name`. If the document has no `uid` or no
    /// `sequence`, we add it, because the fork has to refer to both.
    ///
    /// # Errors
    /// Returns an error if the document is invalid, has no TodoList or Plan, or if one of the files
    /// to create already exists.
    pub fn fork_vcontext(
        &self,
        name: &str,
        start: &Path,
        request: &ForkRequest,
    ) -> Result<Forked, Error> {
        let author = self.author(request.actor.as_deref());
        let outs = || {
            [Some(&request.out), request.base.as_ref()]
                .into_iter()
                .flatten()
        };
        // Check this before changing anything. `begin_document` checks it again when it creates the
        // file.
        for out in outs() {
            if self.lock(out, start)?.place.is_there() {
                return Err(DocumentError::Exists(out.clone()).into());
            }
        }
        self.change_vcontext(name, start, |document| {
            refuse_invalid(document)?;
            let text = document.source().text();
            let named = forkable(document.value(), &uid_of(&[text, &author.now, &author.id]))?;
            let draft = named.map(|value| DocumentDraft {
                value,
                author: author.clone(),
                note: Some(Note::update("added a `uid` for forks")),
                dry_run: false,
            });
            Ok((draft, ()))
        })?;
        let parent = self.vcontext(name, start, &self.site.snapshot())?;
        let uid = uid_of(&[
            parent.source().text(),
            &request.out,
            &author.now,
            &author.id,
        ]);
        let value = fork(parent.value(), &uid, request.reason.as_deref(), &author)?;
        if let Some(base) = &request.base {
            self.begin_document(base, start, &text_for(base, &parent, parent.value()))?;
        }
        self.begin_document(
            &request.out,
            start,
            &text_for(&request.out, &parent, &value),
        )?;
        let node = parent.container().map(|(_, node)| node);
        let sequence = node.and_then(|node| node.whole_of("sequence"));
        Ok(Forked {
            uid,
            parent_uid: node
                .and_then(|node| node.text_of("uid"))
                .unwrap_or_default()
                .to_owned(),
            parent_sequence: sequence
                .and_then(|own| u64::try_from(own).ok())
                .unwrap_or(0),
        })
    }
}

/// Formats `value` for the file `out`.
///
/// If the encoding is that of `document`, we also use its layout.
fn text_for(out: &str, document: &Document, value: &Value<'static>) -> String {
    let encoding = match out.rsplit_once('.') {
        Some((_, "tron")) => Encoding::Tron,
        Some((_, "json")) => Encoding::Json,
        _ => document.encoding(),
    };
    match encoding == document.encoding() {
        true => document.rewritten(value),
        false => write(value, encoding, &Layout::pretty()),
    }
}

/// Derives a `uid` from `parts`, in the form of a UUID (version 8).
///
/// No random numbers are needed, since the parts include the time, the author and the file.
fn uid_of(parts: &[&str]) -> String {
    let digest = Digest::of_bytes(parts.join("\0").as_bytes());
    let hex = digest.hex();
    let part = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    format!(
        "{}-{}-8{}-8{}-{}",
        part(0..8),
        part(8..12),
        part(12..15),
        part(15..18),
        part(18..30)
    )
}
