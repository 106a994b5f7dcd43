//! Tests of the schedules of all collectives between nodes, recorded from their code: messages match, and the numbers
//! of messages, bytes over a node's border and memory stay within limits, up to a million members.

use super::agree::Combined;
use super::allgather::Symmetric;
use super::at_once::at_once;
use super::op::{Operation, Sum};
use super::recorder::{self, Recorder, dest, source};
use super::{agree, allgather, alltoall, barrier, broadcast, collect, recording, reduce, scan};
use crate::memory::placement::{Map, Placement};
use crate::team::{Layout, Members};
use bench_scale::checks::{self, Figures};
use bench_scale::layout::log2_up;
use bench_scale::rows::{Call, ROWS, Row};
use bench_scale::simulate::{self, Played, Symmetry};
use bench_scale::{Model, Program, bounds};
use std::cell::RefCell;
use std::collections::HashMap;

/// A group, in the form of the runtime and in that of the simulator.
struct Group {
    name: String,
    layout: Layout,
    places: bench_scale::Layout,
}

impl Group {
    fn new(name: &str, members: Members, placement: &Placement) -> Group {
        let layout = Layout::new(members, placement);
        let places = bench_scale::Layout::of((0..layout.members()).map(|member| layout.node(member) as u32));
        Group { name: name.to_owned(), layout, places }
    }

    /// `nodes` nodes with `each` members.
    fn blocks(nodes: u32, each: u32) -> Group {
        let pes = nodes * each;
        let world = Members::spaced(0, 1, pes);
        Group::new(&format!("{nodes}x{each}"), world, &Placement { map: Map::Blocks { first: each, each }, pes })
    }

    fn on_nodes(name: &str, nodes: &[u32], [start, stride, size]: [i32; 3]) -> Group {
        let members = Members::spaced(start as u32, stride, size as u32);
        Group::new(name, members, &Placement::of_test(nodes))
    }

    fn record(&self, row: &Row, member: u32) -> Program {
        recorder::record(&self.layout, member as usize, self.places.local(member) as usize, |w| {
            at_once(|| perform(w, row))
        })
    }

    /// The bytes that the members of a node send to other nodes.
    fn border(&self, row: &Row, node: u32) -> u64 {
        checks::border(&self.places, node, |member| self.record(row, member))
    }

    /// Some nodes: the first and the last ones, and some between.
    fn sampled(&self) -> Vec<u32> {
        some_of(self.places.nodes())
    }
}

/// Some numbers below `n`.
fn some_of(n: u32) -> Vec<u32> {
    let mut some = vec![0, 1, n / 3, n / 2, n.saturating_sub(2), n - 1];
    some.retain(|&k| k < n);
    some.sort_unstable();
    some.dedup();
    some
}

/// Makes a member's call.
async fn perform(w: &Recorder<'_>, row: &Row) {
    use super::messages::MemberMessages;
    let (bytes, all) = (row.bytes as usize, row.bytes as usize * w.size());
    match row.call {
        Call::Barrier => barrier::between(w).await,
        Call::Broadcast => broadcast::between(w, 0, source(bytes), dest(bytes)).await,
        Call::Fcollect => allgather::between(w, source(bytes), dest(all), |i| i * bytes, Symmetric::Both).await,
        Call::Collect => match w.hierarchy().filter(|nodes| nodes.layout.blocks()) {
            Some(nodes) => {
                collect::Places::learn(w, &nodes, bytes, 0).await;
                let part = |node: usize| nodes.layout.leader(node) * bytes;
                let place = |_: usize| unreachable!("members write");
                allgather::through_leader(w, &nodes, source(bytes), w.me() * bytes, dest(all), part, place).await;
            }
            None => {
                allgather::all_numbers(w, &[row.bytes]).await;
                allgather::between(w, source(bytes), dest(all), |i| i * bytes, Symmetric::Dest).await;
            }
        },
        Call::Reduce => reduce::between(w, dest(bytes), source(bytes), Operation::of::<u64, Sum>()).await,
        Call::Scan => scan::between(w, dest(bytes), source(bytes), scan::Prefix::of::<u64>(true)).await,
        Call::Alltoall => {
            let blocks = alltoall::Blocks { nelems: bytes / size_of::<u64>(), dst: 1, sst: 1 };
            alltoall::strided_between::<u64>(w, dest(all), source(all), &blocks).await;
        }
        // A split agrees on the call and the free sync slots, then on the slot that was taken; the allocator agrees
        // once.
        Call::Malloc => {
            agree::between(w, Combined::of(&[0; 5])).await;
        }
        Call::Split => {
            agree::between(w, Combined::of(&[0; 7])).await;
            agree::between(w, Combined::of(&[0; 3])).await;
        }
    }
}

