//! What kind of network there is.

use std::path::Path;

/// This machine has an adapter that reaches other machines' memory without their processors (InfiniBand and RoCE, which include
/// Omni-Path and EFA; Slingshot): one-sided calls that MPI hands to it are served while the target computes.
pub(crate) fn reaches_memory() -> bool {
    ["/sys/class/infiniband", "/sys/class/cxi"].into_iter().any(|class| has_devices(Path::new(class)))
}

fn has_devices(class: &Path) -> bool {
    class.read_dir().is_ok_and(|mut devices| devices.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_devices_or_there_is_none() {
        // Every process has open files.
        assert!(has_devices(Path::new("/proc/self/fd")));
        assert!(!has_devices(Path::new("/nowhere")) && !has_devices(Path::new("/proc/self/maps")));
    }
}
