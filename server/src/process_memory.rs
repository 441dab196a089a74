//! How much memory this process has, where the system tells it.

/// In bytes, as the system counts what is resident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// The most that it ever was.
    pub peak: Option<u64>,
    pub now: Option<u64>,
}

impl ProcessMemory {
    /// Of this process. Where the system has no such file, nothing is known.
    pub fn read() -> ProcessMemory {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        ProcessMemory::from_status(&status)
    }

    fn from_status(status: &str) -> ProcessMemory {
        let value = |name: &str| {
            let mut lines = status.lines();
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            let kibibytes = value.trim().strip_suffix("kB")?.trim();
            kibibytes.parse::<u64>().ok()?.checked_mul(1024)
        };
        ProcessMemory {
            peak: value("VmHWM"),
            now: value("VmRSS"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words_are_read() {
        let status = "Name:\tracelens\nVmHWM:\t    2048 kB\nVmRSS:\t    1000 kB\n";
        let memory = ProcessMemory::from_status(status);
        assert_eq!(
            (memory.peak, memory.now),
            (Some(2_097_152), Some(1_024_000))
        );
        assert_eq!(ProcessMemory::from_status(""), ProcessMemory::default());
        let odd = ProcessMemory::from_status("VmHWM:\tmuch\nVmRSS: 99999999999999999999 kB\n");
        assert_eq!(odd, ProcessMemory::default());
    }
}