/// Calls with several sizes, if they have a size.
fn rows() -> Vec<Row> {
    let sizes: [(&'static str, u64); 4] = [("8 B", 8), ("2 KiB", 2048), ("64 KiB", 64 << 10), ("4 MiB", 4 << 20)];
    let fixed = [(Call::Barrier, 0), (Call::Malloc, 40), (Call::Split, 72)];
    let mut rows = fixed.map(|(call, bytes)| Row { call, bytes, name: "its words" }).to_vec();
    for call in [Call::Broadcast, Call::Fcollect, Call::Collect, Call::Reduce, Call::Scan, Call::Alltoall] {
        rows.extend(sizes.map(|(name, bytes)| Row { call, bytes, name }));
    }
    rows
}

/// Small groups, one for each kind of placement that the runtime distinguishes.
fn small() -> Vec<Group> {
    let mut groups: Vec<Group> =
        [(1, 1), (2, 1), (3, 1), (5, 1), (8, 1), (2, 2), (3, 2), (4, 2), (5, 3), (4, 4), (13, 2)]
            .into_iter()
            .map(|(nodes, each)| Group::blocks(nodes, each))
            .collect();
    groups.push(Group::on_nodes("runs", &[0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3], [0, 1, 11]));
    groups.push(Group::on_nodes("cyclic", &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0], [0, 1, 10]));
    groups.push(Group::on_nodes("scattered", &[0, 1, 1, 0, 2, 0, 1, 2, 2, 0, 3], [0, 1, 11]));
    groups.push(Group::on_nodes("stride", &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], [1, 3, 4]));
    groups.push(Group::on_nodes("backwards", &[0, 0, 0, 1, 1, 1, 2, 2, 2], [8, -1, 9]));
    groups.push(Group::on_nodes("last is small", &[0, 0, 0, 0, 1, 1, 1, 1, 2], [0, 1, 9]));
    groups
}

/// Every send has a receive of the same number of bytes, and no member waits for ever.
#[test]
fn schedules_match() {
    for group in small() {
        for row in rows() {
            let result = checks::matches(&group.places, |member| group.record(&row, member));
            assert_eq!(result, Ok(()), "{:?} of {} on {}", row.call, row.name, group.name);
        }
    }
}

/// The recorded schedules of a call, each of which is recorded once.
struct Recordings<'a> {
    group: &'a Group,
    row: &'a Row,
    programs: RefCell<HashMap<u32, Program>>,
}

impl<'a> Recordings<'a> {
    fn new(group: &'a Group, row: &'a Row) -> Recordings<'a> {
        Recordings { group, row, programs: RefCell::default() }
    }

    fn of(&self, member: u32) -> Program {
        self.programs.borrow_mut().entry(member).or_insert_with(|| self.group.record(self.row, member)).clone()
    }
}

