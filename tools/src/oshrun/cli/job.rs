//! The options, as `--help` and the manual page tell them.

use super::place;
use crate::plan::{Session, Stdin, When};
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// The options that begin a section of `--help`, and its heading.
pub const SECTIONS: [(&str, Option<&str>); 8] = [
    ("hosts", Some("Where")),
    ("launcher", Some("Other hosts")),
    ("genv", Some("Environment")),
    ("prepend_rank", Some("Input and output")),
    ("timeout", Some("Ends")),
    ("pmix", Some("Process management")),
    ("gdb", Some("Look inside")),
    ("n", None),
];

/// Options of one program.
#[derive(Args, Debug, Clone)]
pub struct Part {
    /// Number of processes of this program. Default: with --ppn N, N on each host; else the slots of all hosts, or the
    /// tasks of the batch job; else 1 on each node
    #[arg(short = 'n', long = "np", visible_alias = "n", value_name = "N", value_parser = place::number)]
    pub n: Option<u32>,
    /// An environment variable for this program
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    pub env: Vec<OsString>,
    /// An environment variable, in Open MPI's form; without =VALUE it has oshrun's own value
    #[arg(short = 'x', value_name = "NAME[=VALUE]")]
    pub x: Vec<OsString>,
    /// Pass only these variables of the environment on to this program (default: all)
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub envlist: Option<Vec<String>>,
    /// Pass no variable of the environment on to this program
    #[arg(long, conflicts_with = "envlist")]
    pub envnone: bool,
    #[arg(long, hide = true, alias = "genvall")]
    envall: bool,
    /// Directory to start this program in (default: where oshrun was started)
    #[arg(long, visible_alias = "wd", value_name = "DIR")]
    pub wdir: Option<OsString>,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM", hide = true)]
    pub argv: Vec<OsString>,
}

/// Options of the whole job.
#[derive(Args, Debug, Clone)]
pub struct Job {
    /// File with a program on each line, its options before it, in place of programs with a ":" between them
    #[arg(long, value_name = "FILE")]
    pub configfile: Option<OsString>,

