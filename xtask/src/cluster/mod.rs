//! `cargo xtask cluster 2x2 PROGRAM`: runs a program on several hosts that are made of network namespaces on this
//! machine. Each has a network address, a host name, a /dev/shm and an IPC namespace.

pub mod hosts;
pub mod slurm;

use crate::util::Mpi;
use anyhow::{Context, Result, bail};
use hosts::Hosts;
use slurm::Pm;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Args {
    /// Hosts and PEs per host, such as 2x2
    layout: String,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true)]
    program: Vec<String>,
    /// Whose mpiexec
    #[arg(long, value_enum, default_value_t = Mpi::Mpich)]
    mpi: Mpi,
    /// The mpiexec beside this compiler wrapper, where the MPI is not Debian's
    #[arg(long, conflicts_with = "mpi")]
    mpicc: Option<String>,
    /// Start through this oshrun instead of mpiexec
    #[arg(long)]
    oshrun: Option<PathBuf>,
    /// Start through srun of a Slurm made for this, with --mpi=pmi2 or as told
    #[arg(long, value_enum, value_name = "MPI", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "pmi2", conflicts_with = "oshrun")]
    srun: Option<Pm>,
    /// Start through oshrun inside an allocation of a Slurm made for this; oshrun's own options may stand before the
    /// program, after --
    #[arg(long, conflicts_with = "srun")]
    salloc: bool,
    /// Let no more through to each host, such as 1mbit
    #[arg(long)]
    rate: Option<String>,
    /// Cut the last host off after so many seconds
    #[arg(long)]
    cut_after: Option<f64>,
}

/// Ends with the launcher's exit code.
pub fn run(args: Args) -> Result<()> {
    let mpi = args.mpicc.as_deref().map_or(Ok(args.mpi), Mpi::other)?;
    let (count, per_host) = hosts::parse_layout(&args.layout)?;
    if let Some(why) = hosts::missing() {
        bail!("{why}");
    }
    let hosts = Hosts::up(count)?;
    if let Some(rate) = &args.rate {
        hosts.slow_down(rate)?;
    }
    let slurm = match slurm::missing() {
        _ if args.srun.is_none() && !args.salloc => None,
        None => Some(slurm::Slurm::up(&hosts)?),
        Some(why) => bail!("there can be no Slurm: {why}"),
    };
    let mut c = match (&slurm, &args.oshrun) {
        (Some(slurm), oshrun) => match args.srun {
            Some(pm) => slurm.srun(pm, count * per_host),
            None => {
                let mut c = slurm.salloc(per_host);
                c.arg(oshrun.clone().unwrap_or_else(|| args.mpi.prefix().join("bin/oshrun")));
                c
            }
        },
        (None, Some(path)) => oshrun(path, &hosts.list(count * per_host), count * per_host),
        (None, None) => mpiexec(mpi, &hosts, count * per_host),
    };
    c.args(&args.program);
    let mut c = hosts.in_hub(&c);
    let mut child = c.spawn().with_context(|| format!("cannot start {c:?}"))?;
    let start = Instant::now();
    let mut cut = args.cut_after.map(Duration::from_secs_f64);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if cut.is_some_and(|after| start.elapsed() > after) {
            hosts.cut(count)?;
            eprintln!("host {count} is cut off");
            cut = None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    drop(slurm);
    drop(hosts);
    std::process::exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// The call of oshrun for `pes` PEs on the hosts of `list`, before the program's name; to be run in the hub.
pub fn oshrun(path: &Path, list: &str, pes: usize) -> Command {
    let mut c = Command::new(path);
    c.arg("-launcher").arg(hosts::enter());
    c.args(["-localhost", hosts::HUB, "-hosts", list, "-n", &pes.to_string()]);
    c
}

/// That of the MPI's launcher, for PEs spread over `hosts`.
pub fn mpiexec(mpi: Mpi, hosts: &Hosts, pes: usize) -> Command {
    let list = hosts.list(pes);
    match mpi {
        Mpi::Mpich => {
            let mut c = Command::new(mpi.command("mpiexec"));
            c.args(["-launcher", "ssh", "-launcher-exec"]).arg(hosts::enter());
            c.args(["-localhost", hosts::HUB, "-hosts", &list, "-n", &pes.to_string()]);
            // Intel's Hydra does not take -localhost: its proxies call back to the address of this interface.
            c.env("I_MPI_HYDRA_IFACE", hosts::HUB_INTERFACE);
            c
        }
        Mpi::Openmpi => {
            let mut c = mpi.mpiexec(pes);
            c.args(["--host", &list, "--mca", "plm_rsh_agent"]).arg(hosts::enter());
            for name in ["oob_tcp_if_include", "btl_tcp_if_include"] {
                c.args(["--mca", name, "10.77.0.0/24"]);
            }
            c.args(["--mca", "pml", "ob1", "--mca", "btl", "tcp,self,vader"]);
            c
        }
    }
}

/// That of the launcher inside this Open MPI's mpiexec.
pub fn prterun(mpi: Mpi, hosts: &Hosts, pes: usize) -> Command {
    let mut c = mpi.prterun(pes);
    // The directory of Open MPI on the other hosts. mpiexec knows it; prterun takes that for which it was built.
    let path = PathBuf::from(c.get_program());
    c.arg("--prefix").args(path.parent().and_then(Path::parent));
    c.args(["--host", &hosts.list(pes), "--prtemca", "plm_ssh_agent"]).arg(hosts::enter());
    c.args(["--prtemca", "prte_if_include", "10.77.0.0/24"]);
    c.env("OMPI_MCA_btl_tcp_if_include", "10.77.0.0/24");
    c.env("OMPI_MCA_pml", "ob1").env("OMPI_MCA_btl", "tcp,self,vader");
    c
}
