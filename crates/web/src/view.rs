use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::LedgerSession;
use windlass::{Error, Workspace};

use crate::app::App;
use crate::paging::{Query, invalid};

/// Data of an address: a page for people, JSON for programs.
pub(crate) trait View: Serialize {
    /// Name of the template of the page.
    const TEMPLATE: &'static str;
    /// Kinds of stored data that the page shows, separated by spaces; the page follows their changes.
    const FOLLOWS: &'static str;

    /// Names of values that the address may have after `?`.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Returns the title of the page.
    fn title(&self) -> String;

    /// Returns the parts of the page that are markup already, by name: drawings and packs.
    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::new()
    }
}

/// Request for a view.
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

    /// Returns the query at the page that has the step named in the address; as it is if none is named.
    ///
    /// # Errors
    /// If there is no such step among `steps`.
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