/// Plays a group's schedule in the fastest way that is exact. The recordings of some nodes tell which way that is.
fn play(recordings: &Recordings<'_>, model: &Model) -> Played {
    let (group, program) = (recordings.group, |member: u32| recordings.of(member));
    let places = &group.places;
    let nodes = places.nodes();
    // An exchange of all with all takes longest to record.
    let few = recordings.row.call == Call::Alltoall && places.size() > 10_000;
    let locals = if few { some_of(places.widest()) } else { (0..places.widest()).collect() };
    let others = if few { vec![1, nodes - 1] } else { group.sampled() };
    let alike = |symmetry| {
        let alike = |&node: &u32| simulate::is_symmetric(places, symmetry, node, &locals, &program);
        places.regular() && others.iter().all(alike)
    };
    if alike(Symmetry::Shift) {
        return simulate::one_node(model, places, Symmetry::Shift, &program);
    }
    if nodes.is_power_of_two() && alike(Symmetry::Xor) {
        return simulate::one_node(model, places, Symmetry::Xor, &program);
    }
    // A member that sends on one of the sampled nodes is a leader on all nodes.
    let mut leads = vec![false; places.widest() as usize];
    for node in group.sampled() {
        for (local, &member) in places.on(node).iter().enumerate() {
            leads[local] |= !program(member).messages().is_empty();
        }
    }
    let leaders = leads.iter().filter(|&&leads| leads).count() as u32;
    if leaders * nodes > MOST_IN_DETAIL && leads[..leaders as usize].iter().all(|&leads| leads) {
        assert!(group.sampled().into_iter().all(|node| lanes_alike(places, node, leaders, &program)));
        return simulate::lanes(model, places, leaders, &program);
    }
    simulate::leaders(model, places, &|member| leads[places.local(member) as usize], &program)
}

/// The most leaders that are played one by one. More take too long.
const MOST_IN_DETAIL: u32 = 200_000;

/// Whether the first members of a node have the first one's schedule, each with members of its number on other nodes.
fn lanes_alike(places: &bench_scale::Layout, node: u32, lanes: u32, program: &dyn Fn(u32) -> Program) -> bool {
    let first = program(places.on(node)[0]);
    (1..lanes).all(|lane| {
        let mut moved = Program::default();
        moved.append(&first, |member| member + lane);
        let own = program(places.on(node)[lane as usize]);
        moved.transfers().eq(own.transfers()) && moved.steps().len() == own.steps().len()
    })
}

/// The shortcuts of the simulator give the times of all members for the runtime's schedules.
#[test]
fn shortcuts_are_exact() {
    for group in [Group::blocks(4, 4), Group::blocks(5, 3), Group::blocks(8, 2), Group::blocks(13, 2)] {
        for row in rows().iter().filter(|row| row.call != Call::Scan) {
            let all = simulate::all(&Model::CLUSTER, &group.places, &|member| group.record(row, member));
            let some = play(&Recordings::new(&group, row), &Model::CLUSTER);
            assert_eq!(all.end, some.end, "{:?} of {} on {}", row.call, row.name, group.name);
        }
    }
}

/// For any speed of the others, at most 64 messages arrive at a member before it receives them.
#[test]
fn nobody_is_flooded() {
    for group in [Group::blocks(64, 1), Group::blocks(16, 8), Group::blocks(33, 2)] {
        for row in rows() {
            let played = simulate::all(&Model::CLUSTER, &group.places, &|member| group.record(&row, member));
            assert!(played.unexpected <= 64, "{:?} of {} on {}: {played:?}", row.call, row.name, group.name);
        }
    }
}

/// The limits of a call.
struct Limits {
    messages: u64,
    border: u64,
    memory: u64,
}

