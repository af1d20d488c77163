//! Berths: places where a ship can lie.

use crate::HarbourError;

/// A place at the quay.
#[derive(Debug, Clone)]
pub struct Berth {
    /// Its name on the chart.
    pub name: String,
    /// Length in metres.
    pub length: u32,
    /// Name of the ship that lies there.
    pub ship: Option<String>,
}

impl Berth {
    /// An empty berth.
    pub fn new(name: &str, length: u32) -> Self {
        Self {
            name: name.to_owned(),
            length,
            ship: None,
        }
    }

    /// True if a ship of `length` metres fits with five metres to spare.
    pub fn fits(&self, length: u32) -> bool {
        self.ship.is_none() && self.length >= length + 5
    }
}

/// Assigns the shortest berth that fits.
pub fn assign<'a>(
    berths: &'a mut [Berth],
    ship: &str,
    length: u32,
) -> Result<&'a Berth, HarbourError> {
    let berth = berths
        .iter_mut()
        .filter(|berth| berth.fits(length))
        .min_by_key(|berth| berth.length)
        .ok_or(HarbourError::NoBerth)?;
    berth.ship = Some(ship.to_owned());
    Ok(berth)
}
