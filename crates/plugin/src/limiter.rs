use wasmtime::ResourceLimiter;

/// Counts what the memories and tables of one instance take together, and refuses what goes beyond.
#[derive(Debug)]
pub(crate) struct Limiter {
    max_memory: usize,
    memory: usize,
    max_elements: usize,
    elements: usize,
    /// What was refused.
    denied: Option<Denied>,
}

/// A limit that was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    Memory,
    Table,
}

impl Limiter {
    pub(crate) fn new(max_memory: usize, max_elements: usize) -> Self {
        Self {
            max_memory,
            memory: 0,
            max_elements,
            elements: 0,
            denied: None,
        }
    }

    pub(crate) fn denied(&self) -> Option<Denied> {
        self.denied
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let all = self.memory.saturating_add(desired.saturating_sub(current));
        if all > self.max_memory {
            self.denied = Some(Denied::Memory);
            return Ok(false);
        }
        self.memory = all;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let all = self
            .elements
            .saturating_add(desired.saturating_sub(current));
        if all > self.max_elements {
            self.denied = Some(Denied::Table);
            return Ok(false);
        }
        self.elements = all;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_count_together() {
        let mut limiter = Limiter::new(100, 10);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 30, None).unwrap());
        assert!(limiter.memory_growing(60, 70, None).unwrap());
        assert_eq!(limiter.denied(), None);
        assert!(!limiter.memory_growing(30, 31, None).unwrap());
        assert_eq!(limiter.denied(), Some(Denied::Memory));
        assert!(limiter.table_growing(0, 10, None).unwrap());
        assert!(!limiter.table_growing(0, 1, None).unwrap());
        assert_eq!(limiter.denied(), Some(Denied::Table));
    }
}
