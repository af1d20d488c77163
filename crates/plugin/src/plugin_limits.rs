/// Maximum size of a component file: 64 MiB, the same as for any file of a repository.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// Resource limits of one attempt of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum total size of the memories, in bytes.
    pub memory: usize,
    /// Maximum total number of table elements.
    pub table_elements: usize,
    /// Units of fuel, about one per instruction, for a plugin whose output depends only on its
    /// input. For any plugin, the same amount limits the host's work: calls, bytes, and visited
    /// files and folders.
    pub fuel: u64,
    /// Maximum size of the output, and of each text passed to the host, in bytes.
    pub output: usize,
}

impl Default for Limits {
    /// Returns the default limits: 64 MiB of memory, 20,000 table elements, 20 billion units of
    /// fuel (about 20 seconds) and 16 MiB of output.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            table_elements: 20_000,
            fuel: 20_000_000_000,
            output: windlass_engine::MAX_OUTPUT_BYTES,
        }
    }
}
