//! Makes the plan of a job from the command line.

use crate::allocation::{Allocation, Found};
use crate::cli::place::RankBy;
use crate::cli::{self, Command};
use crate::hostlist::Names;
use crate::launch::{Launcher, Routes};
use crate::plan::{Form, Plan, Program, Slots, Stdin, Word};
use crate::pmix::need;
use crate::{bind, debug, environment, hosts, placement};
use anyhow::{Context, Result, anyhow, bail};
use pmi_shm::tcp;
use pmi_shm::wire::NodeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

/// The hosts of a job: those of the options, else those of the surrounding batch job, else none, which means this one.
fn source(command: &Command, find: impl FnOnce() -> Result<Found>) -> Result<(Vec<hosts::Host>, Option<Allocation>)> {
    let o = &command.job;
    let named = match (&o.hosts, &o.hostfile) {
        (Some(list), _) => hosts::list(list)?,
        (_, Some(file)) => hosts::file(file)?,
        _ => Vec::new(),
    };
    if o.fake_nodes.is_some() && !named.is_empty() {
        bail!("--fake-nodes is for one machine and does not go with -hosts or -hostfile");
    }
    let here = o.fake_nodes.is_some() || o.allocation == cli::FromBatch::None || o.launcher.as_deref() == Some("fork");
    if !named.is_empty() || here {
        return Ok((named, None));
    }
    match find()? {
        Found::Allocation(mut a) => Ok((std::mem::take(&mut a.hosts), Some(a))),
        Found::Copy { of } if command.parts.len() == 1 && command.parts[0].n.is_none() => bail!(
            "this oshrun is one of {of}, and each would start a job on the whole allocation: \
             start one oshrun, or say -n N for a job of N on the host of each"
        ),
        Found::Copy { .. } | Found::Nothing => Ok((Vec::new(), None)),
    }
}

