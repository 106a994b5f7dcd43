//! The data that servers exchange when ranks make a group, as MPI sessions do.

use serde::{Deserialize, Serialize};

/// One server's part of the data.
#[derive(Serialize, Deserialize)]
pub struct Part {
    pub node: u32,
    /// A number that differs for each group of this server.
    pub number: u32,
    #[serde(with = "serde_bytes")]
    pub data: Vec<u8>,
}

impl Part {
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("it has a plain form")
    }
}

/// The number of the group, and the data of all servers, one after the other. The number is made from the lowest node
/// and that server's number, so it is the same on all servers and differs from other groups' numbers.
pub fn join(mut parts: &[u8]) -> Option<(usize, Vec<u8>)> {
    let (mut all, mut lowest) = (Vec::new(), None);
    while !parts.is_empty() {
        let (Part { node, number, data }, rest) = postcard::take_from_bytes(parts).ok()?;
        all.extend(data);
        lowest = Some(lowest.map_or((node, number), |l: (u32, u32)| l.min((node, number))));
        parts = rest;
    }
    lowest.map(|(node, number)| ((node as usize + 1) << 32 | number as usize, all))
}
