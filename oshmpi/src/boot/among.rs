//! The long way to the nodes of a job: every PE offers memory and reads everybody's card; those who can open the memory of an earlier
//! PE join its node, or are given it by that PE. The first PEs of several machines open doors to each other.

use super::BootError;
use super::card::{self, Card, list};
use super::found::{Found, no_memory, offer, open, prove};
use super::job::Joined;
use super::watch::{Door, Post, Sign};
use crate::env::{BadValue, Env, Route};
use crate::os::pass::{self, Counter};
use pmi_shm::Job;
use std::os::fd::{AsFd, OwnedFd};

const CARD: &str = "oshmpi-card";
const LEADER: &str = "oshmpi-leader";
const GIVEN: &str = "oshmpi-given";

/// Finds this PE's node. Collective.
pub(super) fn all(joined: &mut Joined, mut card: Card, env: &Result<Env, BadValue>) -> Result<Found, BootError> {
    // First of all: where there is no memory for us, MPI may find none either and say so at length.
    let mut memory = offer(&mut card).unwrap_or_else(|e| no_memory(&e));
    let job = joined.for_all_to_all()?;
    let (me, n) = (job.rank(), job.size());
    job.put(CARD, &card.encode())?;
    job.fence()?;
    let cards = (0..n).map(|pe| {
        let bytes = job.get(pe, CARD)?;
        Card::decode(&bytes).ok_or_else(|| pmi_shm::Error::Other(format!("PE {pe} runs another version of liboshmpi")))
    });
    let cards = cards.collect::<Result<Vec<Card>, _>>()?;
    // Before the next exchange: a PE with a problem has nothing to offer.
    card::check(&cards, me)?;

    let mut leader = me;
    // With OSHMPI_ROUTE=mpi every PE is a node of its own.
    let candidates = if card.route == Route::Mpi { 0 } else { me };
    for (pe, other) in (0..candidates).zip(&cards) {
        if other.node == card.node
            && let Some(fd) = open(other)
        {
            (leader, memory) = (pe, fd);
            break;
        }
    }
    let machines = cards.iter().any(|other| other.node != card.node);
    let door =
        env.as_ref().ok().filter(|_| machines && leader == me).and_then(|env| Door::wanted(me, env.host_timeout));
    // The first PE of a machine gives its memory to those who cannot open it.
    let mates = || (0..).zip(&cards).filter(|(_, other)| other.node == card.node).map(|(pe, _)| pe);
    let first = mates().next().unwrap_or(me);
    let may_be_asked = first == me && mates().count() > 1 && card.route != Route::Mpi;
    let counter = if may_be_asked { Counter::open().ok() } else { None };
    let word = Word { leader, counter: counter.as_ref().map_or(0, |counter| counter.name) };
    let mut bytes = word.encode();
    bytes.extend(door.as_ref().map(|door| door.sign().encode()).unwrap_or_default());
    job.put(LEADER, &bytes)?;
    job.fence()?;
    let (mut words, mut signs) = (Vec::new(), Vec::new());
    for pe in 0..n {
        let bytes = job.get(pe, LEADER)?;
        let (word, sign) = Word::decode(&bytes).unwrap_or((Word { leader: pe, counter: 0 }, &[]));
        words.push(word);
        signs.push(Sign::decode(sign));
    }
    let mut leaders: Vec<u32> = words.iter().map(|word| word.leader).collect();
    let nodes: Vec<u64> = cards.iter().map(|card| card.node).collect();
    let wishes = wishes(&nodes, &words);
    if wishes.iter().any(Option::is_some) {
        let given = give_and_take(job, &cards, &words, wishes[me as usize], counter.as_ref(), &memory)?;
        job.put(GIVEN, &[u8::from(given.is_some())])?;
        job.fence()?;
        let all = (0..n).map(|pe| Ok(job.get(pe, GIVEN)? == [1])).collect::<Result<Vec<bool>, pmi_shm::Error>>()?;
        leaders = regrouped(&leaders, &wishes, &all);
        if leaders[me as usize] != leader
            && let Some(given) = given
        {
            (leader, memory) = (leaders[me as usize], given);
        }
    }
    drop(counter);

    let leads = |pe: u32| leaders[pe as usize] == pe;
    let here: Vec<u32> = (0..n).filter(|&pe| leaders[pe as usize] == leader).collect();
    if (0..n).filter(|&pe| leads(pe)).count() > 1 && card.route == Route::Node {
        let strangers: Vec<u32> = (0..n).filter(|&pe| leaders[pe as usize] != 0).collect();
        return Err(BootError::by(0, me, || {
            format!(
                "{} cannot share memory with PE 0 (another host, container or user), and OSHMPI_ROUTE=node is set",
                list(&strangers)
            )
        }));
    }
    let signs = (0..).zip(signs).filter(|(pe, _)| leads(*pe)).filter_map(|(_, sign)| sign).collect();
    let watch = door.filter(|_| leads(me)).map(|door| Post { door, signs });
    Ok(Found { cards, leader, here, memory, watch })
}

