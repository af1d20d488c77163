//! Tells random values from chosen ones by their characters.

use crate::value::language::{is_method, is_stand_in};
use crate::value::letters::{has_digit, has_letter, is_word, is_wordy, plain_of};
use crate::value::published::is_published;
use crate::value::sequence::is_elided;

/// True if it's too scrambled for a name, and not a path of names.
pub(crate) fn is_long_random(value: &str) -> bool {
    value.len() >= 16 && !value.contains('.') && looks_random(value)
}

/// True if a token has content of its own after its issuer's prefix, unlike `xoxp-XXXX-XXXX`.
pub(crate) fn is_filled_in(token: &str) -> bool {
    let own = token.split_once(['-', '.']).map_or(token, |(_, own)| own);
    own.bytes()
        .any(|b| b.is_ascii_alphanumeric() && !b.eq_ignore_ascii_case(&b'x'))
}

/// True if a token may be signed. In `….….signature`, the last part is too short for a signature. A
/// token with only two parts has been cut, or declares itself unsigned.
pub(crate) fn may_be_signed(token: &str) -> bool {
    const SHORTEST: usize = 10;
    let signature = token.split('.').nth(2);
    signature.is_none_or(|signature| signature.len() >= SHORTEST) && !is_published(token)
}

/// True if the user of a URL is a token. Escaped signs alone aren't one.
pub(crate) fn is_url_token(value: &str) -> bool {
    match value.contains('%') {
        true => {
            let plain = plain_of(value);
            let letters = plain.bytes().filter(u8::is_ascii_alphanumeric).count();
            // A person's address isn't a token.
            looks_random(value) && letters >= 12 && !plain.contains('@')
        }
        false => looks_random(value),
    }
}

/// True if a value looks like a generated key under any name. Most of it isn't in words, and it's
/// as mixed as hexadecimal digits are.
pub(crate) fn looks_like_key(value: &str) -> bool {
    const SHORTEST: usize = 16;
    /// In bits per byte. 32 random hexadecimal digits have at least 3.2.
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
        // As in a package's digest: `sha512-…`.
        && !is_method(value)
        && scrambled * 2 >= length(|_| true)
}

/// True if a value changes its class of signs more often than names do. `AtomicU32Provider` has one
/// number and long words. If all letters have the same case, there must be several numbers.
pub(crate) fn is_mixed(value: &str) -> bool {
    /// As a percentage of all places.
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

/// Returns the Shannon entropy in bits per byte.
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
