//! Tides: how deep the water is.

/// Depth in centimetres at an hour of the day.
pub fn depth(base: u32, hour: u32) -> u32 {
    let swing = if hour % 12 < 6 { 180 } else { 0 };
    base + swing
}

/// True if a ship with this draught can enter.
pub fn can_enter(depth: u32, draught: u32) -> bool {
    depth > draught + 50
}
