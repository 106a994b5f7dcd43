//! The process beside a node server that is not forked by oshrun for it alone. It starts the node server, and the
//! servers below it in the tree (see [`crate::below`]); it passes messages on in both directions, and kills what a
//! server leaves behind that was killed.
//!
//! On other hosts each node has a relay. Nodes that this machine plays have one only if there are servers below.

use super::{ServerStart, serve};
use crate::below::{Below, News, SILENCE_LIMIT, State, hint};
use crate::control::{Control, Cost, Down, Pids, Up};
use crate::output::WAITING;
use crate::plan::Plan;
use crate::poll::{Kind, Poller, WriteWatch};
use crate::sys::{self, Inherited};
use anyhow::{Context, Result, anyhow, bail};
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, getppid};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The node server of another host: `oshrun --node-server`. Its standard input and output are the control connection.
pub fn remote() -> Result<ExitCode> {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let copy = |fd: BorrowedFd| fd.try_clone_to_owned().context("cannot copy a descriptor");
    let mut control = Control::new(copy(stdin.as_fd())?, copy(stdout.as_fd())?)?;
    control.greet();
    control.flush();
    serve_over(control)
}

/// Serves the node that oshrun assigns to this process over the control connection.
pub fn serve_over(mut control: Control) -> Result<ExitCode> {
    // The control connection may be standard input and output, and nobody else may use it.
    nix::unistd::dup2_stdin(&crate::spawn::null()?).context("cannot replace standard input")?;
    nix::unistd::dup2_stdout(std::io::stderr()).context("cannot replace standard output")?;
    // From now on errors are told over the control connection; standard error would be a second line.
    let before = sys::children();
    let begun = told(&mut control, None, |control| Ok((Inherited::now()?, first(control)?)));
    let served = begun.and_then(|(inherited, (plan, node))| {
        let server = ServerStart { plan: &plan, node, inherited, stdin: None };
        run(server, control, false, &before)
    });
    Ok(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Serves a node in a process that was forked for it, and that is sent the plan like one on another host. `stdin`: of
/// rank 0, if it gets the descriptor itself.
pub fn forked(mut control: Control, inherited: Inherited, stdin: Option<OwnedFd>) -> Result<()> {
    let (plan, node) = told(&mut control, None, first)?;
    let server = ServerStart { plan: &plan, node, inherited, stdin };
    if plan.starts(Some(node)).is_empty() { serve(server, &mut control) } else { run(server, control, true, &[]) }
}

/// Tells oshrun if `work` fails.
fn told<T>(control: &mut Control, at: Option<(&Plan, u32)>, work: impl FnOnce(&mut Control) -> Result<T>) -> Result<T> {
    let done = work(control);
    if let Err(e) = &done {
        let text = sys::told(e);
        control.give_up(at.map_or(text.clone(), |(plan, node)| plan.located(node, &text)));
    }
    done
}

fn first(control: &mut Control) -> Result<(Box<Plan>, u32)> {
    let mut poller = Poller::new()?;
    poller.add(control.reader(), (Kind::ControlIn, 0))?;
    let mut known = None;
    loop {
        match (control.next::<Down>()?, known.take()) {
            (Some(Down::Plan(plan)), None) => {
                known = Some(plan);
                continue;
            }
            (Some(Down::You(node)), Some(plan)) => return Ok((plan, node)),
            (Some(_), _) => bail!("the first messages were no plan"),
            (None, plan) => known = plan,
        }
        poller.wait(None)?;
        control.flush();
        if !control.fill() {
            bail!("oshrun has gone before it sent a plan");
        }
    }
}

/// Serves the node of `server` and those below to the job's end, or to the end of the process above. `forked`: this
/// process was forked for it, in a session of the job. `before`: children that were there before.
fn run(server: ServerStart, mut up: Control, forked: bool, before: &[sys::Child]) -> Result<()> {
    let (plan, node) = (server.plan, server.node);
    sys::adopt_orphans();
    sys::raise_descriptor_limit();
    let (mut below, signals) = told(&mut up, Some((plan, node)), |_| {
        Ok((Below::new(plan, Some(node))?, sys::signals(&[Signal::SIGCHLD, Signal::SIGTERM])?))
    })?;
    let mut up = Some(up);
    let started = start(&mut below, server, &mut up, forked);
    let up = up.expect("only the children of this process close it");
    let mut relay = Relay {
        node,
        up,
        watch: WriteWatch::default(),
        below,
        signals,
        parent: forked.then(getppid),
        told: Told::default(),
        costs: Vec::new(),
        pids: Vec::new(),
        orphan_until: None,
        alive_at: None,
    };
    let ended = started.and_then(|()| relay.serve());
    let ended = told(&mut relay.up, Some((plan, node)), |_| ended);
    // The processes below see that their connections close. The connection to the one above closes last.
    relay.below.end(before);
    ended
}

/// Starts the server of this node and those below.
fn start(below: &mut Below, server: ServerStart, up: &mut Option<Control>, forked: bool) -> Result<()> {
    let ServerStart { plan, node, inherited, mut stdin, .. } = server;
    let children: Vec<u32> = plan.starts(Some(node)).collect();
    // One machine plays all nodes.
    let played = forked && plan.local;
    let here: Vec<u32> = [node].into_iter().chain(children.iter().copied().filter(|_| played)).collect();
    below.fork(&here, !forked, up, move |n, mut control| {
        let stdin = stdin.take().filter(|_| n == node);
        match n == node {
            true => serve(ServerStart { plan, node, inherited, stdin }, &mut control),
            false => self::forked(control, inherited, None),
        }
    })?;
    for child in children.into_iter().filter(|_| !played) {
        let launched = below.launch(child, &plan.reach.get(child), &inherited);
        launched.map_err(|e| anyhow!("{}{}", sys::told(&e), hint(plan, Some(node))))?;
    }
    below.begin()
}

struct Relay<'a> {
    node: u32,
    up: Control,
    watch: WriteWatch,
    /// This node's server, and those of the nodes below.
    below: Below<'a>,
    signals: SignalFd,
    /// The process that has forked this one. When it ends, the job is over.
    parent: Option<Pid>,
    told: Told,
    costs: Vec<(u32, Cost)>,
    /// The processes of the ranks, until all are started.
    pids: Vec<Pids>,
    /// When this process ends, unless something comes from above: the server above is lost, and the connection to its
    /// host may not tell.
    orphan_until: Option<Instant>,
    /// When the process above is to be told next that this one is there.
    alive_at: Option<Instant>,
}

/// How often it is told, while this process waits for others to end: within the time after which it would be given up.
const ALIVE: Duration = Duration::from_secs(SILENCE_LIMIT.as_secs() / 5);

/// What the process above has been told, once for all nodes from this one down.
#[derive(Default)]
struct Told {
    joined: bool,
    outside: bool,
    failed: bool,
    done: bool,
}

impl Relay<'_> {
    fn serve(&mut self) -> Result<()> {
        self.below.poller.add(&self.signals, (Kind::Signals, 0))?;
        self.below.poller.add(self.up.reader(), (Kind::UpIn, 0))?;
        // Messages that came together with the plan.
        self.messages()?;
        loop {
            self.take_news();
            if !self.told.done && self.below.is_over() {
                self.told.done = true;
                self.up.send(&Up::Done);
            }
            if self.below.finishing && self.below.all(|s| *s == State::Gone) {
                self.up.send(&Up::Costs(std::mem::take(&mut self.costs)));
                self.up.flush_last();
                return Ok(());
            }
            self.below.watch(self.full());
            self.watch.set(self.up.waiting() > 0, &self.below.poller, self.up.writer(), (Kind::UpOut, 0));
            let until = self.below.next_time().into_iter().chain(self.orphan_until).chain(self.alive_at).min();
            for (kind, index) in self.below.poller.wait(until)? {
                match kind {
                    Kind::Signals if !self.signals_came() => return Ok(()),
                    Kind::UpIn if !(self.up.fill() && self.messages()?) => return Ok(()),
                    Kind::UpOut => self.up.flush(),
                    // What is not read now is reported again.
                    Kind::ControlIn | Kind::LauncherStderr if self.full() => {}
                    kind => self.below.handle(kind, index)?,
                }
                self.take_news();
            }
            self.below.look_at_clock();
            let now = Instant::now();
            if self.orphan_until.is_some_and(|t| now >= t) {
                return Ok(());
            }
            if self.below.is_ending() && self.alive_at.is_none_or(|t| now >= t) {
                self.up.send(&Up::Alive);
                self.alive_at = Some(now + ALIVE);
            }
        }
    }

    /// Whether the process above has to read before more is taken from below.
    fn full(&self) -> bool {
        self.up.waiting() > WAITING
    }

    /// False: the process that has forked this one has gone. Signals for the ranks come to their servers: by messages,
    /// or to all processes of the host.
    fn signals_came(&mut self) -> bool {
        while sys::next_signal(&self.signals).is_some() {}
        self.below.reap();
        self.parent.is_none_or(|parent| getppid() == parent)
    }

    fn messages(&mut self) -> Result<bool> {
        while let Some(message) = self.up.next::<Down>()? {
            self.orphan_until = None;
            match message {
                Down::Plan(_) | Down::You(_) => bail!("a second plan came"),
                Down::Parent(_) => self.below.send_to(self.node, &message),
                Down::Input(_) if self.below.plan.input_for_all() => self.below.send(&message),
                Down::Input(_) => self.below.send_to(self.node, &message),
                Down::Signal(number) => {
                    let ends = Signal::try_from(number).is_ok_and(sys::ends);
                    self.below.signal(number, ends);
                }
                Down::Ask => self.below.send(&message),
                Down::Kill => self.below.kill(),
                Down::Finish => self.below.finish(),
            }
        }
        Ok(true)
    }

    fn take_news(&mut self) {
        while let Some(news) = self.below.news.pop_front() {
            match news {
                News::Message(index, message) => self.message(index, message),
                News::Failed(failure) => self.message(usize::MAX, Up::Failed(failure)),
            }
        }
    }

    /// Handles a message from below. Of what every node tells, the first or the last is passed on, whichever counts.
    fn message(&mut self, index: usize, message: Up) {
        let told_before = |told: &mut bool| std::mem::replace(told, true);
        match message {
            Up::Alive => {}
            Up::Costs(costs) => self.costs.extend(costs),
            Up::Pids(pids) => self.pids.extend(pids),
            Up::Listening(address) if self.below.tell_children(self.node, address) => {}
            Up::Started if !self.below.started(index) => {}
            Up::Started => {
                self.up.send(&Up::Pids(std::mem::take(&mut self.pids)));
                self.up.send(&message);
            }
            Up::InputTaken(n) => match self.below.input_taken(index, n) {
                0 => {}
                taken => self.up.send(&Up::InputTaken(taken)),
            },
            Up::Joined if told_before(&mut self.told.joined) => {}
            Up::Outside(_) if told_before(&mut self.told.outside) => {}
            Up::Failed(_) if told_before(&mut self.told.failed) => {}
            Up::Orphaned => {
                if self.below.members.get(index).is_some_and(|m| m.node == self.node) {
                    self.orphan_until = Some(Instant::now() + SILENCE_LIMIT);
                }
            }
            Up::Done => self.below.done(index),
            passed_on => self.up.send(&passed_on),
        }
    }
}
