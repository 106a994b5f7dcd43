//! Options of other launchers: Hydra (`mpiexec` of MPICH), Open MPI's `mpirun` 4 and 5 with PRRTE below it, and `srun`.
//!
//! A script that was written for one of them runs, or ends with a line that says what to write instead. One table has
//! every option of theirs that is not oshrun's own. The options of all of them are listed in `others.txt`.

use super::values;
use anyhow::{Result, anyhow};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What oshrun does about an option.
pub enum Does {
    /// These words stand for it; `{}` is its value.
    Is(&'static [&'static str]),
    /// The words that this makes of its values.
    By(fn(&[OsString]) -> Result<Vec<OsString>, String>),
    /// Nothing, because of this.
    Nothing(&'static str),
    /// It ends with a line: what to say instead.
    Refused(&'static str),
}

use Does::{By, Is, Nothing, Refused};

/// Options by their names without dashes, the number of their values, and what oshrun does. A name of one letter has
/// one dash, and others have one or two.
type Row = (&'static str, usize, Does);

const JOB: &str = "ask for it where the allocation is made (sbatch, salloc): oshrun uses the hosts and tasks of that";
const ALWAYS: &str = "it is always so";
const OURS: &str = "a matter of the other launcher's own processes";
const SPAWN: &str = "no process can be added to a job: name all programs, with \":\" between them";
const CPUS: &str = "limit the CPUs from outside: taskset -c LIST oshrun ...";
const GDB: &str = "say --gdb or --gdb=RANKS";
const RESTART: &str = "a failed rank ends the job";
const STAGE: &str = "the program must lie on every host under the same path";
const HOSTS: &str = "name the hosts to use with -hosts or -hostfile";
const REPORT: &str = "the number of oshrun's process is $! in a shell";

#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    // Places.
    ("npersocket", 1, Is(&["--map-by", "ppr:{}:package"])),
    ("ntasks-per-socket", 1, Is(&["--map-by", "ppr:{}:package"])),
    ("ntasks-per-core", 1, Is(&["--map-by", "ppr:{}:core"])),
    ("ppr", 1, Is(&["--map-by", "ppr:{}"])),
    ("pernode", 0, Is(&["--ppn", "1"])),
    ("bynode", 0, Is(&["--map-by", "node"])),
    ("byslot", 0, Is(&["--map-by", "slot"])),
    ("bycore", 0, Is(&["--map-by", "core"])),
    ("bind-to-core", 0, Is(&["--bind-to", "core"])),
    ("bind-to-socket", 0, Is(&["--bind-to", "package"])),
    ("cpu-bind cpu_bind", 1, By(values::cpu_bind)),
    ("m distribution", 1, By(values::distribution)),
    ("w nodelist", 1, Is(&["--hosts", "{}"])),
    ("default-hostfile", 1, Is(&["--hostfile", "{}"])),
    ("oversubscribe overcommit O use-hwthread-cpus", 0, Nothing("oshrun starts as many ranks as it is asked for")),
    ("nooversubscribe", 0, Nothing("oshrun starts as many ranks as it is asked for")),
    ("rmk", 1, Nothing("the batch system is found by its variables")),
    ("topolib", 1, Nothing("the kernel's lists of CPUs are read")),
    ("cpu-set cpu-list cpu-freq core-spec S thread-spec", 1, Refused(CPUS)),
    ("membind mem-bind", 1, Refused("write numactl --membind=NODES before the program")),
    ("hint", 1, Refused("say --bind-to core, or --bind-to hwthread")),
    ("cartofile cf", 1, Refused("say --rankfile FILE")),
    ("order-nodes", 1, Refused("hosts are used in the order of the list or file")),
    ("nodes", 1, Refused("say -n and -ppn; the hosts are those of the allocation")),
    ("nolocal skip-launch-node Z no-allocate", 0, Refused(HOSTS)),
    ("exclude r relative add-host add-hostfile", 1, Refused(HOSTS)),
    ("gpus-per-proc gpu-bind gpus-per-task gpu-support", 1,
        Refused("the program chooses its GPU by MPI_LOCALRANKID or shmem_team_my_pe(SHMEM_TEAM_SHARED)")),
    // Start.
    ("ntasks", 1, Is(&["--np", "{}"])),
    ("app", 1, Is(&["--configfile", "{}"])),
    ("multi-prog", 0, Refused("write -n 1 ./a : -n 3 ./b, or the same in lines of a -configfile FILE")),
    ("D chdir", 1, Is(&["--wdir", "{}"])),
    ("prefix", 1, By(values::prefix)),
    ("noprefix no-app-prefix", 0, Nothing("the ranks' PATH is not changed")),
    ("app-pmix-prefix pmix-prefix", 1, Refused("OSHRUN_PMIX_LIBRARY names libpmix")),
    ("path", 1, Is(&["--genv", "PATH", "{}"])),
    ("info", 0, Is(&["--version"])),
    ("usage", 0, Is(&["--help"])),
    ("do-not-launch", 0, Is(&["--dry-run"])),
    ("spawn-timeout", 1, Is(&["--launch-timeout", "{}"])),
    ("launch-agent", 1, Refused("--remote-oshrun FILE names oshrun on the other hosts")),
    ("set-cwd-to-session-dir", 0, Refused("say -wdir DIR")),
    ("preload-files bcast bcast-exclude compress send-libs", 1, Refused(STAGE)),
    ("preload-binary", 0, Refused(STAGE)),
    ("container", 1, Refused("write the container's command before the program: oshrun -n 4 apptainer exec IMAGE ./a")),
    ("usize nameserver ompi-server", 1, Refused(SPAWN)),
    ("pset", 1, Refused("ranks of a program are told apart by -env NAME VALUE")),
    ("index-argv-by-rank", 0, Refused("the rank is in PMI_RANK")),
    ("pty", 0, Refused("say --gdb, or run the program alone: a job of one needs no launcher")),
    ("xterm", 1, Refused("say --gdb=RANKS for debuggers, --output-filename DIR for output")),
    ("dvm hnp singleton keepalive", 1, Refused("oshrun starts a job by itself and needs no server")),
    ("system-server", 0, Refused("oshrun starts a job by itself and needs no server")),
    ("enable-x", 0, Refused("say -launcher \"ssh -X\"")),
    ("disable-x", 0, Nothing(ALWAYS)),
    ("allow-run-as-root pmi-port use-regexp novm hetero-nodes no-ready-msg set-sid", 0, Nothing(OURS)),
    ("do-not-resolve propagate", 0, Nothing(OURS)),
    ("enable-instant-on-support fwd-mpirun-port disable-hostname-propagation unbuffered u", 0, Nothing(OURS)),
    ("use-min-nodes spread-job overlap exact contiguous resv-ports", 0, Nothing("the whole allocation is used")),
    ("exclusive", 0, Nothing("the whole allocation is used")),
    ("demux personality max-vm-size tmpdir mpi T threads het-group forward-signals", 1, Nothing(OURS)),
    ("stream-buffering", 1, Refused("lines are passed on whole; stdbuf changes what the program does")),
    // Variables.
    ("set-env", 1, Is(&["-x", "{}"])),
    ("preserve-env E", 0, Nothing(ALWAYS)),
    ("export", 1, By(values::export)),
    ("mca omca", 2, By(values::mca)),
    ("gmca gomca", 2, By(values::gmca)),
    ("pmixmca gpmixmca", 2, By(values::pmixmca)),
    ("prtemca", 2, By(values::prtemca)),
    ("am amca tune", 1, Refused("say -genv OMPI_MCA_NAME VALUE for each parameter of the file")),
    ("unset-env", 1, Refused("say -genvlist NAMES, or env -u NAME oshrun ...")),
    ("append-env prepend-env", 2, Refused("say -genv NAME VALUE with the whole value")),
    ("export-file", 1, Refused("say -genv NAME VALUE, or set the variables before oshrun")),
    ("initial-errhandler memory-alloc-kinds", 1, Refused("say -genv with Open MPI's variable (OMPI_MCA_...)")),
    ("with-ft", 1, Refused(RESTART)),
    // Input and output.
    ("output-filename", 1, By(values::output_filename)),
    ("output o", 1, By(values::output)),
    ("error e", 1, By(values::error)),
    ("input i", 1, By(values::input)),
    ("display", 1, By(values::display)),
    ("display-allocation display-devel-map display-devel-allocation display-diffable-map display-topo", 0,
        Is(&["--display-map"])),
    ("quiet q Q show-progress disable-status X", 0, Nothing("oshrun prints nothing but errors, unless it is asked to")),
    ("xml output-proctable", 0, Refused("say --dry-run, which prints the ranks and their hosts")),
    ("xml-file", 1, Refused("say --dry-run, which prints the ranks and their hosts")),
    ("report-pid report-uri report-events", 1, Refused(REPORT)),
    ("slurmd-debug", 1, Nothing(OURS)),
    // Ends.
    ("t time time-min", 1, Refused("say --timeout SECONDS")),
    ("K kill-on-bad-exit", 0, Nothing(ALWAYS)),
    ("disable-recovery quit-on-interrupt get-stack-traces report-state-on-timeout", 0, Nothing(ALWAYS)),
    ("report-child-jobs-separately", 0, Nothing("there are no child jobs")),
    ("wait W", 1, Refused("--grace SECONDS is the time between a signal and the kill")),
    ("runtime-options", 1, Refused(RESTART)),
    ("disable-auto-cleanup enable-recovery continuous no-kill k", 0, Refused(RESTART)),
    ("max-restarts", 1, Refused(RESTART)),
    ("signal", 1, Refused("oshrun passes on the signals that it gets; timeout -s NAME sends one")),
    ("prolog epilog task-prolog task-epilog", 1, Refused("start a script with -n that calls the program")),
    // Debugging.
    ("debug tv stop-in-init stop-in-app stop-on-exec", 0, Refused(GDB)),
    ("debugger", 1, Refused(GDB)),
    ("debug-devel debug-daemons debug-daemons-file leave-session-attached", 0, Nothing(OURS)),
    ("d", 0, Refused("say --verbose; dependencies of jobs are told where the allocation is made")),
    // The allocation of a batch system.
    ("account A acctg-freq bb bbf begin b comment dependency deadline delay-boot gres", 1, Refused(JOB)),
    ("gres-flags jobid", 1, Refused(JOB)),
    ("job-name J licenses L clusters M mail-type mail-user mcs-label nice partition p power priority", 1, Refused(JOB)),
    ("qos switches wckey cluster-constraint mem constraint C mincpus reservation tmp mem-per-cpu", 1, Refused(JOB)),
    ("sockets-per-node cores-per-socket threads-per-core extra-node-info B", 1, Refused(JOB)),
    ("cpus-per-gpu gpus G gpu-freq", 1, Refused(JOB)),
    ("gpus-per-node gpus-per-socket mem-per-gpu network", 1, Refused(JOB)),
    ("hold reboot I immediate", 0, Refused(JOB)),
];

/// The row of an option, by its name without dashes.
pub fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|(names, ..)| names.split(' ').any(|n| n == name))
}

