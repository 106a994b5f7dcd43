//! Every schedule that is made by a rule: its messages match, it sends what its textbook says, the simulator's
//! shortcuts give the times of the whole simulation, and nothing is faster than its bound.

use bench_scale::bounds::{self, Collective};
use bench_scale::checks::{self, Figures};
use bench_scale::layout::log2_up;
use bench_scale::simulate::{self, Symmetry};
use bench_scale::textbook::{self, Member};
use bench_scale::{Layout, Message, Model, NodeStage, Program};

const MODEL: Model = Model::CLUSTER;

type Make = fn(&mut Program, Member, u64);

fn at(bytes: u64) -> impl Fn(u32) -> u64 {
    move |i| u64::from(i) * bytes
}

/// Name, what it does, the rule.
const TEXTBOOK: &[(&str, Collective, Make)] = &[
    ("dissemination", Collective::Barrier, |p, m, _| textbook::dissemination(p, m)),
    ("binomial", Collective::Broadcast, |p, m, bytes| textbook::binomial(p, m, 0, bytes)),
    ("scatter and ring", Collective::Broadcast, textbook::scatter_ring),
    ("ring", Collective::Allgather, |p, m, bytes| textbook::ring(p, m, at(bytes), u32::MAX)),
    ("bruck", Collective::Allgather, |p, m, bytes| textbook::bruck(p, m, at(bytes))),
    ("recursive doubling", Collective::Reduce, textbook::recursive_doubling),
    ("rabenseifner", Collective::Reduce, textbook::rabenseifner),
    ("ring reduce", Collective::Reduce, |p, m, bytes| textbook::ring_reduce(p, m, bytes, u32::MAX)),
    ("doubling scan", Collective::Scan, textbook::doubling_scan),
    ("pairwise", Collective::Alltoall, |p, m, bytes| textbook::pairwise(p, m, |_, _| bytes, u32::MAX)),
    ("bruck alltoall", Collective::Alltoall, textbook::bruck_alltoall),
];

fn program(make: Make, size: u32, bytes: u64) -> impl Fn(u32) -> Program {
    move |me| {
        let mut p = Program::default();
        make(&mut p, Member::new(size, me), bytes);
        p
    }
}

/// A reduction: the members of a node bring their elements, leaders exchange them, the others copy the result.
fn by_nodes(layout: &Layout, bytes: u64) -> impl Fn(u32) -> Program {
    move |me| {
        let (mut p, leads) = (Program::default(), layout.local(me) == 0);
        p.copy(bytes);
        p.node(NodeStage::Gather { root: 0 });
        if leads {
            p.combine(bytes * (layout.on(layout.node(me)).len() as u64 - 1));
            let mut part = Program::default();
            textbook::recursive_doubling(&mut part, Member::new(layout.nodes(), layout.node(me)), bytes);
            p.append(&part, |node| layout.leader(node));
        }
        p.node(NodeStage::Release { root: 0 });
        if !leads {
            p.copy(bytes);
        }
        p
    }
}

fn layouts() -> Vec<Layout> {
    let irregular = Layout::of([0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3]);
    let cyclic = Layout::of((0..9).map(|member| member % 3));
    vec![Layout::apart(5), Layout::blocks(4, 1), Layout::blocks(4, 3), Layout::blocks(8, 2), irregular, cyclic]
}

#[test]
fn every_send_has_its_receive() {
    for size in (1..=20).chain([33, 64]) {
        for (name, _, make) in TEXTBOOK {
            for bytes in [1, 8, 1000] {
                let layout = Layout::blocks(size, 1);
                let result = checks::matches(&layout, program(*make, size, bytes));
                assert_eq!(result, Ok(()), "{name}, {size} members, {bytes} bytes");
            }
        }
    }
}

/// The proof finds what is wrong: a message without an end, other lengths, members that wait for each other.
#[test]
fn wrong_schedules_are_found() {
    let two = Layout::apart(2);
    let of = |make: fn(u32) -> Vec<Message>| {
        checks::matches(&two, |me| {
            let mut p = Program::default();
            make(me).into_iter().for_each(|message| p.transfer([message]));
            p
        })
    };
    assert!(of(|me| vec![Message::Send { to: 1 - me, bytes: 8 }]).unwrap_err().contains("waits for ever"));
    let unequal = |me| {
        if me == 0 { vec![Message::Send { to: 1, bytes: 8 }] } else { vec![Message::Receive { from: 0, bytes: 9 }] }
    };
    assert!(of(unequal).unwrap_err().contains("bytes"));
    let in_turn = |me: u32| {
        let (out, into) = (Message::Send { to: 1 - me, bytes: 8 }, Message::Receive { from: 1 - me, bytes: 8 });
        if me == 1 { vec![into, out] } else { vec![out, into] }
    };
    assert_eq!(of(in_turn), Ok(()));
    let stages = checks::matches(&Layout::blocks(1, 2), |me| {
        let mut p = Program::default();
        p.node(if me == 0 { NodeStage::Barrier } else { NodeStage::Gather { root: 1 } });
        p
    });
    assert!(stages.unwrap_err().contains("comes to"));
}

