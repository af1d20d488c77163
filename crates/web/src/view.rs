//! The interface between an address and the data that's shown there.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::LedgerSession;
use windlass::{Error, Workspace};

use crate::app::App;
use crate::paging::{Query, invalid};

/// Data shown at an address. A browser gets it as a page, a program as JSON.
pub(crate) trait View: Serialize {
    const TEMPLATE: &'static str;
    /// The kinds of stored data on the page, separated by spaces. A change to any of them updates
    /// an open page.
    const FOLLOWS: &'static str;

    /// Names of the values allowed after `?`. We refuse a request with any other, rather than
    /// ignore a typo.
    const PARAMETERS: &'static [&'static str] = &[];

    fn title(&self) -> String;

    /// The ready-made markup of the page (drawings, packs), by name. These parts aren't escaped, so
    /// they must be safe.
    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::new()
    }
}

pub(crate) struct Visit<'a> {
    pub(crate) app: &'a App,
    pub(crate) workspace: Workspace,
    pub(crate) query: Query,
    /// Variable parts of the path, e.g. `run`.
    pub(crate) names: BTreeMap<String, String>,
}

impl Visit<'_> {
    /// Returns a variable part of the path, or an empty text for a route without this part.
    pub(crate) fn name(&self, name: &str) -> &str {
        self.names.get(name).map_or("", String::as_str)
    }

    /// Changes the query to the page with the step named in the address. If the address names none,
    /// the query stays as it is.
    ///
    /// # Errors
    /// Returns an error if `steps` doesn't contain the step.
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

    /// Runs `read` on the ledger.
    ///
    /// # Errors
    /// Returns an error if opening the ledger fails, if `read` fails, or if the data it read is
    /// damaged.
    pub(crate) fn read_ledger<T>(
        &self,
        read: impl FnOnce(&mut LedgerSession) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.workspace.ledger().read(self.actor(), "web", read)
    }

    /// The actor of the visit. `None` on a read-only server, because opening the ledger for an
    /// actor writes due events.
    pub(crate) fn actor(&self) -> Option<&str> {
        let settings = &self.app.settings;
        settings.actor.as_deref().filter(|_| settings.allow_actions)
    }
}

pub(crate) type Load<V> = fn(&Visit<'_>) -> Result<V, Error>;
