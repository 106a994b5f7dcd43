//! One operation of libfabric: what it is asked, so that it can be issued once more where a queue was full, and what
//! has become of it.

use super::library::{Calls, Endpoint, Handle, RmaIov, RmaMessage, flags, kind};
use crate::memory::addr::Pe;
use crate::net::NetError;
use crate::net::native::worker::{Message, Operands, TooLong};
use crate::transport::amo::{Amo, Op};
use core::ffi::c_int;
use core::ptr::null_mut;

/// Where a PE's memory is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The PE's address in the address vector.
    pub(super) address: u64,
    pub(super) at: u64,
    pub(super) key: u64,
}

#[derive(Clone, Copy)]
pub(super) enum What {
    Put { to: Place, from: *const u8, len: usize },
    Get { of: Place, to: *mut u8, len: usize },
    Amo { word: Place, datatype: c_int, op: c_int, operands: [*const u64; 2], result: *mut u64 },
    Send { address: u64, tag: u64, from: *const u8, len: usize },
    Receive { to: *mut u8, len: usize, tag: u64, ignored: u64 },
}

impl What {
    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            What::Put { .. } => "a put to memory",
            What::Get { .. } => "a get from memory",
            What::Amo { .. } => "an atomic operation on memory",
            What::Send { .. } => "a message to an endpoint",
            What::Receive { .. } => "a receive",
        }
    }
}

/// What has become of an operation that is over.
pub(super) type Outcome = Result<Result<Message, TooLong>, NetError>;

pub(super) enum State {
    UnderWay,
    Over(Outcome),
}

/// An operation. The library knows it by its address, from which it does not move until it is over.
#[repr(C)]
pub(super) struct OfiOp {
    /// Memory for the provider (`struct fi_context2`).
    context: [Handle; 8],
    pub(super) what: What,
    /// The PE that it is for; None: a receive.
    pub(super) pe: Option<Pe>,
    /// Among those that a quiet completes at the PE; 0: a message.
    pub(super) number: u64,
    pub(super) state: State,
    /// Nobody asks whether it is over.
    pub(super) is_forgotten: bool,
    pub(super) copy: Vec<u8>,
    /// Operands that stay until the operation is over.
    pub(super) operands: Option<Operands>,
    /// Where an old value goes that nobody wants.
    pub(super) scratch: u64,
}

impl OfiOp {
    pub(super) fn new() -> Box<OfiOp> {
        Box::new(OfiOp {
            context: [null_mut(); 8],
            what: What::Receive { to: null_mut(), len: 0, tag: 0, ignored: 0 },
            pe: None,
            number: 0,
            state: State::UnderWay,
            is_forgotten: false,
            copy: Vec::new(),
            operands: None,
            scratch: 0,
        })
    }
}

/// The library's operation for an AMO, its operand and what is compared. All give the old value.
pub(super) fn operation(amo: Amo) -> (c_int, [u64; 2]) {
    match amo {
        Amo::Op(Op::Fetch, _) => (kind::READ, [0, 0]),
        Amo::Op(Op::Store, value) => (kind::WRITE, [value, 0]),
        Amo::Op(Op::Add, value) => (kind::SUM, [value, 0]),
        Amo::Op(Op::And, value) => (kind::BAND, [value, 0]),
        Amo::Op(Op::Or, value) => (kind::BOR, [value, 0]),
        Amo::Op(Op::Xor, value) => (kind::BXOR, [value, 0]),
        Amo::CompareSwap { cond, value } => (kind::CSWAP, [value, cond]),
    }
}

/// Issues an operation. Gives 0, or what the library refuses it with.
///
/// # Safety
/// The endpoint is enabled, and `calls` are its functions. The operation and all that it names stay until it is over.
pub(super) unsafe fn issue(calls: &Calls, ep: *mut Endpoint, op: *mut OfiOp) -> c_int {
    let (context, none) = (op.cast(), null_mut());
    // SAFETY: the caller's promise.
    let status = unsafe {
        match (*op).what {
            What::Put { to: Place { address, at, key }, from, len } => {
                let iov = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: len };
                let rma_iov = RmaIov { address: at, len, key };
                let message = RmaMessage {
                    iov: &iov,
                    descriptors: &none,
                    iov_count: 1,
                    address,
                    rma_iov: &rma_iov,
                    rma_iov_count: 1,
                    context,
                    data: 0,
                };
                (calls.write)(ep, &message, flags::COMPLETION | flags::DELIVERY_COMPLETE)
            }
            What::Get { of: Place { address, at, key }, to, len } => {
                (calls.read)(ep, to, len, none, address, at, key, context)
            }
            What::Amo { word, datatype: ty, op, operands: [value, cond], result } => {
                let Place { address, at, key } = word;
                if op == kind::CSWAP {
                    (calls.compare)(ep, value, 1, none, cond, none, result, none, address, at, key, ty, op, context)
                } else {
                    (calls.fetch)(ep, value, 1, none, result, none, address, at, key, ty, op, context)
                }
            }
            What::Send { address, tag, from, len } => (calls.send)(ep, from, len, none, address, tag, context),
            What::Receive { to, len, tag, ignored } => {
                (calls.receive)(ep, to, len, none, u64::MAX, tag, ignored, context)
            }
        }
    };
    status as c_int
}
