//! Compares the letters, digits and signs of a value with those of words.

/// Returns true if the value consists of words: only letters, or letters and a short number,
/// between separators and humps.
pub(crate) fn is_wordy(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .all(is_word)
}

pub(crate) fn is_word(part: &str) -> bool {
    let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
    // A number behind a name is an index or a year, so it has four digits at most.
    if part.len() - stem.len() > 4 && !stem.is_empty() {
        return false;
    }
    if stem.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    // A name contains few humps, whereas random letters change case all the time.
    let changes = stem
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    changes * 4 <= stem.len()
}

/// Returns true for a word with a digit between letters, or with a sign not used in words, such as
/// `Tr0ub4dor` or `$taple`.
pub(crate) fn is_scrambled(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digit_inside = bytes.windows(3).any(|three| {
        three[0].is_ascii_alphabetic()
            && three[1].is_ascii_digit()
            && three[2].is_ascii_alphabetic()
    });
    let sign_beside = bytes
        .windows(2)
        .any(|two| matches!(two[0], b'$' | b'@' | b'^') && two[1].is_ascii_alphanumeric());
    word.len() >= 5 && (digit_inside || sign_beside)
}

pub(crate) fn has_symbol(value: &str) -> bool {
    value
        .bytes()
        .any(|b| b.is_ascii_digit() || b"$#@%^&*=+|~\\/<>[]{}".contains(&b))
}

/// Returns true for a sign not used in names of variables.
pub(crate) fn has_sign(value: &str) -> bool {
    value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~'])
}

pub(crate) fn has_digit(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
}

pub(crate) fn has_letter(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_alphabetic())
}

pub(crate) fn has_letter_and_other(value: &str) -> bool {
    has_letter(value) && value.bytes().any(|b| !b.is_ascii_alphabetic())
}

/// Decodes the escapes in a part of an address. Bytes outside UTF-8 are replaced.
pub(crate) fn plain_of(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digit = |at: usize| more.get(at).and_then(|b| char::from(*b).to_digit(16));
        let escaped = (*first == b'%').then(|| Some(digit(0)? * 16 + digit(1)?));
        match escaped.flatten().and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
