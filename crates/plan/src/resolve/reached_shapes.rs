use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use crate::document::json_pointer;
use crate::quote::{cut, listed, near};
use crate::schema::{Follow, Shapes};
use crate::selector::{Leading, leading};
use crate::{KindSpec, StepDoc, Way};

/// The shapes that the value at the end of a reference or of a section's path may have.
#[derive(Debug, Clone)]
pub(super) enum Reached<'a> {
    One(Shapes<'a>),
    /// A list with a value per item, as the output of a step with `for_each`.
    List(Shapes<'a>),
}

/// A lookup that cannot succeed, whatever the step's output is.
#[derive(Debug)]
pub(super) struct Lost<'a> {
    /// The input field with the wrong text.
    pub(super) at: &'static str,
    /// The part of the text that leads nowhere.
    token: String,
    /// Pointer to the parent of that part, if the text is a JSON pointer.
    before: Option<String>,
    /// The known fields of the parent, to suggest one of them.
    fields: Vec<&'a str>,
}

impl Lost<'_> {
    /// Builds the error.
    ///
    /// `what` describes the value, and `sign` is written before the pointer, such as the `-` of a
    /// sort key.
    pub(super) fn diagnostic(&self, what: &str, sign: &str) -> Diagnostic {
        let Some(before) = &self.before else {
            return no_such_field(what, &self.token, &self.fields);
        };
        let written = |token: &str| {
            let mut written = format!("{sign}{before}");
            json_pointer::push(&mut written, token);
            written
        };
        let there = cut(&written(&self.token));
        let wrong = Diagnostic::error("unknown-field", format!("{what} has nothing at `{there}`"));
        let all: Vec<String> = self.fields.iter().map(|name| written(name)).collect();
        match near(&self.token, self.fields.iter().copied()) {
            Some(near) => wrong.help(format!("did you mean `{}`?", written(near))),
            None if all.is_empty() => wrong.help("this value has no fields"),
            None => wrong.help(format!("it has {}", listed(all.iter().map(String::as_str)))),
        }
    }
}

/// Builds the error for an unknown field of `what`. `fields` lists the known ones, to suggest one
/// of them.
pub(super) fn no_such_field(what: &str, token: &str, fields: &[&str]) -> Diagnostic {
    let message = format!("{what} has no `{}` there", cut(token));
    let wrong = Diagnostic::error("unknown-field", message);
    match near(token, fields.iter().copied()) {
        Some(near) => wrong.help(format!("did you mean `{near}`?")),
        None if fields.is_empty() => wrong.help("this value has no fields"),
        None => wrong.help(format!("it has {}", listed(fields.iter().copied()))),
    }
}

pub(super) fn output_of(id: &str, step: &StepDoc) -> String {
    format!("the output of step `{id}` (`{}`)", cut(&step.uses))
}

impl<'a> Shapes<'a> {
    /// The shapes of a kind's output. If the kind is unknown, it may be anything.
    pub(super) fn of_output(kind: Option<&'a KindSpec>) -> Self {
        kind.map_or_else(Self::anything, |kind| Self::new(&kind.output_schema))
    }
}

impl<'a> Reached<'a> {
    pub(super) fn output(step: &StepDoc, kind: Option<&'a KindSpec>) -> Self {
        let shapes = Shapes::of_output(kind);
        match step.for_each {
            Some(_) => Self::List(shapes),
            None => Self::One(shapes),
        }
    }

    /// The possible types. `None` stands for any type, e.g. because the schema does not say.
    pub(super) fn types(&self) -> Option<BTreeSet<&'a str>> {
        match self {
            Self::One(shapes) => shapes.types(),
            Self::List(_) => Some(BTreeSet::from(["array"])),
        }
    }

    /// Follows `ways`, one after the other. We stop without an error once the shapes are unknown.
    pub(super) fn go(self, ways: &[Way<'_>]) -> Result<(), Lost<'a>> {
        let mut here = self;
        for way in ways {
            let next = match way {
                Way::Items => Ok(here.items()),
                Way::Elements => Ok(Some(here.elements())),
                Way::Path { at, text } => here.select(at, text),
                Way::Pointer { at, text } => here.look_up(at, text),
            };
            match next? {
                Some(shapes) => here = Self::One(shapes),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The shapes of the items. It is `None` if the value is not a list, or if nothing is known
    /// about its items.
    pub(super) fn items(&self) -> Option<Shapes<'a>> {
        match self {
            Self::List(shapes) => Some(shapes.clone()),
            Self::One(shapes) => match shapes.items() {
                Follow::To(shapes) => Some(shapes),
                Follow::Unknown | Follow::Nowhere(_) => None,
            },
        }
    }

    fn elements(&self) -> Shapes<'a> {
        match self {
            Self::List(shapes) => shapes.clone(),
            Self::One(shapes) => shapes.elements(),
        }
    }

    /// The shapes that a JSONPath selects, as far as we can tell. Filters and the like are up to
    /// the run.
    pub(super) fn select(
        &self,
        at: &'static str,
        text: &str,
    ) -> Result<Option<Shapes<'a>>, Lost<'a>> {
        let (steps, are_all) = leading(text);
        let mut here = self.clone();
        for step in steps {
            let (follow, token) = match (step, &here) {
                (Leading::Items, Self::List(shapes)) => (Follow::To(shapes.clone()), "[*]"),
                (Leading::Field(name), Self::List(_)) => (Follow::Nowhere(Vec::new()), name),
                (Leading::Items, Self::One(shapes)) => (shapes.items(), "[*]"),
                (Leading::Field(name), Self::One(shapes)) => (shapes.follow(name), name),
            };
            match follow {
                Follow::To(shapes) => here = Self::One(shapes),
                Follow::Unknown => return Ok(None),
                Follow::Nowhere(fields) => {
                    return Err(Lost {
                        at,
                        token: token.to_owned(),
                        before: None,
                        fields,
                    });
                }
            }
        }
        Ok(match here {
            Self::One(shapes) if are_all => Some(shapes),
            // Although a list was selected, it counts as a single value. Nothing is looked up in
            // its items.
            Self::One(_) | Self::List(_) => None,
        })
    }

    /// The shapes at a JSON pointer, if they are known.
    pub(super) fn look_up(
        &self,
        at: &'static str,
        text: &str,
    ) -> Result<Option<Shapes<'a>>, Lost<'a>> {
        let (Self::One(shapes), Some(tokens)) = (self, json_pointer::tokens(text)) else {
            return Ok(None);
        };
        let (mut here, mut before) = (shapes.clone(), String::new());
        for token in tokens {
            match here.follow(&token) {
                Follow::To(shapes) => here = shapes,
                Follow::Unknown => return Ok(None),
                Follow::Nowhere(fields) => {
                    return Err(Lost {
                        at,
                        token,
                        before: Some(before),
                        fields,
                    });
                }
            }
            json_pointer::push(&mut before, &token);
        }
        Ok(Some(here))
    }
}
