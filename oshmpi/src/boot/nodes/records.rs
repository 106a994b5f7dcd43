//! What the leaders of nodes tell each other, and what each of them makes of it. All find the same.

use super::super::BootError;
use super::super::found::{Machine, View};
use super::super::liveness::Endpoint;
use super::super::pe_info::{self, Common, PeInfo};
use crate::env::{Route, TransportBy};
use crate::memory::addr::Pe;
use crate::memory::placement::Placement;
use crate::memory::places::Places;
use crate::os::sched::CpuSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a leader tells the leaders of other nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NodeRecord {
    version: String,
    /// See [`PeInfo`]; equal on all PEs of the node.
    pub(super) node: u64,
    pub(super) machine: u64,
    group: u64,
    /// PEs of the node are scheduled as parts of several groups.
    mixed: bool,
    /// See [`PeInfo::takes`].
    takes: TransportBy,
    cores: CpuSet,
    pub(super) places: Places,
    /// What the leader has in common with the other PEs, and those of the node that differ from it.
    common: Common,
    odd: Vec<(u32, Common)>,
    /// The first PE that cannot start.
    problem: Option<u32>,
    endpoint: Option<Endpoint>,
}

impl NodeRecord {
    /// `whole`: all that were thought to be here are. If not, containers may keep them apart, which a library of the
    /// network may not connect.
    pub(super) fn of(infos: &[PeInfo], places: Places, whole: bool, endpoint: Option<Endpoint>) -> NodeRecord {
        let Machine { cores, apart: mixed, .. } = Machine::of(infos.iter(), &infos[0]);
        let PeInfo { node, machine, group, .. } = infos[0];
        let pe = |slot: usize| places.pe(slot).0;
        let common = &infos[0].common;
        let odd = infos.iter().map(|info| &info.common).enumerate().filter(|(_, other)| *other != common);
        NodeRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            node,
            machine,
            group,
            mixed,
            takes: PeInfo::all_take(infos.iter().map(|info| info.takes).filter(|_| whole)),
            cores,
            odd: odd.map(|(slot, other)| (pe(slot), other.clone())).collect(),
            common: common.clone(),
            problem: infos.iter().position(|info| !info.problem.is_empty()).map(pe),
            places,
            endpoint,
        }
    }
}

/// What the PEs of a node learn from their leader.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Outcome {
    Found(View),
    MayShare(Places),
    /// The job cannot start, as this PE says.
    Fails(u32),
}

/// What a leader makes of the records. All leaders find the same, but for the machine.
#[derive(Default)]
pub(super) struct Records {
    covered: Covered,
    machine: Machine,
    nodes: Vec<Places>,
    /// The numbers of the nodes: equal ones may share memory.
    numbers: Vec<u64>,
    pub(super) endpoints: Vec<Endpoint>,
    /// Of PE 0, and the PEs that differ from it.
    common: Option<Common>,
    odd: Vec<(u32, Common)>,
    problem: Option<u32>,
    /// The PE whose record cannot be read.
    unread: Option<u32>,
    takes: Option<TransportBy>,
}

impl Records {
    pub(super) fn of(job: u32) -> Records {
        Records { covered: Covered::none(job), ..Records::default() }
    }

    /// Adds the record of the next leader; None if it cannot be read.
    pub(super) fn add(&mut self, record: Option<NodeRecord>, own: &NodeRecord) {
        let next = self.covered.first_missing();
        let record = record.filter(|record| record.version == own.version && self.covered.add(&record.places));
        let Some(mut record) = record else {
            self.unread = self.unread.or(next);
            return;
        };
        let common = self.common.get_or_insert_with(|| record.common.clone());
        if *common != record.common {
            let places = &record.places;
            let odd = |pe| record.odd.iter().find(|(other, _)| *other == pe).map_or(&record.common, |(_, odd)| odd);
            let all = (0..places.count()).map(|slot| places.pe(slot).0).map(|pe| (pe, odd(pe).clone()));
            record.odd = all.filter(|(_, other)| other != common).collect();
        }
        self.odd.append(&mut record.odd);
        self.problem = [self.problem, record.problem].into_iter().flatten().min();
        if record.machine == own.machine {
            let apart = record.mixed || record.group != own.group;
            self.machine = self.machine.with(record.places.count() as u64, &record.cores, apart);
        }
        self.takes = Some(PeInfo::all_take(self.takes.into_iter().chain([record.takes])));
        self.numbers.push(record.node);
        self.nodes.push(record.places);
        self.endpoints.extend(record.endpoint);
    }

