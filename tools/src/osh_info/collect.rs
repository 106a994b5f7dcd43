//! `osh_info --report`: what a bug report needs to tell of an installation and a machine. Starts no program, loads no
//! library, and asks no launcher and no network.

use pmi_shm::limits::{Room, SHARED_MEMORY};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Variables that change what a job does begin so.
const ENVIRONMENT: &str = "OSHMPI_ OSHRUN_ SHMEM_ SMA_ UCX_ FI_ MPICH_ I_MPI_ OMPI_MCA_ MPIEXEC_";

/// The value of a variable with such a word in its name, in any case, is not printed.
const SECRET: [&str; 5] = ["SECRET", "TOKEN", "PASS", "KEY", "CRED"];

/// Libraries that a job may load, and commands that may start one.
const LIBRARIES: &str = "liboshmpi.so.0 libmpi_abi.so.1 libmpi.so.12 libmpich.so.12 libmpi.so.40 libucp.so.0 \
                         libfabric.so.1 libpmix.so.2 libpmi2.so.0 libibverbs.so.1";
const COMMANDS: &str = "oshcc oshrun mpicc mpiexec mpirun srun qsub ssh";

/// Where the loader looks besides LD_LIBRARY_PATH, as far as it can be told without its cache.
const DIRECTORIES: [&str; 6] = ["/lib64", "/usr/lib64", "/lib/ARCH-linux-gnu", "/lib", "/usr/lib", "/usr/local/lib"];

/// The report, with `head`, which tells of the installation, at its top. `get`: all variables of the environment.
pub fn report(head: &str, variables: impl Iterator<Item = (String, String)>) -> String {
    let mut text = format!("{head}\n\nsystem\n");
    let mut line = |name: &str, value: Option<String>| {
        let value = value.filter(|v| !v.is_empty()).unwrap_or_else(|| "not known".into());
        let _ = writeln!(text, "  {name:<14} {value}");
    };
    line("kernel", read("/proc/sys/kernel/osrelease").map(|k| format!("{k} {}", std::env::consts::ARCH)));
    line("distribution", field("/etc/os-release", "PRETTY_NAME=").map(|name| name.replace('"', "")));
    line("processor", field("/proc/cpuinfo", "model name").or_else(|| field("/proc/cpuinfo", "CPU implementer")));
    line("CPUs", field("/proc/self/status", "Cpus_allowed_list"));
    line("NUMA nodes", read("/sys/devices/system/node/online"));
    line("memory", field("/proc/meminfo", "MemTotal"));
    line("available", field("/proc/meminfo", "MemAvailable"));
    line("overcommit", read("/proc/sys/vm/overcommit_memory"));
    let huge = |file: &str| read(&format!("/sys/kernel/mm/hugepages/hugepages-2048kB/{file}"));
    let reserved = huge("nr_hugepages").zip(huge("free_hugepages"));
    line("huge pages", reserved.map(|(all, free)| format!("{all} of 2 MiB reserved, {free} free")));
    line("shmem_enabled", read("/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
    line("ptrace_scope", read("/proc/sys/kernel/yama/ptrace_scope"));
    // Behind the colon stands what to do where it is full.
    let room = Room::of(SHARED_MEMORY).map(|room| room.to_string());
    line("shared memory", room.and_then(|room| Some(room.split(':').next()?.to_string())));
    line("control group", control_group());
    let _ = writeln!(text, "\nlimits (soft, hard)");
    for limit in read("/proc/self/limits").unwrap_or_default().lines().skip(1) {
        let _ = writeln!(text, "  {}", limit.trim_end());
    }
    let _ = writeln!(text, "\nnetwork devices");
    for (dir, facts) in
        [("/sys/class/net", &["operstate", "mtu", "speed"][..]), ("/sys/class/infiniband", &["hca_type"])]
    {
        for device in names(dir) {
            let facts = facts.iter().filter_map(|f| Some(format!("{f} {}", read(&format!("{dir}/{device}/{f}"))?)));
            let _ = writeln!(text, "  {device}: {}", facts.collect::<Vec<_>>().join(", "));
        }
    }
    for device in names("/dev").iter().filter(|name| name.starts_with("cxi")) {
        let _ = writeln!(text, "  /dev/{device}");
    }
    let variables: Vec<(String, String)> = variables.collect();
    let path = |name: &str| {
        let value = variables.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str()).unwrap_or_default();
        value.split(':').filter(|dir| !dir.is_empty()).map(PathBuf::from).collect::<Vec<_>>()
    };
    let system = DIRECTORIES.iter().map(|dir| PathBuf::from(dir.replace("ARCH", std::env::consts::ARCH)));
    let directories: Vec<PathBuf> = path("LD_LIBRARY_PATH").into_iter().chain(system).collect();
    found(&mut text, "libraries", LIBRARIES, &directories);
    found(&mut text, "commands", COMMANDS, &path("PATH"));
    let _ = writeln!(text, "\nenvironment");
    let mut shown: Vec<&(String, String)> =
        variables.iter().filter(|(name, _)| ENVIRONMENT.split(' ').any(|begin| name.starts_with(begin))).collect();
    shown.sort();
    for (name, value) in shown {
        let upper = name.to_uppercase();
        let secret = SECRET.iter().any(|word| upper.contains(word));
        let _ = writeln!(text, "  {name}={}", if secret { "(not shown)" } else { value });
    }
    text
}

/// Each file by the first directory that has it, with what a link leads to: that name often has the release in it.
fn found(text: &mut String, title: &str, files: &str, directories: &[PathBuf]) {
    let _ = writeln!(text, "\n{title}");
    for file in files.split(' ') {
        if let Some(path) = directories.iter().map(|dir| dir.join(file)).find(|path| path.exists()) {
            let real = path.canonicalize().ok().filter(|real| *real != path);
            let real = real.map_or(String::new(), |real| format!(" -> {}", real.display()));
            let _ = writeln!(text, "  {}{real}", path.display());
        }
    }
}

/// The limits of the control group of this process: memory, CPU time, processes.
fn control_group() -> Option<String> {
    let own = read("/proc/self/cgroup")?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?.trim_start_matches('/').to_string();
    let dir = Path::new("/sys/fs/cgroup").join(own);
    let limits = ["memory.max", "cpu.max", "pids.max"].map(|name| {
        let value = read(&dir.join(name).to_string_lossy());
        value.map(|value| format!("{name} {value}"))
    });
    Some(limits.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_string())
}

/// The rest of the first line of a file that begins with `name`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path)?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(rest.trim_start_matches([' ', '\t', ':']).to_string())
}

fn names(dir: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_what_matters_and_no_secrets() {
        let variables = [
            ("SHMEM_DEBUG", "1"),
            ("UCX_SECRET_X", "a"),
            ("OMPI_MCA_x_token", "c"),
            ("MY_PASSWORD", "b"),
            ("PATH", "/bin:/usr/bin"),
        ];
        let text = report("oshmpi 9.8.7", variables.iter().map(|(n, v)| (n.to_string(), v.to_string())));
        assert!(text.starts_with("oshmpi 9.8.7\n\nsystem\n  kernel         "), "{text}");
        let hidden = ["UCX_SECRET_X=(not", "OMPI_MCA_x_token=(not"];
        let parts = ["\nlimits", "Max open files", "  lo: ", "\nlibraries\n", "\n  SHMEM_DEBUG=1\n"];
        for part in parts.into_iter().chain(hidden) {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("MY_PASSWORD"), "{text}");
    }
}
