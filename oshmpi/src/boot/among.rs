//! The nodes of a job, found among all PEs, where `nodes` does not find them: every PE makes memory and reads
//! everybody's PE info. A PE that can open the memory of an earlier PE joins that PE's node, or is given the memory by
//! that PE. The first PEs of several machines open listeners to each other.

use super::BootError;
use super::found::{self, Found, Machine, create_memory, no_memory, open, prove};
use super::job::Joined;
use super::liveness::{Endpoint, Listener, LivenessPlan};
use super::pe_info::{self, PeInfo};
use crate::diag::print;
use crate::env::{Env, Pages, Route};
use crate::memory::placement::nodes_of;
use crate::memory::places::Places;
use crate::os::pass::{self, Counter};
use pmi_shm::Job;
use serde::{Deserialize, Serialize};
use std::os::fd::{AsFd, OwnedFd};

const PE_INFO: &str = "oshmpi-info";
const LEADER: &str = "oshmpi-leader";
const GIVEN: &str = "oshmpi-given";

/// Finds this PE's node. Collective.
///
/// Bound, for P PEs: a PE puts two or three values into the launcher's store, and reads as many of each PE. It keeps P
/// records of about 1.5 KB until it returns. It tries to open the memory of each PE before it with its node id until
/// one can be opened. The first PE with a node id may have to give its memory to all others of that id.
pub(super) fn all(joined: &mut Joined, mut info: PeInfo, env: &Env) -> Result<Found, BootError> {
    // Before MPI is initialised: where there is no memory for this PE, MPI may find none either and say so at length.
    let mut memory = create_memory(&mut info).unwrap_or_else(|e| no_memory(&e));
    let job = joined.for_all_to_all()?;
    let (me, n) = (job.rank(), job.size());
    let infos = exchange_infos(job, &info)?;
    // Before the next exchange: a PE with a problem takes no further part.
    pe_info::check(&infos, me)?;

    let mut leader = me;
    // With OSHMPI_ROUTE=mpi every PE is a node of its own.
    let candidates = if env.route == Route::Mpi { 0 } else { me };
    for (pe, other) in (0..candidates).zip(&infos) {
        if other.node == info.node
            && let Some(fd) = open(other)
        {
            (leader, memory) = (pe, fd);
            break;
        }
    }
    let several = infos.iter().any(|other| other.node != info.node);
    let listener = if several && leader == me { Listener::wanted(me, env.host_timeout) } else { None };
    // The first PE with a node id gives its memory to the PEs of that id that cannot open it.
    let mates = || (0..).zip(&infos).filter(|(_, other)| other.node == info.node).map(|(pe, _)| pe);
    let first = mates().next().unwrap_or(me);
    let may_be_asked = first == me && mates().count() > 1 && env.route != Route::Mpi;
    let counter = if may_be_asked { Counter::open().ok() } else { None };
    let finding = Finding { leader, counter: counter.as_ref().map_or(0, |counter| counter.name) };
    job.put(LEADER, &pe_info::encode(&(finding, listener.as_ref().map(Listener::endpoint))))?;
    job.fence()?;
    let (findings, endpoints) = read_findings(job)?;
    let mut leaders: Vec<u32> = findings.iter().map(|finding| finding.leader).collect();
    let nodes: Vec<u64> = infos.iter().map(|info| info.node).collect();
    let wishes = wishes(&nodes, &findings);
    if wishes.iter().any(Option::is_some) {
        let given = give_and_take(job, &infos, &findings, wishes[me as usize], counter.as_ref(), &memory)?;
        job.put(GIVEN, &[u8::from(given.is_some())])?;
        job.fence()?;
        let all = (0..n).map(|pe| Ok(job.get(pe, GIVEN)? == [1])).collect::<Result<Vec<bool>, pmi_shm::Error>>()?;
        leaders = regrouped(&leaders, &wishes, &all);
        if leaders[me as usize] != leader
            && let Some(given) = given
        {
            (leader, memory) = (leaders[me as usize], given);
        }
    }
    drop(counter);

    let leads = |pe: u32| leaders[pe as usize] == pe;
    let here = Places::new((0..n).filter(|&pe| leaders[pe as usize] == leader).collect(), n);
    if !here.everybody() && env.route == Route::Node {
        let strangers: Vec<u32> = (0..n).filter(|&pe| leaders[pe as usize] != 0).collect();
        return Err(BootError::by(0, me, BootError::NotOnOneNode(strangers)));
    }
    let endpoints = (0..).zip(endpoints).filter(|(pe, _)| leads(*pe)).filter_map(|(_, endpoint)| endpoint).collect();
    let watch = listener.filter(|_| leads(me)).map(|listener| LivenessPlan { listener, endpoints });
    let other_programs = pe_info::other_programs(&infos);
    let data = if other_programs.is_empty() { infos[0].data } else { 0 };
    let placement = found::place(&nodes_of(&leaders), &memory, env, data, here.count());
    // A second file would have to be given to all PEs of the node, in one exchange more.
    let heaps = if here.count() == 1 { found::huge_heaps(env, 1) } else { None };
    if env.pages == Pages::Reserved && here.count() > 1 && leader == me {
        print("OSHMPI_PAGES is reserved: PEs of this node were found one by one; other pages are used");
    }
    let mates = || (0..).zip(&infos).filter(|(_, other)| other.node == info.node);
    let &PeInfo { token, on_disk, .. } = &infos[leader as usize];
    Ok(Found {
        own: mates().take_while(|(pe, _)| *pe < me).count(),
        machine: Machine::of(infos.iter(), &info),
        takes_ucx: infos.iter().all(|info| info.takes_ucx) && are_on_own_machines(&infos, &leaders),
        mates: mates().map(|(_, other)| other.clone()).collect(),
        leader,
        here,
        memory,
        heaps,
        token,
        on_disk,
        data,
        other_programs,
        placement,
        watch,
    })
}

