use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_plan::Catalog;

use crate::Step;

/// The step kinds available to a run, by name.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Arc<dyn Step>>);

impl Registry {
    /// Adds a kind, replacing any other kind of the same name.
    pub fn add(&mut self, step: impl Step + 'static) {
        self.0.insert(step.name().to_owned(), Arc::new(step));
    }

    /// Adds a kind like [`add`](Self::add), but shares it with other registries.
    pub fn add_shared(&mut self, step: Arc<dyn Step>) {
        self.0.insert(step.name().to_owned(), step);
    }

    /// Looks up a kind by the name in `uses`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Step>> {
        self.0.get(name)
    }

    /// The specifications of all kinds, for planning.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        self.0.values().map(|step| step.spec().clone()).collect()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
