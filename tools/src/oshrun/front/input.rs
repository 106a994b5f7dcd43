//! Standard input of oshrun, on its way to rank 0, to another one or to all.

use super::Front;
use crate::control::Down;
use crate::plan::Stdin;
use crate::poll::Kind;
use crate::sys;
use anyhow::{Context, Result};
use nix::errno::Errno;
use std::io::{IsTerminal, stdin};
use std::os::fd::{AsFd, OwnedFd};

/// Bytes of standard input that may be on their way. More would fill memory if rank 0 does not read; less would slow a
/// fast reader.
const INPUT_WINDOW: usize = 64 * 1024;

/// The front's standard input, if it goes to rank 0 through the front.
#[derive(Default)]
pub struct Input {
    open: bool,
    pub terminal: bool,
    /// The poller waits for it. A file cannot be waited for, and is always ready.
    pub polled: bool,
    pub always_ready: bool,
    pub on_its_way: usize,
}

impl Front<'_> {
    /// Decides how standard input reaches the ranks. The result is the descriptor for a rank that can have it.
    pub fn plan_input(&mut self, root_here: bool) -> Result<Option<OwnedFd>> {
        if self.plan.stdin == Stdin::None {
            return Ok(None);
        }
        let terminal = stdin().is_terminal();
        if root_here && !terminal && !self.plan.input_for_all() {
            let own = stdin().as_fd().try_clone_to_owned().context("cannot copy standard input")?;
            // The writer must see when rank 0 has closed it, so nobody else may keep it open.
            nix::unistd::dup2_stdin(&crate::spawn::null()?).context("cannot replace standard input")?;
            return Ok(Some(own));
        }
        self.input = Input { open: true, terminal, ..Input::default() };
        Ok(None)
    }

    pub fn input_came(&mut self) {
        if self.input.terminal && !sys::foreground(stdin()) {
            return self.stop_input();
        }
        let mut buffer = vec![0; INPUT_WINDOW - self.input.on_its_way.min(INPUT_WINDOW)];
        if buffer.is_empty() {
            return self.stop_input();
        }
        // One read does not wait, because there is something.
        let n = match nix::unistd::read(stdin(), &mut buffer) {
            Ok(n) => n,
            Err(Errno::EINTR | Errno::EAGAIN) => return,
            // A directory, or a descriptor for writing (nohup's): there is nothing to read, now or later.
            Err(_) => 0,
        };
        buffer.truncate(n);
        self.input.on_its_way += n;
        match self.plan.input_for_all() {
            true => self.below.send(&Down::Input(buffer)),
            false => self.below.send_to(0, &Down::Input(buffer)),
        }
        if n == 0 {
            self.stop_input();
            self.input.open = false;
        }
    }

    pub fn stop_input(&mut self) {
        if self.input.polled && !self.input.always_ready {
            self.below.poller.remove(stdin());
        }
        self.input.polled = false;
    }

    pub fn watch_input(&mut self) {
        let root_up = self.below.members[0].is_connected();
        let wanted = self.input.open && !self.input.polled && root_up && self.input.on_its_way < INPUT_WINDOW;
        if wanted && (!self.input.terminal || sys::foreground(stdin())) {
            self.input.polled = true;
            self.input.always_ready = !self.below.poller.add(stdin(), (Kind::Input, 0)).unwrap_or(false);
        }
    }
}
