//! Requests and replies of both versions of the protocol.

/// A pair that is put. `space` is the name of the key-value space, which only PMI-1 sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Put {
    pub space: Vec<u8>,
    pub key: Vec<u8>,
    pub value: Vec<u8>,
    /// Few processes will read it, and they know which rank has put it: it stays on that rank's node and can be read
    /// there at once. False: it goes to every node with the next fence. Of oshrun's own clients.
    pub here: bool,
}

/// A client's request. Each has one [`Reply`], except `Abort` and `Table`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The first message of every client: a line in both versions.
    Init {
        version: u32,
        subversion: u32,
    },
    /// PMI-1: the length limits.
    Maxes,
    /// PMI-1: the number of the process's program in the job.
    Appnum,
    /// PMI-1: the number of processes that the job could have.
    Universe,
    /// PMI-1: the name of the key-value space.
    SpaceName,
    /// PMI-2: the second message of a client.
    FullInit,
    /// PMI-2: the name of the job.
    JobId,
    /// PMI-2: a property of the job, `PMI_process_mapping` or `universeSize`.
    JobAttr {
        key: Vec<u8>,
    },
    Put(Put),
    /// `source` is the rank that put the key, if a PMI-2 client knows it: its node is asked. With `wait` the server
    /// answers when the key has been put.
    Get {
        space: Vec<u8>,
        key: Vec<u8>,
        source: Option<u32>,
        wait: bool,
    },
    /// PMI-1 `barrier_in`, PMI-2 `kvs-fence`.
    Fence,
    /// PMI-2: puts a pair that only processes of this node can read.
    NodePut {
        key: Vec<u8>,
        value: Vec<u8>,
    },
    NodeGet {
        key: Vec<u8>,
        wait: bool,
    },
    /// Asks for new processes. The request is read to its end and refused. PMI-1 sends one such request for each
    /// program of a call, and expects one answer, to the last request. `more`: this is not the last one.
    Spawn {
        more: bool,
    },
    /// Ends the job. There is no reply.
    Abort {
        code: i32,
        message: Vec<u8>,
    },
    /// Tells the launcher what processes do: a line, and the rows of a [`table`](crate::table). Of oshrun's own
    /// clients, in the form of PMI-2. There is no reply.
    Table {
        head: Vec<u8>,
        rows: Vec<u8>,
    },
    Finalize,
    /// The name of an unknown command.
    Unknown(Vec<u8>),
}

/// A server's reply. In all of them `rc` is 0 for success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Init {
        version: u32,
        subversion: u32,
        rc: i32,
    },
    Maxes {
        space: usize,
        key: usize,
        value: usize,
    },
    Appnum(i32),
    /// -1: unknown.
    Universe(i64),
    SpaceName(Vec<u8>),
    FullInit {
        rank: u32,
        size: u32,
        appnum: i32,
    },
    JobId(Vec<u8>),
    JobAttr(Option<Vec<u8>>),
    Put(Result<(), String>),
    Get(Option<Vec<u8>>),
    Fence,
    NodePut,
    NodeGet(Option<Vec<u8>>),
    Spawn(String),
    Finalize,
    /// The answer to an unknown command.
    Unknown(Vec<u8>),
}
