//! Writes the token table described in `src/layout.rs`.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script gets its output folder from the environment"
)]

#[path = "src/layout.rs"]
mod layout;

use std::error::Error;
use std::path::PathBuf;

use layout::{RANK_BITS, SLOTS, hash};

const MASK: u32 = (1 << RANK_BITS) - 1;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let encoding = tiktoken::get_encoding("o200k_base").ok_or("there is no vocabulary")?;
    let tokens = encoding.vocab_size();
    let mut slots = vec![0_u32; SLOTS];
    let mut starts = Vec::with_capacity(tokens + 1);
    let mut bytes: Vec<u8> = Vec::new();
    for rank in 0..u32::try_from(tokens)? {
        let token = encoding.decode(&[rank]);
        starts.push(u32::try_from(bytes.len())?);
        bytes.extend_from_slice(&token);
        if token.is_empty() {
            // No token has this rank.
            continue;
        }
        let (mut slot, rest) = hash(&token);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        assert!(rank < MASK, "the rank fits");
        slots[slot] = rest | (rank + 1);
    }
    starts.push(u32::try_from(bytes.len())?);
    let numbers = slots.iter().chain(&starts);
    let mut table: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    table.extend_from_slice(&bytes);
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("o200k_base.table"), table)?;
    println!("cargo::rustc-env=O200K_TOKENS={tokens}");
    Ok(())
}