/// The limits of a row. Messages: a multiple of the logarithm of the nodes, unless an algorithm states another bound.
/// Bytes over a border: twice the fewest, or 64 KiB per round, which take as long as a message.
fn limits(row: &Row, places: &bench_scale::Layout) -> Limits {
    let (nodes, members) = (u64::from(places.nodes()), u64::from(places.size()));
    let (log, log_all) = (u64::from(log2_up(places.nodes())), u64::from(log2_up(places.size())));
    let widest = u64::from(places.widest());
    let (mut messages, mut border) = (4 * log + 8, log * row.bytes.clamp(512, 64 << 10));
    // From 8 KiB of a node, blocks go round a ring: one message for each block, or for all adjacent ones.
    let ring = |block: u64| if block > 8 << 10 { nodes } else { 0 };
    match row.call {
        Call::Broadcast => messages += ring(row.bytes / nodes),
        Call::Fcollect | Call::Collect => messages += ring(result(row, places) / nodes),
        // Above 256 bytes, each member sends to each other. Up to that, one leader sends all blocks for a node in one
        // message.
        Call::Alltoall if row.bytes > 256 => messages += members,
        Call::Alltoall if nodes < members => {
            let least = (0..places.nodes()).map(|node| places.on(node).len() as u64).min().unwrap_or(1);
            messages += if places.in_blocks() { nodes.div_ceil(least) } else { nodes };
        }
        // Each leader scans its share in log2 of the nodes messages. If the members of nodes do not follow each other,
        // each member takes part. Few such members exchange shares twice.
        Call::Scan if nodes == members && members <= 64 => messages += 2 * members,
        Call::Scan if places.in_blocks() => border = log * row.bytes,
        Call::Scan => {
            // Many bytes are exchanged as shares, twice, there too.
            messages = if row.bytes < 64 << 10 { 2 * log_all } else { 2 * members };
            border = widest * log_all * row.bytes;
        }
        _ => {}
    }
    border = border.max(2 * bounds::border(row.collective(), places, row.bytes));
    let mut memory = 4 * result(row, places) + 64 * nodes + (64 << 10);
    match row.call {
        // Each member tells each other the length of its block.
        Call::Collect if !places.in_blocks() => border += widest * members * 8,
        // For each direction 4 MiB, or all blocks between the members of two nodes.
        Call::Alltoall => memory += 2 * (widest * widest * row.bytes).max(4 << 20),
        _ => {}
    }
    Limits { messages, border, memory }
}

/// Large groups: nodes of 128 members, and irregular placements.
fn large() -> Vec<Group> {
    let mut groups: Vec<Group> =
        [(2, 1), (64, 1), (1, 128), (16, 128), (1000, 128), (8192, 128)].map(|(n, each)| Group::blocks(n, each)).into();
    // From 1 to 100 members on a node, in blocks; equal numbers, round robin; without order; and every fifth PE.
    let uneven: Vec<u32> = (0..300u32).flat_map(|node| (0..=node * 37 % 100).map(move |_| node)).collect();
    groups.push(Group::on_nodes("uneven", &uneven, [0, 1, uneven.len() as i32]));
    let cyclic: Vec<u32> = (0..6400).map(|pe| pe % 100).collect();
    groups.push(Group::on_nodes("round robin", &cyclic, [0, 1, 6400]));
    let scattered: Vec<u32> = (0..3000u32).map(|pe| pe.wrapping_mul(0x9e37_79b9) >> 25).collect();
    groups.push(Group::on_nodes("scattered", &scattered, [0, 1, 3000]));
    let blocks: Vec<u32> = (0..12_800).map(|pe| pe / 128).collect();
    groups.push(Group::on_nodes("every fifth", &blocks, [3, 5, 2500]));
    groups
}

/// The most bytes of a member's source or result. Calls with more are not recorded.
const LARGEST: u64 = 1 << 30;

/// For all placements and sizes, up to 1,048,576 members.
#[test]
fn no_call_costs_more_than_its_limit() {
    let mut missed = Vec::new();
    for group in large() {
        let sampled = group.sampled().into_iter().flat_map(|node| {
            let members = group.places.on(node);
            some_of(members.len() as u32).into_iter().map(|local| members[local as usize])
        });
        let sampled: Vec<u32> = sampled.collect();
        for row in rows().iter().filter(|row| result(row, &group.places) <= LARGEST) {
            let limits = limits(row, &group.places);
            // An exchange of all with all takes longest to record.
            let few = row.call == Call::Alltoall && group.places.size() > 10_000;
            let (worst, memory) = worst(&group, row, if few { &sampled[..2] } else { &sampled });
            // The root's node in a broadcast, else another one.
            let node = if row.call == Call::Broadcast { 0 } else { 1 % group.places.nodes() };
            let border = if row.call == Call::Alltoall { 0 } else { group.border(row, node) };
            let mut miss = |what: &str, is: u64, limit: u64| {
                if is > limit {
                    missed.push(format!(
                        "{:?} of {} on {}: {is} {what}, at most {limit}",
                        row.call, row.name, group.name
                    ));
                }
            };
            miss("messages sent", worst.sent, limits.messages);
            miss("messages received", worst.received, limits.messages);
            miss("messages received between two completions", worst.in_degree, 64);
            miss("bytes over a border", border, limits.border);
            miss("bytes sent", worst.bytes_sent, limits.border);
            miss("bytes of memory", memory as u64, limits.memory);
        }
    }
    assert!(missed.is_empty(), "{} limits missed\n{}", missed.len(), missed.join("\n"));
}

