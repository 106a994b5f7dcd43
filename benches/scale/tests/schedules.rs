//! Simulator, proofs and bounds, tried on two schedules that are made by rules. Shortcuts of the simulator are tried on
//! the runtime's own schedules, in `benches/scale/runtime/recorded.rs`.

use bench_scale::bounds::{self, Collective};
use bench_scale::checks;
use bench_scale::layout::log2_up;
use bench_scale::simulate;
use bench_scale::{Layout, Message, Model, NodeStage, Program};

const MODEL: Model = Model::CLUSTER;

/// A rule: the program of a member of so many, with so many bytes.
type Rule = fn(u32, u32, u64) -> Program;

fn exchange(p: &mut Program, to: u32, from: u32, bytes: u64) {
    p.transfer([Message::Receive { from, bytes }, Message::Send { to, bytes }]);
}

/// Barrier: in round k every member hears of 2^k members more.
fn dissemination(size: u32, me: u32, _: u64) -> Program {
    let mut p = Program::default();
    for away in (0..log2_up(size)).map(|k| 1 << k) {
        exchange(&mut p, (me + away) % size, (me + size - away) % size, 1);
    }
    p
}

/// Reduction among a power of two of members.
fn recursive_doubling(size: u32, me: u32, bytes: u64) -> Program {
    let mut p = Program::default();
    for bit in (0..size.ilog2()).map(|k| 1 << k) {
        exchange(&mut p, me ^ bit, me ^ bit, bytes);
        p.combine(bytes);
    }
    p
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
fn a_message_takes_what_the_model_gives() {
    let one = |layout: &Layout, bytes| {
        let program = |me| {
            let mut p = Program::default();
            p.transfer([if me == 0 { Message::Send { to: 1, bytes } } else { Message::Receive { from: 0, bytes } }]);
            p
        };
        simulate::all(&MODEL, layout, &program).end
    };
    let wire = MODEL.wire + 2 * MODEL.cpu;
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
    // Long messages are announced.
    assert_eq!(two, 2 * (MODEL.wire + MODEL.cpu) + wire + 2 * 1024 * MODEL.adapter);
    // So many short ones take the adapter's time for each, beside that of their sender for each.
    let many = |me: u32| {
        let message =
            |k| if me < 8 { Message::Send { to: 8 + k, bytes: 0 } } else { Message::Receive { from: k, bytes: 0 } };
        let mut p = Program::default();
        p.transfer((0..8).map(message));
        p
    };
    let fast = Model { cpu: 0, ..MODEL };
    assert_eq!(simulate::all(&fast, &Layout::blocks(2, 8), &many).end, MODEL.wire + 64 * MODEL.gap);
    // A first contact is paid once.
    let twice = |me: u32| {
        let mut p = Program::default();
        for _ in 0..2 {
            p.transfer([if me == 0 {
                Message::Send { to: 1, bytes: 0 }
            } else {
                Message::Receive { from: 0, bytes: 0 }
            }]);
        }
        p
    };
    let [late, early] = [Model::FIRST, MODEL].map(|model| simulate::all(&model, &Layout::apart(2), &twice).end);
    assert_eq!(late - early, Model::FIRST.contact);
    // A barrier of a node of 128: two levels up, two down.
    let stage = |_| {
        let mut p = Program::default();
        p.node(NodeStage::Barrier);
        p
    };
    assert_eq!(simulate::all(&MODEL, &Layout::blocks(1, 128), &stage).end, 4 * MODEL.hop);
}

/// One lane of several that reduce shares: not faster than all lanes, and little slower.
#[test]
fn lanes_are_an_upper_bound() {
    for (nodes, per_node) in [(8, 4), (16, 8), (4, 2)] {
        let layout = Layout::blocks(nodes, per_node);
        for (bytes, most) in [(8, 1.02), (100_000, 1.5)] {
            let program = |me| {
                let mut p = Program::default();
                p.append(&recursive_doubling(nodes, layout.node(me), bytes), |node| node * per_node + layout.local(me));
                p.node(NodeStage::Barrier);
                p
            };
            let all = simulate::all(&MODEL, &layout, &program).us();
            let one = simulate::lanes(&MODEL, &layout, per_node, &program).us();
            assert!(one >= all && one <= most * all, "{nodes} x {per_node}, {bytes} bytes: {all} {one}");
        }
    }
}

#[test]
fn nothing_is_faster_than_its_bound() {
    let rules: [(Collective, Rule); 2] =
        [(Collective::Barrier, dissemination), (Collective::Reduce, recursive_doubling)];
    for layout in [Layout::apart(4), Layout::blocks(4, 2), Layout::blocks(8, 2), Layout::blocks(16, 8)] {
        // Where several PEs of a node send, news may be faster; bytes are not.
        let apart = layout.nodes() == layout.size();
        let model = if apart { MODEL } else { Model { wire: 0, cpu: 0, hop: 0, ..MODEL } };
        for bytes in [8, 4096, 1 << 20] {
            for (what, rule) in rules {
                let program = |me| rule(layout.size(), me, bytes);
                let took = simulate::all(&MODEL, &layout, &program).end;
                let bound = bounds::time(what, &model, &layout, bytes);
                assert!(took >= bound, "{what:?}, {bytes} bytes: {took} ps, bound {bound}; {layout:?}");
                let border = (0..layout.nodes()).map(|node| checks::border(&layout, node, program)).max().unwrap();
                assert!(border >= bounds::border(what, &layout, bytes), "{what:?}, {bytes} bytes, {layout:?}");
            }
        }
    }
}
