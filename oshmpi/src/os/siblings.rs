//! The processes that a launcher has started on this host, by their environment: which of them are alive.

use std::collections::HashMap;
use std::fs;

/// How processes of one launcher know each other.
#[derive(Clone, Debug)]
pub(crate) enum Kin {
    /// The launcher's process on this host is their parent, or the parent of their parent.
    Below,
    /// They have this variable in common, in the form `NAME=value`.
    Variable(String),
}

/// The processes of one job on this host.
#[derive(Clone, Debug)]
pub(crate) struct Siblings {
    pub(crate) kin: Kin,
    /// The launcher's process on this host.
    pub(crate) launcher: i32,
    /// The variable that holds the number of a process among those on this host.
    pub(crate) number: &'static str,
    pub(crate) n: u32,
}

/// A process that has not ended.
struct Process {
    parent: i32,
    name: String,
    /// What it was started with. None: the system does not tell.
    environment: Option<Vec<u8>>,
}

impl Siblings {
    /// The numbers of the processes that have ended, together with all that they have started. None while the launcher
    /// has a child whose number is not known. A child that has not executed its program yet has the launcher's name.
    pub(crate) fn ended(&self) -> Option<Vec<u32>> {
        self.missing(&living())
    }

    fn missing(&self, living: &HashMap<i32, Process>) -> Option<Vec<u32>> {
        let launcher = &living.get(&self.launcher)?.name;
        let unknown = |p: &Process| p.name == *launcher || self.number_of(p).is_none();
        if living.values().any(|p| p.parent == self.launcher && unknown(p)) {
            return None;
        }
        let numbers = living.iter().filter(|(pid, p)| self.is_one(living, **pid, p));
        let alive: Vec<u32> = numbers.filter_map(|(_, p)| self.number_of(p)).collect();
        Some((0..self.n).filter(|number| !alive.contains(number)).collect())
    }

    fn number_of(&self, p: &Process) -> Option<u32> {
        let mut words = p.environment.as_ref()?.split(|byte| *byte == 0);
        let value = words.find_map(|word| word.strip_prefix(self.number.as_bytes())?.strip_prefix(b"="))?;
        std::str::from_utf8(value).ok()?.parse().ok()
    }

    /// Whether a process with a number is of this job. A process whose parents have ended counts too: the system has
    /// given it a parent above the launcher.
    fn is_one(&self, living: &HashMap<i32, Process>, pid: i32, p: &Process) -> bool {
        match &self.kin {
            Kin::Variable(text) => {
                let words = p.environment.as_ref().map(|all| all.split(|byte| *byte == 0));
                words.is_some_and(|mut words| words.any(|word| word == text.as_bytes()))
            }
            // The process that started it: the first one above it without a number.
            Kin::Below => chain(living, pid)
                .find(|above| living.get(above).is_none_or(|p| self.number_of(p).is_none()))
                .is_none_or(|starter| chain(living, self.launcher).any(|above| above == starter)),
        }
    }
}

/// A process and its ancestors. A chain that changes while it is read may contain a circle.
fn chain(living: &HashMap<i32, Process>, pid: i32) -> impl Iterator<Item = i32> {
    std::iter::successors(Some(pid), |pid| living.get(pid).map(|p| p.parent)).take(living.len() + 1)
}

/// All processes that have not ended and that can be seen.
fn living() -> HashMap<i32, Process> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(pid);
    all.filter_map(|pid| {
        let (name, state, parent) = of_stat(&super::text(format!("/proc/{pid}/stat")).ok()?)?;
        let environment = fs::read(format!("/proc/{pid}/environ")).ok();
        (!"ZX".contains(state)).then_some((pid, Process { parent, name, environment }))
    })
    .collect()
}

