/// Maximum size of a component file: 64 MiB, as for any other file of a repository.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// Resource limits of one attempt to run a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Total size of all memories, in bytes. We refuse to grow them beyond that.
    pub memory: usize,
    /// Total number of table elements. We refuse to grow tables beyond that.
    pub table_elements: usize,
    /// Units of fuel, about one per instruction, for a plugin that imports neither time nor random
    /// numbers.
    ///
    /// The host's work for any plugin is limited to the same amount. We count calls, bytes, and the
    /// files and folders that were visited.
    pub fuel: u64,
    /// Size of the output, and of each text that the plugin passes to the host, in bytes.
    pub output: usize,
}

impl Default for Limits {
    /// 64 MiB of memory, 20,000 table elements, 20 billion units of fuel (about 20 seconds) and 16
    /// MiB of output.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            table_elements: 20_000,
            fuel: 20_000_000_000,
            output: windlass_engine::MAX_OUTPUT_BYTES,
        }
    }
}
