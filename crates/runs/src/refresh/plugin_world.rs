//! The repository as plugins see it during a run.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_engine::{Basis, StepError};
use windlass_plugin::{Plugins, Reach, World};
use windlass_repo::Snapshot;
use windlass_site::Environment;
use windlass_steps::{Nested, NestedRunbooks, OtherStates, Services, take_anchors};

/// Gives plugins access to the repository, through the services of the built-in steps.
pub(crate) struct RunWorld {
    services: Services,
    began: u64,
    seed: [u8; 32],
}

impl RunWorld {
    pub(crate) fn new(services: &Services, began: u64, seed: [u8; 32]) -> Self {
        // Plugins can't run runbooks. The real loader also refers to this world, so using it here
        // would create a reference cycle.
        let runbooks = Arc::new(NoRunbooks);
        let services = Services {
            runbooks,
            ..services.clone()
        };
        Self {
            services,
            began,
            seed,
        }
    }
}

impl World for RunWorld {
    fn reach(&self, recorded: bool) -> Box<dyn Reach> {
        Box::new(Attempt(match recorded {
            true => self.services.recorded(),
            false => self.services.clone(),
        }))
    }

    fn run_began(&self) -> u64 {
        self.began
    }

    fn seed(&self) -> [u8; 32] {
        self.seed
    }
}

struct Attempt(Services);

impl Reach for Attempt {
    fn snapshot(&self) -> &Snapshot {
        &self.0.snapshot
    }

    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError> {
        Ok(take_anchors(&self.0, query, cancel)?.value)
    }

    fn basis(&self) -> Basis {
        self.0.basis()
    }
}

/// The loader for plugins, which fails in any case.
pub(crate) struct NoRunbooks;

impl NestedRunbooks for NoRunbooks {
    fn load(&self, name: &str, _: bool) -> Result<Nested, StepError> {
        Err(StepError::failed(format!(
            "`{name}` cannot be run from a plugin"
        )))
    }
}

/// Digests of what a plugin's output may depend on besides the repository: the plugin's code, the
/// time, and the random seed.
pub(crate) struct PluginStates {
    plugins: Arc<Plugins>,
    pub(crate) began: u64,
    pub(crate) seed: [u8; 32],
}

impl PluginStates {
    pub(crate) fn now(plugins: Arc<Plugins>, environment: &Environment) -> Self {
        let began = environment
            .now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut seed = blake3::Hasher::new();
        seed.update(&began.as_nanos().to_le_bytes());
        seed.update(&environment.seeds.next().to_le_bytes());
        seed.update(environment.holder.as_bytes());
        Self {
            plugins,
            began: u64::try_from(began.as_millis()).unwrap_or(u64::MAX),
            seed: *seed.finalize().as_bytes(),
        }
    }
}

impl OtherStates for PluginStates {
    fn state(&self, name: &str) -> Option<Digest> {
        match name {
            "time" => Some(Digest::of_bytes(&self.began.to_le_bytes())),
            "random" => Some(Digest::of_bytes(&self.seed)),
            uses => {
                let digest = self.plugins.digest_of(uses)?;
                Some(Digest::from(*digest.as_bytes()))
            }
        }
    }
}
