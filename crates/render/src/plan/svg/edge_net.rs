use std::collections::BTreeMap;

/// Boxes in columns, and between them the lanes of edges that pass whole columns by.
///
/// The vertices are numbered: the boxes first, as they were given, then the lanes. All edges of one box share
/// their lanes, so that a box with many dependents draws one line that branches, not a bundle.
pub(super) struct Net {
    /// The vertices of each column.
    pub(super) columns: Vec<Vec<usize>>,
    /// Of each vertex, its neighbours in the column before.
    pub(super) before: Vec<Vec<usize>>,
    /// Of each vertex, its neighbours in the column after.
    pub(super) after: Vec<Vec<usize>>,
    /// Of each edge, the vertices it leads through, both ends included.
    pub(super) paths: Vec<Vec<usize>>,
    /// How many of the vertices are boxes.
    boxes: usize,
}

impl Net {
    /// The net of `columns` of boxes, and of edges that each lead to a later column.
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

    /// The parts that no edge joins, each as its columns. The one with the first box comes first.
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

    /// Notes that the last of `path` and `next` are neighbours, once.
    fn join(&mut self, path: &[usize], next: usize) {
        if let Some(last) = path.last()
            && !self.before[next].contains(last)
        {
            self.before[next].push(*last);
            self.after[*last].push(next);
        }
    }
}
