//! Randomness of a value, compared with generated and chosen secrets.

use crate::value::language::{is_method, is_stand_in};
use crate::value::letters::{has_digit, has_letter, is_word, is_wordy, plain_of};
use crate::value::published::is_published;
use crate::value::sequence::is_elided;

/// Too scrambled for a name, and no path of names.
pub(crate) fn is_long_random(value: &str) -> bool {
    value.len() >= 16 && !value.contains('.') && looks_random(value)
}

/// True if a token has content of its own after its issuer's prefix; `xoxp-XXXX-XXXX` has none.
pub(crate) fn is_filled_in(token: &str) -> bool {
    let own = token.split_once(['-', '.']).map_or(token, |(_, own)| own);
    own.bytes()
        .any(|b| b.is_ascii_alphanumeric() && !b.eq_ignore_ascii_case(&b'x'))
}

/// True if a token may be signed: the last part of `….….signature` is too short for a signature. A token of two
/// parts was cut, or declares itself unsigned.
pub(crate) fn may_be_signed(token: &str) -> bool {
    const SHORTEST: usize = 10;
    let signature = token.split('.').nth(2);
    signature.is_none_or(|signature| signature.len() >= SHORTEST) && !is_published(token)
}

/// True if the user of a URL is a token; escaped signs alone are none.
pub(crate) fn is_url_token(value: &str) -> bool {
    match value.contains('%') {
        true => {
            let plain = plain_of(value);
            let letters = plain.bytes().filter(u8::is_ascii_alphanumeric).count();
            // The address of a person is no token.
            looks_random(value) && letters >= 12 && !plain.contains('@')
        }
        false => looks_random(value),
    }
}

/// True if a value looks like a generated key under any name: most of it is in no words, and it
/// is as mixed as hexadecimal digits are.
pub(crate) fn looks_like_key(value: &str) -> bool {
    const SHORTEST: usize = 16;
    /// Bits per byte; 32 random hexadecimal digits have 3.2 and more.
    const ENTROPY: f64 = 3.0;
    let parts = || value.split(|c: char| !c.is_ascii_alphanumeric());
    let length =
        |is_counted: fn(&&str) -> bool| -> usize { parts().filter(is_counted).map(str::len).sum() };
    let scrambled = length(|part| part.len() >= 4 && !is_word(part));
    value.len() >= SHORTEST
        && has_digit(value)
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+/=~".contains(&b))
        && looks_random(value)
        && entropy(value) >= ENTROPY
        && is_mixed(value)
        // The digest of a package: `sha512-…`.
        && !is_method(value)
        && scrambled * 2 >= length(|_| true)
}

/// True if a value goes from one class of signs to another as names do not: `AtomicU32Provider` has one number and long
/// words. Where all letters are of one case, there are several numbers.
pub(crate) fn is_mixed(value: &str) -> bool {
    /// In percent of all places.
    const CHANGES: usize = 33;
    let class = |b: &u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = value.as_bytes();
    let has = |of: u8| bytes.iter().any(|b| class(b) == of);
    if has(0) && has(1) {
        let changes = bytes
            .windows(2)
            .filter(|two| class(&two[0]) != class(&two[1]));
        return changes.count() * 100 >= (bytes.len() - 1) * CHANGES;
    }
    let numbers = bytes.split(|b| !b.is_ascii_digit());
    numbers.filter(|number| !number.is_empty()).count() > 1
}

/// True if the value carries as much information as a generated secret.
pub(crate) fn looks_random(value: &str) -> bool {
    let literal = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_.+/=~!@#$%^*:,".contains(&b));
    literal
        && has_letter(value)
        && !is_wordy(value)
        && entropy(value) >= 2.8
        && !is_stand_in(value)
        && !is_elided(value)
}

/// Shannon entropy in bits per byte.
pub(crate) fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}
