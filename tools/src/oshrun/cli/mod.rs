//! The command line: `oshrun [options] program [arguments] : [options] program ...`.

mod normal;

use anyhow::{Result, anyhow, bail};
use clap::{Args, CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  oshrun -n 4 ./hello                          4 PEs on this machine
  oshrun ./hello                               in a job of Slurm, PBS, LSF or Cobalt: the tasks that the job was given
  oshrun -n 64 -hosts a,b -ppn 32 ./hello      32 on host a, 32 on host b, started by ssh
  oshrun -n 8 -f hosts.txt ./hello             a file with a host per line: name, name:4 or name slots=4
  oshrun -n 1 ./master : -n 7 ./worker         different programs in one job
  oshrun -n 4 --fake-nodes 2 ./hello           one machine plays two
  oshrun -n 4 -genv SHMEM_INFO 1 -l ./hello    a variable for all, each line of output with its rank

Options have one dash or two (-ppn 4, --ppn 4), and the names that mpiexec users know (-np, -f, -machinefile, -perhost,
-x) work too. Words after the program are the program's arguments.

Where the hosts come from; the first that applies:
  1. -hosts or -hostfile
  2. -fake-nodes, -launcher fork, -allocation none: this machine alone
  3. Slurm: SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE; inside a step of srun SLURM_STEP_NODELIST and
     SLURM_STEP_TASKS_PER_NODE. Node servers are started by one srun, on this node without it
  4. LSF: LSB_HOSTS or LSB_MCPU_HOSTS. Started by blaunch if it is on PATH, else by ssh
  5. PBS: PBS_NODEFILE, a line per slot. Started by ssh
  6. Cobalt: COBALT_NODEFILE, a line per host. Started by ssh
  7. this machine
Without -n a job has as many processes as its hosts have slots. A variable that cannot be read ends oshrun with a line.
One of several tasks that srun has started does not take the whole allocation: with -n its job stays on its own host,
without -n it is an error.

Starts programs of OpenSHMEM, of MPICH and MPIs derived from it (PMI-1, PMI-2), of Open MPI 4 and 5 (PMIx), and programs
over libpmi2.

Exit code: that of the first rank that failed, 128 + signal for one ended by a signal; 0 when all ended with 0; 124 at
the time limit; 126 and 127 for a program that cannot be run or found; 125 when oshrun itself cannot go on; 2 for a
wrong command line.

Ctrl-C goes to all ranks; those that are still there after the grace time, or at the second Ctrl-C, are killed. SIGQUIT
(Ctrl-\\) and SIGUSR1 go to them too: PEs of OpenSHMEM then tell what they wait for.
";

#[derive(Parser, Debug)]
#[command(
    name = "oshrun",
    version,
    about = "Starts a parallel program: OpenSHMEM, MPI or anything that speaks PMI",
    override_usage = "oshrun [OPTIONS] PROGRAM [ARGS]... [: [OPTIONS] PROGRAM [ARGS]...]...",
    after_help = EXAMPLES,
    max_term_width = 110
)]
struct Line {
    #[command(flatten)]
    job: Job,
    #[command(flatten)]
    part: Part,
}

/// The definition of the command line, for the manual page and the shell completions.
pub fn definition() -> clap::Command {
    Line::command()
}

/// The words after a `:`.
#[derive(Parser, Debug)]
#[command(name = "oshrun", disable_help_flag = true)]
struct More {
    #[command(flatten)]
    part: Part,
}

