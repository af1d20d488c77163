/// What one attempt of a plugin may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all its memories together.
    pub memory: usize,
    /// Elements of all its tables together.
    pub table_elements: usize,
    /// Units of fuel, about one for each instruction, of a plugin whose output depends on what it is given alone. As many any
    /// plugin may make the host use, which counts the work: calls, bytes, files and folders gone through.
    pub fuel: u64,
    /// Bytes of its output, and of each text it hands to the host.
    pub output: usize,
}

impl Default for Limits {
    /// 64 MiB of memory, 20,000 elements, 20 thousand million units of fuel (some 20 seconds), 16 MiB of output.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            table_elements: 20_000,
            fuel: 20_000_000_000,
            output: windlass_engine::MAX_OUTPUT_BYTES,
        }
    }
}
