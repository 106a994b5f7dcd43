//! What a member does in a collective, or in a loop of puts and AMOs: steps, which are numbers only.

/// A message to or from a member, or an operation on a member's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Message {
    Send {
        to: u32,
        bytes: u64,
    },
    Receive {
        from: u32,
        bytes: u64,
    },
    /// Carries so many bytes to a member, and ends when `back` bytes have come from it.
    Operation {
        on: u32,
        bytes: u64,
        back: u64,
        by: Executor,
    },
}

/// Who carries out an operation at its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Executor {
    /// The adapter, which reads or writes memory.
    Adapter,
    /// The adapter, by an AMO.
    AdapterAtomic,
    /// The CPU of the target.
    Cpu,
}

/// How the members of a node synchronise in its memory. A root is the number of a member among those of the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum NodeStage {
    /// All wait for all.
    Barrier,
    /// The root waits for all, the others for nobody.
    Gather { root: u32 },
    /// The others wait for the root, which waits for nobody.
    Release { root: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Step {
    /// So many messages are started in their order; the step ends when all of them have ended.
    Transfer(u32),
    /// The members of the caller's node come to the same stages in the same order.
    Node(NodeStage),
    /// Bytes that the member copies.
    Copy(u64),
    /// Bytes of elements that the member combines with others.
    Combine(u64),
}

/// The steps of one member.
#[derive(Clone, Default, PartialEq, Eq, Debug, Hash)]
pub struct Program {
    steps: Vec<Step>,
    messages: Vec<Message>,
}

impl Program {
    /// Appends a transfer; one without messages is none.
    pub fn transfer(&mut self, messages: impl IntoIterator<Item = Message>) {
        let before = self.messages.len();
        self.messages.extend(messages);
        let count = self.messages.len() - before;
        if count > 0 {
            self.steps.push(Step::Transfer(u32::try_from(count).expect("a step's messages can be counted")));
        }
    }

    pub fn node(&mut self, stage: NodeStage) {
        self.steps.push(Step::Node(stage));
    }

    /// Appends bytes copied. Two copies in a row are one.
    pub fn copy(&mut self, bytes: u64) {
        match self.steps.last_mut() {
            _ if bytes == 0 => {}
            Some(Step::Copy(more)) => *more += bytes,
            _ => self.steps.push(Step::Copy(bytes)),
        }
    }

    /// Appends bytes combined. Two in a row are one.
    pub fn combine(&mut self, bytes: u64) {
        match self.steps.last_mut() {
            _ if bytes == 0 => {}
            Some(Step::Combine(more)) => *more += bytes,
            _ => self.steps.push(Step::Combine(bytes)),
        }
    }

    /// Appends what a member of a part of the group does there: member i of the part is member `outside(i)`.
    pub fn append(&mut self, part: &Program, outside: impl Fn(u32) -> u32) {
        self.steps.extend(&part.steps);
        self.messages.extend(part.messages.iter().map(|message| message.with(outside(message.peer()))));
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// All messages, transfer by transfer.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages of each transfer.
    pub fn transfers(&self) -> impl Iterator<Item = &[Message]> {
        let mut rest = &self.messages[..];
        self.steps.iter().filter_map(move |step| match step {
            Step::Transfer(count) => {
                let (now, behind) = rest.split_at(*count as usize);
                rest = behind;
                Some(now)
            }
            _ => None,
        })
    }
}

impl Message {
    pub fn peer(self) -> u32 {
        match self {
            Message::Send { to, .. } => to,
            Message::Receive { from, .. } => from,
            Message::Operation { on, .. } => on,
        }
    }

    /// The same with another member.
    #[must_use]
    pub fn with(self, peer: u32) -> Message {
        match self {
            Message::Send { bytes, .. } => Message::Send { to: peer, bytes },
            Message::Receive { bytes, .. } => Message::Receive { from: peer, bytes },
            Message::Operation { bytes, back, by, .. } => Message::Operation { on: peer, bytes, back, by },
        }
    }

    pub fn bytes(self) -> u64 {
        match self {
            Message::Send { bytes, .. } | Message::Receive { bytes, .. } | Message::Operation { bytes, .. } => bytes,
        }
    }
}
