/// One.
pub fn one(a: u32) -> u32 {
    a
}

pub struct Two {
    pub three: u8,
}