#[test]
fn textbooks_send_what_they_state() {
    for size in [2u32, 3, 8, 13, 64, 100] {
        let layout = Layout::apart(size);
        let worst = |make: Make, bytes| {
            let all = (0..size).map(|me| Figures::of(&layout, me, &program(make, size, bytes)(me)));
            all.reduce(Figures::worst).unwrap()
        };
        let (log, n) = (u64::from(log2_up(size)), u64::from(size));
        for (name, _, make) in TEXTBOOK {
            let f = worst(*make, 1024);
            let fold = 2 * u64::from(!size.is_power_of_two());
            let (messages, bytes) = match *name {
                "dissemination" => (log, log),
                "binomial" => (log, log * 1024),
                "scatter and ring" => (log + n - 1, 2 * 1024 + n),
                "ring" => (n - 1, (n - 1) * 1024),
                "bruck" => (log, (n - 1) * 1024),
                "recursive doubling" => (log + fold, (log + fold) * 1024),
                "rabenseifner" => (2 * log + fold, (2 + fold) * 1024),
                "ring reduce" => (2 * (n - 1), 2 * (n - 1) * 1024u64.div_ceil(n)),
                "doubling scan" => (log, log * 1024),
                "pairwise" => (n - 1, (n - 1) * 1024),
                _ => (log, log * n.div_ceil(2) * 1024),
            };
            assert!(f.sent <= messages && f.received <= messages, "{name}, {size}: {f:?}, {messages}");
            assert!(f.bytes_sent <= bytes && f.bytes_received <= bytes, "{name}, {size}: {f:?}, {bytes}");
        }
    }
}

#[test]
fn a_message_takes_what_the_model_gives() {
    let one = |layout: &Layout, bytes| {
        simulate::all(&MODEL, layout, &program(|p, m, b| textbook::binomial(p, m, 0, b), 2, bytes)).end
    };
    let wire = MODEL.wire + 2 * MODEL.cpu;
    assert_eq!(one(&Layout::apart(2), 0), 0);
    assert_eq!(one(&Layout::apart(2), 1024), wire + MODEL.adapter);
    assert_eq!(one(&Layout::blocks(1, 2), 1024), MODEL.hop + 2 * MODEL.cpu + 2 * MODEL.copy);
    // The members of a node share its adapter: two messages of a MiB take twice as long as one.
    let pairs = |me: u32| {
        let mut p = Program::default();
        p.transfer([if me < 2 {
            Message::Send { to: me + 2, bytes: 1 << 20 }
        } else {
            Message::Receive { from: me - 2, bytes: 1 << 20 }
        }]);
        p
    };
    let two = simulate::all(&MODEL, &Layout::blocks(2, 2), &pairs).end;
    assert_eq!(two, wire + 2 * 1024 * MODEL.adapter);
    // A barrier of a node of 128: two levels up, two down.
    let stage = |_| {
        let mut p = Program::default();
        p.node(NodeStage::Barrier);
        p
    };
    assert_eq!(simulate::all(&MODEL, &Layout::blocks(1, 128), &stage).end, 4 * MODEL.hop);
}

