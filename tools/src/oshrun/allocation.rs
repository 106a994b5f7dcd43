//! The hosts that the batch system (Slurm, LSF or PBS) has given to the surrounding job, read from its
//! environment variables.

use crate::hostlist::{expand, shortened};
use crate::hosts::{self, Host, count, merge, named};
use anyhow::{Context, Result, anyhow, bail};

/// The batch system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manager {
    Slurm,
    Lsf,
    Pbs,
}

/// The hosts and CPUs that this job may use.
#[derive(Debug, PartialEq, Eq)]
pub struct Allocation {
    pub manager: Manager,
    /// Each host once, in the batch system's order.
    pub hosts: Vec<Host>,
    /// The number of CPUs of each task.
    pub cpus_per_task: Option<u32>,
    /// The batch system's name of this host, if it says one.
    own_name: Option<String>,
}

/// The result of [`find`].
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// This process is in no allocation.
    Nothing,
    Allocation(Allocation),
    /// This process is one of several that were started at once. Each would take the whole allocation.
    Copy {
        /// The number of processes, and the variable that says it.
        of: String,
    },
}

impl Allocation {
    /// Whether this host has that name. No name service is asked, since there may be thousands of hosts.
    pub fn is_here(&self, name: &str) -> bool {
        match &self.own_name {
            Some(own) => name == own,
            None => hosts::is_own_name(name),
        }
    }
}

/// The environment: a function of a variable's name. An empty variable counts as not set.
struct Env<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Env<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|text| !text.is_empty())
    }

    /// The variable's text, parsed by `read`; `None`: it is not set.
    fn read<T>(&self, name: &str, read: impl FnOnce(&str) -> Result<T>) -> Result<Option<T>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let value = read(&text).map_err(|e| anyhow!("{name} is set to \"{}\": {e:#}{WAYS_OUT}", shortened(&text)));
        value.map(Some)
    }

    /// Like [`Env::read`] for a variable that must be set because the variable `because` is.
    fn demand<T>(&self, name: &str, because: &str, read: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let value = self.read(name, read)?;
        value.ok_or_else(|| anyhow!("{because} is set and {name} is not{WAYS_OUT}"))
    }

    fn number(&self, name: &str) -> Result<Option<u32>> {
        self.read(name, |t| t.parse().map_err(|_| anyhow!("expected a number")))
    }
}

/// Options that start a job without the allocation; the end of error messages.
const WAYS_OUT: &str = " (-hosts names hosts instead; -allocation none stays on this one)";

/// The allocation that the environment of this process describes.
pub fn find() -> Result<Found> {
    find_in(&|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()))
}

/// The allocation that `env` describes.
pub fn find_in(env: &dyn Fn(&str) -> Option<String>) -> Result<Found> {
    let env = Env(env);
    let alone = |hosts, manager| Allocation { manager, hosts, cpus_per_task: None, own_name: None };
    let found =
        if let Some(mark) = first(&env, &["SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_JOB_ID", "SLURM_JOBID"]) {
            match slurm(&env, mark)? {
                Found::Allocation(a) => a,
                // A shell on a terminal is task 0 of its step. A process that it starts is not one of several.
                other => return Ok(other),
            }
        } else if let Some(mark) = first(&env, &["LSB_HOSTS", "LSB_MCPU_HOSTS", "LSB_JOBID"]) {
            alone(lsf(&env, mark)?, Manager::Lsf)
        } else if let Some(mark) = first(&env, &["PBS_NODEFILE", "PBS_JOBID"]) {
            let one = |h: Host| Host { slots: h.slots.or(Some(1)), ..h };
            let hosts = env.demand("PBS_NODEFILE", mark, hosts::file)?;
            alone(hosts.into_iter().map(one).collect(), Manager::Pbs)
        } else {
            return Ok(Found::Nothing);
        };
    // Launchers tell each process how many there are. Under Slurm a shell on a terminal is one of the step's tasks.
    let on_terminal = found.manager == Manager::Slurm && env.get("SLURM_PTY_PORT").is_some();
    for name in ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"] {
        if let Some(n) = env.number(name)?.filter(|&n| n > 1 && !on_terminal) {
            return Ok(Found::Copy { of: format!("{n} processes of another job ({name})") });
        }
    }
    Ok(Found::Allocation(found))
}

/// The first of the variables that is set.
fn first<'n>(env: &Env, names: &[&'n str]) -> Option<&'n str> {
    names.iter().copied().find(|n| env.get(n).is_some())
}

