//! The command line: `oshrun [options] program [arguments] : [options] program ...`.

mod job;
mod normal;
mod others;
pub mod place;
mod values;

use anyhow::{Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches, Parser};
pub use job::{FromBatch, Job, Part, StartBy};
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  oshrun -n 4 ./hello                          4 PEs on this machine
  oshrun ./hello                               in a job of Slurm, PBS or LSF: the tasks that the job was given
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
  6. this machine
Without -n a job has as many processes as its hosts have slots. A variable that cannot be read ends oshrun with a line.
One of several tasks that srun has started does not take the whole allocation: with -n its job stays on its own host,
without -n it is an error.

Starts programs of OpenSHMEM, of MPICH and MPIs derived from it (PMI-1, PMI-2), of Open MPI 4 and 5 (PMIx), and programs
over Slurm's libpmi2.

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
    in_sections(Line::command()).after_long_help(format!("{EXAMPLES}\n{}", others::page()))
}

fn in_sections(command: clap::Command) -> clap::Command {
    let mut section = None;
    command.mut_args(|arg| {
        let begun = job::SECTIONS.iter().find(|(first, _)| arg.get_id() == first);
        section = begun.map_or(section, |(_, heading)| *heading);
        arg.help_heading(section)
    })
}

/// The words after a `:`.
#[derive(Parser, Debug)]
#[command(name = "oshrun", disable_help_flag = true)]
struct More {
    #[command(flatten)]
    part: Part,
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
    parsed(words, true)
}

/// `alone`: the words of a file that they name are still to be added.
fn parsed(words: Vec<OsString>, alone: bool) -> Result<Request> {
    let mut sections = words.split(|w| w == ":");
    let first = sections.next().unwrap_or_default();
    let line = match read::<Line>(first)? {
        Ok(line) => line,
        Err(e) if !e.use_stderr() => return Ok(Request::Print(e.to_string())),
        Err(e) => return Err(one_line(&e)),
    };
    if let (Some(path), true, true) = (&line.job.configfile, alone, line.part.argv.is_empty()) {
        let of_file = normal::of_file(path)?;
        return parsed([words, of_file].concat(), false);
    }
    let mut parts = vec![line.part];
    for section in sections {
        let more = read::<More>(section)?.map_err(|e| {
            let e = one_line(&e);
            anyhow!("{e} (after a \":\" stand only options of that program: -n, -env, -x, -wdir)")
        })?;
        parts.push(more.part);
    }
    match parts.iter().position(|part| part.argv.is_empty()) {
        Some(_) if parts.len() == 1 => bail!("no program is given; oshrun --help shows how to call it"),
        Some(i) => bail!("part {} of the command line (parts are separated by \":\") names no program", i + 1),
        None => Ok(Request::Run(Box::new(Command { job: line.job, parts }))),
    }
}

/// The inner error is clap's.
fn read<T: CommandFactory + FromArgMatches>(words: &[OsString]) -> Result<Result<T, clap::Error>> {
    let mut command = in_sections(T::command());
    command.build();
    let normal = normal::words(&command, words)?;
    let matches = command.try_get_matches_from(std::iter::once(OsString::from("oshrun")).chain(normal));
    Ok(matches.and_then(|m| T::from_arg_matches(&m)))
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
            assert_eq!(c.parts[0].x, [bytes(b"A=\xe9")]);
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
    fn words_of_other_launchers() {
        let c = command("--mca btl self,tcp -bynode --output-filename=d --oversubscribe x --mca y");
        assert_eq!(c.parts[0].x, ["OMPI_MCA_btl=self,tcp"]);
        assert_eq!(c.parts[0].argv, ["x", "--mca", "y"]);
        assert_eq!(c.job.outfile_pattern, Some("d/1/rank.%r/stdout".into()));
        let c = command("-n 1 -x A=1 a : -n 2 --mca b c -envnone d");
        assert_eq!((&c.parts[0].x[..], &c.parts[1].x[..]), (&["A=1".into()][..], &["OMPI_MCA_b=c".into()][..]));
        assert!(c.parts[1].envnone && !c.parts[0].envnone);
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
            ("-bind-to socks a", "core or hwthread"),
            ("-map-by socks a", "ppr:N:PLACE"),
            ("-xterm 1 a", "oshrun has no -xterm: say --gdb"),
            ("--time=10 a", "oshrun has no --time: say --timeout"),
            ("--cpu-bind=map_cpu:1 a", "--cpu-bind: \"map_cpu:1\" is not understood"),
            ("-stdin some a", "all or none"),
            ("-ppn 0 a", "--ppn"),
            ("-n 99999999999 a", "99999999999"),
            ("-session mine a", "node"),
            ("-launch-timeout 0 a", "above 0"),
            ("-launcher= -hosts a a", "expected a command"),
            ("-genvlist A -genvnone a", "--genvnone"),
            ("-n 1 a :", "part 2"),
            ("-configfile /no/such", "/no/such"),
            ("-configfile /dev/null", "no program"),
            ("-c 2 a", "--np"),
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

    /// Words of command lines: options, values, programs, and anything else.
    fn word() -> impl Strategy<Value = String> {
        let own = definition();
        let long = own.get_arguments().filter_map(|a| Some(format!("--{}", a.get_long()?)));
        let others = others::TABLE.iter().flat_map(|(names, ..)| names.split(' ')).map(|name| format!("-{name}"));
        let more = [":", "--", "-n", "-np", "-x", "-n4", "-ppn=2", "-help", "-l"].map(String::from);
        let options: Vec<String> = long.chain(others).chain(more).collect();
        prop_oneof![
            4 => prop::sample::select(options),
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
