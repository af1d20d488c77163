//! Runs plans of scripted steps on a paused clock.

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
