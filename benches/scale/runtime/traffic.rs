//! Puts and AMOs of many PEs at a time: recorded from the transport's own choices, counted, and played up to 10,000
//! nodes.

use super::fabric::{ByMessage, Fabric, How, Offers};
use super::route::Returns;
use super::{NetError, Remote};
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::sync::ledger::Lane;
use crate::transport::amo::{Amo, Op};
use bench_scale::rows::{FACE, TRAFFIC, Traffic, UPDATES};
use bench_scale::schedule::Executor;
use bench_scale::simulate::{self, Symmetry};
use bench_scale::{Layout, Message, Model, Program};
use core::time::Duration;
use std::sync::{Arc, Mutex};

/// Bytes of a request beside its data, and of a word.
const REQUEST: u64 = 32;
const WORD: u64 = 8;

/// What is written down: the messages since the last quiet, and the steps before them.
type Notes = Arc<Mutex<(Vec<Message>, Program)>>;

/// A fabric that writes its operations down. They are carried out by adapters as far as `offers` says.
struct Recorder {
    offers: Offers,
    notes: Notes,
}

impl Recorder {
    fn note(&self, on: Pe, bytes: u64, back: u64, by: Executor) -> Result<(), NetError> {
        let message = Message::Operation { on: on.0, bytes, back, by };
        self.notes.lock().unwrap().0.push(message);
        Ok(())
    }

    fn transfer(&self, alone: bool, adapter: Executor, on: Pe, bytes: u64, back: u64) -> Result<(), NetError> {
        let by = if alone { adapter } else { Executor::Cpu };
        self.note(on, bytes + REQUEST, back, by)
    }
}

impl Fabric for Recorder {
    fn offers(&self, _: Pe) -> Result<Offers, NetError> {
        Ok(self.offers)
    }

    fn put(&self, _: Lane, range: SymRange, pe: Pe, _: Source, _: How) -> Result<(), NetError> {
        self.transfer(self.offers.put, Executor::Adapter, pe, range.len as u64, 0)
    }

    fn put_nbi(&self, lane: Lane, range: SymRange, pe: Pe, source: Source<'static>) -> Result<(), NetError> {
        self.put(lane, range, pe, source, How::default())
    }

    fn get(&self, lane: Lane, range: SymRange, pe: Pe, _: Dest) -> Result<(), NetError> {
        self.transfer(self.offers.get, Executor::Adapter, pe, 0, range.len as u64)?;
        self.quiet(lane, None)
    }

    fn get_nbi(&self, _: Lane, range: SymRange, pe: Pe, _: Dest<'static>) -> Result<(), NetError> {
        self.transfer(self.offers.get, Executor::Adapter, pe, 0, range.len as u64)
    }

    fn amo(&self, lane: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        self.amo_nbi(lane, word, pe, amo, None)?;
        self.quiet(lane, None)?;
        Ok(0)
    }

    fn amo_nbi(&self, _: Lane, _: SymRange, pe: Pe, _: Amo, _: Option<Dest<'static>>) -> Result<(), NetError> {
        self.transfer(self.offers.amo, Executor::AdapterAtomic, pe, WORD, WORD)
    }

    fn quiet_pe(&self, lane: Lane, _: Pe) -> Result<(), NetError> {
        self.quiet(lane, None)
    }

    fn quiet(&self, _: Lane, _: Option<&[Pe]>) -> Result<(), NetError> {
        let (messages, program) = &mut *self.notes.lock().unwrap();
        program.transfer(messages.drain(..));
        Ok(())
    }

    fn close(&self) {}
}

impl ByMessage for Recorder {
    fn announce(&self, pe: Pe) -> Result<(), NetError> {
        self.note(pe, REQUEST, 0, Executor::Cpu)
    }

    fn answers(&self, _: Pe, _: Duration) -> bool {
        unreachable!("played PEs do not get lost")
    }

    fn note(&self, _: Pe, _: Source, _: Dest) -> Result<(), NetError> {
        unreachable!("no tool looks on")
    }
}

/// What a PE does, over a network whose adapters carry out everything, or one whose targets' CPUs do.
fn record(traffic: Traffic, adapters: bool, layout: &Layout, member: u32) -> Program {
    let notes = Notes::default();
    let recorder = |offers| Recorder { offers, notes: notes.clone() };
    let fabric = recorder(if adapters { Offers::ALL } else { Offers::NONE });
    let messages = Box::new(recorder(Offers::NONE));
    let remote = Remote::over(layout.size() as usize, Some(Box::new(fabric)), Some(messages), true, true);
    if adapters {
        remote.set_adapter_words(0);
    }
    let (ledger, word) = (remote.ledger(), SymRange { seg: SegId::Heap, off: 0, len: WORD as usize });
    let face = SymRange { len: FACE as usize, ..word };
    // SAFETY: while a schedule is recorded, nothing is read.
    let source = unsafe { Source::of::<u8>(core::ptr::without_provenance(1 << 45), face.len) };
    for pe in traffic.targets(layout, member).into_iter().map(Pe) {
        match traffic {
            Traffic::HotSpot => drop(remote.amo(ledger, word, pe, Amo::Op(Op::Add, 1)).unwrap()),
            Traffic::Gups => remote.amo_nbi(ledger, word, pe, Amo::Op(Op::Xor, 1), None).unwrap(),
            Traffic::Halo => remote.put(ledger, face, pe, source, Returns::AtOnce).unwrap(),
        }
    }
    remote.quiet(ledger).unwrap();
    core::mem::take(&mut notes.lock().unwrap().1)
}

