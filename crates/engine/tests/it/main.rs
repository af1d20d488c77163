//! Runs plans of scripted steps, on a clock that does not tick by itself.

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
