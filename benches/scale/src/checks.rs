//! What a schedule asks of a member and of a node, and the proof that its messages match.

use crate::layout::Layout;
use crate::schedule::{Message, NodeStage, Program, Step};
use std::collections::HashMap;

/// What a member does on the network.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Figures {
    pub sent: u64,
    pub received: u64,
    pub bytes_sent: u64,
    /// Bytes sent to, and received from, members of other nodes.
    pub out: u64,
    pub into: u64,
    /// Most messages that the member receives between two completions.
    pub in_degree: u64,
}

impl Figures {
    pub fn of(layout: &Layout, member: u32, program: &Program) -> Figures {
        let mut f = Figures::default();
        for message in program.messages() {
            let outside = layout.node(message.peer()) != layout.node(member);
            let over = if outside { message.bytes() } else { 0 };
            match message {
                Message::Send { bytes, .. } | Message::Operation { bytes, .. } => {
                    f.sent += 1;
                    f.bytes_sent += bytes;
                    f.out += over;
                }
                Message::Receive { .. } => {
                    f.received += 1;
                    f.into += over;
                }
            }
        }
        let receives = |messages: &[Message]| messages.iter().filter(|m| matches!(m, Message::Receive { .. })).count();
        f.in_degree = program.transfers().map(receives).max().unwrap_or(0) as u64;
        f
    }

    /// The worst of both, figure by figure.
    #[must_use]
    pub fn worst(self, other: Figures) -> Figures {
        let of = |get: fn(&Figures) -> u64| get(&self).max(get(&other));
        Figures {
            sent: of(|f| f.sent),
            received: of(|f| f.received),
            bytes_sent: of(|f| f.bytes_sent),
            out: of(|f| f.out),
            into: of(|f| f.into),
            in_degree: of(|f| f.in_degree),
        }
    }
}

/// Bytes over a node's border in its worse direction, from the programs of its members.
pub fn border(layout: &Layout, node: u32, program: impl Fn(u32) -> Program) -> u64 {
    let all = layout.on(node).iter().map(|&member| Figures::of(layout, member, &program(member)));
    let (out, into) = all.fold((0, 0), |(out, into), f| (out + f.out, into + f.into));
    out.max(into)
}

/// What a member of a whole group waits for.
struct Member {
    program: Program,
    step: usize,
    message: usize,
    open: usize,
    begun: bool,
    stages: usize,
}

#[derive(Default)]
struct Pair {
    sends: Vec<u64>,
    receives: Vec<u64>,
}

/// Runs the programs of all members together: every send has its receive in the order of the two members, of as many
/// bytes, and nobody waits for ever though no message is under way before its receive is posted.
pub fn matches(layout: &Layout, program: impl Fn(u32) -> Program) -> Result<(), String> {
    let member = |m| Member { program: program(m), step: 0, message: 0, open: 0, begun: false, stages: 0 };
    let mut members: Vec<Member> = (0..layout.size()).map(member).collect();
    let mut pairs: HashMap<(u32, u32), Pair> = HashMap::new();
    // How many have come to each stage of each node, and whether its root has.
    let mut stages: HashMap<(u32, usize), (Option<NodeStage>, usize, bool)> = HashMap::new();
    let mut ready: Vec<u32> = (0..layout.size()).collect();
    while let Some(m) = ready.pop() {
        let me = &mut members[m as usize];
        let Some(&step) = me.program.steps().get(me.step) else { continue };
        match step {
            Step::Copy(_) | Step::Combine(_) => {
                me.step += 1;
                ready.push(m);
            }
            Step::Transfer(_) if me.begun && me.open == 0 => {
                me.begun = false;
                me.step += 1;
                ready.push(m);
            }
            Step::Transfer(_) if me.begun => {}
            Step::Transfer(count) => {
                let messages = me.program.messages()[me.message..][..count as usize].to_vec();
                me.message += count as usize;
                (me.begun, me.open) = (true, count as usize);
                ready.push(m);
                for message in messages {
                    let (from, to) = match message {
                        Message::Send { to, .. } => (m, to),
                        Message::Receive { from, .. } => (from, m),
                        Message::Operation { .. } => {
                            members[m as usize].open -= 1;
                            continue;
                        }
                    };
                    if from == to || from.max(to) >= layout.size() {
                        return Err(format!("member {m} has a message from {from} to {to}"));
                    }
                    let pair = pairs.entry((from, to)).or_default();
                    let sends = matches!(message, Message::Send { .. });
                    let (own, others) = if sends {
                        (&mut pair.sends, &mut pair.receives)
                    } else {
                        (&mut pair.receives, &mut pair.sends)
                    };
                    if others.is_empty() {
                        own.push(message.bytes());
                        continue;
                    }
                    let (theirs, ours) = (others.remove(0), message.bytes());
                    if theirs != ours {
                        return Err(format!("from {from} to {to}: one says {theirs} bytes, member {m} says {ours}"));
                    }
                    for end in [from, to] {
                        members[end as usize].open -= 1;
                        ready.push(end);
                    }
                }
            }
            Step::Node(stage) => {
                let node = layout.node(m);
                let entry = stages.entry((node, me.stages)).or_insert((None, 0, false));
                if !me.begun {
                    me.begun = true;
                    if entry.0.is_some_and(|kind| kind != stage) {
                        return Err(format!("member {m} comes to {stage:?}, others of its node to {:?}", entry.0));
                    }
                    entry.0 = Some(stage);
                    entry.1 += 1;
                    let local = layout.local(m);
                    entry.2 |=
                        matches!(stage, NodeStage::Gather { root } | NodeStage::Release { root } if root == local);
                    ready.extend(layout.on(node));
                    continue;
                }
                let (all, root) = (entry.1 == layout.on(node).len(), entry.2);
                let i_am = |root| layout.local(m) == root;
                let free = match stage {
                    NodeStage::Barrier => all,
                    NodeStage::Gather { root } => all || !i_am(root),
                    NodeStage::Release { root: r } => root || i_am(r),
                };
                if free {
                    (me.begun, me.step, me.stages) = (false, me.step + 1, me.stages + 1);
                    ready.push(m);
                }
            }
        }
    }
    if let Some((m, stuck)) = members.iter().enumerate().find(|(_, m)| m.step < m.program.steps().len()) {
        return Err(format!(
            "member {m} waits for ever in its step {}: {:?}",
            stuck.step,
            stuck.program.steps()[stuck.step]
        ));
    }
    match pairs.iter().find(|(_, pair)| !pair.sends.is_empty() || !pair.receives.is_empty()) {
        Some(((from, to), _)) => Err(format!("a message from {from} to {to} has no other end")),
        None => Ok(()),
    }
}
