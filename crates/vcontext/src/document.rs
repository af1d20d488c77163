use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_tron::{Category, PlaceId, Places, ReadOptions, Value};

use crate::encoding::{Encoding, Layout};
use crate::patch::patched;
use crate::specification::{HEADERS, Version};
use crate::{Container, Node};

/// Maximum size of a document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 16 << 20;

/// A parsed document. It has the value as written, including unknown fields, and the location of
/// each part.
#[derive(Debug, Clone)]
pub struct Document {
    source: Arc<Source>,
    value: Value<'static>,
    places: Arc<Places>,
    encoding: Encoding,
    layout: Layout,
    version: &'static Version,
}

impl Document {
    /// Parses the document `name`, in JSON or any dialect of TRON. Use [`check`](crate::check) to
    /// find out if it's a valid vContext document.
    ///
    /// # Errors
    /// Returns an error if the document is neither JSON nor TRON, or TRON under a JSON name. Also
    /// if it's longer than [`MAX_DOCUMENT_BYTES`], nested deeper than 256 levels, or has a
    /// duplicate key.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        let source = decode(name, bytes)?;
        let text = source.text().trim_start_matches(BOM);
        let skipped = source.text().len() - text.len();
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let (value, places) = match ReadOptions::default().located(text) {
            Ok((value, places)) => (value.into_owned(), places.moved_by(skipped)),
            Err(error) => return Err(unreadable(&source, skipped, is_json, &error).into()),
        };
        if !is_json && name.ends_with(".json") {
            return Err(not_json(&source, skipped, text).into());
        }
        let encoding = if is_json {
            Encoding::Json
        } else {
            Encoding::Tron
        };
        let layout = Layout::of(text);
        Ok(Self {
            layout,
            version: Version::of(&value),
            value,
            places: Arc::new(places),
            encoding,
            source,
        })
    }

    /// True if the document `name` is probably meant as vContext, valid or not. It's recognised by
    /// its name, or by a field that only such documents have.
    #[must_use]
    pub fn is_likely(name: &str, bytes: &[u8]) -> bool {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let is_named = NAMES.iter().any(|name| file.contains(name));
        if is_named || file.ends_with(".tron") {
            return true;
        }
        let start = &bytes[..bytes.len().min(LOOKED_AT)];
        let start = String::from_utf8_lossy(start);
        let opens = start.trim_start_matches(BOM).trim_start();
        (opens.starts_with('{') || opens.starts_with("class "))
            && HEADERS
                .iter()
                .chain(&["vAgendaInfo"])
                .any(|word| start.contains(word))
    }

    /// Returns its source text with its name.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns its value.
    #[must_use]
    pub fn value(&self) -> &Value<'static> {
        &self.value
    }

    /// Returns its version.
    #[must_use]
    pub fn version(&self) -> &'static Version {
        self.version
    }

    /// Returns the document information.
    #[must_use]
    pub fn info(&self) -> Option<Node<'_>> {
        let mut names = HEADERS.into_iter();
        names.find_map(|name| {
            self.root()
                .get(name)
                .filter(|_| self.version.has_header(name))
        })
    }

    /// Returns its encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns its layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the root node.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node::new(self, &self.value, self.places.root())
    }

    /// Returns the node at a JSON pointer (RFC 6901).
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<Node<'_>> {
        let mut node = self.root();
        for token in pointer.split('/').skip(1) {
            let name = token.replace("~1", "/").replace("~0", "~");
            node = match node.value() {
                Value::Array(_) => node.items().nth(name.parse().ok()?)?,
                _ => node.member(&name)?,
            };
        }
        Some(node)
    }

    /// Returns the container.
    #[must_use]
    pub fn container(&self) -> Option<(Container, Node<'_>)> {
        let mut found = self
            .version
            .containers()
            .filter_map(|one| Some((one, self.root().get(one.field())?)));
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// Returns the playbook: the document's own, or the one inside its list or plan.
    #[must_use]
    pub fn playbook(&self) -> Option<Node<'_>> {
        match self.container()? {
            (Container::Playbook, node) => Some(node),
            (_, node) => node.get(Container::Playbook.field()),
        }
    }

    /// Writes `value` in place of this document. Unchanged parts keep their bytes. If that's
    /// impossible, everything is written again, in the encoding and layout of this document.
    #[must_use]
    pub fn rewritten(&self, value: &Value<'_>) -> String {
        patched(self, value).unwrap_or_else(|| crate::write(value, self.encoding, &self.layout))
    }

    pub(crate) fn place(&self, at: PlaceId) -> Place {
        Place::new(&self.source, self.places.range(at))
    }

    pub(crate) fn key_place(&self, at: PlaceId) -> Place {
        let range = self.places.key(at);
        let range = range.unwrap_or_else(|| self.places.range(at));
        Place::new(&self.source, range)
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }
}