/// The plan, and how its hosts are reached. `find` returns the surrounding batch job; it is called only if it matters.
pub fn make(command: &Command, find: impl FnOnce() -> Result<Found>) -> Result<(Plan, Routes)> {
    let o = &command.job;
    let (listed, (mut hosts, allocation)) = match &o.rankfile {
        Some(file) => {
            let (hosts, slots) = cli::place::rank_file(file)?.into_iter().unzip::<String, Slots, Vec<_>, Vec<_>>();
            (Some((hosts, slots)), (Vec::new(), None))
        }
        None => (None, source(command, find)?),
    };
    let env = environment::of_job(command)?;
    let layout = bind::layout(o, allocation.as_ref().and_then(|a| a.cpus_per_task))?;
    let ppn = bind::ranks_per_host(o)?;
    let turns = o.map_by.is_some_and(|map| map.turns);
    let default = match &listed {
        Some((named, _)) => named.len() as u32,
        None => placement::default_size(&hosts, o.fake_nodes.unwrap_or(1), ppn),
    };
    let (programs, size) = programs(command, default, &env)?;
    let mut nodes = match (&listed, o.fake_nodes) {
        (Some((named, _)), _) => {
            if size as usize != named.len() {
                bail!("the rank file places {} ranks, and the job has {size}", named.len());
            }
            placement::on_named(named, &mut hosts)
        }
        (None, Some(nodes)) => placement::on_fakes(size, nodes, ppn, turns)?,
        (None, None) if hosts.is_empty() => vec![0; size as usize],
        (None, None) => placement::on_hosts(size, &hosts, ppn, turns),
    };
    if o.rank_by == RankBy::Node {
        placement::in_turns(&mut nodes);
    }
    let used = placement::compact(&mut nodes);
    if hosts.is_empty() {
        let here = hosts::Host { name: "localhost".into(), slots: None };
        hosts = vec![here; o.fake_nodes.unwrap_or(1) as usize];
    }
    let names: Vec<String> = used.iter().map(|&n| hosts[n as usize].name.clone()).collect();
    let for_ranks = env.iter().chain(&programs[0].env).rfind(|(name, _)| name == HOST_TIMEOUT.as_bytes());
    // If the ranks do not get the variable, oshrun's own servers still use it.
    let setting = for_ranks.map(|(_, v)| OsString::from_vec(v.clone())).or_else(|| std::env::var_os(HOST_TIMEOUT));
    let silence = silence(setting.or_else(|| oshmpi_tools::of_site(HOST_TIMEOUT)))?;
    let routes = Routes::new(o, silence, &names, allocation.as_ref());
    let reach =
        names.iter().zip(&routes.local).map(|(host, &here)| if here { own_name(host, o) } else { host.clone() });
    let reach: Vec<String> = reach.collect();
    let local = routes.local.iter().all(|&here| here);
    if programs.iter().any(|p| !local && !p.wdir().is_absolute()) {
        bail!("the current directory has been removed, so other hosts have none like it: say -wdir DIR");
    }
    // Where oshrun lies is not always known, and is not needed on one machine.
    let launcher = if local { Default::default() } else { routes.launcher.words(o)? };
    let name: [u8; 4] = random()?;
    let listed = listed.map(|(_, slots)| slots);
    if let Stdin::Rank(rank) = o.stdin
        && rank >= size
    {
        bail!("--stdin {rank}: the job has {size} ranks, from 0");
    }
    let plan = Plan {
        job: format!("oshrun_{}_{:08x}", std::process::id(), u32::from_ne_bytes(name)),
        secret: random()?,
        pmix_token: random()?,
        pmix: o.pmix,
        pmix_library: std::env::var_os(need::LIBRARY).filter(|v| !v.is_empty()).map(OsString::into_vec),
        programs,
        env,
        map: NodeMap::of(nodes),
        layout,
        listed,
        report_bindings: o.report_bindings,
        session: o.session,
        form: form(o)?,
        terminal: std::io::stdout().is_terminal(),
        fanout: o.fanout,
        // In Slurm one srun starts all servers.
        tree: o.start == cli::StartBy::Tree && !matches!(routes.launcher, Launcher::Srun(_)),
        launcher,
        launch_timeout: o.launch_timeout,
        stats: o.stats,
        iface: o.iface.clone(),
        silence,
        fake: o.fake_nodes.is_some(),
        local,
        reach: Names::of(&reach),
        hosts: Names::of(&names),
        share: !o.no_share,
        grace: o.grace,
        stdin: o.stdin,
        exit_codes: o.print_all_exitcodes,
        stopped: debug::stopped(o, size)?,
    };
    Ok((plan, routes))
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| anyhow!("the system gives no random numbers: {e}"))?;
    Ok(bytes)
}

/// The variable for the silence of a host. The oshmpi runtime reads it too, under other launchers.
const HOST_TIMEOUT: &str = "OSHMPI_HOST_TIMEOUT";

fn silence(setting: Option<OsString>) -> Result<Option<Duration>> {
    let Some(text) = setting else { return Ok(Some(tcp::SILENCE)) };
    let seconds = text.to_str().and_then(|t| t.parse::<u32>().ok());
    let seconds = seconds.ok_or_else(|| {
        anyhow!("{HOST_TIMEOUT} is set to {text:?}: expected a whole number of seconds, or 0 for never")
    })?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds.into())))
}

/// The name or address of this host on other hosts.
fn own_name(host: &str, o: &cli::Job) -> String {
    match &o.localhost {
        Some(name) => name.clone(),
        None if host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()) => {
            nix::unistd::gethostname().ok().and_then(|n| n.into_string().ok()).unwrap_or_default()
        }
        None => host.to_string(),
    }
}

/// The programs with their ranks, and the number of all ranks. A single program without -n has `default` ranks.
fn programs(command: &Command, default: u32, job: &[(Word, Word)]) -> Result<(Vec<Program>, u32)> {
    // A directory that has been removed has no path, and the processes of this machine inherit it all the same.
    let here = std::env::current_dir().unwrap_or(".".into());
    let mut next = 0u32;
    let mut all = Vec::new();
    for part in &command.parts {
        let n = part.n.unwrap_or(if command.parts.len() == 1 { default } else { 1 });
        let end = next.checked_add(n).filter(|&e| e <= MOST_RANKS);
        let end = end.ok_or_else(|| anyhow!("a job has at most {MOST_RANKS} ranks"))?;
        let wdir = part.wdir.as_ref().map_or_else(|| here.clone(), |d| here.join(d)).into_os_string().into_vec();
        let argv = part.argv.iter().map(|w| w.clone().into_vec()).collect();
        let (env, without) = environment::of_program(part, command, job)?;
        all.push(Program { argv, env, without, wdir, ranks: next..end });
        next = end;
    }
    Ok((all, next))
}

