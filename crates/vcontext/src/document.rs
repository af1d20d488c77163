use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_plan::{SizeLimit, decode, json_place};
use windlass_tron::{Category, PlaceId, Places, ReadOptions, Value};

use crate::encoding::{Encoding, Layout};
use crate::patch::patched;
use crate::specification::{HEADERS, Version};
use crate::{Container, Node};

/// The maximum size of a document in bytes: 16 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 16 << 20;

const LIMIT: SizeLimit = (MAX_DOCUMENT_BYTES, "split it, and link the parts by `uris`");

/// A parsed document.
///
/// Its value is kept as it was written, including fields that we don't know, so that writing the
/// document again doesn't lose anything. Each part has a location.
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
    /// Parses the document `name`, in JSON or any dialect of TRON.
    ///
    /// The value doesn't have to be a vContext document: use [`check`](crate::check) to find out.
    ///
    /// # Errors
    /// Returns an error if the text is neither JSON nor TRON, or is TRON under a JSON name. We also
    /// refuse texts longer than [`MAX_DOCUMENT_BYTES`], nested deeper than 256 levels, or with a
    /// duplicate key.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        let source = decode(name, bytes, LIMIT)?;
        let text = source.text().trim_start_matches(BOM);
        let skipped = source.text().len() - text.len();
        // JSON is also valid TRON, so there's only one parser for values. We still have to know
        // which of the two it is, for errors and for writing.
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

    /// Guesses if the document `name` is meant as vContext, whether it's valid or not.
    ///
    /// A typical name is enough (any `.tron` file counts). Otherwise, we look for a typical field
    /// near the start.
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
                // The format was called vAgenda in its early versions.
                .chain(&["vAgendaInfo"])
                .any(|word| start.contains(word))
    }

    /// The text that all locations refer to. It also has the document's name.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The value as written, including `null` fields.
    #[must_use]
    pub fn value(&self) -> &Value<'static> {
        &self.value
    }

    /// The version that the document declares, or the nearest one we know.
    #[must_use]
    pub fn version(&self) -> &'static Version {
        self.version
    }

    /// The document information, e.g. `vContextInfo`. Its field has another name in other versions.
    #[must_use]
    pub fn info(&self) -> Option<Node<'_>> {
        let mut names = HEADERS.into_iter();
        names.find_map(|name| {
            self.root()
                .get(name)
                .filter(|_| self.version.has_header(name))
        })
    }

    /// JSON if serde_json accepts the text, and TRON otherwise.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The layout, for writing the document again.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The whole document as a node.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node::new(self, &self.value, self.places.root())
    }

    /// Looks up a node by its JSON pointer (RFC 6901).
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

    /// The document's container. It's `None` unless the document has exactly one of those in its
    /// version.
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

    /// The document's playbook, which may also be inside its list or plan.
    #[must_use]
    pub fn playbook(&self) -> Option<Node<'_>> {
        match self.container()? {
            (Container::Playbook, node) => Some(node),
            (_, node) => node.get(Container::Playbook.field()),
        }
    }

    /// Returns the text of this document with `value` as its new value.
    ///
    /// Unchanged parts keep their bytes. If that's impossible, we write the whole document again,
    /// in its encoding and layout.
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

/// Parts of file names that vContext documents usually have.
const NAMES: [&str; 3] = [".vcontext.", ".xbrief.", ".vbrief."];

/// Number of bytes at the start of a file that we search for the fields of vContext.
const LOOKED_AT: usize = 4096;

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

/// Builds the error for TRON in a file whose name ends with `.json`. Other programs couldn't read
/// such a file.
fn not_json(source: &Arc<Source>, skipped: usize, text: &str) -> Diagnostic {
    // Point to the place where a JSON parser would fail.
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err();
    let place = match error {
        Some(error) => json_place(source, skipped, &error),
        None => Place::new(source, 0..0),
    };
    let message = "the file is TRON, but its name says JSON";
    Diagnostic::error("not-json", message)
        .at(place)
        .help("rename it to `.tron`, or run `windlass doc convert --format json`")
}
