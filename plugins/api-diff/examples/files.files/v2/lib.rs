/// One.
pub fn one(
    a: u32, // the same
) -> u32 {
    a + 1
}

pub struct Two {
    pub three: u16,
    pub four: u8,
}
