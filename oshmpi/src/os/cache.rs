//! The processor's last-level cache.

use std::path::Path;
use std::sync::OnceLock;

/// Bytes of the last-level cache of this machine's first core. 32 MiB are assumed where the system does not tell.
/// The C library's `sysconf` is not used: what it reads from the processor is wrong in virtual machines.
pub(crate) fn last_level() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| of(Path::new("/sys/devices/system/cpu/cpu0/cache")).unwrap_or(32 << 20))
}

fn of(dir: &Path) -> Option<usize> {
    let sizes = (0..8).map(|i| dir.join(format!("index{i}/size")));
    sizes.filter_map(|path| parse(std::fs::read_to_string(path).ok()?.trim())).max()
}

/// Parses a size such as `32768K`, in bytes.
fn parse(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M').unwrap_or(text), if text.ends_with('M') { 1 << 20 } else { 1 }),
    };
    number.parse::<usize>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let all = ["32768K", "32M", "512", "", "K", "0K", "99999999999999999999K"].map(parse);
        assert_eq!(all, [Some(32 << 20), Some(32 << 20), Some(512), None, None, None, None]);
        assert_eq!(of(Path::new("/nowhere")), None);
        assert!(last_level() >= 64 << 10);
    }
}
