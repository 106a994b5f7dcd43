//! What a server does beyond PMI-2, after the paper on PMI extensions. This module has state only, and no input or
//! output.
//!
//! | module       | duty |
//! |--------------|------|
//! | `owner`      | SPARSE and DENSE keys, and which node answers for a sparse key |
//! | `waitlist`   | Gets that wait for their Put, one request per key and node |
//! | `tree`       | the k-ary tree of servers: parent, children, the next step to any node |
//!
//! **Later values.** Dense puts are staged and travel with the fence. The root puts them into one order, and all nodes
//! insert them in that order, so all nodes agree. A sparse put goes to its owner at once and replaces the old value.
//! Other nodes hold copies of it with a lease (`kvs::Store::lease`) that ends with the next fence. So all processes see
//! the later value after a fence, and one of the two before it.
//!
//! A sparse put is at its owner when the fence ends, without an acknowledgement. The reason is that all messages
//! between servers go along the tree and keep their order on each tree channel. The put leaves its node before that
//! node's message for the fence. So on every channel it is ahead of the fence's end, and of every Get that follows the
//! fence.

mod owner;
mod tree;
mod waitlist;

pub use owner::{Hint, owner};
pub use tree::Tree;
pub use waitlist::WaitList;
