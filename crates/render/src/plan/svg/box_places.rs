//! Positions of boxes and lanes.
//!
//! The order within each column is settled by now. All that's left is to choose vertical positions
//! in this order that keep lines short, and long edges straight.

use super::edge_net::Net;

/// Number of passes over all columns, half of them in each direction.
const SWEEPS: usize = 24;

/// Minimum distance between two boxes, between a box and a lane, and between two lanes. In pixels.
const GAPS: [i32; 3] = [22, 16, 12];

/// Space between two columns, in pixels. Steeper lines need more.
const CHANNEL: std::ops::RangeInclusive<i32> = 56..=128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) x: i32,
    pub(super) width: i32,
}

impl Column {
    pub(super) fn right(self) -> i32 {
        self.x + self.width
    }
}

pub(super) struct Places {
    pub(super) columns: Vec<Column>,
    /// By vertex.
    pub(super) column_of: Vec<usize>,
    /// The vertical middle (not the top) of each vertex.
    pub(super) middles: Vec<i32>,
    pub(super) height: i32,
}

/// Computes positions for the vertices of `net` without changing their order within a column.
/// `sizes` lists the width and height of each box.
pub(super) fn place(net: &Net, sizes: &[(i32, i32)]) -> Places {
    let heights: Vec<i32> = (0..net.len())
        .map(|vertex| sizes.get(vertex).map_or(0, |(_, height)| *height))
        .collect();
    let middles = align(net, &heights);
    let mut column_of = vec![0; net.len()];
    for (at, column) in net.columns.iter().enumerate() {
        for vertex in column {
            column_of[*vertex] = at;
        }
    }
    let bottoms = middles.iter().zip(&heights).map(|(y, high)| y + high / 2);
    Places {
        columns: columns(net, sizes, &middles),
        column_of,
        height: bottoms.max().unwrap_or(0),
        middles,
    }
}

fn columns(net: &Net, sizes: &[(i32, i32)], middles: &[i32]) -> Vec<Column> {
    let mut x = 0;
    let mut columns = Vec::with_capacity(net.columns.len());
    for vertices in &net.columns {
        let widths = vertices.iter().filter_map(|vertex| sizes.get(*vertex));
        let width = widths.map(|(width, _)| *width).max().unwrap_or(0);
        columns.push(Column { x, width });
        let rises = vertices.iter().flat_map(|from| {
            let rise = |to: &usize| (middles[*from] - middles[*to]).abs();
            net.after[*from].iter().map(rise)
        });
        let channel = (rises.max().unwrap_or(0) / 4).clamp(*CHANNEL.start(), *CHANNEL.end());
        x += width + channel;
    }
    columns
}

/// Returns the vertical middles of all vertices.
///
/// Unconnected parts follow each other, but each one moves up as far as the boxes in its own
/// columns permit.
fn align(net: &Net, heights: &[i32]) -> Vec<i32> {
    let mut middles = vec![0; net.len()];
    let mut bottoms = vec![None; net.columns.len()];
    for part in net.parts() {
        let aligned = align_part(net, heights, &part);
        let top = |vertex: &usize| aligned[*vertex] - heights[*vertex] / 2;
        let room = |(column, bottom): (&Vec<usize>, &Option<i32>)| {
            let top = column.first().map(top)?;
            Some(bottom.map_or(0, |bottom| bottom + GAPS[0]) - top)
        };
        // Move the part down far enough to clear the boxes that are already in its columns.
        let shift = part
            .iter()
            .zip(&bottoms)
            .filter_map(room)
            .max()
            .unwrap_or(0);
        for (column, bottom) in part.iter().zip(&mut bottoms) {
            for vertex in column {
                middles[*vertex] = aligned[*vertex] + shift;
                *bottom = Some(middles[*vertex] + heights[*vertex] / 2);
            }
        }
    }
    middles
}

/// Moves each vertex close to its neighbors, so that lines become short, and long ones straight.
/// Only the values for `part` are valid in the result.
fn align_part(net: &Net, heights: &[i32], part: &[Vec<usize>]) -> Vec<i32> {
    let mut middles = vec![0.0; net.len()];
    // Begin with packed columns, all centered on the same line.
    for column in part {
        let offsets = offsets(net, heights, column);
        let half = offsets.last().map_or(0, |last| last / 2);
        for (vertex, offset) in column.iter().zip(offsets) {
            middles[*vertex] = f64::from(offset - half);
        }
    }
    for sweep in 0..SWEEPS {
        for step in 0..part.len() {
            let at = if sweep % 2 == 0 {
                step
            } else {
                part.len() - 1 - step
            };
            settle(net, heights, &part[at], &mut middles);
        }
    }
    // Always round in the same direction, so that distances in whole pixels never shrink.
    let rounded = |y: f64| (y + 0.5).floor() as i32;
    middles.into_iter().map(rounded).collect()
}

fn offsets(net: &Net, heights: &[i32], column: &[usize]) -> Vec<i32> {
    let mut offset = 0;
    let mut offsets = Vec::with_capacity(column.len());
    for (at, vertex) in column.iter().enumerate() {
        if let Some(above) = at.checked_sub(1).map(|above| column[above]) {
            let lanes = [above, *vertex].into_iter().filter(|one| !net.is_box(*one));
            offset += (heights[above] + heights[*vertex]) / 2 + GAPS[lanes.count()];
        }
        offsets.push(offset);
    }
    offsets
}

/// Moves the vertices in a column as close to their neighbors as their order and distances permit.
///
/// This is weighted least squares under an order. The usual algorithm pools overlapping vertices,
/// and places each pool at its mean.
fn settle(net: &Net, heights: &[i32], column: &[usize], middles: &mut [f64]) {
    struct Pool {
        wish: f64,
        weight: f64,
        members: usize,
    }
    let offsets = offsets(net, heights, column);
    let mut pools: Vec<Pool> = Vec::with_capacity(column.len());
    for (vertex, offset) in column.iter().zip(&offsets) {
        let (wish, weight) = wish(net, *vertex, middles);
        let mut pool = Pool {
            wish: wish - f64::from(*offset),
            weight,
            members: 1,
        };
        // This vertex would like to be above its predecessors. As it can't, treat all of them as
        // one.
        while let Some(above) = pools.pop_if(|above| above.wish > pool.wish) {
            let weight = above.weight + pool.weight;
            pool.wish = (above.wish * above.weight + pool.wish * pool.weight) / weight;
            pool.weight = weight;
            pool.members += above.members;
        }
        pools.push(pool);
    }
    let settled = pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.wish, pool.members));
    for ((vertex, offset), base) in column.iter().zip(offsets).zip(settled) {
        middles[*vertex] = base + f64::from(offset);
    }
}

/// Returns the ideal position of a vertex, and its weight. Connections between lanes weigh most,
/// which keeps long lines straight.
fn wish(net: &Net, vertex: usize, middles: &[f64]) -> (f64, f64) {
    let (mut sum, mut total) = (0.0, 0.0);
    for next in net.before[vertex].iter().chain(&net.after[vertex]) {
        let weight = match (net.is_box(vertex), net.is_box(*next)) {
            (true, true) => 1.0,
            (false, false) => 8.0,
            _ => 2.0,
        };
        sum += weight * middles[*next];
        total += weight;
    }
    // Without neighbors, there's no reason to move.
    if total == 0.0 {
        return (middles[vertex], 1.0);
    }
    (sum / total, total)
}
