//! Updates an existing item from a bead.
//!
//! The item may be in a document that people edit and review, so a change should be as small as
//! possible. We only touch fields that differ. Everything else in the item stays as it is, down to
//! the spelling of a time.

use std::collections::BTreeSet;

use crate::Stamp;
use crate::bead::{Bead, BeadStatus, USUAL_PRIORITY};
use serde_json::{Map, Value as Json, json};
use windlass_vcontext::{ItemStatus, Object, Priority, Value, follow_status};

use super::{LINK, LINK_TYPE, NARRATIVES, REST, value};
use windlass_site::Error;

/// Updates the item `own` from `new`, which is how we would export `bead` as a new item.
pub(super) fn settle(
    own: &mut Object<'static>,
    bead: &Bead,
    new: &Map<String, Json>,
) -> Result<(), Error> {
    for name in ["id", "beadsId", "title"] {
        set(own, name, new.get(name))?;
    }
    status(own, bead, new)?;
    narrative(own, new.get("narrative"))?;
    priority(own, bead);
    list(own, "tags", new.get("tags"))?;
    list(own, "dependencies", new.get("dependencies"))?;
    for name in ["created", "updated"] {
        moment(own, name, new.get(name))?;
    }
    assignee(own, bead.assignee.as_deref().filter(|one| !one.is_empty()))?;
    link(own, bead)?;
    let rest = new.get("metadata").and_then(|metadata| metadata.get(REST));
    metadata(own, rest)
}

fn set(own: &mut Object<'static>, name: &str, new: Option<&Json>) -> Result<(), Error> {
    let Some(new) = new else { return Ok(()) };
    let new = value(new.clone())?;
    if own.get(name) != Some(&new) {
        own.insert(name.to_owned(), new);
    }
    Ok(())
}

fn status(own: &mut Object<'static>, bead: &Bead, new: &Map<String, Json>) -> Result<(), Error> {
    let before = text(own, "status").and_then(ItemStatus::from_word);
    let now = new
        .get("status")
        .and_then(Json::as_str)
        .and_then(ItemStatus::from_word);
    set(own, "status", new.get("status"))?;
    if let Some(now) = now {
        follow_status(own, before, now);
    }
    let closed = bead.closed_at.map(|closed| closed.to_string().into());
    let is_closed = bead.status == BeadStatus::Closed;
    match (new.get("completed"), closed) {
        (Some(at), _) => moment(own, "completed", Some(at)),
        // The specification defines no completion time for abandoned items, but permits one. If the
        // item has one, update it.
        (None, Some(closed)) if is_closed && own.contains_key("completed") => {
            moment(own, "completed", Some(&closed))
        }
        _ => {
            own.remove("completed");
            Ok(())
        }
    }
}

fn narrative(own: &mut Object<'static>, new: Option<&Json>) -> Result<(), Error> {
    let new = |title: &str| new.and_then(|new| new.get(title)).cloned();
    let Some(Value::Object(all)) = own.get_mut("narrative") else {
        let texts: Map<String, Json> = (NARRATIVES.into_iter())
            .filter_map(|(title, _)| Some((title.to_owned(), new(title)?)))
            .collect();
        if !texts.is_empty() {
            own.insert("narrative", value(texts.into())?);
        }
        return Ok(());
    };
    let mut was_removed = false;
    for (title, _) in NARRATIVES {
        match new(title) {
            Some(text) => set(all, title, Some(&text))?,
            None if text(all, title).is_some_and(|text| !text.is_empty()) => {
                was_removed = all.remove(title).is_some();
            }
            None => {}
        }
    }
    // If the narrative was empty to begin with, leave it there.
    if was_removed && all.is_empty() {
        own.remove("narrative");
    }
    Ok(())
}

/// Updates the priority. Several bead priorities share one item level, so we leave an equal level
/// alone. If the item has no priority, we do not add the default one either.
fn priority(own: &mut Object<'static>, bead: &Bead) {
    let now = Priority::of_rank(bead.priority);
    let before = text(own, "priority").and_then(Priority::from_word);
    let is_usual = before.is_none() && bead.priority == USUAL_PRIORITY;
    if before != Some(now) && !is_usual {
        own.insert("priority", now.as_str());
    }
}

