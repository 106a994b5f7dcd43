//! The kind of network that this machine has, and the machine's name.

use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// This machine has an adapter that may access other machines' memory without their processors: InfiniBand, RoCE,
/// Omni-Path, EFA or Slingshot. Whether MPI uses it so is another question, which the probe of windows answers.
pub(crate) fn may_reach_memory() -> bool {
    ["/sys/class/infiniband", "/sys/class/cxi"].into_iter().any(|class| has_devices(Path::new(class)))
}

/// The name of this host in its UTS namespace; empty if the kernel does not tell.
pub(crate) fn host_name() -> Vec<u8> {
    nix::unistd::gethostname().unwrap_or_default().into_vec()
}

fn has_devices(class: &Path) -> bool {
    class.read_dir().is_ok_and(|mut devices| devices.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_a_name() {
        let name = String::from_utf8(host_name()).unwrap();
        assert_eq!(name, std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
    }

    #[test]
    fn a_directory_without_entries_is_no_device() {
        // A process that reads this directory has an open file.
        assert!(has_devices(Path::new("/proc/self/fd")));
        assert!(!has_devices(Path::new("/nowhere")) && !has_devices(Path::new("/proc/self/maps")));
    }
}
