pub fn divide(a: u32, b: u32) -> Option<u32> {
    if b == 0 {
        return None;
    }
    Some(a / b)
}

pub fn twice(a: u32) -> u32 {
    a * 2
}
