use std::collections::BTreeMap;

/// Boxes in columns, and lanes for edges across whole columns.
///
/// The boxes and lanes are the vertices. Their numbers start with the boxes, in the given order.
/// All edges from one box share their lanes, so a box with many dependents has one line with
/// branches instead of a bundle.
pub(super) struct Net {
    pub(super) columns: Vec<Vec<usize>>,
    /// For each vertex, its neighbors in the previous column.
    pub(super) before: Vec<Vec<usize>>,
    /// For each vertex, its neighbors in the next column.
    pub(super) after: Vec<Vec<usize>>,
    /// For each edge, the vertices along it, including both ends.
    pub(super) paths: Vec<Vec<usize>>,
    boxes: usize,
}

impl Net {
    /// All `edges` must lead to a later column.
    pub(super) fn new(columns: &[Vec<usize>], edges: &[(usize, usize)]) -> Self {
        let boxes = columns.iter().map(Vec::len).sum();
        let mut column_of = vec![0; boxes];
        for (at, column) in columns.iter().enumerate() {
            for vertex in column {
                column_of[*vertex] = at;
            }
        }
        let mut net = Self {
            columns: columns.to_vec(),
            before: vec![Vec::new(); boxes],
            after: vec![Vec::new(); boxes],
            paths: Vec::with_capacity(edges.len()),
            boxes,
        };
        let mut lanes = BTreeMap::new();
        for (from, to) in edges {
            let mut path = vec![*from];
            for column in column_of[*from] + 1..column_of[*to] {
                let next = *lanes
                    .entry((*from, column))
                    .or_insert_with(|| net.add_lane(column));
                net.join(&path, next);
                path.push(next);
            }
            net.join(&path, *to);
            path.push(*to);
            net.paths.push(path);
        }
        net
    }

    /// Splits the net into its unconnected parts, each as a list of columns. The part of the first
    /// box comes first.
    pub(super) fn parts(&self) -> Vec<Vec<Vec<usize>>> {
        let mut part_of = vec![usize::MAX; self.len()];
        let mut parts = 0;
        for start in 0..self.len() {
            if part_of[start] != usize::MAX {
                continue;
            }
            let mut waiting = vec![start];
            while let Some(vertex) = waiting.pop() {
                if part_of[vertex] == usize::MAX {
                    part_of[vertex] = parts;
                    waiting.extend(self.before[vertex].iter().chain(&self.after[vertex]));
                }
            }
            parts += 1;
        }
        let mut columns = vec![vec![Vec::new(); self.columns.len()]; parts];
        for (at, column) in self.columns.iter().enumerate() {
            for vertex in column {
                columns[part_of[*vertex]][at].push(*vertex);
            }
        }
        columns
    }

    pub(super) fn is_box(&self, vertex: usize) -> bool {
        vertex < self.boxes
    }

    pub(super) fn len(&self) -> usize {
        self.before.len()
    }

    fn add_lane(&mut self, column: usize) -> usize {
        let lane = self.before.len();
        self.before.push(Vec::new());
        self.after.push(Vec::new());
        self.columns[column].push(lane);
        lane
    }

    fn join(&mut self, path: &[usize], next: usize) {
        if let Some(last) = path.last()
            && !self.before[next].contains(last)
        {
            self.before[next].push(*last);
            self.after[*last].push(next);
        }
    }
}
