//! What kind of network there is, and this machine's name in it.

use std::path::Path;

/// This machine has an adapter that reaches other machines' memory without their processors (InfiniBand and RoCE, which include
/// Omni-Path and EFA; Slingshot): one-sided calls that MPI hands to it are served while the target computes.
pub(crate) fn reaches_memory() -> bool {
    ["/sys/class/infiniband", "/sys/class/cxi"].into_iter().any(|class| has_devices(Path::new(class)))
}

/// The name of this host, as its UTS namespace has it.
pub(crate) fn host_name() -> Vec<u8> {
    let mut name = [0u8; 256];
    // SAFETY: the kernel writes at most as many bytes as we say there are; a failure leaves zeros.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
    name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
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
    fn a_class_has_devices_or_there_is_none() {
        // Every process has open files.
        assert!(has_devices(Path::new("/proc/self/fd")));
        assert!(!has_devices(Path::new("/nowhere")) && !has_devices(Path::new("/proc/self/maps")));
    }
}