const BOM: char = '\u{feff}';

/// Parts of the names of such documents.
const NAMES: [&str; 3] = [".vcontext.", ".xbrief.", ".vbrief."];

/// Number of bytes inspected to detect vContext.
const LOOKED_AT: usize = 4096;

fn decode(name: &str, bytes: &[u8]) -> Result<Arc<Source>, Diagnostics> {
    if bytes.len() > MAX_DOCUMENT_BYTES {
        let message = format!("the document has {} bytes, more than 16 MiB", bytes.len());
        return Err(Diagnostic::error("document-size", message)
            .at(Place::new(&Source::new(name, ""), 0..0))
            .help("split it, and link the parts by `uris`")
            .into());
    }
    std::str::from_utf8(bytes)
        .map(|text| Source::new(name, text))
        .map_err(|error| {
            let at = error.valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(bytes));
            let (message, help) = match error.error_len() {
                None if at > 0 => (
                    format!("the file ends within a character, at byte {at}"),
                    "the file was truncated: write or copy it again",
                ),
                _ => (
                    format!("byte {at} is not UTF-8"),
                    "convert the file to UTF-8",
                ),
            };
            Diagnostic::error("document-encoding", message)
                .at(Place::new(&source, at..at))
                .help(help)
                .into()
        })
}

fn unreadable(
    source: &Arc<Source>,
    skipped: usize,
    is_json: bool,
    error: &windlass_tron::Error,
) -> Diagnostic {
    let is_twice = error.message().ends_with("is there twice");
    let rule = match error.category() {
        Category::Limit => "document-limit",
        _ if is_twice => "duplicate-key",
        _ if source.name().ends_with(".json") || is_json => "json-syntax",
        _ => "tron-syntax",
    };
    let range = error.place().map_or(0..0, |place| place.range.clone());
    let place = Place::new(source, range.start + skipped..range.end + skipped);
    let found = Diagnostic::error(rule, error.message().to_owned()).at(place);
    match (rule, error.expected()) {
        ("duplicate-key", _) => found.help("remove one of the two, or rename it"),
        ("document-limit", _) => found.help("reduce the nesting, or split it"),
        (_, Some(expected)) => found.help(format!("expected {expected}")),
        _ => found,
    }
}

/// Returns a finding for TRON in a file with a JSON name.
fn not_json(source: &Arc<Source>, skipped: usize, text: &str) -> Diagnostic {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err();
    let at = error.map_or(0, |error| {
        let line_start: usize = (text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1)))
        .map(str::len)
        .sum();
        line_start + error.column().saturating_sub(1)
    });
    let mut at = (at + skipped).min(source.text().len());
    while !source.text().is_char_boundary(at) {
        at -= 1;
    }
    let message = "the file is TRON, but its name says JSON";
    Diagnostic::error("not-json", message)
        .at(Place::new(source, at..at))
        .help("rename it to `.tron`, or run `windlass doc convert --format json`")
}
