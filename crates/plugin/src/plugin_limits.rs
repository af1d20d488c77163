/// Resource limits of one attempt of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Total size of its memories, in bytes.
    pub memory: usize,
    /// Total number of elements of its tables.
    pub table_elements: usize,
    /// Units of fuel, about one per instruction, for a plugin whose output depends on its input alone. The
    /// same amount limits the host's work for any plugin: calls, bytes, files and folders visited.
    pub fuel: u64,
    /// Maximum size of its output, and of each text it passes to the host, in bytes.
    pub output: usize,
}

impl Default for Limits {
    /// Returns the default limits: 64 MiB of memory, 20,000 table elements, 20 billion units of fuel (about
    /// 20 seconds), 16 MiB of output.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            table_elements: 20_000,
            fuel: 20_000_000_000,
            output: windlass_engine::MAX_OUTPUT_BYTES,
        }
    }
}
