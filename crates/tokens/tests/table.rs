//! Checks `data/o200k_base.table` against the vocabulary that it was made from.
//!
//! The table is committed because everything that it takes to make it, the library with the
//! vocabulary above all, would be compiled in each build.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and this one writes a file"
)]

#[path = "../src/layout.rs"]
mod layout;

use layout::{NUMBER, RANK_BITS, SLOTS, TOKENS, hash};

const MASK: u32 = (1 << RANK_BITS) - 1;

fn table() -> Vec<u8> {
    let encoding = tiktoken::get_encoding("o200k_base").unwrap();
    assert_eq!(encoding.vocab_size(), TOKENS);
    let mut slots = vec![0_u32; SLOTS];
    let mut starts = Vec::with_capacity(TOKENS + 1);
    let mut bytes: Vec<u8> = Vec::new();
    for rank in 0..u32::try_from(TOKENS).unwrap() {
        let token = encoding.decode(&[rank]);
        starts.push(u32::try_from(bytes.len()).unwrap());
        bytes.extend_from_slice(&token);
        if token.is_empty() {
            // The vocabulary has gaps, for which this library returns nothing.
            continue;
        }
        let (mut slot, rest) = hash(&token);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        assert!(rank < MASK, "the rank fits");
        slots[slot] = rest | (rank + 1);
    }
    starts.push(u32::try_from(bytes.len()).unwrap());
    let numbers = slots.iter().chain(&starts);
    let numbers = numbers.flat_map(|number| number.to_le_bytes().into_iter().take(NUMBER));
    numbers.chain(bytes).collect()
}

#[test]
fn table_has_the_tokens_of_the_vocabulary() {
    let is_equal = table() == include_bytes!("../data/o200k_base.table");
    assert!(
        is_equal,
        "the format or the vocabulary changed: run `cargo test -p windlass-tokens --test table -- --ignored`"
    );
}

#[test]
#[ignore = "writes the table after a change of the format or the vocabulary"]
fn write_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/o200k_base.table");
    std::fs::write(path, table()).unwrap();
}
