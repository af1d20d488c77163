//! Tides: how deep the water is.

/// Depth in centimetres at an hour of the day.
pub fn depth(base: u32, hour: u32) -> u32 {
    let swing = match hour % 12 {
        0..=2 => 180,
        3..=5 => 90,
        6..=8 => 0,
        _ => 90,
    };
    base + swing
}

/// True if a ship with this draught can enter.
pub fn can_enter(depth: u32, draught: u32) -> bool {
    // TODO: the sill is not counted
    depth > draught + 50
}
