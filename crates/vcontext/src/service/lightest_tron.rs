use crate::{Encoding, Layout, Value, write, write_by_weight};

/// The longest text whose classes are chosen by its tokens, in bytes: the whole of it is weighed some fifty times.
const MOST: usize = 1 << 20;

/// `value` as TRON of as few tokens as can be found, and never of more than compact JSON. Longer documents than a
/// mebibyte have the classes that save characters, or none where these save no tokens.
#[must_use]
pub fn lightest_tron(value: &Value<'_>) -> String {
    let json = write(value, Encoding::Json, &Layout::compact());
    let weigh = windlass_tokens::count;
    if json.len() <= MOST {
        return write_by_weight(value, &weigh);
    }
    let tron = write(value, Encoding::Tron, &Layout::compact());
    match weigh(&tron) < weigh(&json) {
        true => tron,
        false => json,
    }
}