    /// The PE whose record comes next: the first one that is in no record. It leads its node, since records come in
    /// the order of leaders. None: the records are complete, or one cannot be read.
    pub(super) fn next(&self) -> Option<u32> {
        if self.unread.is_some() { None } else { self.covered.first_missing() }
    }

    /// What follows, and if the job cannot start, why. `place` notes the placement of nodes whose PEs have so many
    /// bytes of static variables.
    pub(super) fn outcome(
        &self,
        own: &NodeRecord,
        route: Route,
        last: bool,
        place: impl FnOnce(&[Places], u64) -> Option<Placement>,
    ) -> (Outcome, Option<BootError>) {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        let may_share = numbers.windows(2).any(|two| two[0] == two[1]);
        if let Some((pe, error)) = self.fault() {
            return (Outcome::Fails(pe), error);
        }
        if may_share && !last {
            return (Outcome::MayShare(self.with_number(own.node)), None);
        }
        if route == Route::Node && self.nodes.len() > 1 {
            let strangers = (0..own.places.job()).filter(|&pe| self.nodes[0].local(Pe(pe)).is_none());
            return (Outcome::Fails(0), Some(BootError::NotOnOneNode(strangers.collect())));
        }
        let same_program = self.other_programs().is_empty();
        let data = if same_program { own.common.data } else { 0 };
        let placement = place(&self.nodes, data);
        let takes = self.takes.filter(|_| !may_share).unwrap_or_default();
        (Outcome::Found(View { machine: self.machine.clone(), takes, same_program, data, placement }), None)
    }

    /// Why the job cannot start, and the PE that says so.
    fn fault(&self) -> Option<(u32, Option<BootError>)> {
        if let Some(pe) = self.problem {
            return Some((pe, None));
        }
        let unread = self.unread.or_else(|| self.covered.first_missing());
        let fault = unread.map(BootError::OtherVersion);
        let fault = fault.or_else(|| pe_info::differing(self.common.as_ref()?, &self.odd));
        fault.map(|fault| (0, Some(fault)))
    }

    /// The PEs that run another executable than PE 0.
    pub(super) fn other_programs(&self) -> Vec<u32> {
        let Some(first) = &self.common else { return vec![] };
        self.odd.iter().filter(|(_, other)| !other.is_program_of(first)).map(|(pe, _)| *pe).collect()
    }

    /// The PEs of the nodes with this number.
    fn with_number(&self, number: u64) -> Places {
        let nodes = self.nodes.iter().zip(&self.numbers).filter(|(_, other)| **other == number);
        let pes = nodes.flat_map(|(places, _)| (0..places.count()).map(|slot| places.pe(slot).0));
        Places::new(BTreeSet::from_iter(pes).into_iter().collect(), self.nodes[0].job())
    }
}

/// The PEs that are in the records so far. A bit for each PE of the job.
#[derive(Default)]
pub(super) struct Covered {
    bits: Vec<u64>,
    job: u32,
    /// All PEs below are in records.
    below: u32,
}

impl Covered {
    pub(super) fn none(job: u32) -> Covered {
        Covered { bits: vec![0; job.div_ceil(64) as usize], job, below: 0 }
    }

    /// Adds the PEs of a node. False unless the first PE that was missing is the first of them, and all were missing.
    /// `places` are PEs of this job.
    pub(super) fn add(&mut self, places: &Places) -> bool {
        let mut fits = places.pe(0).0 == self.below;
        for slot in 0..places.count() {
            let pe = places.pe(slot).0;
            let (word, bit) = (&mut self.bits[(pe / 64) as usize], 1 << (pe % 64));
            fits &= *word & bit == 0;
            *word |= bit;
        }
        while self.below < self.job {
            let ones = (self.bits[(self.below / 64) as usize] >> (self.below % 64)).trailing_ones();
            if ones == 0 {
                break;
            }
            self.below += ones;
        }
        fits
    }

    pub(super) fn first_missing(&self) -> Option<u32> {
        (self.below < self.job).then_some(self.below)
    }
}
