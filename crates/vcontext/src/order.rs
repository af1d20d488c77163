//! Determines the dependencies between the items of a TodoList or Plan, and the names of their
//! steps.

use std::collections::BTreeSet;

use windlass_base::{Diagnostic, Diagnostics, Ident, Place};
use windlass_formula::NeedKind;

use crate::items::Items;
use crate::specification::Needs;
use crate::{CheckOptions, Container, Document, Node, check};

/// The work in a document, in the order of its dependencies:
///
/// - An item waits for its `dependencies`, and for the source of each edge `blocks` to it.
/// - If no stage in a list declares dependencies, the stages come one after the other. Items of a
///   TodoList or of a plan with edges are independent.
/// - An item with parts is done when they are, and the parts wait for the dependencies of the item.
pub(crate) struct WorkOrder<'a> {
    pub(crate) container: Container,
    pub(crate) node: Node<'a>,
    pub(crate) items: Items<'a>,
    /// The name of each item's step: its `id`, or a name derived from its title.
    pub(crate) names: Vec<Ident>,
    pub(crate) waits: Vec<Wait>,
}

pub(crate) struct Wait {
    pub(crate) item: usize,
    pub(crate) needs: usize,
    pub(crate) why: NeedKind,
    /// The location of the dependency. There's none if it follows from the order of a list.
    pub(crate) place: Option<Place>,
}

impl<'a> WorkOrder<'a> {
    /// Determines the work in a document.
    ///
    /// # Errors
    /// Returns an error if the document is invalid or contains a Playbook.
    pub(crate) fn of(document: &'a Document) -> Result<Self, Diagnostics> {
        let found = check(document, &CheckOptions::default());
        if found.has_errors() {
            return Err(found);
        }
        let Some((container, node)) = document
            .container()
            .filter(|(container, _)| *container != Container::Playbook)
        else {
            let finding =
                Diagnostic::error("no-plan", "a Playbook has no steps, so it cannot be a plan");
            return Err(finding.at(document.root().place()).into());
        };
        let items = Items::of(container, node);
        let mut names = Names::default();
        let names = items.all.iter().filter_map(|item| {
            let title = item.node.text_of("title").unwrap_or_default();
            names.free(item.node.text_of("id").unwrap_or(title))
        });
        Ok(Self {
            container,
            node,
            names: names.collect(),
            waits: waits(&items),
            items,
        })
    }

    /// The title for display. Without one, it's the name of the container.
    pub(crate) fn title(&self) -> &'a str {
        let title = self.node.text_of("title");
        title.unwrap_or_else(|| self.container.field())
    }

    pub(crate) fn name(&self) -> Option<Ident> {
        let wanted = self.node.text_of("id").unwrap_or_else(|| self.title());
        Names::default().free(wanted)
    }

    /// The overview or the proposal in the narrative. It's empty if there's neither.
    pub(crate) fn purpose(&self) -> &'a str {
        let node = self.node;
        let narratives = node.get("narratives").or_else(|| node.get("narrative"));
        let text = |name: &str| narratives.and_then(|node| node.text_of(name));
        let text = text("overview")
            .or_else(|| text("Overview"))
            .or_else(|| text("proposal"))
            .or_else(|| text("Proposal"));
        text.unwrap_or_default()
    }
}

fn waits(items: &Items<'_>) -> Vec<Wait> {
    let mut all = Vec::new();
    // The dependencies of each item so far. An item comes before its parts, so its entry is
    // complete when we get to them.
    let mut waits: Vec<Vec<usize>> = Vec::with_capacity(items.all.len());
    let mut wait = |item: usize, needs: usize, why: NeedKind, place| {
        all.push(Wait {
            item,
            needs,
            why,
            place,
        });
    };
    let before = in_order(items);
    for (at, item) in items.all.iter().enumerate() {
        let mut own: Vec<usize> = Vec::new();
        for (needs, node) in items.dependencies(at) {
            wait(at, needs, NeedKind::Needs, Some(node.place()));
            own.push(needs);
        }
        if let Some(previous) = before[at] {
            wait(at, previous, NeedKind::Needs, None);
            own.push(previous);
        }
        if let Some(parent) = item.parent {
            wait(parent, at, NeedKind::Child, None);
            // If the item waits for another one of its list, it comes after that one in any case.
            // That one already waits for the dependencies of the parent, so we don't need another
            // edge.
            let waits_beside = own.iter().any(|needs| items.all[*needs].list == item.list);
            if !waits_beside {
                for needs in waits[parent].clone() {
                    if !own.contains(&needs) {
                        wait(at, needs, NeedKind::Parent, None);
                        own.push(needs);
                    }
                }
            }
        }
        waits.push(own);
    }
    all
}

/// For each item that's ordered by its list, the previous item of the list.
fn in_order(items: &Items<'_>) -> Vec<Option<usize>> {
    let mut before = vec![None; items.all.len()];
    for list in items.by_list() {
        let decides = |at: &usize| {
            let item = &items.all[*at];
            item.is_stage
                && item.node.version().needs == Needs::Dependencies
                && items.dependencies(*at).is_empty()
        };
        // If a single stage declares its dependencies, the author has thought about the order.
        if list.iter().all(decides) {
            for pair in list.windows(2) {
                before[pair[1]] = Some(pair[0]);
            }
        }
    }
    before
}

#[derive(Default)]
struct Names(BTreeSet<String>);

/// Maximum number of characters that a name takes from a title.
const MAX_NAME_CHARS: usize = 60;

impl Names {
    /// Returns a name similar to `wanted` that isn't taken.
    ///
    /// Numbers start at 2, since the first item keeps the plain name.
    fn free(&mut self, wanted: &str) -> Option<Ident> {
        let name = match Ident::parse(wanted) {
            Ok(_) if wanted.len() <= MAX_NAME_CHARS => wanted.to_owned(),
            _ => made_of_words(wanted),
        };
        let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        let all = std::iter::once(name.clone()).chain(numbered);
        let mut free = all
            .filter(|name| !self.0.contains(name))
            .filter_map(|name| Ident::parse(&name).ok());
        let free = free.next()?;
        self.0.insert(free.to_string());
        Some(free)
    }
}

fn made_of_words(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
        if name.len() >= MAX_NAME_CHARS {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "item" } else { name }.to_owned()
}
