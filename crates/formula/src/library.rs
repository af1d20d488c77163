//! Loads the documents that make up a formula. Each one is looked up and read at most once, even if
//! several formulas mention it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use windlass_base::{Diagnostic, Digest, Place, Source};
use windlass_plan::Findings;
use windlass_plan::quote::{cut, listed, near};

use super::document::{FormulaDoc, Located, read_formula};
use super::formula_lookup::{FormulaLookup, FormulaText};
use super::{SourceRole, SourceUsed};

#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) doc: FormulaDoc,
    /// Index into [`Library::texts`].
    pub(crate) source: u32,
    pub(crate) text: Arc<Source>,
}

impl Loaded {
    pub(crate) fn place<T>(&self, part: &Located<T>) -> Place {
        Place::new(&self.text, part.start as usize..part.end as usize)
    }
}

/// The documents looked up so far. If a document couldn't be loaded, `loaded` has `None` for its
/// name, so we don't report its problems a second time.
pub(crate) struct Library<'l> {
    lookup: &'l dyn FormulaLookup,
    strict: bool,
    texts: Vec<Arc<Source>>,
    used: Vec<SourceUsed>,
    loaded: BTreeMap<String, Option<Rc<Loaded>>>,
    files: BTreeMap<(u32, [String; 2]), Option<String>>,
    /// The number of merged formulas and parts. A part counts as often as it's inherited.
    pub(super) merged: usize,
}

impl<'l> Library<'l> {
    pub(crate) fn new(lookup: &'l dyn FormulaLookup, strict: bool) -> Self {
        Self {
            lookup,
            strict,
            texts: Vec::new(),
            used: Vec::new(),
            loaded: BTreeMap::new(),
            files: BTreeMap::new(),
            merged: 0,
        }
    }

    pub(crate) fn used(self) -> Vec<SourceUsed> {
        self.used
    }

    pub(crate) fn place(&self, source: u32, start: u32, end: u32) -> Option<Place> {
        let text = self.texts.get(source as usize)?;
        Some(Place::new(text, start as usize..end as usize))
    }

    /// Finds the first `{{name}}` at or after the start of a part, or falls back to the part
    /// itself.
    ///
    /// The search doesn't stop at the part's end, because the range of a TOML table only covers its
    /// header.
    pub(crate) fn occurrence(
        &self,
        (source, start, end): (u32, u32, u32),
        name: &str,
    ) -> Option<Place> {
        let text = self.texts.get(source as usize)?;
        let rest = Place::new(text, start as usize..text.text().len());
        let part = || Place::new(text, start as usize..end as usize);
        Some(occurrence(&rest, name).unwrap_or_else(part))
    }

