//! Messages on a tree channel, the connection between a server and a neighbour in the tree of servers.

use serde::{Deserialize, Serialize};

/// Which of a process's two connections takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Side {
    Pmi,
    Own,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Message {
    /// Towards the node of rank `source`: what is the value? With `wait` the answer comes when there is one.
    Get { key: Vec<u8>, wait: bool, source: u32 },
    /// The answer to `Get`.
    GetReply {
        key: Vec<u8>,
        wait: bool,
        source: u32,
        #[serde(with = "serde_bytes")]
        value: Option<Vec<u8>>,
    },
    /// To the parent: all members of the exchange that are below have entered it with this data.
    ExchangeUp {
        key: Key,
        members: Members,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// To a child: all members have entered the exchange; this is the data of all.
    ExchangeDown {
        key: Key,
        members: Members,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// From one server to any other.
    Direct {
        to: u32,
        from: u32,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
}

/// Which exchange it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Key {
    /// Of all servers: the pairs of a fence, by its number.
    Fence(Side, u64),
    /// The launcher's.
    Own(Vec<u8>),
}

/// The servers that take part in an exchange. An empty list means all servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Members(pub Vec<u32>);
