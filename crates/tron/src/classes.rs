//! Reads the class definitions at the start of a document.
//!
//! The dialects don't agree on the end of a property list. It may end with its line, as in `class
//! A: x,y`, or go on over several lines. A list therefore ends with a `;`, a blank line, or a line
//! that can only be data or the next class.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::options::Limits;
use crate::scan::{Scanner, is_reserved};
use crate::text::Text;

/// The classes defined by a document.
#[derive(Default)]
pub(crate) struct Classes<'a> {
    all: Vec<Class<'a>>,
    names: BTreeMap<&'a str, usize>,
    /// Classes with one-letter names, by character code. Each entry is the index plus one, or 0 if
    /// there is none. Most class names have one letter, and the array is faster than `names`.
    short: Vec<usize>,
    properties: usize,
}

pub(crate) struct Class<'a> {
    pub(crate) name: &'a str,
    /// Properties in order, starting with inherited ones.
    pub(crate) properties: Vec<Text<'a>>,
    /// Each property's index in `properties`.
    pub(crate) places: BTreeMap<Text<'a>, usize>,
    /// Total size of the property names in bytes. It counts towards [`Limits::expanded`].
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

    /// Lists some class names for an error message.
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

    /// Reads class definitions up to the start of the data.
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

    /// Reads the parent class in parentheses.
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

/// Returns true if the word `class` follows, then a space and a name.
fn is_class(scanner: &Scanner<'_>) -> bool {
    let rest = &scanner.text[scanner.at..];
    rest.strip_prefix("class")
        .is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Returns true if the word `class` starts a definition here. It can also be the name of a
/// property.
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
    /// True if the first property is on the same line as the class name.
    is_on_line: bool,
}

/// The next thing after a property.
enum Next {
    Property,
    End,
}

impl<'a> List<'a> {
    /// Reads properties up to the end of the list. The end itself is left to the caller.
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
            // Accept reserved words: the reference encoder writes properties named `class`, `true`,
            // `false` and `null` without quotes.
            Some(name) => Ok(Text::from(name)),
            None => Err(scanner.unexpected("a property: a name, or a string in quotes")),
        }
    }

    /// Advances to the next property or to the end of the list. The list ends with a `;`, a blank
    /// line, the end of the text, or a line that cannot start with a property.
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
            scanner.at = before;
            scanner.separators(false);
            return Ok(Next::End);
        }
        Ok(Next::Property)
    }

    /// Returns true if the current line is data or the next class, so it can't belong to the
    /// property list.
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
            // A string alone at the end of the text has to be the data. Otherwise the document
            // would have none.
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
