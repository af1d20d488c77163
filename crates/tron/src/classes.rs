//! Reads the class definitions at the start of a document.
//!
//! Dialects disagree on where a list of properties ends. Some keep the list on one line, e.g.
//! `class A: x,y`, while others continue it over several lines. To read both, a list ends at a `;`,
//! at a blank line, or at a line that can only be data or the next class.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::options::Limits;
use crate::scan::{Scanner, is_reserved};
use crate::text::Text;

#[derive(Default)]
pub(crate) struct Classes<'a> {
    all: Vec<Class<'a>>,
    names: BTreeMap<&'a str, usize>,
    /// For each class with a one-letter name, its index plus one, by character code. 0 means that
    /// there's no such class. Most names are this short, and a look-up in `names` is slower.
    short: Vec<usize>,
    properties: usize,
}

pub(crate) struct Class<'a> {
    pub(crate) name: &'a str,
    /// The properties in order, starting with the inherited ones.
    pub(crate) properties: Vec<Text<'a>>,
    pub(crate) places: BTreeMap<Text<'a>, usize>,
    /// Total size of the property names in bytes. Each instance counts this much towards
    /// [`Limits::expanded`].
    pub(crate) size: usize,
}

impl<'a> Classes<'a> {
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        match name.as_bytes() {
            [byte] => (self.short.get(usize::from(*byte)).copied())?.checked_sub(1),
            _ => self.names.get(name).copied(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Class<'a>> {
        self.all.get(index)
    }

    /// Lists the first few classes by name, to help with a typo.
    pub(crate) fn known_names(&self) -> String {
        if self.all.is_empty() {
            return "no class is defined".to_owned();
        }
        let names: Vec<_> = (self.all.iter().take(8))
            .map(|class| format!("`{}`", class.name))
            .collect();
        let more = if self.all.len() > 8 { " …" } else { "" };
        format!("known classes: {}{more}", names.join(", "))
    }

    pub(crate) fn read(scanner: &mut Scanner<'a>, limits: &Limits) -> Result<Self> {
        let mut classes = Self::default();
        scanner.separators(false);
        while is_class(scanner) {
            classes.read_one(scanner, limits)?;
            scanner.separators(false);
        }
        Ok(classes)
    }

    fn read_one(&mut self, scanner: &mut Scanner<'a>, limits: &Limits) -> Result<()> {
        let start = scanner.at;
        scanner.at += "class".len();
        scanner.skip_spaces();
        let name_at = scanner.at;
        let name = class_name(scanner)?;
        let name_range = name_at..scanner.at;
        if self.names.contains_key(name) {
            return Err(scanner.fail(name_range, format!("class `{name}` is defined twice"), None));
        }
        scanner.skip_spaces();
        let mut list = List::default();
        if scanner.byte() == Some(b'(') {
            let parent = self.parent(scanner)?;
            list.properties.clone_from(&parent.properties);
            list.places.clone_from(&parent.places);
            scanner.skip_spaces();
        }
        if scanner.byte() != Some(b':') {
            return Err(scanner.unexpected("`:` and the properties of the class"));
        }
        scanner.at += 1;
        // The limit is on all classes together. Inherited properties count as well, or else a chain
        // of classes could get around it.
        let left = limits.properties.saturating_sub(self.properties);
        list.read(scanner, left)?;
        if self.all.len() >= limits.classes {
            let message = format!("more than {} classes", limits.classes);
            return Err(scanner.limit(start..name_range.end, message));
        }
        self.properties += list.properties.len();
        let index = self.all.len();
        self.names.insert(name, index);
        if let [byte] = name.as_bytes() {
            self.short.resize(128, 0);
            self.short[usize::from(*byte)] = index + 1;
        }
        self.all.push(Class {
            name,
            size: list.properties.iter().map(|name| name.len()).sum(),
            properties: list.properties,
            places: list.places,
        });
        Ok(())
    }

    /// Reads the name of the parent class in its parentheses. The parent must be defined before, so
    /// there can't be a cycle.
    fn parent(&self, scanner: &mut Scanner<'a>) -> Result<&Class<'a>> {
        scanner.at += 1;
        scanner.skip_spaces();
        let at = scanner.at;
        let name = class_name(scanner)?;
        let Some(class) = self.index(name).and_then(|index| self.get(index)) else {
            let message = format!(
                "class `{name}` is not defined before its use; {}",
                self.known_names()
            );
            return Err(scanner.fail(at..scanner.at, message, None));
        };
        scanner.skip_spaces();
        if scanner.byte() != Some(b')') {
            return Err(scanner.unexpected("`)` after the parent class"));
        }
        scanner.at += 1;
        Ok(class)
    }
}

/// True at the word `class`, followed by a space.
fn is_class(scanner: &Scanner<'_>) -> bool {
    let rest = &scanner.text[scanner.at..];
    rest.strip_prefix("class")
        .is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// True at the start of a definition. The word `class` alone isn't enough, because it may also be
/// the name of a property.
fn is_definition(scanner: &Scanner<'_>) -> bool {
    let mut ahead = scanner.ahead();
    if !is_class(scanner) || ahead.name().is_none() {
        return false;
    }
    ahead.skip_spaces();
    ahead.name().is_some()
}

fn class_name<'a>(scanner: &mut Scanner<'a>) -> Result<&'a str> {
    let start = scanner.at;
    match scanner.name() {
        Some(name) if !is_reserved(name) => Ok(name),
        Some(name) => {
            let message = format!("`{name}` is reserved");
            Err(scanner.fail(start..scanner.at, message, Some("a name for a class")))
        }
        None => Err(scanner.unexpected("the name of a class, of letters, digits and `_`")),
    }
}

#[derive(Default)]
struct List<'a> {
    properties: Vec<Text<'a>>,
    places: BTreeMap<Text<'a>, usize>,
    /// True if the first property is on the same line as the name of the class.
    is_on_line: bool,
}

