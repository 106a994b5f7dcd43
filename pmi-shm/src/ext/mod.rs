//! What a server does beyond PMI-2, as state without input or output: messages go in as calls, and what comes back says
//! whom to answer and what to send. After the paper on PMI extensions.
//!
//! | module       | duty |
//! |--------------|------|
//! | `owner`      | SPARSE and DENSE keys, and which node answers for a sparse one |
//! | `pending`    | Gets that wait for their Put, one request per key and node |
//! | `tree`       | the k-ary tree of servers: parent, children, the way to any node |
//!
//! **Later values.** Dense puts are staged and travel with the fence; the root puts them into one order and everybody
//! inserts them in that order, so all nodes agree. A sparse put goes to its owner at once and replaces what was there.
//! Other nodes hold copies of it with a lease (`kvs::Store::lease`) that ends with the next fence: so after a fence the
//! later value is seen by everybody, and before it either is.
//!
//! That a sparse put is at its owner when the fence ends needs no acknowledgement if all messages between servers go
//! along the tree and keep their order on each connection: the put leaves its node before that node's word for the
//! fence, and on every connection on its way it is ahead of the fence's end, hence of every Get that follows the fence.

mod owner;
mod pending;
mod tree;

pub use owner::{Hint, owner};
pub use pending::Pending;
pub use tree::Tree;
