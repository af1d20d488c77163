//! Runs plans of scripted steps on a paused clock. Nothing really waits, so durations are exact and
//! tests are fast.

#![cfg(test)]

mod amounts;
mod events;
mod flow;
mod keep;
mod limits;
mod nested;
mod same_result;
mod stop;
mod support;
mod threads;