/// The bytes of a member's result.
fn result(row: &Row, places: &bench_scale::Layout) -> u64 {
    match row.call {
        Call::Fcollect | Call::Collect | Call::Alltoall => row.bytes * u64::from(places.size()),
        _ => row.bytes,
    }
}

/// Prints, for the rows and the layouts that `cargo xtask scale` passes, the figures of a member and a node and the
/// model's times: of the job's first call, and of a later one. `cargo xtask scale` reads them.
#[test]
#[ignore = "for cargo xtask scale"]
fn figures_at_scale() {
    let word = |name: &str| std::env::var(name).ok();
    let layouts = word("SCALE_LAYOUTS").unwrap_or_else(|| "16x128".to_owned());
    for layout in layouts.split(' ') {
        let (nodes, each) = layout.split_once('x').expect("nodes and members of each");
        let group = Group::blocks(nodes.parse().expect("a number"), each.parse().expect("a number"));
        for row in &ROWS {
            let recordings = Recordings::new(&group, row);
            // The root's node, and another one.
            let seen: u32 = if row.call == Call::Alltoall { 1 } else { 2.min(group.places.nodes()) };
            let members = (0..seen).flat_map(|node| group.places.on(node));
            let figures = members.map(|&member| Figures::of(&group.places, member, &recordings.of(member)));
            let worst = figures.fold(Figures::default(), Figures::worst);
            let border = (0..seen).map(|node| checks::border(&group.places, node, |member| recordings.of(member)));
            let border = border.max().unwrap_or(0);
            let Played { end, unexpected } = play(&recordings, &Model::CLUSTER);
            let first = play(&recordings, &Model::FIRST).end;
            let optimum = bounds::border(row.collective(), &group.places, row.bytes);
            let Figures { sent, in_degree, .. } = worst;
            let in_degree = in_degree.max(unexpected.into());
            let numbers = [first, end, sent, in_degree, border, optimum].map(|number| number.to_string());
            println!("scale\t{}\t{layout}\t{}", row.name, numbers.join("\t"));
        }
    }
}

/// The greatest figures of some members, and the most memory that one of them needs besides the buffers of the call.
fn worst(group: &Group, row: &Row, members: &[u32]) -> (Figures, usize) {
    members.iter().fold((Figures::default(), 0), |(worst, memory), &member| {
        let local = group.places.local(member) as usize;
        let (program, needs) =
            recorder::measured(&group.layout, member as usize, local, |w| at_once(|| perform(w, row)));
        (worst.worst(Figures::of(&group.places, member, &program)), memory.max(needs))
    })
}

/// A team, its layout and a context take as many bytes in a job of a million PEs as in a small one.
#[test]
fn teams_and_contexts_do_not_grow_with_the_job() {
    use crate::ctx::Contexts;
    use crate::memory::addr::Pe;
    use crate::memory::places::Places;
    use crate::team::{Team, TeamHandle};
    let held = |nodes: u32, cyclic: bool| {
        let pes = nodes * 128;
        let members = Members::spaced(0, 1, pes);
        let (mine, map) = match cyclic {
            false => ((0..128).collect(), Map::Blocks { first: 128, each: 128 }),
            true => ((0..128).map(|k| k * nodes).collect(), Map::Cyclic { nodes }),
        };
        let places = Places::new(mine, pes);
        let contexts = Contexts::new();
        recording::held(|| {
            let team = Team::predefined(TeamHandle::WORLD, members, Pe(0), &places);
            let layout = Layout::new(members, &Placement { map, pes });
            contexts.make(TeamHandle::WORLD, members, 0, false, false).expect("there is room for one");
            (team, layout)
        })
    };
    for cyclic in [false, true] {
        assert_eq!(held(2, cyclic), held(8192, cyclic));
        assert!(held(8192, cyclic) < 256 << 10, "{}", held(8192, cyclic));
    }
    assert!(recording::held(|| vec![0u8; 1 << 20]) >= 1 << 20, "what is held is counted");
}
