//! Orders the columns so that few lines cross. The best order is hard to find, so this uses the
//! usual heuristic for layered graphs.

use super::edge_net::Net;

/// Number of passes over the columns. More passes would improve few drawings.
const SWEEPS: usize = 24;

/// Reorders each column so that few lines cross.
///
/// We pass over the columns back and forth, and move each vertex to the mean position of its
/// neighbors. A pass can also make things worse, so we remember the best order so far.
pub(super) fn untangle(net: &mut Net) {
    let mut places = vec![0; net.len()];
    for column in &net.columns {
        note_places(column, &mut places);
    }
    let mut best = (crossings(net, &places), net.columns.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let forth = sweep % 2 == 0;
        for step in 0..net.columns.len() {
            let at = if forth {
                step
            } else {
                net.columns.len() - 1 - step
            };
            let neighbours = if forth { &net.before } else { &net.after };
            sort_column(&mut net.columns[at], neighbours, &mut places);
        }
        let now = crossings(net, &places);
        if now < best.0 {
            best = (now, net.columns.clone());
        }
    }
    net.columns = best.1;
}

fn note_places(column: &[usize], places: &mut [usize]) {
    for (place, vertex) in column.iter().enumerate() {
        places[*vertex] = place;
    }
}

/// Sorts a column by the mean positions of the neighbors. Vertices without neighbors keep their
/// positions.
fn sort_column(column: &mut [usize], neighbours: &[Vec<usize>], places: &mut [usize]) {
    let mean = |vertex: usize| {
        let sum: usize = neighbours[vertex].iter().map(|next| places[*next]).sum();
        sum as f64 / neighbours[vertex].len() as f64
    };
    let slots: Vec<usize> = (0..column.len())
        .filter(|slot| !neighbours[column[*slot]].is_empty())
        .collect();
    let mut moving: Vec<(f64, usize)> = slots
        .iter()
        .map(|slot| (mean(column[*slot]), column[*slot]))
        .collect();
    // The sort is stable, so vertices with the same mean keep their order.
    moving.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (slot, (_, vertex)) in slots.into_iter().zip(moving) {
        column[slot] = vertex;
    }
    note_places(column, places);
}

pub(super) fn crossings(net: &Net, places: &[usize]) -> usize {
    let mut total = 0;
    for pair in net.columns.windows(2) {
        // Go through the lines by their left end, then by their right end. Each line crosses the
        // earlier ones that end further down.
        let mut seen = vec![0; pair[1].len() + 1];
        let mut lines = 0;
        for vertex in &pair[0] {
            let mut ends: Vec<usize> = net.after[*vertex].iter().map(|end| places[*end]).collect();
            ends.sort_unstable();
            for end in &ends {
                total += lines - counted(&seen, end + 1);
            }
            lines += ends.len();
            for end in ends {
                count(&mut seen, end + 1);
            }
        }
    }
    total
}

/// Counts an entry at position `at` (1-based) of a Fenwick tree.
fn count(tree: &mut [usize], mut at: usize) {
    while at < tree.len() {
        tree[at] += 1;
        at += at & at.wrapping_neg();
    }
}

/// Returns the number of entries at positions 1 to `at` of a Fenwick tree.
fn counted(tree: &[usize], mut at: usize) -> usize {
    let mut sum = 0;
    while at > 0 {
        sum += tree[at];
        at &= at - 1;
    }
    sum
}
