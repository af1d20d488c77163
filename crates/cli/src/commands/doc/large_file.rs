//! Converts files that are too large to be read as documents (`doc convert --max-bytes`).

use windlass::packs::harmless_line;
use windlass::repo::{Refusal, read_foreign};
use windlass::site::unreadable;
use windlass::vcontext::{Encoding, MAX_DOCUMENT_BYTES, convert_text};

use super::{DocContext, Ended, Failure};
use crate::args::{DocConvertArgs, DocEncoding};
use crate::exit::Exit;
use crate::outside::here;

/// The typed limit, if the file is larger than a document can be.
pub(super) fn limit(args: &DocConvertArgs) -> Option<u64> {
    let size = std::fs::metadata(here().join(&args.file)).ok()?.len();
    let is_large = size > u64::try_from(MAX_DOCUMENT_BYTES).unwrap_or(u64::MAX);
    args.max_bytes.filter(|_| is_large)
}

/// Converts a file of up to `max` bytes from text to text. Unlike for a document, we never have all
/// of its values in memory.
pub(super) fn convert(at: &DocContext<'_>, args: &DocConvertArgs, max: u64) -> Ended {
    let Some(out) = &args.out else {
        let message = "a file of more than 16 MiB is not printed: pass `--out FILE`";
        return Err(Failure::Usage(message.to_owned()));
    };
    let path = here().join(&args.file);
    let site = at.workspace.site();
    // A secret file of the repository stays secret even though it's too large for a document.
    if let Some(inside) = site.repo().path_of(&path)
        && let Err(refusal @ Refusal::Secret { .. }) = site.snapshot().read(&inside)
    {
        return Err(unreadable(&args.file, &refusal).into());
    }
    let bytes = read_foreign(&path, max).map_err(|refusal| unreadable(&args.file, &refusal))?;
    let encoding = match args.format {
        DocEncoding::Json => Encoding::Json,
        DocEncoding::Tron => Encoding::Tron,
        DocEncoding::Markdown => {
            let message = "a file of more than 16 MiB is not converted to Markdown";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    let invalid =
        |error: &dyn std::fmt::Display| Failure::Data(format!("`{}`: {error}", args.file));
    let text = String::from_utf8(bytes).map_err(|error| invalid(&error))?;
    let converted = convert_text(&text, encoding).map_err(|error| invalid(&error))?;
    // Both texts may be large, and we don't need this one for writing.
    drop(text);
    at.workspace
        .documents()
        .write_document(out, &here(), &converted)?;
    at.screen.say(&format!("wrote `{}`", harmless_line(out)));
    Ok(Exit::Done)
}