/// The PE infos of all PEs. Collective.
fn exchange_infos(job: &mut dyn Job, info: &PeInfo) -> Result<Vec<PeInfo>, BootError> {
    job.put(PE_INFO, &pe_info::encode(info))?;
    job.fence()?;
    let read = |pe| pe_info::decode(&job.get(pe, PE_INFO)?).ok_or(BootError::OtherVersion(pe));
    (0..job.size()).map(read).collect()
}

/// What all PEs have found, and the endpoints of those that have a listener. Behind the fence.
fn read_findings(job: &dyn Job) -> Result<(Vec<Finding>, Vec<Option<Endpoint>>), BootError> {
    let read = |pe| {
        let nothing = (Finding { leader: pe, counter: 0 }, None);
        Ok(pe_info::decode(&job.get(pe, LEADER)?).unwrap_or(nothing))
    };
    (0..job.size()).map(read).collect()
}

/// What each PE tells the others when it has tried to open their memory.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Finding {
    /// Whose memory it has opened.
    leader: u32,
    /// Where it gives its own memory to PEs that ask (see `os::pass`); 0: nowhere.
    counter: u64,
}

/// For every PE, whose memory it asks for: that of the first PE with its node id, if it has not opened that. All PEs
/// find the same. One pass, O(P log P) for P PEs.
fn wishes(nodes: &[u64], findings: &[Finding]) -> Vec<Option<u32>> {
    let mut first = std::collections::BTreeMap::new();
    let wish = |(pe, (node, finding)): (u32, (&u64, &Finding))| {
        let first = *first.entry(*node).or_insert(pe);
        (finding.leader != first && findings[first as usize].counter != 0).then_some(first)
    };
    (0..).zip(nodes.iter().zip(findings)).map(wish).collect()
}

/// Asks for the memory that this PE wishes, and gives this PE's memory to those who ask. No PE waits for an answer
/// before all have asked. Collective.
fn give_and_take(
    job: &mut dyn Job,
    infos: &[PeInfo],
    findings: &[Finding],
    wish: Option<u32>,
    counter: Option<&Counter>,
    memory: &OwnedFd,
) -> Result<Option<OwnedFd>, BootError> {
    let asked = wish.map(|first| {
        let token = infos[first as usize].token;
        (pass::ask(findings[first as usize].counter, token), token)
    });
    job.fence()?;
    if let Some(counter) = counter {
        counter.serve(infos[job.rank() as usize].token, &[memory.as_fd()]);
    }
    let Some((Ok(asked), token)) = asked else { return Ok(None) };
    Ok(asked.receive().ok().and_then(|mut given| prove(given.pop()?, token)))
}

/// Whether no two nodes are on one machine. Those are containers, which the network may not connect. O(P log P) steps
/// over records that the caller has read.
fn are_on_own_machines(infos: &[PeInfo], leaders: &[u32]) -> bool {
    let mut nodes = std::collections::BTreeMap::new();
    infos.iter().zip(leaders).all(|(info, &leader)| *nodes.entry(info.machine).or_insert(leader) == leader)
}

/// The leader of each PE after memory was given. The PEs that have opened one PE's memory form a group. A group moves
/// to the leader that it asked for, if all its PEs were given that memory. Otherwise it stays. O(P).
fn regrouped(leaders: &[u32], wishes: &[Option<u32>], given: &[bool]) -> Vec<u32> {
    let mut goes: Vec<bool> = wishes.iter().map(Option::is_some).collect();
    for (leader, given) in leaders.iter().zip(given) {
        goes[*leader as usize] &= given;
    }
    let after = |leader: &u32| wishes[*leader as usize].filter(|_| goes[*leader as usize]).unwrap_or(*leader);
    leaders.iter().map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_on_one_machine_are_noticed() {
        let infos = [1, 1, 2, 2].map(|machine| PeInfo { machine, ..PeInfo::default() });
        assert!(are_on_own_machines(&infos, &[0, 0, 2, 2]));
        assert!(!are_on_own_machines(&infos, &[0, 0, 2, 3]) && !are_on_own_machines(&infos, &[0, 1, 2, 2]));
    }

    /// PEs 0 and 1 share memory, 2 and 3 do, 4 is alone; 5 is on another machine.
    #[test]
    fn who_cannot_open_memory_wishes_that_of_the_first_on_its_machine() {
        let nodes = [9, 9, 9, 9, 9, 8];
        let finding = |leader| Finding { leader, counter: if leader == 0 || leader == 5 { 1 } else { 0 } };
        let findings = [0, 0, 2, 2, 4, 5].map(finding);
        let wanted = wishes(&nodes, &findings);
        assert_eq!(wanted, [None, None, Some(0), Some(0), Some(0), None]);
        let silent = findings.map(|finding| Finding { counter: 0, ..finding });
        assert_eq!(wishes(&nodes, &silent), [None; 6], "nobody gives anything");

        let leaders = [0, 0, 2, 2, 4, 5];
        let all = [false, false, true, true, true, false];
        assert_eq!(regrouped(&leaders, &wanted, &all), [0, 0, 0, 0, 0, 5]);
        let one_failed = [false, false, true, false, true, false];
        assert_eq!(regrouped(&leaders, &wanted, &one_failed), [0, 0, 2, 2, 0, 5], "2 does not leave 3");
    }
}
