use wasmtime::ResourceLimiter;

/// Limits the total size of all memories and tables of an instance.
#[derive(Debug)]
pub(crate) struct Limiter {
    max_memory: usize,
    memory: usize,
    max_elements: usize,
    elements: usize,
    /// The limit that we enforced last, if any, since it explains why the guest ended.
    denied: Option<Denied>,
}

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
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if is_beyond(desired, maximum, self.max_memory) {
            return Ok(false);
        }
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
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if is_beyond(desired, maximum, self.max_elements) {
            return Ok(false);
        }
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

/// True if a request exceeds the own maximum of a memory or table, which is below the total limit.
///
/// Such a request fails anyway, so it must not count as one that we refused.
fn is_beyond(desired: usize, maximum: Option<usize>, limit: usize) -> bool {
    maximum.is_some_and(|maximum| maximum < limit && desired > maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_above_own_maximum_is_free() {
        let mut limiter = Limiter::new(100, 10);
        assert!(!limiter.memory_growing(1, 90, Some(20)).unwrap());
        assert!(!limiter.memory_growing(1, 900, Some(20)).unwrap());
        assert!(limiter.memory_growing(1, 20, Some(20)).unwrap());
        assert!(!limiter.table_growing(0, 9, Some(5)).unwrap());
        assert!(limiter.table_growing(0, 10, Some(10)).unwrap());
        assert_eq!(limiter.denied(), None);
        // The pool's maximum is the same as the limit here.
        assert!(!limiter.memory_growing(20, 120, Some(100)).unwrap());
        assert_eq!(limiter.denied(), Some(Denied::Memory));
    }

    #[test]
    fn memories_share_the_limit() {
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