/// One node stands for all where the schedule is the same on all, and leaders with one of the others for everybody.
#[test]
fn shortcuts_give_the_times_of_all() {
    for (nodes, per_node) in [(4, 3), (8, 4), (5, 2), (16, 1), (7, 1)] {
        let (layout, size) = (Layout::blocks(nodes, per_node), nodes * per_node);
        for (name, _, make) in TEXTBOOK {
            let symmetry = match *name {
                "dissemination" | "ring" | "bruck" | "ring reduce" | "pairwise" | "bruck alltoall" => Symmetry::Shift,
                "recursive doubling" if size.is_power_of_two() => Symmetry::Xor,
                _ => continue,
            };
            for bytes in [8, 100_000] {
                let program = program(*make, size, bytes);
                let locals: Vec<u32> = (0..per_node).collect();
                let alike = |node| simulate::is_symmetric(&layout, symmetry, node, &locals, &program);
                assert!((0..nodes).all(alike), "{name}");
                let all = simulate::all(&MODEL, &layout, &program);
                let one = simulate::one_node(&MODEL, &layout, symmetry, &program);
                assert_eq!(all, one, "{name}, {nodes} x {per_node}, {bytes} bytes");
            }
        }
        // A tree is not the same from every node.
        let tree = program(|p, m, b| textbook::binomial(p, m, 0, b), size, 8);
        assert!(!simulate::is_symmetric(&layout, Symmetry::Shift, 1, &[0], &tree));
    }
    for layout in layouts().iter().filter(|layout| layout.in_blocks()) {
        for bytes in [8, 64, 4096] {
            let program = by_nodes(layout, bytes);
            let all = simulate::all(&MODEL, layout, &program);
            let some = simulate::leaders(&MODEL, layout, &|me| layout.local(me) == 0, &program);
            assert_eq!(all.end, some.end, "{bytes} bytes, {layout:?}");
        }
    }
}

/// One lane of several that reduce shares: not faster than all lanes, and little slower.
#[test]
fn lanes_are_an_upper_bound() {
    for (nodes, per_node) in [(8, 4), (13, 8), (6, 2)] {
        let layout = Layout::blocks(nodes, per_node);
        for (bytes, most) in [(8, 1.01), (100_000, 1.5)] {
            let program = |me| {
                let mut part = Program::default();
                textbook::rabenseifner(&mut part, Member::new(nodes, layout.node(me)), bytes);
                let mut p = Program::default();
                p.append(&part, |node| node * per_node + layout.local(me));
                p.node(NodeStage::Barrier);
                p
            };
            let all = simulate::all(&MODEL, &layout, &program).us();
            let one = simulate::lanes(&MODEL, &layout, per_node, &program).us();
            assert!(one >= all && one <= most * all, "{nodes} x {per_node}, {bytes} bytes: {all} {one}");
        }
    }
}

/// Long rings and exchanges are played in part: the rest is as long.
#[test]
fn steps_that_are_alike_take_alike() {
    for (nodes, per_node) in [(16, 4), (10, 8)] {
        let layout = Layout::blocks(nodes, per_node);
        let total = layout.size() - 1;
        for bytes in [8, 4096, 200_000] {
            for pairwise in [false, true] {
                let play = |steps| {
                    simulate::one_node(&MODEL, &layout, Symmetry::Shift, &|me| {
                        let (mut p, m) = (Program::default(), Member::new(layout.size(), me));
                        if pairwise {
                            textbook::pairwise(&mut p, m, |_, _| bytes, steps);
                        } else {
                            textbook::ring(&mut p, m, at(bytes), steps);
                        }
                        p
                    })
                };
                let (whole, part) = (play(total).us(), simulate::extrapolated(total, 16, &play).us());
                let apart = (whole / part - 1.0).abs();
                assert!(
                    apart < if pairwise { 0.25 } else { 0.01 },
                    "{nodes} x {per_node}, {bytes} bytes, {pairwise}: {whole} {part}"
                );
            }
        }
    }
}

#[test]
fn nothing_is_faster_than_its_bound() {
    for layout in layouts().into_iter().chain([Layout::blocks(16, 8)]) {
        for bytes in [8, 4096, 1 << 20] {
            let flat = TEXTBOOK.iter().map(|&(name, what, make)| {
                (name, what, Box::new(program(make, layout.size(), bytes)) as Box<dyn Fn(u32) -> Program>)
            });
            for (name, what, program) in flat {
                let took = simulate::all(&MODEL, &layout, &program).end;
                // Where several PEs of a node send, news may be faster; bytes are not.
                let apart = layout.nodes() == layout.size();
                let mut bound = Model { wire: 0, cpu: 0, hop: 0, ..MODEL };
                if apart {
                    bound = MODEL;
                }
                let bound = bounds::time(what, &bound, &layout, bytes);
                assert!(took >= bound, "{name}, {bytes} bytes: {took} ps, bound {bound}; {layout:?}");
                let border = (0..layout.nodes()).map(|node| checks::border(&layout, node, &program)).max().unwrap();
                assert!(
                    border >= bounds::border(what, &layout, bytes),
                    "{name}, {bytes} bytes over a border, {layout:?}"
                );
            }
        }
    }
}
