//! Stand-ins for components and plugins in a build without a WebAssembly engine.
//!
//! Callers can then be compiled without any `cfg` of their own. There are no values of these types,
//! because loading a component always fails with [`PluginError::NotBuilt`].

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

/// Always fails, since the tools for converting a module come with the engine.
///
/// # Errors
/// Returns [`PluginError::NotBuilt`].
pub fn componentize(_module: &[u8]) -> Result<Vec<u8>, PluginError> {
    Err(MISSING.into())
}

/// A component file. There is no value of this type.
#[derive(Debug, Clone, Copy)]
pub struct Component(Infallible);

impl Component {
    /// Always fails, since the parser comes with the engine.
    ///
    /// # Errors
    /// Returns [`PluginError::NotBuilt`].
    pub fn read(_bytes: impl Into<Bytes>) -> Result<Self, PluginError> {
        Err(MISSING.into())
    }

    /// Never called.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self.0 {}
    }

    /// Never called.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        match self.0 {}
    }

    /// Never called.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        match self.0 {}
    }
}

/// A host without an engine.
#[derive(Debug, Clone, Copy)]
pub struct Host;

impl Host {
    /// Ignores the options.
    #[must_use]
    pub fn new(_options: HostOptions) -> Self {
        Self
    }
}

/// A component with its description of itself. There is no value of this type.
#[derive(Debug, Clone, Copy)]
pub struct Plugin(Infallible);

impl Plugin {
    /// Never called, because there are no components.
    ///
    /// # Errors
    /// None.
    pub fn load(component: Component, _: &Host, _: &Cancel) -> Result<Self, PluginError> {
        match component.0 {}
    }

    /// Never called.
    #[must_use]
    pub fn card(&self) -> &Card {
        match self.0 {}
    }

    /// Never called.
    #[must_use]
    pub fn component(&self) -> &Component {
        match self.0 {}
    }

    /// Never called.
    #[must_use]
    pub fn kind(&self, _name: &str) -> KindSpec {
        match self.0 {}
    }

    /// Never called.
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

    /// Never called.
    ///
    /// # Errors
    /// None.
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
