//! The way of the ranks' output out of a node server.

use super::{Kind, NodeServer, token};
use crate::control::{Failure, Up};
use crate::output::Sink;
use crate::sys::WriteWatch;
use std::os::fd::AsFd;

/// Where the ranks' output goes.
pub enum Outlet {
    /// Directly to oshrun's standard output and error: the job has one node, which is this machine.
    Direct([Sink; 2], [WriteWatch; 2]),
    /// To oshrun.
    Control,
}

impl NodeServer<'_> {
    pub(super) fn output_came(&mut self, index: usize) {
        let mut out = Vec::new();
        self.ranks.read(index, &self.poller, &mut out);
        self.give_output(index & 1, &out);
    }

    /// A file of the ranks' output could not be written.
    pub(super) fn look_at_files(&mut self) {
        if let Some(failure) = self.ranks.unwritten.take()
            && !self.dying
        {
            self.fail(Failure { text: self.located(&failure.text), ..failure });
        }
    }

    pub(super) fn give_output(&mut self, stream: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.outlet {
            Outlet::Direct(sinks, _) => sinks[stream].push(bytes),
            Outlet::Control => {
                for piece in bytes.chunks(1 << 20) {
                    self.control.send(&Up::Output { error: stream == 1, bytes: piece.to_vec() });
                }
            }
        }
    }

    /// Writes what can be written. True: nothing is left.
    pub(super) fn drain_output(&mut self) -> bool {
        let Outlet::Direct(sinks, _) = &mut self.outlet else { return true };
        let failures = sinks.each_mut().map(Sink::drain);
        let drained = !sinks.iter().any(Sink::waits);
        if let Some(failure) = failures.into_iter().flatten().next()
            && !self.dying
        {
            self.fail(failure);
        }
        drained
    }

    /// Waits for room where there was none, and makes ranks wait while too much is queued.
    pub(super) fn watch_output(&mut self) {
        let mut full = self.control.waiting() > 4 << 20;
        if let Outlet::Direct(sinks, watches) = &mut self.outlet {
            for (i, (sink, watch)) in sinks.iter_mut().zip(watches).enumerate() {
                full |= sink.full();
                watch.set(sink.waits(), &self.poller, sink.as_fd(), token(Kind::Sink, i));
            }
        }
        self.ranks.hold(full, &self.poller);
        let wait = self.control.waiting() > 0;
        self.watch.set(wait, &self.poller, self.control.writer(), token(Kind::ControlOut, 0));
    }
}
