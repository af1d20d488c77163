//! Distinguishes random values from chosen ones by their characters.

use crate::value::generated::changes;
use crate::value::language::{is_method, is_stand_in};
use crate::value::letters::{has_digit, has_letter, is_word, is_wordy, plain_of};
use crate::value::sequence::is_elided;

/// Returns true if the value is long, too scrambled for a name, and not a path of names.
pub(crate) fn is_long_random(value: &str) -> bool {
    value.len() >= 16 && !value.contains('.') && looks_random(value)
}

/// Returns true if a token has content of its own after its issuer's prefix, unlike
/// `xoxp-XXXX-XXXX`.
pub(crate) fn is_filled_in(token: &str) -> bool {
    let own = token.split_once(['-', '.']).map_or(token, |(_, own)| own);
    own.bytes()
        .any(|b| b.is_ascii_alphanumeric() && !b.eq_ignore_ascii_case(&b'x'))
}

/// Returns true for a possibly signed token.
///
/// In `….….signature`, a short third part is a placeholder. A token of only two parts has been cut,
/// or declares itself unsigned.
pub(crate) fn may_be_signed(token: &str) -> bool {
    const SHORTEST: usize = 10;
    let signature = token.split('.').nth(2);
    signature.is_none_or(|signature| signature.len() >= SHORTEST)
}

/// Returns true if the user part of a URL is a token. Escapes alone don't make a token.
pub(crate) fn is_url_token(value: &str) -> bool {
    match value.contains('%') {
        true => {
            let plain = plain_of(value);
            let letters = plain.bytes().filter(u8::is_ascii_alphanumeric).count();
            // A value with an `@` is a person's mail address.
            looks_random(value) && letters >= 12 && !plain.contains('@')
        }
        false => looks_random(value),
    }
}

/// Returns true if a value looks like a generated key, regardless of its name.
///
/// Most of the value isn't in words, and it's at least as mixed as hexadecimal digits.
pub(crate) fn looks_like_key(value: &str) -> bool {
    const SHORTEST: usize = 16;
    /// Minimum entropy in bits per byte. 32 random hexadecimal digits have at least 3.2.
    const ENTROPY: f64 = 3.0;
    let parts = || value.split(|c: char| !c.is_ascii_alphanumeric());
    let length =
        |is_counted: fn(&&str) -> bool| -> usize { parts().filter(is_counted).map(str::len).sum() };
    // Parts of up to three characters are too short to tell whether they're words.
    let scrambled = length(|part| part.len() >= 4 && !is_word(part));
    value.len() >= SHORTEST
        && has_digit(value)
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+/=~".contains(&b))
        && looks_random(value)
        && entropy(value) >= ENTROPY
        && is_mixed(value)
        // A digest such as `sha512-…` isn't a key.
        && !is_method(value)
        && scrambled * 2 >= length(|_| true)
}

/// Returns true if the class of characters changes more often than in names.
///
/// A name such as `AtomicU32Provider` consists of one number and long words. If all letters share
/// the same case, several numbers are required.
pub(crate) fn is_mixed(value: &str) -> bool {
    /// Minimum number of changes per hundred places.
    const CHANGES: usize = 33;
    let bytes = value.as_bytes();
    if bytes.iter().any(u8::is_ascii_lowercase) && bytes.iter().any(u8::is_ascii_uppercase) {
        return changes(bytes) * 100 >= (bytes.len() - 1) * CHANGES;
    }
    let numbers = bytes.split(|b| !b.is_ascii_digit());
    numbers.filter(|number| !number.is_empty()).count() > 1
}

/// Returns true if the value carries as much information as a generated secret.
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