/// Updates a list whose order does not matter. We remove the entries that are gone and append the
/// new ones, so that the others keep their places.
fn list(own: &mut Object<'static>, name: &'static str, new: Option<&Json>) -> Result<(), Error> {
    let new = new.and_then(Json::as_array).into_iter().flatten();
    let new: Vec<&str> = new.filter_map(Json::as_str).collect();
    let Some(Value::Array(all)) = own.get_mut(name) else {
        if !new.is_empty() {
            own.insert(name, value(json!(new))?);
        }
        return Ok(());
    };
    let had = !all.is_empty();
    let stays = |one: &Value<'static>| one.as_str().is_none_or(|one| new.contains(&one));
    all.retain(stays);
    let known: BTreeSet<String> = (all.iter())
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect();
    let added = new.into_iter().filter(|one| !known.contains(*one));
    all.extend(added.map(|one| Value::from(one.to_owned())));
    // The same goes for lists: only remove one that has become empty just now.
    if had && all.is_empty() {
        own.remove(name);
    }
    Ok(())
}

/// Updates a time. Beads only store UTC and milliseconds, so if both times are equal in that, the
/// item keeps its own spelling.
fn moment(own: &mut Object<'static>, name: &str, new: Option<&Json>) -> Result<(), Error> {
    let stamp = |text: &str| text.parse::<Stamp>().ok().map(Stamp::to_millis);
    let before = text(own, name).and_then(stamp);
    let now = new.and_then(Json::as_str).and_then(stamp);
    match before.is_some() && before == now {
        true => Ok(()),
        false => set(own, name, new),
    }
}

/// Updates the assignee. Other participants stay.
fn assignee(own: &mut Object<'static>, now: Option<&str>) -> Result<(), Error> {
    let is_assignee =
        |one: &Value<'static>| one.get("role").and_then(Value::as_str) == Some("assignee");
    let id = |one: &Value<'static>| one.get("id").and_then(Value::as_str).map(str::to_owned);
    let made = |id: &str| value(json!({ "id": id, "role": "assignee" }));
    let Some(Value::Array(all)) = own.get_mut("participants") else {
        if let Some(now) = now {
            own.insert("participants", vec![made(now)?]);
        }
        return Ok(());
    };
    let at = all.iter().position(is_assignee);
    let before = at.and_then(|at| id(all.get(at)?));
    if before.as_deref() == now {
        return Ok(());
    }
    match (at.and_then(|at| all.get_mut(at)), now) {
        (Some(one), Some(now)) => *one = made(now)?,
        (None, Some(now)) => all.push(made(now)?),
        (_, None) => all.retain(|one| !is_assignee(one)),
    }
    if all.is_empty() {
        own.remove("participants");
    }
    Ok(())
}

/// Adds a link to the bead if the item has none. Other links stay.
fn link(own: &mut Object<'static>, bead: &Bead) -> Result<(), Error> {
    let wanted = format!("{LINK}{}", bead.id);
    let uri = |one: &Value<'static>| one.get("uri").and_then(Value::as_str).map(str::to_owned);
    let made = value(json!({ "uri": wanted, "type": LINK_TYPE }))?;
    let Some(Value::Array(all)) = own.get_mut("uris") else {
        own.insert("uris", vec![made]);
        return Ok(());
    };
    if !all.iter().any(|one| uri(one).as_ref() == Some(&wanted)) {
        all.push(made);
    }
    Ok(())
}

/// Updates our own entry in `metadata`. Others stay.
fn metadata(own: &mut Object<'static>, rest: Option<&Json>) -> Result<(), Error> {
    match (own.get_mut("metadata"), rest) {
        (Some(Value::Object(all)), Some(_)) => set(all, REST, rest),
        (Some(Value::Object(all)), None) => {
            if all.remove(REST).is_some() && all.is_empty() {
                own.remove("metadata");
            }
            Ok(())
        }
        (_, Some(rest)) => {
            own.insert("metadata", value(json!({ REST: rest }))?);
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

fn text<'a>(object: &'a Object<'static>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}
