//! Optional frontmatter fields, such as the owner and the date, which callers pass as sections.

use super::NewRecord;
use crate::error::MemoryError;
use crate::markdown::{goes_by, is_same_heading};
use crate::recall::asked_fields;
use crate::records::kind::RecordKind;
use crate::texts::day::is_date;

const DAYS: [&str; 2] = ["date", "opened"];

pub(super) type Fields = Vec<(&'static str, String)>;

/// The field called `name`, if a recall can show it when asked for. Text with several lines stays a
/// section.
pub(super) fn field_of(kind: RecordKind, name: &str, says: &str) -> Option<&'static str> {
    let field = asked_fields().find(|field| is_same_heading(field, name))?;
    (kind.is_routed() && !says.trim().contains('\n')).then_some(field)
}

/// Refuses a value that isn't a date, if the field is one of [`DAYS`].
pub(super) fn refuse_no_day(name: &str, says: &str) -> Result<(), MemoryError> {
    let field = DAYS.iter().find(|field| is_same_heading(field, name));
    match field.filter(|_| !says.trim().is_empty() && !is_date(says.trim())) {
        Some(field) => Err(MemoryError::DayOfField {
            field,
            says: says.trim().to_owned(),
        }),
        None => Ok(()),
    }
}

impl NewRecord {
    /// Splits off the sections that become fields in a record of `kind`. Only call this with the
    /// sections that the caller named, because headings in the text always stay sections.
    pub(super) fn with_fields_apart(
        &self,
        kind: RecordKind,
    ) -> Result<(Self, Fields), MemoryError> {
        let (mut same, mut fields) = (self.clone(), Vec::new());
        same.sections.clear();
        for (name, says) in &self.sections {
            if let Some(field) = super::own_field(name).filter(|_| kind.is_routed()) {
                return Err(MemoryError::OwnField(field));
            }
            let is_part = kind.parts().iter().any(|names| goes_by(name, names));
            if kind.is_routed() {
                refuse_no_day(name, says)?;
            }
            match field_of(kind, name, says).filter(|_| !is_part) {
                Some(field) if !says.trim().is_empty() => {
                    fields.push((field, says.trim().to_owned()));
                }
                Some(_) => {}
                None => same.sections.push((name.clone(), says.clone())),
            }
        }
        Ok((same, joined(fields)))
    }
}

fn joined(fields: Fields) -> Fields {
    let mut once: Fields = Vec::new();
    for (field, says) in fields {
        match once.iter_mut().find(|(other, _)| *other == field) {
            Some((_, known)) => *known = format!("{known}, {says}"),
            None => once.push((field, says)),
        }
    }
    once
}
