//! The memory of devices that a space has on one node: each member allocates its part, and opens those of the others.

use super::parts::Lack;
use crate::memory::addr::{Pe, Span};
use crate::memory::spaces::{DevicePart, OnDevice};
use crate::os::cuda::{Device, Exported};
use crate::os::huge;
use crate::state::Runtime;
use crate::team::{NodeTeam, Team};

/// What a member allocates.
struct Made {
    device: Device,
    allocated: usize,
    exported: Exported,
}

impl Made {
    fn new(number: usize, len: usize) -> Result<Made, String> {
        let device = Device::open(number)?;
        let lack = |e| format!("no memory for {len} bytes on device {number}: {e}");
        let allocated = device.alloc(len).map_err(lack)?;
        match device.export(allocated) {
            Ok(exported) => Ok(Made { device, allocated, exported }),
            Err(why) => {
                let _ = device.free(allocated);
                Err(format!("memory of device {number} cannot be shared: {why}"))
            }
        }
    }
}

/// What a member posts of its part: whether it has one, where it begins in what was allocated, and the driver's name
/// for that.
type Told = [u64; 10];

/// Every member posts its words, in two rounds, and reads those of all.
fn exchange(here: &NodeTeam, mine: Told) -> Vec<Told> {
    let mut all = vec![Told::default(); here.size()];
    let half = mine.len() / 2;
    for begin in [0, half] {
        here.post(&mine[begin..begin + half]);
        here.barrier();
        for (member, told) in all.iter_mut().enumerate() {
            (0..half).for_each(|i| told[begin + i] = here.read(member, i));
        }
    }
    all
}

/// Has `len` bytes of this PE's device `number`, and opens the parts of the other members on this node. Collective over
/// these members: all of them succeed, or none does. Cost of a member: four rounds on the node, and a call of the
/// driver for each member there.
pub(super) fn map(
    rt: &'static Runtime,
    routine: &'static str,
    team: &'static Team,
    len: usize,
    number: usize,
) -> Result<OnDevice, Lack> {
    let here = team.here(&rt.node, routine);
    // A part begins where blocks of every alignment can begin, as those of the other kinds do.
    let made = Made::new(number, len + huge::SIZE);
    let mut mine = Told::default();
    if let Ok(made) = &made {
        mine[0] = 1;
        mine[1] = (made.allocated.next_multiple_of(huge::SIZE) - made.allocated) as u64;
        mine[2..].copy_from_slice(&made.exported.0);
    }
    let told = exchange(&here, mine);
    let Made { device, allocated, .. } = made.map_err(Some)?;
    if told.iter().any(|told| told[0] == 0) {
        let _ = device.free(allocated);
        return Err(None);
    }
    let (mut opened, mut parts, mut lack) = (Vec::new(), Vec::new(), None);
    for (member, told) in told.iter().enumerate() {
        let pe = Pe(here.pe(member));
        let exported = Exported(told[2..].try_into().expect("eight words"));
        let base = if member == here.me() { Ok(allocated) } else { device.import(exported) };
        match base {
            Ok(base) => {
                if member != here.me() {
                    opened.push(base);
                }
                let slot = rt.node.places.local(pe).expect("a member of this node");
                parts.push((pe, DevicePart { at: base + told[1] as usize, lock: rt.node.amo_lock(slot) }));
            }
            Err(e) => {
                let why = || format!("device {number} does not reach the memory of PE {}'s device: {e}", pe.0);
                lack.get_or_insert_with(why);
            }
        }
    }
    here.post(&[lack.is_none().into()]);
    here.barrier();
    let all = (0..here.size()).all(|member| here.read(member, 0) == 1);
    // Seats are in the order of the PEs.
    parts.sort_by_key(|(pe, _)| *pe);
    let me = parts.iter().position(|(pe, _)| *pe == rt.pe).expect("this PE has its own part");
    let parts: Box<[DevicePart]> = parts.into_iter().map(|(_, part)| part).collect();
    let on = OnDevice { device, allocated, own: Span { base: parts[me].at, len }, me, parts, opened };
    if !all {
        let _ = on.close();
    }
    // Nobody frees what others have open.
    here.barrier();
    if all {
        return Ok(on);
    }
    let _ = device.free(allocated);
    Err(lack)
}