    /// Hosts, with how many ranks each takes if told: a,b or a:4,b:2 or node[001-016]:4
    #[arg(long, visible_aliases = ["host"], short = 'H', value_name = "LIST")]
    pub hosts: Option<String>,
    /// File with a host per line: NAME, NAME:SLOTS or NAME slots=SLOTS; NAME may be a list such as node[001-016]
    #[arg(short = 'f', long, visible_aliases = ["machinefile"], value_name = "FILE", conflicts_with = "hosts")]
    pub hostfile: Option<String>,
    /// Whether the hosts of the batch job that oshrun runs in are used, where no others are given
    #[arg(long, value_enum, default_value = "auto", value_name = "WHICH")]
    pub allocation: FromBatch,
    /// Ranks on each host, one host after the other (-N of mpirun; srun's -N is the number of hosts)
    #[arg(
        short = 'N',
        long,
        visible_aliases = ["perhost", "npernode", "ntasks-per-node"],
        value_name = "N",
        value_parser = place::number
    )]
    pub ppn: Option<u32>,
    /// Let one machine play K nodes: ranks are told that only those of their node share memory with them
    #[arg(long, value_name = "K", value_parser = place::number)]
    pub fake_nodes: Option<u32>,
    /// To what ranks are dealt in turn: slot (the slots of one host after the other), node (a rank for each host), or
    /// places inside a host: package (socket), numa, l3, l2, l1, core, hwthread. ppr:N:PLACE gives N ranks to each
    /// place, and :PE=N gives each rank N cores
    #[arg(long, value_name = "WHAT", value_parser = place::map_by)]
    pub map_by: Option<place::MapBy>,
    /// How ranks are numbered: slot (as they are mapped), node (one of each host in turn), fill (place by place)
    #[arg(long, default_value = "slot", value_name = "WHAT", value_parser = place::rank_by)]
    pub rank_by: place::RankBy,
    /// Keep each rank to a package (socket), numa, l3, l2, l1, core or hwthread; core:N is N of them (default: to the
    /// place inside a host that it is mapped to, or none)
    #[arg(long, visible_alias = "bind", value_name = "WHAT", value_parser = place::bind_to)]
    pub bind_to: Option<place::BindTo>,
    /// CPUs of each rank, which is bound to them, as with srun (in an allocation of Slurm: SLURM_CPUS_PER_TASK)
    #[arg(short = 'c', long, value_name = "N", value_parser = place::number, requires = "n")]
    pub cpus_per_task: Option<u32>,
    /// Cores of each rank, which is bound to them
    #[arg(long, visible_alias = "cpus-per-proc", value_name = "N", value_parser = place::number)]
    pub cpus_per_rank: Option<u32>,
    /// File with the host and the cores of each rank: rank 0=a slot=0-3, or slot=PACKAGE:CORES
    #[arg(
        long,
        visible_alias = "rf",
        value_name = "FILE",
        conflicts_with_all = ["hosts", "hostfile", "ppn", "map_by", "bind_to", "fake_nodes"]
    )]
    pub rankfile: Option<String>,
    /// Print on standard error to which CPUs each rank is bound
    #[arg(long)]
    pub report_bindings: bool,

    /// How other hosts are reached: ssh, srun, fork (all on this machine), or a command that is called as COMMAND HOST
    /// WORDS... (default: srun in an allocation of Slurm, blaunch in one of LSF where it is on PATH, else ssh)
    #[arg(long, visible_aliases = ["bootstrap"], value_name = "COMMAND", value_parser = not_blank)]
    pub launcher: Option<String>,
    /// The command in place of ssh or srun
    #[arg(long, visible_aliases = ["bootstrap-exec"], value_name = "FILE", value_parser = not_blank)]
    pub launcher_exec: Option<String>,
    /// Where oshrun lies on the other hosts (default: where it lies here)
    #[arg(long, value_name = "FILE")]
    pub remote_oshrun: Option<String>,
    /// Network that node servers use among themselves: an interface, an address or a network such as 10.0.0.0/24
    #[arg(long, value_name = "NET")]
    pub iface: Option<String>,
    /// Name or address by which other hosts reach this one
    #[arg(long, value_name = "ADDRESS")]
    pub localhost: Option<String>,
    /// Children of a node server in the tree of node servers
    #[arg(long, default_value_t = 8, value_name = "K", value_parser = place::number)]
    pub fanout: u32,
    /// Who starts the node servers of other hosts: those above them in the tree, or oshrun all of them, for hosts that
    /// do not reach each other by the launcher (up to fanout + 1 hosts it starts all anyway)
    #[arg(long, value_enum, default_value = "tree", value_name = "WHO")]
    pub start: StartBy,
    /// How long a host may take to answer, in seconds (one that falls silent later: variable OSHMPI_HOST_TIMEOUT, 30,
    /// or 0 for ever)
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = seconds)]
    pub launch_timeout: f64,

    /// An environment variable for all programs
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    pub genv: Vec<OsString>,
    /// Pass only these variables of the environment on (default: all)
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub genvlist: Option<Vec<String>>,
    /// Pass no variable of the environment on
    #[arg(long, conflicts_with = "genvlist")]
    pub genvnone: bool,

    /// Put the rank before each line of output
    #[arg(short = 'l', long, visible_aliases = ["label", "tag-output"])]
    pub prepend_rank: bool,
    /// Put this before each line: %r is the rank, %h the host
    #[arg(long, value_name = "TEXT")]
    pub prepend_pattern: Option<String>,
    /// Put the time before each line of output
    #[arg(long)]
    pub timestamp_output: bool,
    /// Give the ranks one stream for standard output and standard error
    #[arg(long)]
    pub merge_stderr_to_stdout: bool,
    /// Write standard output to files: out.%r is one for each rank; %h is the host, %p the number of the node. Missing
    /// directories are made. Open MPI's --output-filename DIR writes DIR/1/rank.%r/stdout and stderr, and the terminal
    #[arg(long, value_name = "NAME")]
    pub outfile_pattern: Option<OsString>,
    /// Write standard error to files, named as those of --outfile-pattern
    #[arg(long, value_name = "NAME")]
    pub errfile_pattern: Option<OsString>,
    /// Write what goes to files to oshrun's standard output and error too
    #[arg(long, hide = true)]
    pub copy_output: bool,
    /// Where standard input goes: to a rank, to all, or to none
    #[arg(short = 's', long, default_value = "0", value_name = "RANK", value_parser = stdin)]
    pub stdin: Stdin,

    /// End the job after so many seconds, with exit code 124 (also: variable MPIEXEC_TIMEOUT). PEs of OpenSHMEM first
    /// tell what they wait for
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Time between a signal that ends programs (Ctrl-C) and the kill of those that stay
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = seconds)]
    pub grace: f64,
    /// Sessions of the ranks: one for all of a node, one each, or what suits (see docs/design/launcher.md)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHOSE")]
    pub session: Session,

    /// Serve PMIx, which Open MPI 5 needs: where a program needs it, always, or never (variable OSHRUN_PMIX_LIBRARY:
    /// libpmix by its path)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub pmix: When,

    /// Stop the ranks (all, or those named: --gdb=0,2-3) at their first instruction and attach a gdb to each: in
    /// windows of tmux if oshrun runs in one, otherwise by the command that is printed
    #[arg(long, value_name = "RANKS", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub gdb: Option<String>,
    /// Write a page that shows what the PEs did: who moved how much to whom, time in waits and collectives, call sites,
    /// heap use
    #[arg(long, value_name = "FILE.html")]
    pub profile: Option<OsString>,
    /// Write the long calls of all PEs as a trace for ui.perfetto.dev
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<OsString>,
    /// Show what the PEs do, how long they wait and how much they move, every 2 seconds (variable OSHMPI_TOP: other
    /// seconds), on standard error. It counts what goes between nodes; with OSHMPI_STATS=text it counts all
    #[arg(long)]
    pub top: bool,
    /// Print what the start and the process management cost
    #[arg(long)]
    pub stats: bool,
    /// Do not offer the key-value store in shared memory: every Get is a message
    #[arg(long)]
    pub no_share: bool,
    /// Print what would be started, and start nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print what is started, on standard error
    #[arg(short = 'v', long, visible_alias = "verbose")]
    pub display_map: bool,
    /// Print the exit code of each rank at the end, on standard error
    #[arg(long)]
    pub print_all_exitcodes: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FromBatch {
    /// The hosts are used, if there is a batch job.
    Auto,
    /// The hosts are not used.
    None,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartBy {
    Tree,
    Front,
}

fn stdin(text: &str) -> Result<Stdin, String> {
    match text {
        "all" => Ok(Stdin::All),
        "none" => Ok(Stdin::None),
        n => n.parse().map(Stdin::Rank).map_err(|_| "expected a rank, all or none".into()),
    }
}

/// Refuses a blank launcher: the host's name would be taken for the command.
fn not_blank(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected a command".into()),
        _ => Ok(text.into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 1e9 => Ok(s),
        _ => Err("expected a number of seconds above 0".into()),
    }
}
