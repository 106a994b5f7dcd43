//! Plays a schedule by a [`Model`]: a discrete-event simulation, in whole picoseconds.
//!
//! Four ways, which give the same times where more than one of them can be taken, unless it says so (the tests compare
//! them):
//!
//! * every member by itself;
//! * **leaders in detail**: members of a node that send no messages are one actor with a weight. They do the same, or
//!   the last of them does most;
//! * **lanes**: of the leaders of a node that do the same at the same time, each with leaders of its number, one is
//!   played, with the bytes of all on the adapters. Messages of different lanes do not overlap then: times are upper
//!   bounds;
//! * **one node for all**: if moving all members by whole nodes changes no member's program, all nodes do the same at
//!   the same time. One of them is played; a message to another node is one from another node, too.

use crate::layout::Layout;
use crate::model::Model;
use crate::schedule::{Executor, Message, NodeStage, Program, Step};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// How the nodes of a schedule are moved onto each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Node k becomes node k + d.
    Shift,
    /// Node k becomes node k xor d; the number of nodes is a power of two.
    Xor,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Played {
    /// When the last member ended, in picoseconds.
    pub end: u64,
    /// Most messages that had come to a member before it asked for them.
    pub unexpected: u32,
}

impl Played {
    pub fn us(self) -> f64 {
        self.end as f64 * 1e-6
    }
}

/// Every member by itself.
pub fn all(model: &Model, layout: &Layout, program: &dyn Fn(u32) -> Program) -> Played {
    play(model, layout, (0..layout.size()).map(|member| (member, 1)).collect(), None, program)
}

/// Leaders in detail: `leads` says which members of a node send messages. Of the others the last stands for all of its
/// node.
pub fn leaders(
    model: &Model,
    layout: &Layout,
    leads: &dyn Fn(u32) -> bool,
    program: &dyn Fn(u32) -> Program,
) -> Played {
    let mut actors = Vec::new();
    for node in 0..layout.nodes() {
        let (lead, others): (Vec<u32>, Vec<u32>) = layout.on(node).iter().partition(|&&member| leads(member));
        actors.extend(lead.into_iter().map(|member| (member, 1)));
        actors.extend(others.last().map(|&last| (last, others.len() as u32)));
    }
    play(model, layout, actors, None, program)
}

/// Lanes: the first `lanes` members of each node, at most as many as it has, are leaders that do alike.
pub fn lanes(model: &Model, layout: &Layout, lanes: u32, program: &dyn Fn(u32) -> Program) -> Played {
    let mut actors = Vec::new();
    for node in 0..layout.nodes() {
        let members = layout.on(node);
        let leaders = lanes.min(members.len() as u32);
        actors.push((members[0], leaders));
        let others = &members[leaders as usize..];
        actors.extend(others.last().map(|&last| (last, others.len() as u32)));
    }
    play(model, layout, actors, None, program)
}

/// One node for all. The layout is regular, and the caller knows that the schedule is symmetric: see [`is_symmetric`].
pub fn one_node(model: &Model, layout: &Layout, symmetry: Symmetry, program: &dyn Fn(u32) -> Program) -> Played {
    assert!(layout.regular(), "only nodes that are alike can stand for each other");
    let actors = layout.on(0).iter().map(|&member| (member, 1)).collect();
    play(model, layout, actors, Some(symmetry), program)
}

/// Whether these members of `node`, by their numbers there, do what those of node 0 do, moved there.
pub fn is_symmetric(
    layout: &Layout,
    symmetry: Symmetry,
    node: u32,
    locals: &[u32],
    program: &dyn Fn(u32) -> Program,
) -> bool {
    let per_node = layout.on(0).len() as u32;
    let moved = |member: u32| {
        let there = match symmetry {
            Symmetry::Shift => (layout.node(member) + node) % layout.nodes(),
            Symmetry::Xor => layout.node(member) ^ node,
        };
        there * per_node + layout.local(member)
    };
    let same = |&local: &u32| {
        let member = layout.on(0)[local as usize];
        let (here, there) = (program(member), program(moved(member)));
        let messages = here.messages().iter().map(|message| message.with(moved(message.peer())));
        here.steps() == there.steps() && messages.eq(there.messages().iter().copied())
    };
    locals.iter().all(same)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A message is handed to the adapter of its sender's node.
    Out(u32),
    /// Its first byte is at the adapter of its receiver's node.
    In(u32),
    /// It is in its receiver's memory.
    There(u32),
    /// An actor wants bytes of its node's memory to be moved: the least time it takes.
    Memory(u32, u64, u64),
    Resume(u32),
}