/// The thing that follows a property.
enum Next {
    Property,
    End,
}

impl<'a> List<'a> {
    /// Reads all properties, up to the end of the list.
    fn read(&mut self, scanner: &mut Scanner<'a>, max: usize) -> Result<()> {
        let (mut is_first, mut is_separated) = (true, true);
        loop {
            match self.next(scanner, is_first, is_separated)? {
                Next::End => return Ok(()),
                Next::Property => {}
            }
            let start = scanner.at;
            let name = self.property(scanner)?;
            if self.properties.len() >= max {
                let message = "the classes have too many properties".to_owned();
                return Err(scanner.limit(start..scanner.at, message));
            }
            let place = self.properties.len();
            if self.places.insert(name.clone(), place).is_some() {
                let message = format!("property `{}` is there twice", name.escape_debug());
                return Err(scanner.fail(start..scanner.at, message, None));
            }
            self.properties.push(name);
            scanner.skip_spaces();
            is_separated = scanner.byte() == Some(b',');
            scanner.at += usize::from(is_separated);
            is_first = false;
        }
    }

    fn property(&self, scanner: &mut Scanner<'a>) -> Result<Text<'a>> {
        if scanner.byte() == Some(b'"') {
            return scanner.string();
        }
        match scanner.name() {
            // Reserved words are fine here. For example, the reference encoder doesn't quote a
            // property called `class` or `null`.
            Some(name) => Ok(Text::from(name)),
            None => Err(scanner.unexpected("a property: a name, or a string in quotes")),
        }
    }

    /// Moves to the next property, or to the end of the list: a `;`, a blank line, the end of the
    /// text, or a line that can't start with a property.
    fn next(
        &mut self,
        scanner: &mut Scanner<'a>,
        is_first: bool,
        is_separated: bool,
    ) -> Result<Next> {
        let before = scanner.at;
        let blanks = scanner.separators(false);
        let Some(byte) = scanner.byte() else {
            return Ok(Next::End);
        };
        if blanks.semicolons > 0 || blanks.blank_line {
            return Ok(Next::End);
        }
        if is_first {
            self.is_on_line = blanks.lines == 0;
        }
        if blanks.lines == 0 {
            return match is_separated {
                true if is_definition(scanner) => Ok(Next::End),
                true => Ok(Next::Property),
                false => Err(scanner.unexpected("`,` or a line end")),
            };
        }
        let is_indented = matches!(
            scanner.text.as_bytes().get(scanner.at.wrapping_sub(1)),
            Some(b' ' | b'\t')
        );
        if self.is_data(scanner, byte, is_separated && !is_first, is_indented) {
            // This line belongs to the data, so go back and only skip the line breaks before it.
            scanner.at = before;
            scanner.separators(false);
            return Ok(Next::End);
        }
        Ok(Next::Property)
    }

    /// True if this line can only be data or the next class, so that the list ends before it.
    fn is_data(&self, scanner: &Scanner<'a>, byte: u8, has_comma: bool, is_indented: bool) -> bool {
        let mut ahead = scanner.ahead();
        if byte == b'"' {
            if ahead.string().is_err() {
                return false;
            }
            ahead.skip_spaces();
            if ahead.byte() == Some(b':') {
                return true;
            }
            // A lone string at the end could be another property or the data. A document must have
            // data, though, so it's the latter.
            ahead.separators(false);
            return ahead.byte().is_none() && self.is_on_line && !has_comma && !is_indented;
        }
        match ahead.name() {
            None => true,
            Some("true" | "false" | "null") => true,
            Some("class") if is_definition(scanner) => true,
            Some(_) => {
                ahead.skip_spaces();
                matches!(ahead.byte(), Some(b':' | b'('))
            }
        }
    }
}
