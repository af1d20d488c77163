//! Builds a value from events, optionally with the locations of its parts.

use super::places::{PlaceCollector, Places, Watch};
use super::{Array, Object, Value};
use crate::error::Result;
use crate::events::{Event, Events};
use crate::number::Number;
use crate::text::Text;

/// An array or object that is being built. An object also has the key of the next value.
enum Open<'a> {
    Array(Vec<Value<'a>>),
    Object(Members<'a>, Option<Text<'a>>),
    /// An object whose keys come from a class, so they are known to be distinct.
    Instance(Members<'a>, Option<Text<'a>>),
}

type Members<'a> = Vec<(Text<'a>, Value<'a>)>;

/// Builds a value, without locations.
pub(crate) fn build<'a>(events: Events<'a>) -> Result<Value<'a>> {
    watched(events, &mut ())
}

/// Like [`build`], but also returns the location of each part. Events must refuse duplicate keys,
/// since a dropped member would shift the indices.
pub(crate) fn located<'a>(events: Events<'a>) -> Result<(Value<'a>, Places)> {
    let mut noting = PlaceCollector::new(events.text());
    let value = watched(events, &mut noting)?;
    Ok((value, noting.into_places()))
}

fn watched<'a>(mut events: Events<'a>, watch: &mut impl Watch) -> Result<Value<'a>> {
    let mut outer: Vec<Open<'a>> = Vec::new();
    let mut open: Option<Open<'a>> = None;
    let mut root = Value::Null;
    while let Some(event) = events.next()? {
        let range = events.last();
        match event {
            Event::Key(_) | Event::OwnKey => watch.key(range),
            Event::End => watch.end(range),
            _ => watch.value(range, matches!(event, Event::Array | Event::Object(_))),
        }
        let value = match event {
            Event::Null => Value::Null,
            Event::Bool(value) => Value::Bool(value),
            Event::Number(text) => Value::Number(Number::read(text)),
            Event::Text(text) => Value::String(text.into()),
            Event::OwnText => Value::String(events.take()),
            Event::Key(_) | Event::OwnKey => {
                let key = match event {
                    Event::Key(key) => key.into(),
                    _ => events.take(),
                };
                if let Some(Open::Object(_, next) | Open::Instance(_, next)) = &mut open {
                    *next = Some(key);
                }
                continue;
            }
            Event::Array => {
                outer.extend(open.replace(Open::Array(Vec::new())));
                continue;
            }
            Event::Object(members) => {
                let object = match members {
                    Some(members) => Open::Instance(Vec::with_capacity(members), None),
                    None => Open::Object(Vec::new(), None),
                };
                outer.extend(open.replace(object));
                continue;
            }
            Event::End => match std::mem::replace(&mut open, outer.pop()) {
                Some(Open::Array(values)) => Value::Array(Array(values)),
                Some(Open::Object(members, _)) => Value::Object(Object::of_read(members)),
                Some(Open::Instance(members, _)) => Value::Object(Object::of_distinct(members)),
                None => continue,
            },
        };
        match &mut open {
            Some(Open::Array(values)) => values.push(value),
            Some(Open::Object(members, key) | Open::Instance(members, key)) => {
                if let Some(key) = key.take() {
                    members.push((key, value));
                }
            }
            None => root = value,
        }
    }
    Ok(root)
}
