//! LEB128 numbers. Each byte has seven bits, lowest first, and its highest bit is set if another
//! byte follows. For example, 300 is `AC 02`.

/// Appends `number` to `bytes`.
pub fn put_leb128(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number from the front of `bytes`. Returns `None` if it's incomplete or too large.
pub fn take_leb128(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7f);
        number |= bits
            .checked_shl(shift)
            .filter(|shifted| shifted >> shift == bits)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