fn slurm(env: &Env, mark: &str) -> Result<Found> {
    if let Some(n) = env.number("SLURM_HET_SIZE")?.filter(|&n| n > 1) {
        bail!(
            "SLURM_HET_SIZE is set to \"{n}\": oshrun starts no job on several parts of a heterogeneous one{WAYS_OUT}"
        );
    }
    let job_list = first(env, &["SLURM_JOB_NODELIST", "SLURM_NODELIST"]).unwrap_or("SLURM_JOB_NODELIST");
    let (mut list, mut tasks) = (job_list, "SLURM_TASKS_PER_NODE");
    if first(env, &["SLURM_STEP_ID", "SLURM_STEPID"]).is_some()
        && let Some(n) = env.number("SLURM_STEP_NUM_TASKS")?
    {
        // In a step on a terminal the first task is the user's shell, and the other tasks end at once.
        let on_terminal = env.get("SLURM_PTY_PORT").is_some() && env.number("SLURM_PROCID")? == Some(0);
        if n > 1 && !on_terminal {
            return Ok(Found::Copy { of: format!("{n} tasks of a Slurm step (SLURM_STEP_NUM_TASKS)") });
        }
        // A step is a part of the job that the user has chosen. The step of `salloc`'s shell is not, nor one of
        // `srun --preserve-env`, which leaves the job's variables unchanged.
        let of_step = "SLURM_STEP_TASKS_PER_NODE";
        if n > 1 || env.get(tasks) == env.get(of_step) {
            (list, tasks) = ("SLURM_STEP_NODELIST", of_step);
        }
    }
    let names = env.demand(list, mark, expand)?;
    let slots = env.demand(tasks, list, |text| {
        let slots = counts(text, names.len())?;
        if slots.len() != names.len() {
            let hosts = env.get(list).unwrap_or_default();
            bail!("it counts {} hosts, and {list} names {}: {}", slots.len(), names.len(), shortened(&hosts));
        }
        Ok(slots)
    })?;
    let given = names.into_iter().zip(slots).map(|(name, n)| Ok(vec![Host { name, slots: Some(n) }]));
    Ok(Found::Allocation(Allocation {
        manager: Manager::Slurm,
        hosts: merge(given).context(list.to_string())?,
        cpus_per_task: env.read("SLURM_CPUS_PER_TASK", count)?,
        own_name: env.get("SLURMD_NODENAME"),
    }))
}

/// Reads `4(x2),3` as `[4, 4, 3]`. Of more than `most` numbers only `most + 1` are made.
fn counts(text: &str, most: usize) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    for word in text.split(',') {
        let wrong = || anyhow!("\"{}\" is no number of tasks; expected a list such as 4(x2),3", shortened(word));
        let (n, times) = match word.split_once("(x") {
            Some((n, times)) => (n, times.strip_suffix(')').ok_or_else(wrong)?),
            None => (word, "1"),
        };
        let (n, times) = (count(n).map_err(|_| wrong())?, count(times).map_err(|_| wrong())?);
        let room = (most + 1).saturating_sub(all.len());
        all.extend(std::iter::repeat_n(n, room.min(times as usize)));
    }
    Ok(all)
}

