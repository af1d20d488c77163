//! Tests the library on repositories made for the purpose.

#![cfg(test)]

mod doctor;
mod find;
mod memory;
mod nested;
mod runs;
mod stop;
mod strict;
mod support;
