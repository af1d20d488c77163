//! Stand-ins for components and plugins in a build without a WebAssembly engine, where there are
//! none.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use windlass_base::{Cancel, PluginDigest};
use windlass_engine::{Call, Step, StepError, StepFuture};
use windlass_plan::{Capability, KindSpec};
use windlass_site::MissingFeature;

use crate::imports::Asks;
use crate::{Card, HostOptions, PluginError, World};

const MISSING: MissingFeature = MissingFeature("plugins");

/// Fails, since there is nothing to convert modules with.
///
/// # Errors
/// Returns [`PluginError::NotBuilt`].
pub fn componentize(_module: &[u8]) -> Result<Vec<u8>, PluginError> {
    Err(MISSING.into())
}

/// A component file. No value of this type exists.
#[derive(Debug, Clone, Copy)]
pub struct Component(Infallible);

impl Component {
    /// Fails, since there is nothing to parse components with.
    ///
    /// # Errors
    /// Returns [`PluginError::NotBuilt`].
    pub fn read(_bytes: impl Into<Bytes>) -> Result<Self, PluginError> {
        Err(MISSING.into())
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self.0 {}
    }

    /// Returns the digest of its bytes.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        match self.0 {}
    }

    /// Returns its imports.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        match self.0 {}
    }
}

/// A host without an engine.
#[derive(Debug, Clone, Copy)]
pub struct Host;

impl Host {
    /// Creates the host.
    #[must_use]
    pub fn new(_options: HostOptions) -> Self {
        Self
    }
}

/// A component with its self-description. No value of this type exists.
#[derive(Debug, Clone, Copy)]
pub struct Plugin(Infallible);

impl Plugin {
    /// Never fails, since no component can be passed to it.
    ///
    /// # Errors
    /// None.
    pub fn load(component: Component, _: &Host, _: &Cancel) -> Result<Self, PluginError> {
        match component.0 {}
    }

    /// Returns the plugin's self-description.
    #[must_use]
    pub fn card(&self) -> &Card {
        match self.0 {}
    }

    /// Returns the plugin's component.
    #[must_use]
    pub fn component(&self) -> &Component {
        match self.0 {}
    }

    /// Returns the specification of the step kind `name`, for the plan.
    #[must_use]
    pub fn kind(&self, _name: &str) -> KindSpec {
        match self.0 {}
    }

    /// Returns the step kind `name`.
    #[must_use]
    pub fn step(
        &self,
        _name: &str,
        _granted: BTreeSet<Capability>,
        _help: Option<String>,
        _world: Arc<dyn World>,
    ) -> Self {
        *self
    }

    /// Runs the plugin once on this thread.
    ///
    /// # Errors
    /// Returns no error, since no plugin exists.
    pub fn try_until(
        &self,
        _input: &Value,
        _granted: BTreeSet<Capability>,
        _world: Arc<dyn World>,
        _cancel: &Cancel,
    ) -> Result<Value, StepError> {
        match self.0 {}
    }
}

impl Step for Plugin {
    fn spec(&self) -> &KindSpec {
        match self.0 {}
    }

    fn run(&self, _call: Call) -> StepFuture<'_> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_without_runtime_names_the_feature() {
        let error = Component::read(b"\0asm".to_vec()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this windlass was built without `plugins`"
        );
        assert!(error.help().unwrap().contains("cargo install"));
    }
}
