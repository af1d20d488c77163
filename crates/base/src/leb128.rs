//! Numbers in LEB128. Each byte stores seven bits of the number, starting with the lowest. The
//! highest bit of a byte is set if another byte follows. For example, 300 is `AC 02`.

/// Appends `number`, in one to five bytes.
pub fn put_leb128(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front of `bytes`. Returns `None` if the number is truncated, or has more
/// than 32 bits.
pub fn take_leb128(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7f);
        // The fifth byte only has room for four bits. Refuse a number that has more, instead of
        // dropping them.
        number |= bits
            .checked_shl(shift)
            .filter(|shifted| shifted >> shift == bits)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