/// Options of one program.
#[derive(Args, Debug, Clone)]
pub struct Part {
    /// Number of processes of this program (default: the slots of all hosts, in a batch job its tasks, otherwise 1)
    #[arg(
        short = 'n',
        long = "np",
        visible_alias = "n",
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub n: Option<u32>,
    /// An environment variable for this program
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    pub env: Vec<OsString>,
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
    /// Hosts, with how many ranks each takes if told: a,b or a:4,b:2 or node[001-016]:4
    #[arg(long, visible_aliases = ["host"], short = 'H', value_name = "LIST", help_heading = "Where")]
    pub hosts: Option<String>,
    /// File with a host per line: NAME, NAME:SLOTS or NAME slots=SLOTS; NAME may be a list such as node[001-016]
    #[arg(
        short = 'f',
        long,
        visible_aliases = ["machinefile"],
        value_name = "FILE",
        conflicts_with = "hosts",
        help_heading = "Where"
    )]
    pub hostfile: Option<String>,
    /// Whether the hosts of the batch job that oshrun runs in are used, where no others are given
    #[arg(long, value_enum, default_value = "auto", value_name = "WHICH", help_heading = "Where")]
    pub allocation: FromBatch,
    /// Ranks on each host, one host after the other
    #[arg(
        long,
        visible_aliases = ["perhost", "npernode"],
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Where"
    )]
    pub ppn: Option<u32>,
    /// Let one machine play K nodes: ranks are told that only those of their node share memory with them
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Where")]
    pub fake_nodes: Option<u32>,
    /// Keep the ranks to cores: none, a core each (where Slurm gives a task more CPUs, as many: SLURM_CPUS_PER_TASK),
    /// or the cores of a memory node each
    #[arg(
        long,
        visible_alias = "bind",
        value_enum,
        default_value = "none",
        value_name = "WHAT",
        help_heading = "Where"
    )]
    pub bind_to: Bind,

    /// How other hosts are reached: ssh, srun, fork (all on this machine), or a command that is called as COMMAND HOST
    /// WORDS... (default: srun in an allocation of Slurm, blaunch in one of LSF where it is on PATH, else ssh)
    #[arg(
        long,
        visible_aliases = ["bootstrap"],
        value_name = "COMMAND",
        value_parser = not_blank,
        help_heading = "Other hosts"
    )]
    pub launcher: Option<String>,
    /// The command in place of ssh or srun
    #[arg(
        long,
        visible_aliases = ["bootstrap-exec"],
        value_name = "FILE",
        value_parser = not_blank,
        help_heading = "Other hosts"
    )]
    pub launcher_exec: Option<String>,
    /// Where oshrun lies on the other hosts (default: where it lies here)
    #[arg(long, value_name = "FILE", help_heading = "Other hosts")]
    pub remote_oshrun: Option<String>,
    /// Network that node servers use among themselves: an interface, an address or a network such as 10.0.0.0/24
    #[arg(long, value_name = "NET", help_heading = "Other hosts")]
    pub iface: Option<String>,
    /// Name or address by which other hosts reach this one
    #[arg(long, value_name = "ADDRESS", help_heading = "Other hosts")]
    pub localhost: Option<String>,
    /// Children of a node server in the tree of node servers
    #[arg(
        long,
        default_value_t = 8,
        value_name = "K",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Other hosts"
    )]
    pub fanout: u32,
    /// Who starts the node servers of other hosts: those above them in the tree, or oshrun all of them, for hosts that
    /// do not reach each other by the launcher (up to fanout + 1 hosts it starts all anyway)
    #[arg(long, value_enum, default_value = "tree", value_name = "WHO", help_heading = "Other hosts")]
    pub start: StartBy,
    /// How long a host may take to answer, in seconds (one that falls silent later: variable OSHMPI_HOST_TIMEOUT, 30,
    /// or 0 for ever)
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = seconds, help_heading = "Other hosts")]
    pub launch_timeout: f64,

    /// An environment variable for all programs
    #[arg(
        long,
        num_args = 2,
        value_names = ["NAME", "VALUE"],
        allow_hyphen_values = true,
        help_heading = "Environment"
    )]
    pub genv: Vec<OsString>,
    /// An environment variable for all programs, in Open MPI's form; without =VALUE it has oshrun's own value
    #[arg(short = 'x', value_name = "NAME[=VALUE]", help_heading = "Environment")]
    pub x: Vec<OsString>,
    /// Pass only these variables of the environment on (default: all)
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', help_heading = "Environment")]
    pub genvlist: Option<Vec<String>>,
    /// Pass no variable of the environment on
    #[arg(long, conflicts_with = "genvlist", help_heading = "Environment")]
    pub genvnone: bool,

    /// Put the rank before each line of output
    #[arg(short = 'l', long, visible_aliases = ["label", "tag-output"], help_heading = "Input and output")]
    pub prepend_rank: bool,
    /// Where standard input goes: to rank 0, or to nobody
    #[arg(short = 's', long, value_enum, default_value = "0", value_name = "RANK", help_heading = "Input and output")]
    pub stdin: Stdin,

    /// End the job after so many seconds, with exit code 124 (also: variable MPIEXEC_TIMEOUT). PEs of OpenSHMEM first
    /// tell what they wait for
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Ends")]
    pub timeout: Option<f64>,
    /// Time between a signal that ends programs (Ctrl-C) and the kill of those that stay
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = seconds, help_heading = "Ends")]
    pub grace: f64,
    /// Sessions of the ranks: one for all of a node, one each, or what suits (see docs/design/launcher.md)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHOSE", help_heading = "Ends")]
    pub session: Session,

    /// Serve PMIx, which Open MPI 5 needs: where a program needs it, always, or never (variable OSHRUN_PMIX_LIBRARY:
    /// libpmix by its path)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Process management")]
    pub pmix: crate::pmix::need::When,

    /// Write a page that shows what the PEs did: who moved how much to whom, time in waits and collectives, call sites,
    /// heap use
    #[arg(long, value_name = "FILE.html", help_heading = "Look inside")]
    pub profile: Option<OsString>,
    /// Write the long calls of all PEs as a trace for ui.perfetto.dev
    #[arg(long, value_name = "FILE.json", help_heading = "Look inside")]
    pub trace: Option<OsString>,
    /// Show what the PEs do, how long they wait and how much they move, every 2 seconds (variable OSHMPI_TOP: other
    /// seconds), on standard error. It counts what goes between nodes; with OSHMPI_STATS=text it counts all
    #[arg(long, help_heading = "Look inside")]
    pub top: bool,
    /// Print what the start and the process management cost
    #[arg(long, help_heading = "Look inside")]
    pub stats: bool,
    /// Do not offer the key-value store in shared memory: every Get is a message
    #[arg(long, help_heading = "Look inside")]
    pub no_share: bool,
    /// Print what would be started, and start nothing
    #[arg(long, help_heading = "Look inside")]
    pub dry_run: bool,

    /// Accepted for users of Open MPI: this is always so
    #[arg(long, hide = true)]
    oversubscribe: bool,
    #[arg(long, hide = true)]
    allow_run_as_root: bool,
    #[arg(long, hide = true)]
    genvall: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Bind {
    None,
    Core,
    Numa,
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

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stdin {
    #[value(name = "0")]
    First,
    None,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Session {
    /// One session for each rank if every rank can have its own core, otherwise one for all ranks of the node.
    Auto,
    Node,
    Rank,
}

/// A parsed command line that starts a job.
#[derive(Debug)]
pub struct Command {
    pub job: Job,
    pub parts: Vec<Part>,
}

/// The action that a command line asks for.
#[derive(Debug)]
pub enum Request {
    Run(Box<Command>),
    /// A text for standard output: `--help` or `--version`.
    Print(String),
}

/// Parses the arguments. The error is one line.
pub fn parse(words: Vec<OsString>) -> Result<Request> {
    let mut sections = words.split(|w| w == ":");
    let first = sections.next().unwrap_or_default();
    let line = match read::<Line>(first) {
        Ok(line) => line,
        Err(e) if !e.use_stderr() => return Ok(Request::Print(e.to_string())),
        Err(e) => return Err(one_line(&e)),
    };
    let mut parts = vec![line.part];
    for section in sections {
        let more = read::<More>(section).map_err(|e| {
            let e = one_line(&e);
            anyhow!("{e} (after a \":\" stand only options of that program: -n, -env, -wdir)")
        })?;
        parts.push(more.part);
    }
    for (i, p) in parts.iter().enumerate() {
        if p.argv.is_empty() {
            match parts.len() {
                1 => bail!("no program is given; oshrun --help shows how to call it"),
                _ => bail!("part {} of the command line (parts are separated by \":\") names no program", i + 1),
            }
        }
    }
    Ok(Request::Run(Box::new(Command { job: line.job, parts })))
}

fn read<T: CommandFactory + FromArgMatches>(words: &[OsString]) -> Result<T, clap::Error> {
    let mut command = T::command();
    command.build();
    let normal = normal::words(&command, words);
    let matches = command.try_get_matches_from(std::iter::once(OsString::from("oshrun")).chain(normal))?;
    T::from_arg_matches(&matches)
}

/// Clap's message without its usage text.
fn one_line(e: &clap::Error) -> anyhow::Error {
    let text = e.to_string();
    let mut said = String::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        if !line.is_empty() {
            if !said.is_empty() {
                said += if said.ends_with(':') { " " } else { "; " };
            }
            said += line.strip_prefix("error: ").unwrap_or(line);
        }
    }
    anyhow!("{said}; oshrun --help lists the options")
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStringExt;

    fn command(line: &str) -> Command {
        match parse(line.split_whitespace().map(OsString::from).collect()).unwrap() {
            Request::Run(c) => *c,
            Request::Print(p) => panic!("{p}"),
        }
    }

    fn wrong(line: &str) -> String {
        parse(line.split_whitespace().map(OsString::from).collect()).unwrap_err().to_string()
    }

    #[test]
    fn the_definition_is_sound() {
        Line::command().debug_assert();
        More::command().debug_assert();
    }

    #[test]
    fn one_dash_or_two_and_the_programs_own_options() {
        for line in
            ["-n 4 -ppn 2 a -n 7 -x", "--np 4 --ppn=2 a -n 7 -x", "-np 4 --perhost 2 a -n 7 -x", "-n4 -ppn=2 a -n 7 -x"]
        {
            let c = command(line);
            assert_eq!((c.parts[0].n, c.job.ppn), (Some(4), Some(2)), "{line}");
            assert_eq!(c.parts[0].argv, ["a", "-n", "7", "-x"], "{line}");
        }
    }

    #[test]
    fn values_need_not_be_utf8() {
        let bytes = |word: &[u8]| OsString::from_vec(word.to_vec());
        for dir in [&b"--wdir=/data/\xe9t\xe9"[..], b"-wdir=/data/\xe9t\xe9"] {
            let words = vec![bytes(dir), bytes(b"-xA=\xe9"), "./a".into(), bytes(b"--\xe9=1")];
            let Request::Run(c) = parse(words).unwrap() else { panic!("{dir:?}") };
            assert_eq!(c.parts[0].wdir, Some(bytes(b"/data/\xe9t\xe9")));
            assert_eq!(c.job.x, [bytes(b"A=\xe9")]);
            assert_eq!(c.parts[0].argv, ["./a".into(), bytes(b"--\xe9=1")]);
        }
        // No option has such a name, so it is a program.
        let Request::Run(c) = parse(vec![bytes(b"-\xe9=1")]).unwrap() else { panic!("no job") };
        assert_eq!(c.parts[0].argv, [bytes(b"-\xe9=1")]);
    }

    #[test]
    fn parts() {
        let c = command("-hosts a,b -n 1 -env A 1 -env B -2 x y : -n 3 -wdir /tmp z");
        assert_eq!(c.job.hosts.as_deref(), Some("a,b"));
        assert_eq!(c.parts.len(), 2);
        assert_eq!(c.parts[0].env, ["A", "1", "B", "-2"]);
        assert_eq!((c.parts[1].n, c.parts[1].wdir.as_deref()), (Some(3), Some("/tmp".as_ref())));
        assert_eq!(c.parts[1].argv, ["z"]);
    }

    #[test]
    fn mistakes_are_one_line_and_say_what_was_wrong() {
        for (line, says) in [
            ("", "no program"),
            ("-n 4", "no program"),
            ("-n 0 a", "0"),
            ("-n x a", "'x'"),
            ("-np", "value"),
            ("-nosuch 4 a", "--nosuch"),
            ("-bind-to socket a", "socket"),
            ("-timeout -1 a", "-1"),
            ("-timeout 0 a", "above 0"),
            ("-n 2 a : -n 2", "part 2"),
            ("-n 2 a : -ppn 2 b", "--ppn"),
            ("-env A", "--env"),
            ("-f x -hosts y a", "--hosts"),
        ] {
            let e = wrong(line);
            assert!(e.contains(says) && !e.contains('\n') && !e.contains("Usage"), "{line}: {e}");
        }
    }

    #[test]
    fn help_is_complete() {
        let Request::Print(text) = parse(vec!["--help".into()]).unwrap() else { panic!("no help") };
        for word in ["--ppn", "--hosts", "--fake-nodes", "--bind-to", "Examples:", "Exit code"] {
            assert!(text.contains(word), "{word}");
        }
    }
    /// Words of command lines: options, values, programs, and anything else.
    fn word() -> impl Strategy<Value = String> {
        let options = [
            "-n",
            "-np",
            "-ppn",
            "-hosts",
            "-f",
            "-launcher",
            "-env",
            "-genv",
            "-genvlist",
            "-wdir",
            "-bind-to",
            "-l",
            "-timeout",
            "-grace",
            "--fake-nodes",
            "--dry-run",
            "--stats",
            "-s",
            ":",
            "--",
            "-help",
            "-x",
            "-n4",
            "-ppn=2",
        ];
        prop_oneof![
            4 => prop::sample::select(options.to_vec()).prop_map(str::to_string),
            3 => prop::sample::select(vec!["4", "0", "-1", "1.5", "a", "a=b", "core", ""]).prop_map(str::to_string),
            1 => "\\PC{0,9}",
            1 => any::<String>(),
        ]
    }

    proptest! {
        /// A job, a text, or one line that says what is wrong.
        #[test]
        fn fuzz_command_line(words in prop::collection::vec(word(), 0..9)) {
            match parse(words.into_iter().map(OsString::from).collect()) {
                Ok(Request::Run(c)) => prop_assert!(c.parts.iter().all(|p| !p.argv.is_empty())),
                Ok(Request::Print(text)) => prop_assert!(!text.is_empty()),
                Err(e) => {
                    let e = e.to_string();
                    prop_assert!(!e.trim_end().contains('\n') && !e.is_empty(), "{:?}", e);
                }
            }
        }
    }
}