/// The words of oshrun that stand for an option with these values.
pub fn words(option: &str, (_, _, does): &Row, values: &[OsString]) -> Result<Vec<OsString>> {
    match does {
        Is(words) => Ok(words.iter().map(|w| filled(w, values)).collect()),
        By(make) => make(values).map_err(|e| anyhow!("{option}: {e}")),
        Nothing(_) => Ok(Vec::new()),
        Refused(instead) => Err(anyhow!("oshrun has no {option}: {instead}")),
    }
}

/// A word with the value in the place of `{}`. A value may be any bytes.
fn filled(word: &str, values: &[OsString]) -> OsString {
    match (word.split_once("{}"), values) {
        (Some((before, behind)), [value, ..]) => {
            OsString::from_vec([before.as_bytes(), OsStr::as_bytes(value), behind.as_bytes()].concat())
        }
        _ => word.into(),
    }
}

/// The table as a text for the manual page.
pub fn page() -> String {
    let mut text = String::from("Options of other launchers (Hydra, PRRTE, mpirun of Open MPI 4, srun):\n");
    for (names, count, does) in TABLE {
        let option = |n: &str| format!("{}{n}", if n.len() == 1 { "-" } else { "--" });
        let names = names.split(' ').map(option).collect::<Vec<_>>().join(", ");
        let value = " VALUE".repeat(*count);
        let _ = match does {
            Is(words) => writeln!(text, "  {names}{value}: {}", words.join(" ").replace("{}", "VALUE")),
            By(_) => writeln!(text, "  {names}{value}: translated"),
            Nothing(why) => writeln!(text, "  {names}{value}: no effect; {why}"),
            Refused(instead) => writeln!(text, "  {names}: refused; {instead}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{definition, normal};

    /// Every option of the other launchers is oshrun's own, with as many values, or has a row, with as many.
    #[test]
    fn each_option_of_other_launchers_has_an_answer() {
        let text = include_str!("others.txt");
        let mut own = definition();
        own.build();
        let differ: Vec<&str> = text.lines().find_map(|l| l.strip_prefix("differ: ")).unwrap().split(' ').collect();
        let mut launchers = std::collections::BTreeSet::new();
        for line in text.lines().filter(|l| !l.starts_with(['#']) && !l.starts_with("differ")) {
            let (launcher, options) = line.split_once(": ").unwrap();
            for option in options.split(' ') {
                let (name, count) = option.split_once('/').unwrap();
                let dashes = if name.len() == 1 { "-" } else { "--" };
                let (_, arg) = normal::option(&own, &format!("{dashes}{name}"));
                let values = match (arg, row(name)) {
                    (Some(arg), None) if arg.get_action().takes_values() => {
                        arg.get_num_args().map_or(1, |n| n.min_values())
                    }
                    (Some(_), None) => 0,
                    (None, Some((_, _, Refused(_)))) => count.parse().unwrap(),
                    (None, Some((_, n, _))) => *n,
                    (None, None) => panic!("{launcher}: {name} has no answer"),
                    (Some(_), Some(_)) => panic!("{name} is oshrun's own, and has a row"),
                };
                assert!(
                    values.to_string() == count || differ.contains(&name),
                    "{launcher}: {name} has {values} values"
                );
                launchers.insert(launcher);
            }
        }
        assert_eq!(launchers.len(), 5);
    }

    #[test]
    fn the_table_names_nothing_twice_and_is_in_the_manual_page() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|(names, ..)| names.split(' ')).collect();
        let page = page();
        names.iter().for_each(|n| assert!(page.contains(&format!("-{n}")), "{n}"));
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
