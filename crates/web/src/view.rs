use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::LedgerSession;
use windlass::{Error, Workspace};

use crate::app::App;
use crate::paging::{Query, invalid};

/// Data shown at an address: a page for people, JSON for programs.
pub(crate) trait View: Serialize {
    /// The name of the page's template.
    const TEMPLATE: &'static str;
    /// The kinds of stored data shown on the page, separated by spaces. An open page is updated
    /// when one of them changes.
    const FOLLOWS: &'static str;

    /// Names of the values allowed after `?`.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Returns the page's title.
    fn title(&self) -> String;

    /// Returns parts of the page that are already markup, by name: drawings and packs.
    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::new()
    }
}

/// A request for a view.
pub(crate) struct Visit<'a> {
    pub(crate) app: &'a App,
    pub(crate) workspace: Workspace,
    pub(crate) query: Query,
    /// Variable parts of the path, by name.
    pub(crate) names: BTreeMap<String, String>,
}

impl Visit<'_> {
    /// Returns a variable part of the path.
    pub(crate) fn name(&self, name: &str) -> &str {
        self.names.get(name).map_or("", String::as_str)
    }

    /// Returns the query for the page that has the step named in the address. Returns it unchanged
    /// if the address names no step.
    ///
    /// # Errors
    /// Returns an error if `steps` doesn't have that step.
    pub(crate) fn query_of_step<'a>(
        &self,
        mut steps: impl Iterator<Item = &'a str>,
    ) -> Result<Query, Error> {
        let Some(step) = self.query.get("step") else {
            return Ok(self.query.clone());
        };
        let at = steps.position(|other| other == step);
        let at = at.ok_or_else(|| invalid(&format!("no step `{step}`")))?;
        Ok(self.query.at_row(at))
    }

    /// Returns what `read` reads from the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be opened, `read` fails, or something that it read was damaged.
    pub(crate) fn read_ledger<T>(
        &self,
        read: impl FnOnce(&mut LedgerSession) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.workspace.ledger().read(self.actor(), "web", read)
    }

    /// Returns the actor of the visit: a server that changes nothing has none, because the ledger writes due events for
    /// an actor.
    pub(crate) fn actor(&self) -> Option<&str> {
        let settings = &self.app.settings;
        settings.actor.as_deref().filter(|_| settings.allow_actions)
    }
}

/// Function that loads a view.
pub(crate) type Load<V> = fn(&Visit<'_>) -> Result<V, Error>;