/// The hosts under LSF: one word for each slot, or `host slots host slots` for large jobs.
fn lsf(env: &Env, mark: &str) -> Result<Vec<Host>> {
    let slots = |text: &str| {
        let one = |name| Ok(vec![Host { slots: Some(1), ..named(name)? }]);
        merge(text.split_whitespace().map(one))
    };
    let pairs = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let pair = |pair: &[&str]| match pair {
            [name, n] => Ok(vec![Host { slots: Some(count(n)?), ..named(name)? }]),
            _ => bail!("the last host has no number of slots"),
        };
        merge(words.chunks(2).map(pair))
    };
    match env.read("LSB_HOSTS", slots)? {
        Some(hosts) => Ok(hosts),
        None => env.demand("LSB_MCPU_HOSTS", mark, pairs),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What an environment describes that has these variables, with "; " between them. The last of a name counts.
    pub fn found(variables: &str) -> Result<Found> {
        let pairs = || variables.split("; ").filter_map(|variable| variable.split_once('='));
        find_in(&|name| pairs().filter(|(n, _)| *n == name).last().map(|(_, value)| value.to_string()))
    }

    /// `name:slots` of each host.
    fn hosts(variables: &str) -> String {
        let Found::Allocation(a) = found(variables).unwrap() else { panic!("{variables}: no allocation") };
        let shown = a.hosts.iter().map(|h| format!("{}:{}", h.name, h.slots.map_or("-".into(), |n| n.to_string())));
        shown.collect::<Vec<_>>().join(" ")
    }

    const JOB: &str = "SLURM_JOB_ID=7; SLURM_JOB_NODELIST=n[1-2],g1; SLURM_TASKS_PER_NODE=4(x2),3; SLURM_NTASKS=11";

    #[test]
    fn slurms_jobs() {
        assert_eq!(hosts(JOB), "n1:4 n2:4 g1:3");
        let own = format!("{JOB}; SLURMD_NODENAME=n2; SLURM_CPUS_PER_TASK=2");
        let Found::Allocation(a) = found(&own).unwrap() else { panic!("no allocation") };
        assert_eq!((a.manager, a.cpus_per_task), (Manager::Slurm, Some(2)));
        assert!(a.is_here("n2") && !a.is_here("n1") && !a.is_here("localhost"));
        assert_eq!(hosts("SLURM_NODELIST=x; SLURM_TASKS_PER_NODE=2"), "x:2");
        assert_eq!(found("").unwrap(), Found::Nothing);
        assert_eq!(found("SLURM_JOB_NODELIST=; SLURM_CONF=/etc/slurm.conf").unwrap(), Found::Nothing);
    }

    #[test]
    fn slurms_steps() {
        let step = format!("{JOB}; SLURM_STEP_ID=0; SLURM_STEP_NODELIST=n2; SLURM_STEP_TASKS_PER_NODE=1");
        // srun -n 1 oshrun: a part of the job.
        assert_eq!(hosts(&format!("{step}; SLURM_STEP_NUM_TASKS=1; SLURM_TASKS_PER_NODE=1")), "n2:1");
        // The shell that salloc may start in a step of its own: the whole job.
        assert_eq!(hosts(&format!("{step}; SLURM_STEP_NUM_TASKS=1")), "n1:4 n2:4 g1:3");
        // srun -n 3 oshrun: each of the three.
        let three = "SLURM_STEP_NODELIST=n[1-2]; SLURM_STEP_TASKS_PER_NODE=2,1; PMI_SIZE=3; SLURM_PROCID=0";
        let three = format!("{step}; SLURM_STEP_NUM_TASKS=3; {three}");
        let Found::Copy { of: said } = found(&three).unwrap() else { panic!("no copy") };
        assert_eq!(said, "3 tasks of a Slurm step (SLURM_STEP_NUM_TASKS)");
        // srun -n 3 --pty bash: the hosts of the step.
        assert_eq!(hosts(&format!("{three}; SLURM_PTY_PORT=1")), "n1:2 n2:1");
        // In the environment of a rank of oshrun.
        let Found::Copy { of: said } = found(&format!("{JOB}; PMI_SIZE=11")).unwrap() else { panic!("no copy") };
        assert_eq!(said, "11 processes of another job (PMI_SIZE)");
        assert_eq!(hosts(&format!("{JOB}; PMI_SIZE=1")), "n1:4 n2:4 g1:3");
    }

    #[test]
    fn what_cannot_be_read_names_the_variable_and_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let empty = dir.path().join("empty");
        std::fs::write(&empty, "\n").unwrap();
        let empty = format!("PBS_NODEFILE={}", empty.display());
        let list = |more: &str| format!("SLURM_JOB_NODELIST=n[1-2]{more}");
        for (variables, says) in [
            ("SLURM_JOB_NODELIST=node[1-", "SLURM_JOB_NODELIST is set to \"node[1-\": a bracket is not closed"),
            ("SLURM_JOB_NODELIST=n[1-4000000000]", "is set to \"n[1-4000000000]\": it stands for more"),
            ("SLURM_JOB_ID=7", "SLURM_JOB_ID is set and SLURM_JOB_NODELIST is not"),
            (&list(""), "SLURM_JOB_NODELIST is set and SLURM_TASKS_PER_NODE is not"),
            ("LSB_HOSTS=a;b", "LSB_HOSTS is set to \"a;b\""),
            (
                &list("; SLURM_TASKS_PER_NODE=4(x3)"),
                "SLURM_TASKS_PER_NODE is set to \"4(x3)\": it counts 3 hosts, and SLURM_JOB_NODELIST names 2: n[1-2]",
            ),
            (&list("; SLURM_TASKS_PER_NODE=4"), "it counts 1 hosts"),
            (&list("; SLURM_TASKS_PER_NODE=4(x4294967295)"), "it counts 3 hosts"),
            (&list("; SLURM_TASKS_PER_NODE=4(x2"), "is set to \"4(x2\": \"4(x2\" is no number of tasks"),
            (&list("; SLURM_TASKS_PER_NODE=4,0"), "\"0\" is no number"),
            (&list("; SLURM_TASKS_PER_NODE=1(x2); SLURM_CPUS_PER_TASK=x"), "SLURM_CPUS_PER_TASK is set to \"x\""),
            (&list("; SLURM_HET_SIZE=2"), "SLURM_HET_SIZE is set to \"2\""),
            (&list("; SLURM_STEP_ID=0; SLURM_STEP_NUM_TASKS=many"), "SLURM_STEP_NUM_TASKS is set to \"many\""),
            ("LSB_HOSTS=a $(b)", "LSB_HOSTS is set to \"a $(b)\": \"$(b)\" is not the name"),
            ("LSB_MCPU_HOSTS=a 4 b", "LSB_MCPU_HOSTS is set to \"a 4 b\": the last host"),
            ("LSB_MCPU_HOSTS=a x", "\"x\" is not a number"),
            ("LSB_JOBID=1", "LSB_JOBID is set and LSB_MCPU_HOSTS is not"),
            ("PBS_NODEFILE=/no/such/file", "PBS_NODEFILE is set to \"/no/such/file\": cannot read"),
            (&empty, "names no host"),
            ("PBS_JOBID=1", "PBS_JOBID is set and PBS_NODEFILE is not"),
            ("PBS_NODEFILE=/no/such/file; SLURM_JOB_ID=7", "SLURM_JOB_NODELIST is not"),
        ] {
            let said = format!("{:#}", found(variables).unwrap_err());
            assert!(
                said.contains(says) && !said.contains('\n') && said.contains("-allocation none"),
                "{variables}: {said}"
            );
        }
    }
}
