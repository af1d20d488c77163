//! Mutation of known texts, as by a fuzzer.

use proptest::prelude::*;

/// Fragments of syntax, and similar ones.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    ";",
    "=",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "#",
    "\n",
    "\r\n",
    "\u{feff}",
    "null",
    "true",
    "class ",
    "class A: x\n",
    "A(",
    "1e999",
    "-",
    "01",
    "0.10",
    "\u{0}",
];

/// Generates one of `seeds` with a few changes.
pub(crate) fn mutated(seeds: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let edit = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..6_u8,
        any::<u8>(),
    );
    let edits = prop::collection::vec(edit, 0..8);
    (
        prop::sample::select(seeds),
        prop::sample::select(seeds),
        edits,
    )
        .prop_map(|(seed, other, edits)| {
            let mut bytes = seed.as_bytes().to_vec();
            for (at, to, kind, byte) in edits {
                let (at, to) = (at.index(bytes.len() + 1), to.index(bytes.len() + 1));
                let range = at.min(to)..at.max(to);
                let near = at..(at + usize::from(byte % 16)).min(bytes.len());
                match kind {
                    0 if at < bytes.len() => bytes[at] = byte,
                    1 => drop(bytes.drain(near)),
                    2 => {
                        let piece = PIECES[usize::from(byte) % PIECES.len()];
                        drop(bytes.splice(at..at, piece.bytes()));
                    }
                    3 => bytes.truncate(at.max(to)),
                    4 => {
                        let copy = bytes[range].iter().copied().take(256).collect::<Vec<u8>>();
                        drop(bytes.splice(at..at, copy));
                    }
                    _ => {
                        let from = usize::from(byte) * other.len() / 256;
                        let piece = other.as_bytes()[from..].iter().copied().take(64);
                        drop(bytes.splice(at..at, piece.collect::<Vec<u8>>()));
                    }
                }
            }
            bytes
        })
}