/// Events at one time are served in an order that does not depend on which node an actor is on.
type Turn = (u64, u32, u32, Event);

struct Flight {
    key: Key,
    to: u32,
    from_node: u32,
    to_node: u32,
    bytes: u64,
    /// Messages that it stands for.
    messages: u64,
    local: u32,
    count: u32,
    operation: Option<Operation>,
}

/// What a flight of an operation does when it is there.
#[derive(Clone, Copy)]
enum Operation {
    /// The target carries it out, and answers with so many bytes.
    Request(Executor, u64),
    Answer(Executor),
}

/// Receiver, sender, and how far away the sender's node is (0 where every member is played).
type Key = (u32, u32, u32);

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }
}

#[derive(Default)]
struct Mailbox {
    /// When messages came that nobody has asked for.
    came: VecDeque<u64>,
    /// Receives that wait.
    wanted: u32,
}

#[derive(Default)]
struct Actor {
    member: u32,
    node: u32,
    weight: u32,
    program: Program,
    step: usize,
    message: usize,
    /// Until when it is busy.
    clock: u64,
    /// Until when its progress thread is busy with operations of others.
    serves: u64,
    /// Until when adapters carry out AMOs on its word.
    atomic: u64,
    /// Messages of the transfer under way that have not ended.
    pending: u32,
    sent: u32,
    unexpected: u32,
    ended: bool,
    stages: usize,
}

/// A stage of one node.
#[derive(Default)]
struct Stage {
    come: u32,
    last: u64,
    root: Option<u64>,
    /// Actors that wait, and whether for all or only for the root.
    waiting: Vec<(u32, bool)>,
}

#[derive(Default, Clone, Copy)]
struct Node {
    out: u64,
    into: u64,
    memory: u64,
}

struct Play<'a> {
    model: &'a Model,
    layout: &'a Layout,
    symmetry: Option<Symmetry>,
    program: &'a dyn Fn(u32) -> Program,
    actors: Vec<Actor>,
    /// Actor of each member that has one.
    of: Vec<u32>,
    nodes: Vec<Node>,
    stages: HashMap<(u32, usize), Stage>,
    flights: Vec<Flight>,
    free: Vec<u32>,
    boxes: HashMap<Key, Mailbox, BuildHasherDefault<Mix>>,
    /// Who has sent to whom, where the first contact takes time.
    connected: HashSet<Key>,
    turns: BinaryHeap<Reverse<Turn>>,
    played: Played,
}

fn play(
    model: &Model,
    layout: &Layout,
    actors: Vec<(u32, u32)>,
    symmetry: Option<Symmetry>,
    program: &dyn Fn(u32) -> Program,
) -> Played {
    let mut of = vec![u32::MAX; layout.size() as usize];
    let actors: Vec<Actor> = (0..)
        .zip(actors)
        .map(|(number, (member, weight))| {
            of[member as usize] = number;
            Actor { member, weight, node: layout.node(member), ..Actor::default() }
        })
        .collect();
    let mut play = Play {
        model,
        layout,
        symmetry,
        program,
        of,
        nodes: vec![Node::default(); layout.nodes() as usize],
        stages: HashMap::new(),
        flights: Vec::new(),
        free: Vec::new(),
        boxes: HashMap::default(),
        connected: HashSet::new(),
        turns: BinaryHeap::new(),
        played: Played::default(),
        actors,
    };
    for actor in 0..play.actors.len() as u32 {
        let program = (play.program)(play.actors[actor as usize].member);
        play.actors[actor as usize].program = program;
        play.proceed(actor);
    }
    play.run();
    let stuck = play.actors.iter().find(|actor| !actor.ended);
    if let Some(actor) = stuck {
        panic!("member {} waits for ever in step {} of {:?}", actor.member, actor.step, actor.program.steps());
    }
    play.played
}

