//! Tests of the readers of printed output.

mod cargo;
mod compiler;
mod counts;
mod ctest;
mod eslint;
mod go_test;
mod gtest;
mod java_builds;
mod jest;
mod last_words;
mod mocha;
mod nextest;
mod node_test;
mod pytest;
mod ruff;
mod several_programs;
mod table;
mod unittest;
mod vitest;