/// What each PE says when it has looked at the others' memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    /// Whose memory it has opened.
    leader: u32,
    /// Where it gives its own to those who ask; 0: nowhere.
    counter: u64,
}

impl Word {
    fn encode(self) -> Vec<u8> {
        [&self.leader.to_le_bytes()[..], &self.counter.to_le_bytes()].concat()
    }

    /// The word, and what follows it.
    fn decode(bytes: &[u8]) -> Option<(Word, &[u8])> {
        let (leader, rest) = bytes.split_first_chunk::<4>()?;
        let (counter, rest) = rest.split_first_chunk::<8>()?;
        Some((Word { leader: u32::from_le_bytes(*leader), counter: u64::from_le_bytes(*counter) }, rest))
    }
}

/// For every PE, whose memory it asks for: that of the first PE of its machine, if it has not opened that. All PEs find the same.
/// One pass, O(P log P) for P PEs.
fn wishes(nodes: &[u64], words: &[Word]) -> Vec<Option<u32>> {
    let mut first = std::collections::BTreeMap::new();
    let wish = |(pe, (node, word)): (u32, (&u64, &Word))| {
        let first = *first.entry(*node).or_insert(pe);
        (word.leader != first && words[first as usize].counter != 0).then_some(first)
    };
    (0..).zip(nodes.iter().zip(words)).map(wish).collect()
}

/// Asks for the memory of the PE that this PE wishes it from, and gives the own to those who ask. Nobody waits for an answer before
/// all have asked. Collective.
fn give_and_take(
    job: &mut dyn Job,
    cards: &[Card],
    words: &[Word],
    wish: Option<u32>,
    counter: Option<&Counter>,
    memory: &OwnedFd,
) -> Result<Option<OwnedFd>, BootError> {
    let asked = wish.map(|first| {
        let token = cards[first as usize].token;
        (pass::ask(words[first as usize].counter, token), token)
    });
    job.fence()?;
    if let Some(counter) = counter {
        counter.serve(cards[job.rank() as usize].token, &[memory.as_fd()]);
    }
    let Some((Ok(asked), token)) = asked else { return Ok(None) };
    Ok(asked.receive().ok().and_then(|mut given| prove(given.pop()?, token)))
}

/// Who leads whom when memory has been given: those who have opened the memory of one PE go together to the one they wish, or stay.
/// O(P).
fn regrouped(leaders: &[u32], wishes: &[Option<u32>], given: &[bool]) -> Vec<u32> {
    let mut goes: Vec<bool> = wishes.iter().map(Option::is_some).collect();
    for (leader, given) in leaders.iter().zip(given) {
        goes[*leader as usize] &= given;
    }
    let after = |leader: &u32| wishes[*leader as usize].filter(|_| goes[*leader as usize]).unwrap_or(*leader);
    leaders.iter().map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_travel_whole() {
        let word = Word { leader: 7, counter: u64::MAX };
        let bytes = [&word.encode()[..], b"sign"].concat();
        assert_eq!(Word::decode(&bytes), Some((word, &b"sign"[..])));
        assert_eq!(Word::decode(b"short"), None);
    }

    /// PEs 0 and 1 share memory, 2 and 3 do, 4 is alone; 5 is on another machine.
    #[test]
    fn who_cannot_open_memory_wishes_that_of_the_first_on_its_machine() {
        let nodes = [9, 9, 9, 9, 9, 8];
        let word = |leader| Word { leader, counter: if leader == 0 || leader == 5 { 1 } else { 0 } };
        let words = [0, 0, 2, 2, 4, 5].map(word);
        let wanted = wishes(&nodes, &words);
        assert_eq!(wanted, [None, None, Some(0), Some(0), Some(0), None]);
        let silent = words.map(|word| Word { counter: 0, ..word });
        assert_eq!(wishes(&nodes, &silent), [None; 6], "nobody gives anything");

        let leaders = [0, 0, 2, 2, 4, 5];
        let all = [false, false, true, true, true, false];
        assert_eq!(regrouped(&leaders, &wanted, &all), [0, 0, 0, 0, 0, 5]);
        let one_failed = [false, false, true, false, true, false];
        assert_eq!(regrouped(&leaders, &wanted, &one_failed), [0, 0, 2, 2, 0, 5], "2 does not leave 3");
    }
}