/// Name, state and parent, from `/proc/PID/stat`. The name may hold any bytes.
pub(super) fn of_stat(text: &str) -> Option<(String, char, i32)> {
    let (name, rest) = (text.split_once('(')?.1.rsplit_once(')')?.0, text.rsplit_once(')')?.1);
    let mut words = rest.split_whitespace();
    Some((name.to_owned(), words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Child, Command, Stdio, id};

    const NUMBER: &str = "TEST_SIBLING_NUMBER";

    fn siblings(kin: Kin) -> Siblings {
        Siblings { kin, launcher: id() as i32, number: NUMBER, n: 3 }
    }

    fn start(number: u32, job: &str) -> Child {
        Command::new("sleep").arg("60").env(NUMBER, number.to_string()).env("TEST_SIBLING_JOB", job).spawn().unwrap()
    }

    /// This process is the launcher. Other tests of this program start processes, too: until they have executed theirs,
    /// nothing is known.
    fn ended(siblings: &Siblings) -> Vec<u32> {
        loop {
            if let Some(ended) = siblings.ended() {
                return ended;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn who_has_ended_is_known() {
        let job = format!("{}-a", id());
        let mut children = [0, 1, 2].map(|number| start(number, &job));
        let kins = [Kin::Below, Kin::Variable(format!("TEST_SIBLING_JOB={job}"))];
        kins.iter().for_each(|kin| assert_eq!(ended(&siblings(kin.clone())), [0; 0]));
        children[1].kill().unwrap();
        // The process is not waited for, so it becomes a zombie, which counts as ended.
        while kins.iter().any(|kin| ended(&siblings(kin.clone())) != [1]) {
            std::thread::yield_now();
        }
        assert_eq!(ended(&siblings(Kin::Variable("TEST_SIBLING_JOB=other".to_owned()))), [0, 1, 2]);
        children.iter_mut().for_each(|child| {
            let _ = child.kill();
            child.wait().unwrap();
        });
    }

    fn process(parent: i32, name: &str, number: Option<u32>) -> Process {
        let environment = Some(number.map_or(Vec::new(), |n| format!("A=1\0{NUMBER}={n}\0").into_bytes()));
        Process { parent, name: name.to_owned(), environment }
    }

    /// Two launchers of one kind, 10 and 20, each with three processes.
    #[test]
    fn processes_of_other_jobs_do_not_count() {
        let job = Siblings { launcher: 10, ..siblings(Kin::Below) };
        let mut living = HashMap::from([(10, process(1, "proxy", None)), (20, process(1, "proxy", None))]);
        for (pid, parent, number) in [(11, 10, 0), (12, 10, 1), (21, 20, 0), (22, 20, 1), (23, 20, 2)] {
            living.insert(pid, process(parent, "program", Some(number)));
        }
        assert_eq!(job.missing(&living), Some(vec![2]));
        // A process that is being started.
        living.insert(13, process(10, "proxy", None));
        assert_eq!(job.missing(&living), None);
        // A script without a number, a process with a number, and what that has started.
        living.insert(13, process(10, "sh", None));
        assert_eq!(job.missing(&living), None);
        living.insert(13, process(10, "sh", Some(2)));
        living.insert(14, process(13, "program", Some(2)));
        assert_eq!(job.missing(&living), Some(vec![]));
        // A process of another kind of launcher.
        living.insert(30, process(1, "oshrun", None));
        living.insert(31, process(30, "program", Some(2)));
        living.remove(&14);
        living.remove(&13);
        assert_eq!(job.missing(&living), Some(vec![2]));
        // The script has ended, and its program's job is not known.
        living.remove(&13);
        living.insert(14, process(1, "program", Some(2)));
        assert_eq!(job.missing(&living), Some(vec![]));
        living.remove(&10);
        assert_eq!(job.missing(&living), None, "the launcher has ended");
    }

    #[test]
    fn a_name_may_be_anything() {
        assert_eq!(of_stat("7 (a) b (c) S 3 7 7"), Some(("a) b (c".to_owned(), 'S', 3)));
        assert_eq!(of_stat("7 (a"), None);
    }

    #[test]
    fn a_name_that_is_not_utf8_hides_no_process() {
        let mut sh = Command::new("sh");
        sh.args(["-c", r"printf 'cut \303' >/proc/$$/comm; echo; read line"]);
        let mut child = sh.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        assert!(fs::read_to_string(format!("/proc/{}/comm", child.id())).is_err());
        assert!(living().contains_key(&(child.id() as i32)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
