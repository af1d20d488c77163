//! Tests the zoo as a whole: it must measure what it claims to measure, and deliberately bad
//! systems must fail.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod broken;
mod browser;
mod program;
mod whole;

use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime};

use std::sync::Arc;

use windlass::engine::{NoObserver, Observer, Stop};
use windlass_zoo::{Results, System, ZooError, ZooRequest, built_in, judged};

/// Returns a request for all built-in systems on an archetype, or on one of its cases.
fn request(archetype: &str, case: Option<&str>) -> ZooRequest {
    ZooRequest {
        archetypes: vec![archetype.to_owned()],
        quick: false,
        case: case.map(str::to_owned),
        cases: None,
        systems: built_in(),
        judge: judged,
        clock: || Duration::ZERO,
        now: SystemTime::UNIX_EPOCH,
        threads: NonZeroUsize::MIN,
    }
}

/// Returns a request for one system and one question.
fn with_case(system: impl System + 'static, case: &str) -> ZooRequest {
    ZooRequest {
        systems: vec![Box::new(system)],
        ..request("changing", Some(case))
    }
}

#[track_caller]
fn results(request: ZooRequest) -> Results {
    run(request).unwrap()
}

fn run(request: ZooRequest) -> Result<Results, ZooError> {
    run_with(request, Arc::new(NoObserver), Stop::default())
}

fn run_with(
    request: ZooRequest,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(windlass_zoo::run(Arc::new(request), observer, stop))
}