    pub(crate) fn line(&self, source: u32, start: u32) -> u32 {
        let text = self.texts.get(source as usize);
        let line = text.map_or(0, |text| text.position(start as usize).line);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    pub(crate) fn file(&self, source: u32) -> &str {
        self.used.get(source as usize).map_or("", |used| &used.file)
    }

    /// Adds the caller's formula and returns its name.
    pub(crate) fn add(&mut self, text: &FormulaText, found: &mut Findings) -> Option<String> {
        let loaded = self.read("", text, SourceRole::Formula, found)?;
        let name = loaded.doc.formula.value.clone();
        self.loaded.insert(name.clone(), Some(Rc::new(loaded)));
        Some(name)
    }

    /// Loads a formula mentioned at `from`.
    ///
    /// If it can't be loaded, we only report that on the first call.
    pub(crate) fn load(
        &mut self,
        name: &str,
        role: SourceRole,
        from: Option<Place>,
        found: &mut Findings,
    ) -> Option<Rc<Loaded>> {
        if let Some(loaded) = self.loaded.get(name) {
            return loaded.clone();
        }
        let loaded = match self.lookup.formula(name) {
            Ok(Some(text)) => self.read(name, &text, role, found).map(Rc::new),
            Ok(None) => {
                found.push_at(from, self.missing(name));
                None
            }
            Err(why) => {
                let message = format!("formula `{}` cannot be read: {why}", cut(name));
                found.push_at(from, Diagnostic::error("unreadable", message));
                None
            }
        };
        self.loaded.insert(name.to_owned(), loaded.clone());
        loaded
    }

    fn missing(&self, name: &str) -> Diagnostic {
        let names = self.lookup.names();
        let words = || names.iter().map(String::as_str);
        let help = match near(name, words()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "no formulas were found on the search path".to_owned(),
            None => format!("known formulas: {}", listed(words())),
        };
        let message = format!("there is no formula `{}`", cut(name));
        Diagnostic::error("unknown-formula", message).help(help)
    }

    fn read(
        &mut self,
        name: &str,
        text: &FormulaText,
        role: SourceRole,
        found: &mut Findings,
    ) -> Option<Loaded> {
        let document = match text.parse() {
            Ok(document) => document,
            Err(errors) => {
                errors.into_iter().for_each(|error| found.push(error));
                return None;
            }
        };
        let doc = read_formula(&document, self.strict, found)?;
        let source = self.source(&doc.formula, text, role, Arc::clone(document.source()));
        let loaded = Loaded {
            text: Arc::clone(document.source()),
            source,
            doc,
        };
        self.check_name(name, &loaded, found)?;
        Some(loaded)
    }

    fn source(
        &mut self,
        name: &str,
        text: &FormulaText,
        role: SourceRole,
        source: Arc<Source>,
    ) -> u32 {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(source);
        self.used.push(SourceUsed {
            name: name.to_owned(),
            file: text.file.clone(),
            role,
            digest: Digest::of_bytes(&text.bytes),
        });
        number
    }

    /// Warns if a formula's name differs from that of its file, because other formulas only find it
    /// by the name of the file.
    fn check_name(&self, name: &str, loaded: &Loaded, found: &mut Findings) -> Option<()> {
        let own = &loaded.doc.formula;
        let place = loaded.place(own);
        if own.trim().is_empty() {
            let message = "missing formula name";
            found.push(Diagnostic::error("missing-field", message).at(place));
            return None;
        }
        if !name.is_empty() && own.value != name {
            let message = format!(
                "the formula is named `{}`, but its file `{}`",
                cut(own),
                cut(name)
            );
            let help = "use the same name: other formulas find it by the name of its file";
            found.push(
                Diagnostic::warning("formula-name", message)
                    .at(place)
                    .help(help),
            );
        }
        Some(())
    }

    /// Loads a file mentioned in a formula.
    ///
    /// We try `path` as written first, since file names may contain braces. If there's no such
    /// file, we try `filled`, in which the placeholders have been replaced.
    pub(crate) fn text_beside(
        &mut self,
        source: u32,
        path: &Located<String>,
        filled: String,
        found: &mut Findings,
    ) -> Option<String> {
        let key = (source, [path.value.clone(), filled]);
        if let Some(text) = self.files.get(&key) {
            return text.clone();
        }
        let place = self.place(source, path.start, path.end);
        let file = self.file(source).to_owned();
        let mut fail = |why: String| {
            let message = format!("file `{}` {why}", cut(&key.1[1]));
            let help = "its path is relative to the folder of the formula";
            found.push_at(
                place.clone(),
                Diagnostic::error("description-file", message).help(help),
            );
        };
        let mut looked = self.lookup.beside(&file, &key.1[0]);
        if matches!(looked, Ok(None)) && key.1[0] != key.1[1] {
            looked = self.lookup.beside(&file, &key.1[1]);
        }
        let text = match looked {
            Ok(Some(text)) => match String::from_utf8(text.bytes.clone()) {
                Ok(content) => {
                    // We don't report positions inside of this file, so there's no need to keep its
                    // text.
                    let empty = Source::new(text.file.clone(), "");
                    self.source(path, &text, SourceRole::Description, empty);
                    Some(content)
                }
                Err(_) => {
                    fail("is not UTF-8 text".to_owned());
                    None
                }
            },
            Ok(None) => {
                fail("does not exist".to_owned());
                None
            }
            Err(why) => {
                fail(format!("cannot be read: {why}"));
                None
            }
        };
        self.files.insert(key, text.clone());
        text
    }
}

pub(crate) fn occurrence(part: &Place, name: &str) -> Option<Place> {
    let text = part.source.text().get(part.range.clone())?;
    text.match_indices("{{").find_map(|(at, open)| {
        let (inside, _) = text[at + open.len()..].split_once("}}")?;
        let start = part.range.start + at;
        let end = start + 2 * open.len() + inside.len();
        (inside.trim() == name).then(|| Place::new(&part.source, start..end))
    })
}
