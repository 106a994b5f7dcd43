//! `--dry-run` and `--stats`.

use crate::front::End;
use crate::launch::{self, Launcher, Routes, quoted};
use crate::plan::Plan;
use crate::{bind, cli, hostlist, srun, topology};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn dry_run(plan: &Plan, routes: &Routes, options: &cli::Job) -> Result<String> {
    let mut text = String::new();
    let all = plan.hosts.all()?;
    let (size, nodes) = (plan.size(), all.len());
    let reach = plan.reach.all()?;
    let hosts = if plan.fake || nodes == 1 { String::new() } else { format!(": {}", hostlist::compress(&all)) };
    let _ = writeln!(text, "{size} rank{} on {nodes} node{}{hosts}", plural(size as usize), plural(nodes));
    let together: Vec<&str> =
        all.iter().zip(&routes.local).filter(|(_, local)| !**local).map(|(h, _)| h.as_str()).collect();
    if let Launcher::Srun(command) = &routes.launcher
        && !together.is_empty()
    {
        let words = srun::words(command, &together, options)?;
        let words: Vec<String> = words.iter().map(|w| quoted(w.as_bytes())).collect();
        let _ = writeln!(text, "node servers on other hosts started by: {}", words.join(" "));
    }
    let mut ranks_on = vec![Vec::new(); nodes];
    plan.map.iter().enumerate().for_each(|(rank, node)| ranks_on[node as usize].push(rank as u32));
    for ((node, host), ranks) in (0u32..).zip(&all).zip(ranks_on) {
        let role = if plan.fake { ", played" } else { "" };
        let _ = write!(text, "node {node} ({host}{role}): ranks {}", list(&ranks));
        let starter = plan.starter(node).map_or(String::new(), |by| format!(" from node {by}"));
        let local = routes.local[node as usize] && (plan.local || starter.is_empty());
        let _ = match &routes.launcher {
            _ if local => writeln!(text, ", forked here{starter}"),
            Launcher::Srun(_) => writeln!(text, ", started by srun"),
            _ => {
                let host = if starter.is_empty() { host } else { &reach[node as usize] };
                writeln!(text, ", started{starter} by: {}", launch::command_line(plan, host).join(" "))
            }
        };
        let groups = if local { bind::groups(plan, &ranks)? } else { vec![None; ranks.len()] };
        for (&rank, group) in ranks.iter().zip(groups) {
            let p = &plan.programs[plan.program_of(rank)];
            let _ = write!(text, "  rank {rank}:");
            if let Some(group) = group {
                let _ = write!(text, " on CPU {}:", topology::shown(&group));
            }
            for (name, value) in &p.env {
                let _ = write!(text, " {}={}", quoted(name), quoted(value));
            }
            for word in &p.argv {
                let _ = write!(text, " {}", quoted(word));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// The text of `--stats`: the cost of the job, with one line for each node.
pub fn stats(plan: &Plan, end: &End) -> String {
    let mut text = String::new();
    let (size, nodes) = (plan.size(), plan.nodes());
    let _ = writeln!(
        text,
        "oshrun: {size} rank{} on {nodes} node{}; all started after {:.1} ms, over after {:.1} ms",
        plural(size as usize),
        plural(nodes as usize),
        end.started * 1e3,
        end.took * 1e3
    );
    let (sent, read) = end.bytes;
    let _ = writeln!(
        text,
        "oshrun: connections to {} of {nodes} node servers: {sent} bytes sent ({} per node), {read} bytes read",
        end.servers,
        sent / u64::from(nodes)
    );
    let hosts = plan.hosts.all().unwrap_or_default();
    for (node, c) in &end.costs {
        let host = &hosts[*node as usize];
        let _ = writeln!(
            text,
            "oshrun: node {node} ({host}): ranks {:.3} s user, {:.3} s system, {:.1} MiB the largest; \
             server {:.3} s user, {:.3} s system, {:.1} MiB, forks done after {:.1} ms",
            c.ranks_user,
            c.ranks_system,
            c.rank_memory as f64 / 1024.0,
            c.server_user,
            c.server_system,
            c.server_memory as f64 / 1024.0,
            c.forked * 1e3
        );
        if !c.pmi.is_empty() {
            let counts: Vec<String> = c.pmi.iter().map(|(name, n)| format!("{n} {name}")).collect();
            let _ = writeln!(text, "oshrun: node {node} ({host}): {}", counts.join(", "));
        }
    }
    text
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The text of `--print-all-exitcodes`: for each code the ranks that ended with it.
pub fn exit_codes(codes: &[(u32, i32)]) -> String {
    let mut by_code = BTreeMap::<i32, Vec<u32>>::new();
    codes.iter().for_each(|&(rank, code)| by_code.entry(code).or_default().push(rank));
    let line = |(code, ranks): (i32, Vec<u32>)| format!("oshrun: exit code {code}: rank {}\n", list(&ranks));
    by_code.into_iter().map(line).collect()
}

/// Ranks as ranges, such as `0-3,8`.
fn list(ranks: &[u32]) -> String {
    topology::shown(&ranks.iter().map(|&r| r as usize).collect::<Vec<_>>())
}
