//! Bindings generated from `plugins/wit`.
#![allow(
    clippy::allow_attributes,
    clippy::all,
    clippy::pedantic,
    missing_docs,
    unreachable_pub,
    unsafe_code,
    reason = "generated code"
)]

wasmtime::component::bindgen!({
    path: "../../plugins/wit",
    world: "plugin",
    imports: { default: trappable },
});