/// The most ranks of a job, a million. A larger number is taken for a typing error, and refused before it uses up
/// memory.
const MOST_RANKS: u32 = 1 << 20;

fn form(o: &cli::Job) -> Result<Form> {
    let label = match &o.prepend_pattern {
        Some(text) => text.as_str(),
        None if o.prepend_rank => "[%r] ",
        None => "",
    };
    let file = |name: &Option<OsString>| -> Result<Option<Word>> {
        let absolute = |name| std::path::absolute(Path::new(name)).context("cannot tell the current directory");
        Ok(name.as_ref().map(absolute).transpose()?.map(|path| path.into_os_string().into_vec()))
    };
    Ok(Form {
        label: label.as_bytes().to_vec(),
        stamped: o.timestamp_output,
        merged: o.merge_stderr_to_stdout,
        files: [file(&o.outfile_pattern)?, file(&o.errfile_pattern)?],
        copied: o.copy_output,
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::cli::{Request, parse};
    use proptest::prelude::*;

    /// The plan of a command line.
    pub fn plan(line: &str) -> Result<Plan> {
        allocated(line, "").map(|made| made.0)
    }

    #[test]
    fn parts_get_ranks_in_order() {
        let p = plan("-n 2 a 1 : -n 3 -env A 1 -wdir sub b : c").unwrap();
        assert_eq!(p.size(), 6);
        assert_eq!(p.programs.iter().map(|p| p.ranks.clone()).collect::<Vec<_>>(), [0..2, 2..5, 5..6]);
        assert_eq!((p.program_of(0), p.program_of(4), p.program_of(5)), (0, 1, 2));
        assert!(p.programs[1].wdir().is_absolute() && p.programs[1].wdir().ends_with("sub"));
        assert_eq!(p.programs[1].env, [(b"A".to_vec(), b"1".to_vec())]);
    }

    #[test]
    fn a_silent_host_is_lost_when_told() {
        let seconds = |text: &str| silence(Some(text.into())).map(|s| s.map(|s| s.as_secs()));
        assert_eq!(silence(None).unwrap(), Some(tcp::SILENCE));
        assert_eq!((seconds("90").unwrap(), seconds("0").unwrap()), (Some(90), None));
        for bad in ["", "x", "-1", "1.5", "30s", "4294967296"] {
            let said = seconds(bad).unwrap_err().to_string();
            assert!(said.starts_with(&format!("OSHMPI_HOST_TIMEOUT is set to {bad:?}: expected")), "{said}");
        }
        // A value that is set for the ranks holds for the servers too.
        for (line, wanted) in [
            ("-genv OSHMPI_HOST_TIMEOUT 0 x", None),
            ("-genvnone -x OSHMPI_HOST_TIMEOUT=90 x", Some(Duration::from_secs(90))),
        ] {
            assert_eq!(plan(line).unwrap().silence, wanted, "{line}");
        }
        assert!(plan("-genv OSHMPI_HOST_TIMEOUT soon x").is_err());
    }

    fn node_of(plan: &Plan) -> Vec<u32> {
        plan.map.iter().collect()
    }

    #[test]
    fn nodes_and_their_tree() {
        let p = plan("-n 9 -hosts a,b,c,d,e -ppn 2 --fanout 2 x").unwrap();
        assert_eq!(p.hosts.all().unwrap(), ["a", "b", "c", "d", "e"]);
        assert_eq!(p.ranks_on(4), [8]);
        assert_eq!((p.children(0), p.children(1), p.children(2)), (1..3, 3..5, 5..5));
        assert_eq!(plan("-n 2 -hosts a,b,c x").unwrap().hosts.all().unwrap(), ["a", "b"]);
        // Ranks of each host, and no number of ranks.
        assert_eq!(node_of(&plan("-N 2 -hosts a,b x").unwrap()), [0, 0, 1, 1]);
        assert_eq!(node_of(&plan("--npernode 2 x").unwrap()), [0, 0]);
        assert_eq!(node_of(&plan("--map-by ppr:2:node --fake-nodes 2 x").unwrap()), [0, 0, 1, 1]);
        assert_eq!(node_of(&plan("--fake-nodes 3 x").unwrap()), [0, 1, 2]);
        assert_eq!(plan("-hosts a:2,b:3 x").unwrap().size(), 5);
        assert_eq!(node_of(&plan("-n 4 --fake-nodes 2 x").unwrap()), [0, 0, 1, 1]);
    }

    proptest! {
        /// Every server is started once, by few, and after few others.
        #[test]
        fn every_server_has_one_starter(nodes in 1..3000u32, fanout in 1..20u32, tree: bool) {
            let start = if tree { "tree" } else { "front" };
            let line = format!("-launcher x --start {start} --fanout {fanout} -hosts n[1-{nodes}] x");
            let p = plan(&line).unwrap();
            prop_assert!(tree || p.starts(None) == (0..nodes));
            let mut times = vec![0; nodes as usize];
            let mut depth = vec![0; nodes as usize];
            for by in std::iter::once(None).chain((0..nodes).map(Some)) {
                prop_assert!(!tree || p.starts(by).len() <= fanout as usize + 1);
                for node in p.starts(by) {
                    times[node as usize] += 1;
                    prop_assert_eq!(p.starter(node), by);
                    depth[node as usize] = by.map_or(1, |by| depth[by as usize] + 1);
                }
            }
            prop_assert!(times.iter().all(|&n| n == 1));
            let deepest = depth.iter().max().unwrap();
            let full = |levels: &u32| (0..=*levels).map(|l| u64::from(fanout).pow(l)).sum::<u64>() >= u64::from(nodes);
            let bound = (1..).find(full).unwrap();
            prop_assert!(*deepest <= bound || fanout == 1, "{} of {} levels", deepest, bound);
        }
    }

    /// The plan of a command line in an environment with these variables.
    fn allocated(line: &str, variables: &str) -> Result<(Plan, Routes)> {
        match parse(line.split_whitespace().map(OsString::from).collect())? {
            Request::Run(c) => make(&c, || crate::allocation::tests::found(variables)),
            Request::Print(p) => panic!("{p}"),
        }
    }

    #[test]
    fn an_allocation_gives_hosts_and_tasks() {
        let job = "SLURM_JOB_NODELIST=n[1-3]; SLURM_TASKS_PER_NODE=2(x2),1; SLURM_CPUS_PER_TASK=4; SLURMD_NODENAME=n1";
        let of = |line: &str| allocated(line, job).unwrap();
        let (p, routes) = of("--bind-to core x");
        assert_eq!((node_of(&p), p.layout.map(|l| l.cpus)), (vec![0, 0, 1, 1, 2], Some(4)));
        assert_eq!(
            (p.hosts.all().unwrap().join(" ").as_str(), &routes.local[..]),
            ("n1 n2 n3", &[true, false, false][..])
        );
        assert!(matches!(&routes.launcher, crate::launch::Launcher::Srun(c) if c == "srun"));
        // Fewer ranks than slots, more, and a number for each host.
        assert_eq!(node_of(&of("-n 3 x").0), [0, 0, 1]);
        assert_eq!(node_of(&of("-n 7 x").0), [0, 0, 1, 1, 2, 0, 0]);
        assert_eq!(node_of(&of("-ppn 1 x").0), [0, 1, 2]);
        assert_eq!(of("-n 2 x").1.local, [true]);
        // Options for other hosts, or for none.
        assert_eq!(of("-hosts a,b x").0.hosts.all().unwrap(), ["a", "b"]);
        for line in ["-allocation none x", "-launcher fork x", "-fake-nodes 1 x"] {
            let (p, routes) = of(line);
            assert_eq!((p.size(), &p.hosts.get(0)[..], &routes.local[..]), (1, "localhost", &[true][..]));
        }
        // A launcher that the user names is used for every host; ssh is not used for this one.
        assert_eq!(of("-launcher srun x").1.local, [false; 3]);
        assert_eq!(of("-launcher ssh x").1.local, [true, false, false]);
        assert!(allocated("-hosts a x", "SLURM_JOB_ID=1").is_ok());
        assert!(allocated("x", "SLURM_JOB_ID=1").is_err());
        // oshrun is one of several processes: it needs an option.
        let copy = format!("{job}; PMI_SIZE=4");
        assert!(allocated("x", &copy).err().unwrap().to_string().contains("-n N"));
        assert_eq!(allocated("-n 2 x", &copy).unwrap().0.hosts.all().unwrap(), ["localhost"]);
    }

    /// The size of a plan does not grow with the job, and a plan is the same after it has been sent.
    #[test]
    fn a_plan_of_many_hosts_is_short() {
        let of = |nodes: &str, tasks: &str| {
            let job = format!("SLURM_JOB_NODELIST={nodes}; SLURM_TASKS_PER_NODE={tasks}; SLURMD_NODENAME=n00001");
            let (mut plan, _) = allocated("-genvnone x", &job).unwrap();
            plan.programs[0].wdir = b"/".to_vec();
            let text = postcard::to_stdvec(&plan).unwrap();
            let back: Plan = postcard::from_bytes(&text).unwrap();
            assert!(back.hosts == plan.hosts && back.map == plan.map && back.reach == plan.reach);
            text.len()
        };
        let (few, many) = (of("n[00001-00010]", "64(x10)"), of("n[00001-10000]", "64(x10000)"));
        assert!(many < 256 && many <= few + 12, "{few} bytes for 10 hosts, {many} for 10000");
        // Ranks that go round the hosts.
        let p = plan("-genvnone -launcher x -n 30000 -ppn 1 -hosts n[00001-10000] x").unwrap();
        assert_eq!((p.map.to_text().as_str(), p.map.size()), ("(vector,(0,10000,1))", 30_000));
    }

    #[test]
    fn a_plan_may_hold_paths_that_are_not_utf8() {
        let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let words = [b"-wdir", &b"/data/\xe9t\xe9"[..], b"x"].map(word).to_vec();
        let Request::Run(command) = parse(words).unwrap() else { panic!("no command") };
        let (mut plan, _) = make(&command, || Ok(Found::Nothing)).unwrap();
        plan.pmix_library = Some(b"/lib/\xe9".to_vec());
        let mut inbox = pmi_shm::frame::Inbox::default();
        inbox.push(&pmi_shm::frame::encode(&plan));
        let back: Plan = inbox.take().unwrap().unwrap();
        assert_eq!(back.programs[0].wdir().as_os_str(), word(b"/data/\xe9t\xe9"));
        assert_eq!(back.pmix_library, plan.pmix_library);
    }

    #[test]
    fn variables() {
        let p = plan("-genvnone -genv A 1 -genv A 2 -x B=3=4 -x OSHRUN_NOT_SET x").unwrap();
        let text: Vec<_> = p
            .env
            .iter()
            .chain(&p.programs[0].env)
            .map(|(n, v)| format!("{}={}", String::from_utf8_lossy(n), String::from_utf8_lossy(v)))
            .collect();
        assert_eq!(text, ["A=2", "B=3=4"]);
        let p = plan("-genvlist PATH,NOSUCH x").unwrap();
        assert!(p.env.len() == 1 && p.env[0].0 == b"PATH");
        // What one program does not get: all, or all but some, of what oshrun has itself.
        let p = plan("-genvlist PATH,HOME -genv A 1 -envnone x : -envlist HOME y : z").unwrap();
        let without = |i: usize| p.programs[i].without.join(&b',');
        let mut of_none = p.programs[0].without.clone();
        of_none.sort();
        assert_eq!((of_none.join(&b','), without(1), without(2)), (b"HOME,PATH".to_vec(), b"PATH".to_vec(), vec![]));
        assert!(plan("-genv A=B 1 x").is_err() && plan("-x =1 x").is_err());
    }

    #[test]
    fn what_does_not_fit() {
        assert!(plan("-n 2 --fake-nodes 3 x").is_err());
        assert!(plan("-n 2 --fake-nodes 2 -hosts a x").is_err());
        assert!(plan("-n 4000000000 x").is_err());
    }
}
