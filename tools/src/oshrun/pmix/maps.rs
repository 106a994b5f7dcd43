//! The values about their job that processes get from the library.

use super::ffi::Given;
use crate::plan::Plan;
use anyhow::Result;
use std::collections::HashSet;
use std::path::Path;

/// The hosts' names for processes: one for each node, all different.
pub fn hosts(plan: &Plan) -> Result<Vec<String>> {
    let hosts = plan.reach.all()?;
    let mut seen = HashSet::new();
    // Several nodes on one machine are told apart by a number after its name.
    if !plan.fake && hosts.iter().all(|h| seen.insert(h)) {
        return Ok(hosts);
    }
    Ok(hosts.into_iter().enumerate().map(|(node, host)| format!("{host}-{node}")).collect())
}

/// The ranks of each node, such as `0,1;2,3`. One pass over the ranks.
pub fn ranks(plan: &Plan) -> String {
    let mut nodes = vec![String::new(); plan.nodes() as usize];
    for (rank, node) in plan.map.iter().enumerate() {
        let list = &mut nodes[node as usize];
        if !list.is_empty() {
            list.push(',');
        }
        list.push_str(&rank.to_string());
    }
    nodes.join(";")
}

/// The results of [`hosts`] and [`ranks`] in the library's compressed form, and this node's host.
pub struct Lists {
    pub host: String,
    pub hosts: Vec<u8>,
    pub ranks: Vec<u8>,
}

/// All values for processes of node `node`: about the job, its programs, and each rank of this node.
///
/// There are values for ranks of this node only: the library finds host and node of other ranks in the two lists. So
/// the memory grows with the ranks of a node and with the lists, which the library may compress.
pub fn job(plan: &Plan, node: u32, nspace: &str, dir: &Path, lists: Lists) -> Vec<(&'static str, Given)> {
    use Given::*;
    let local = plan.ranks_on(node);
    let (size, here) = (plan.size(), local.len() as u32);
    let text = |list: &mut dyn Iterator<Item = String>, by: &str| Text(list.collect::<Vec<_>>().join(by));
    let dir = dir.to_string_lossy().into_owned();
    let mut all = vec![
        ("pmix.jobid", Text(nspace.to_string())),
        ("pmix.univ.size", U32(size)),
        ("pmix.job.size", U32(size)),
        ("pmix.max.size", U32(size)),
        ("pmix.job.napps", U32(plan.programs.len() as u32)),
        ("pmix.num.nodes", U32(plan.nodes())),
        ("pmix.local.size", U32(here)),
        ("pmix.node.size", U32(here)),
        ("pmix.lpeers", text(&mut local.iter().map(u32::to_string), ",")),
        ("pmix.lldr", Rank(local.first().copied().unwrap_or(0))),
        ("pmix.nmap", Regex(lists.hosts)),
        ("pmix.pmap", Regex(lists.ranks)),
        ("pmix.spawned", Flag(false)),
        ("pmix.tmpdir", Text(dir.clone())),
        ("pmix.nsdir", Text(dir.clone())),
        // oshrun removes the directories, so processes must not.
        ("pmix.tdir.rmclean", Flag(true)),
        // Open MPI 5 asks for these two keys if the job has several programs.
        ("OMPI_APP_SIZES", text(&mut plan.programs.iter().map(|p| p.ranks.len().to_string()), " ")),
        ("OMPI_FIRST_RANKS", text(&mut plan.programs.iter().map(|p| p.ranks.start.to_string()), " ")),
    ];
    for (number, program) in plan.programs.iter().enumerate() {
        let app = vec![
            ("pmix.appnum", U32(number as u32)),
            ("pmix.app.size", U32(program.ranks.len() as u32)),
            ("pmix.aldr", Rank(program.ranks.start)),
            ("pmix.wdir", Text(program.wdir().to_string_lossy().into_owned())),
        ];
        all.push(("pmix.app.arr", List(app)));
    }
    for (place, &rank) in local.iter().enumerate() {
        let program = plan.program_of(rank);
        let one = vec![
            ("pmix.rank", Rank(rank)),
            ("pmix.grank", Rank(rank)),
            ("pmix.appnum", U32(program as u32)),
            ("pmix.apprank", Rank(rank - plan.programs[program].ranks.start)),
            ("pmix.lrank", U16(place as u16)),
            ("pmix.nrank", U16(place as u16)),
            ("pmix.nodeid", U32(node)),
            ("pmix.hname", Text(lists.host.clone())),
            ("pmix.pdir", Text(dir.clone())),
        ];
        all.push(("pmix.pdata", List(one)));
    }
    all
}