impl Play<'_> {
    fn run(&mut self) {
        while let Some(Reverse((now, _, _, event))) = self.turns.pop() {
            match event {
                Event::Out(flight) => {
                    let Flight { from_node, bytes, messages, key, operation, .. } = self.flights[flight as usize];
                    let adapter = &mut self.nodes[from_node as usize].out;
                    let begin = now.max(*adapter);
                    *adapter = begin + self.model.through_adapter(messages, bytes);
                    let done = *adapter;
                    self.turn(begin + self.model.wire, flight, Event::In(flight));
                    if operation.is_none() {
                        self.ended(key.1, done);
                    }
                }
                Event::In(flight) => {
                    let Flight { to_node, bytes, messages, .. } = self.flights[flight as usize];
                    let adapter = &mut self.nodes[to_node as usize].into;
                    *adapter = now.max(*adapter) + self.model.through_adapter(messages, bytes);
                    let done = *adapter;
                    self.turn(done, flight, Event::There(flight));
                }
                Event::There(flight) => {
                    let Flight { key, to, from_node, to_node, bytes, operation, .. } = self.flights[flight as usize];
                    match operation {
                        Some(Operation::Request(by, back)) => self.carry_out(flight, by, back, now),
                        Some(Operation::Answer(by)) => {
                            self.free.push(flight);
                            let took = if by == Executor::Cpu { self.model.cpu } else { 0 };
                            self.ended(key.1, now + took);
                        }
                        None => {
                            self.free.push(flight);
                            let inside = from_node == to_node && key.2 == 0;
                            self.arrived(key, to, now, if inside { bytes } else { 0 });
                        }
                    }
                }
                Event::Memory(actor, bytes, least) => {
                    let memory = &mut self.nodes[self.actors[actor as usize].node as usize].memory;
                    *memory = now.max(*memory) + Model::bytes(self.model.memory, bytes);
                    let done = (*memory).max(now + least);
                    let a = &mut self.actors[actor as usize];
                    a.clock = done;
                    a.step += 1;
                    let (local, count) = (self.layout.local(a.member), a.step as u32);
                    self.turns.push(Reverse((done, local, count, Event::Resume(actor))));
                }
                Event::Resume(actor) => self.proceed(actor),
            }
        }
    }

    fn turn(&mut self, at: u64, flight: u32, event: Event) {
        let Flight { local, count, .. } = self.flights[flight as usize];
        self.turns.push(Reverse((at, local, count, event)));
    }

    /// Goes on with an actor until it has to wait.
    fn proceed(&mut self, number: u32) {
        loop {
            let a = &mut self.actors[number as usize];
            let Some(&step) = a.program.steps().get(a.step) else {
                a.ended = true;
                self.played.end = self.played.end.max(a.clock);
                a.program = Program::default();
                return;
            };
            match step {
                Step::Transfer(count) => {
                    self.transfer(number, count);
                    let a = &mut self.actors[number as usize];
                    if a.pending > 0 {
                        return;
                    }
                    a.step += 1;
                }
                Step::Node(stage) => {
                    a.step += 1;
                    if self.layout.on(a.node).len() > 1 && !self.stage(number, stage) {
                        return;
                    }
                }
                Step::Copy(bytes) | Step::Combine(bytes) => {
                    let rate = if matches!(step, Step::Copy(_)) { self.model.copy } else { self.model.combine };
                    let least = Model::bytes(rate, bytes);
                    if bytes <= self.model.cached << 10 {
                        a.clock += least;
                        a.step += 1;
                        continue;
                    }
                    let event = Event::Memory(number, bytes * u64::from(a.weight), least);
                    self.turns.push(Reverse((a.clock, self.layout.local(a.member), a.step as u32, event)));
                    return;
                }
            }
        }
    }

    /// Starts the messages of a transfer. What is pending afterwards ends by events.
    fn transfer(&mut self, number: u32, count: u32) {
        self.actors[number as usize].pending = count;
        // Receives are posted before anything is sent; their ends count behind the sends.
        let first = self.actors[number as usize].message;
        let messages = first..first + count as usize;
        self.actors[number as usize].message = messages.end;
        for i in messages.clone() {
            match self.actors[number as usize].program.messages()[i] {
                Message::Send { to, bytes } => self.send(number, to, bytes, None),
                Message::Operation { on, bytes, back, by } => {
                    self.send(number, on, bytes, Some(Operation::Request(by, back)));
                }
                Message::Receive { .. } => {}
            }
        }
        for i in messages {
            let Message::Receive { from, .. } = self.actors[number as usize].program.messages()[i] else { continue };
            let key = self.key(from, number, true);
            let mailbox = self.boxes.entry(key).or_default();
            match mailbox.came.pop_front() {
                Some(at) => {
                    self.actors[number as usize].unexpected -= 1;
                    let inside = self.inside(number, from);
                    let bytes = self.actors[number as usize].program.messages()[i].bytes();
                    self.took(number, at, if inside { bytes } else { 0 });
                }
                None => mailbox.wanted += 1,
            }
        }
    }

    fn inside(&self, number: u32, peer: u32) -> bool {
        self.layout.node(peer) == self.actors[number as usize].node
    }

    /// Sends a message, or the request of an operation. On the sender's own node an operation is a load, a store or an
    /// atomic instruction.
    fn send(&mut self, number: u32, to: u32, bytes: u64, operation: Option<Operation>) {
        let inside = self.inside(number, to);
        let model = self.model;
        let copied = if inside { Model::bytes(model.copy, bytes) } else { 0 };
        if inside && operation.is_some() {
            let a = &mut self.actors[number as usize];
            a.clock += model.hop + copied;
            a.pending -= 1;
            return;
        }
        let key = self.key(to, number, false);
        let connects = !inside && model.contact > 0 && self.connected.insert((number, key.0, key.2));
        let a = &mut self.actors[number as usize];
        a.clock += match operation {
            Some(Operation::Request(Executor::Adapter | Executor::AdapterAtomic, _)) => model.post,
            _ => model.cpu,
        };
        a.clock += copied + if connects { model.contact } else { 0 };
        a.sent += 1;
        let asks_first = !inside && operation.is_none() && bytes > model.eager << 10;
        let handshake = if asks_first { 2 * (model.wire + model.cpu) } else { 0 };
        let to_node = if self.symmetry.is_some() { a.node } else { self.layout.node(to) };
        let flight = Flight {
            key,
            to: key.0,
            from_node: a.node,
            to_node,
            // Those for whom the actor stands send as much.
            bytes: if inside { bytes } else { bytes * u64::from(a.weight) },
            messages: u64::from(a.weight),
            local: self.layout.local(a.member),
            count: a.sent,
            operation,
        };
        let at = a.clock + handshake;
        let flight = match self.free.pop() {
            Some(place) => {
                self.flights[place as usize] = flight;
                place
            }
            None => {
                self.flights.push(flight);
                self.flights.len() as u32 - 1
            }
        };
        if inside {
            self.turn(at + self.model.hop, flight, Event::There(flight));
            self.actors[number as usize].pending -= 1;
        } else {
            self.turn(at, flight, Event::Out(flight));
        }
    }

    /// The target of a request carries it out, and its answer leaves. The flight becomes the answer's.
    fn carry_out(&mut self, flight: u32, by: Executor, back: u64, now: u64) {
        let f = &mut self.flights[flight as usize];
        let target = &mut self.actors[f.to as usize];
        let done = match by {
            Executor::Adapter => now,
            Executor::AdapterAtomic => {
                target.atomic = now.max(target.atomic) + f.messages * self.model.atomic;
                target.atomic
            }
            // It takes the request, and sends the answer.
            Executor::Cpu => {
                target.serves = now.max(target.serves) + f.messages * 2 * self.model.cpu;
                target.serves
            }
        };
        (f.from_node, f.to_node) = (f.to_node, f.from_node);
        (f.bytes, f.operation) = (back, Some(Operation::Answer(by)));
        self.turn(done, flight, Event::Out(flight));
    }

    /// Who receives from whom: `number` from the member `peer`, or the member `peer` from `number`.
    fn key(&self, peer: u32, number: u32, receives: bool) -> Key {
        let Some(symmetry) = self.symmetry else {
            let other = self.of[peer as usize];
            assert!(other != u32::MAX, "a message with member {peer}, which stands for nobody");
            return if receives { (number, other, 0) } else { (other, number, 0) };
        };
        let other = self.of[self.layout.on(0)[self.layout.local(peer) as usize] as usize];
        let (nodes, away) = (self.layout.nodes(), self.layout.node(peer));
        match (receives, symmetry) {
            (true, Symmetry::Shift) => (number, other, (nodes - away) % nodes),
            (true, Symmetry::Xor) => (number, other, away),
            (false, _) => (other, number, away),
        }
    }

    fn arrived(&mut self, key: Key, to: u32, now: u64, copied: u64) {
        let mailbox = self.boxes.entry(key).or_default();
        if mailbox.wanted == 0 {
            mailbox.came.push_back(now);
            let a = &mut self.actors[to as usize];
            a.unexpected += 1;
            self.played.unexpected = self.played.unexpected.max(a.unexpected);
            return;
        }
        mailbox.wanted -= 1;
        self.took(to, now, copied);
        self.go_on(to);
    }

    /// A receive of the transfer under way has its message, which came at `at`.
    fn took(&mut self, number: u32, at: u64, copied: u64) {
        let ready = self.actors[number as usize].clock.max(at);
        let clock = ready + self.model.cpu + Model::bytes(self.model.copy, copied);
        let a = &mut self.actors[number as usize];
        a.clock = clock;
        a.pending -= 1;
    }

    /// A send of the transfer under way has left the node.
    fn ended(&mut self, number: u32, at: u64) {
        let a = &mut self.actors[number as usize];
        a.clock = a.clock.max(at);
        a.pending -= 1;
        self.go_on(number);
    }

    fn go_on(&mut self, number: u32) {
        let a = &mut self.actors[number as usize];
        if a.pending == 0 {
            a.step += 1;
            self.proceed(number);
        }
    }

    /// The actor comes to a stage; false: it waits there.
    fn stage(&mut self, number: u32, stage: NodeStage) -> bool {
        let a = &mut self.actors[number as usize];
        let (node, members) = (a.node, self.layout.on(a.node).len() as u32);
        let (place, clock, local, weight) = ((node, a.stages), a.clock, self.layout.local(a.member), a.weight);
        a.stages += 1;
        let up = self.model.up(members);
        let entry = self.stages.entry(place).or_default();
        entry.come += weight;
        entry.last = entry.last.max(clock);
        let root = match stage {
            NodeStage::Barrier => None,
            NodeStage::Gather { root } | NodeStage::Release { root } => Some(root),
        };
        if root == Some(local) {
            entry.root = Some(clock);
        }
        let goes_on = match stage {
            NodeStage::Barrier => false,
            NodeStage::Gather { .. } => root != Some(local),
            NodeStage::Release { .. } => root == Some(local),
        };
        if !goes_on {
            entry.waiting.push((number, !matches!(stage, NodeStage::Release { .. })));
        }
        let whole = entry.come == members;
        let (last, root_came) = (entry.last, entry.root);
        let woken: Vec<(u32, bool)> =
            entry.waiting.extract_if(.., |w| if w.1 { whole } else { root_came.is_some() }).collect();
        if whole {
            self.stages.remove(&place);
        }
        let mut mine = goes_on;
        for (waiter, for_all) in woken {
            let ready = match (for_all, stage) {
                (true, NodeStage::Barrier) => last + 2 * up,
                (true, _) => last + up,
                (false, _) => root_came.expect("only then somebody is woken") + up,
            };
            let w = &mut self.actors[waiter as usize];
            w.clock = w.clock.max(ready);
            if waiter == number {
                mine = true;
            } else {
                let (at, local, count) = (w.clock, self.layout.local(w.member), w.step as u32);
                self.turns.push(Reverse((at, local, count, Event::Resume(waiter))));
            }
        }
        mine
    }
}