/// The time until the last PE is done. All PEs of a node do the same in a hot spot. Otherwise all nodes do.
fn play(traffic: Traffic, adapters: bool, layout: &Layout) -> u64 {
    let program = |member| record(traffic, adapters, layout, member);
    let played = match traffic {
        Traffic::HotSpot => simulate::lanes(&Model::CLUSTER, layout, layout.widest(), &program),
        _ => simulate::one_node(&Model::CLUSTER, layout, Symmetry::Shift, &program),
    };
    played.end
}

/// A PE sends one message for each operation, and one more to each PE whose CPU has to be awake. Where adapters do all,
/// no CPU of a target takes part. Neither number grows with the job.
#[test]
fn operations_cost_what_they_are() {
    for layout in [Layout::blocks(16, 8), Layout::blocks(1000, 128)] {
        for (name, traffic) in TRAFFIC {
            let operations = traffic.targets(&layout, 9).len();
            let by_adapters = record(traffic, true, &layout, 9);
            assert_eq!(by_adapters.messages().len(), operations, "{name}");
            let by_cpu = |message: &Message| matches!(message, Message::Operation { by: Executor::Cpu, .. });
            assert!(!by_adapters.messages().iter().any(by_cpu), "{name}");
            let most = operations * if traffic == Traffic::Halo { 2 } else { 1 };
            let by_cpus = record(traffic, false, &layout, 9);
            assert!(by_cpus.messages().len() <= most && by_cpus.messages().iter().all(by_cpu), "{name}");
        }
    }
}

/// All nodes do the same, as the simulator's shortcut for large jobs needs it. The shortcut gives the time of all.
#[test]
fn one_node_stands_for_all() {
    for layout in [Layout::blocks(8, 4), Layout::blocks(27, 2)] {
        for traffic in [Traffic::Gups, Traffic::Halo] {
            for adapters in [true, false] {
                let program = |member| record(traffic, adapters, &layout, member);
                let locals: Vec<u32> = (0..layout.widest()).collect();
                let alike = |node| simulate::is_symmetric(&layout, Symmetry::Shift, node, &locals, &program);
                assert!((0..layout.nodes()).all(alike), "{traffic:?}");
                let all = simulate::all(&Model::CLUSTER, &layout, &program).end;
                assert_eq!(play(traffic, adapters, &layout), all, "{traffic:?} {layout:?}");
            }
        }
    }
}

/// Of many PEs on one word, the adapter's or the CPU's time for each is the time of all. Random updates take as long
/// whatever the size of the job is.
#[test]
fn a_hot_spot_grows_with_the_job_and_random_updates_do_not() {
    let (small, large) = (Layout::blocks(16, 128), Layout::blocks(1000, 128));
    let others = |layout: &Layout| u64::from(layout.size() - layout.widest());
    for (adapters, each) in [(true, Model::CLUSTER.atomic), (false, 2 * Model::CLUSTER.cpu)] {
        for layout in [&small, &large] {
            let least = others(layout) * each;
            let took = play(Traffic::HotSpot, adapters, layout);
            assert!(took >= least && took < least + 20_000_000, "{took} ps, at least {least}");
        }
        let [one, other] = [&small, &large].map(|layout| play(Traffic::Gups, adapters, layout) as f64);
        assert!((other / one - 1.0).abs() < 0.5, "{one} and {other} ps for {UPDATES} updates");
    }
}

/// Prints the model's times of all traffic on the layouts that `cargo xtask scale` passes.
#[test]
#[ignore = "for cargo xtask scale"]
fn figures_at_scale() {
    let layouts = std::env::var("SCALE_LAYOUTS").unwrap_or_else(|_| "16x128".to_owned());
    for layout in layouts.split(' ') {
        let (nodes, each) = layout.split_once('x').expect("nodes and members of each");
        let places = Layout::blocks(nodes.parse().expect("a number"), each.parse().expect("a number"));
        for (name, traffic) in TRAFFIC {
            let [adapters, cpus] = [true, false].map(|adapters| play(traffic, adapters, &places));
            println!("scale\t{name}\t{layout}\t{adapters}\t{cpus}");
        }
    }
}
