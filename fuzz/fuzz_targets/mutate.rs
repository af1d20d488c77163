//! Random changes of inputs, for the runs without coverage feedback.

/// Source of mutated inputs that needs no coverage feedback. Equal seeds give equal inputs.
#[derive(Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// Creates a mutator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(2).wrapping_add(1),
        }
    }

    /// Returns a number below `end`, which must not be 0 (splitmix64).
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = mixed ^ (mixed >> 31);
        usize::try_from(mixed % end as u64).unwrap_or_default()
    }

    /// Returns one of `inputs` with a few changes. Some of them insert one of `words`.
    pub fn mutated(&mut self, inputs: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut bytes = match inputs.len() {
            0 => Vec::new(),
            count => inputs[self.below(count)].clone(),
        };
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, inputs, words);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, inputs: &[Vec<u8>], words: &[&str]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(16)).min(bytes.len());
        match self.below(7) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(self.below(256)).unwrap_or_default(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = self.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            3 => bytes.truncate(at),
            4 if !inputs.is_empty() => {
                let other = &inputs[self.below(inputs.len())];
                let from = self.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ if !words.is_empty() => {
                let word = words[self.below(words.len())];
                drop(bytes.splice(at..at, word.bytes()));
            }
            _ => {}
        }
    }
}
