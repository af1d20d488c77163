//! The library's jobs on repositories made for them.

#![cfg(test)]

mod doctor;
mod find;
mod memory;
mod nested;
mod runs;
mod stop;
mod strict;
mod support;
