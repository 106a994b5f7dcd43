//! Authentication: both ends of a connection prove that they know the job's secret, without sending it.
//!
//! ```text
//! caller -> callee   "OSHR" version role node(4) nonce(16)
//! callee -> caller   nonce(16) mac(32)      mac over "callee" and all bytes so far
//! caller -> callee   mac(32)                mac over "caller" and all bytes so far
//! ```
//! The mac is HMAC-SHA-256 under the secret. Both nonces go into both macs, so a recorded handshake is worthless. The
//! two words keep one side's proof from serving as the other side's. The connection is not encrypted afterwards.

use crate::error::Error;
use hmac::{Hmac, Mac};
use sha2::Sha256;

const MAGIC: &[u8; 4] = b"OSHR";
const VERSION: u8 = 1;
const NONCE: usize = 16;
const MAC: usize = 32;
const HELLO: usize = 4 + 1 + 1 + 4 + NONCE;

/// One side of the handshake on a new connection.
pub struct Handshake {
    secret: Vec<u8>,
    /// The bytes of both sides in their order, which the macs cover.
    transcript: Vec<u8>,
    received: Vec<u8>,
    to_send: Vec<u8>,
    state: State,
    role: u8,
    node: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    AwaitHello,
    AwaitChallenge,
    AwaitProof,
    Over,
}

/// How a handshake goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send [`Handshake::output`] and read more.
    More,
    /// The peer belongs to the job. Send [`Handshake::output`]. `rest` are bytes that came behind the handshake.
    Done { role: u8, node: u32, rest: Vec<u8> },
}

impl Handshake {
    /// The side that has connected. `role` tells connections of several kinds apart, and the launcher chooses it;
    /// `node` is the caller's number.
    pub fn caller(secret: &[u8], role: u8, node: u32) -> Result<Handshake, Error> {
        let mut hello = MAGIC.to_vec();
        hello.extend([VERSION, role]);
        hello.extend(node.to_le_bytes());
        hello.extend(nonce()?);
        let (transcript, to_send, state) = (hello.clone(), hello, State::AwaitChallenge);
        Ok(Handshake { transcript, to_send, state, role, node, ..Handshake::callee(secret) })
    }

    /// The side that was connected to.
    pub fn callee(secret: &[u8]) -> Handshake {
        Handshake {
            secret: secret.to_vec(),
            transcript: Vec::new(),
            received: Vec::new(),
            to_send: Vec::new(),
            state: State::AwaitHello,
            role: 0,
            node: 0,
        }
    }

    /// The bytes to be sent now. They are empty while the other side has to send.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.to_send)
    }

    /// Whether a caller has sent its hello. Anybody can do that: it proves nothing.
    pub fn has_greeted(&self) -> bool {
        self.state == State::AwaitProof
    }

    /// Takes received bytes. After an error the connection is to be closed: the other side does not belong to the job.
    pub fn input(&mut self, bytes: &[u8]) -> Result<Step, Error> {
        self.received.extend_from_slice(bytes);
        loop {
            let need = match self.state {
                State::AwaitHello => HELLO,
                State::AwaitChallenge => NONCE + MAC,
                State::AwaitProof => MAC,
                State::Over => return Err(refused("it goes on after the handshake")),
            };
            // A peer of another kind is refused at the first wrong byte, and not when enough bytes have come.
            if self.state == State::AwaitHello && !MAGIC.starts_with(&self.received[..self.received.len().min(4)]) {
                return Err(refused("it does not begin as a server of oshrun does"));
            }
            if self.received.len() < need {
                return Ok(Step::More);
            }
            let part: Vec<u8> = self.received.drain(..need).collect();
            match self.state {
                State::AwaitHello => self.hello(&part)?,
                State::AwaitChallenge => {
                    let (nonce, proof) = part.split_at(NONCE);
                    self.transcript.extend_from_slice(nonce);
                    self.check(b"callee", proof)?;
                    self.to_send = self.mac(b"caller").finalize().into_bytes().to_vec();
                    return Ok(self.done());
                }
                State::AwaitProof => {
                    self.check(b"caller", &part)?;
                    return Ok(self.done());
                }
                State::Over => {}
            }
        }
    }

    fn hello(&mut self, hello: &[u8]) -> Result<(), Error> {
        if hello[4] != VERSION {
            return Err(refused(&format!("it speaks version {}, not {VERSION}", hello[4])));
        }
        self.role = hello[5];
        self.node = u32::from_le_bytes([hello[6], hello[7], hello[8], hello[9]]);
        self.transcript = hello.to_vec();
        let nonce = nonce()?;
        self.transcript.extend(nonce);
        self.to_send = nonce.to_vec();
        self.to_send.extend(self.mac(b"callee").finalize().into_bytes());
        self.state = State::AwaitProof;
        Ok(())
    }

    fn done(&mut self) -> Step {
        self.state = State::Over;
        Step::Done { role: self.role, node: self.node, rest: std::mem::take(&mut self.received) }
    }

    fn mac(&self, side: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length will do");
        mac.update(side);
        mac.update(&self.transcript);
        mac
    }

    fn check(&self, side: &[u8], proof: &[u8]) -> Result<(), Error> {
        // verify_slice takes a time that does not depend on the bytes.
        self.mac(side).verify_slice(proof).map_err(|_| refused("its secret is not that of this job"))
    }
}

fn refused(why: &str) -> Error {
    Error::Handshake(why.to_owned())
}

fn nonce() -> Result<[u8; NONCE], Error> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|e| Error::Random(e.to_string()))?;
    Ok(nonce)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs both sides, `cut` bytes at a time; the results of caller and callee.
    fn shake(a: &[u8], b: &[u8], cut: usize) -> (Result<Step, Error>, Result<Step, Error>) {
        let mut sides = [Handshake::caller(a, 3, 77).unwrap(), Handshake::callee(b)];
        let mut results = [Ok(Step::More), Ok(Step::More)];
        for turn in 0..4 {
            let (from, to) = (turn % 2, 1 - turn % 2);
            let bytes = sides[from].output();
            assert!(!bytes.windows(4).any(|part| [a, b].concat().windows(4).any(|t| t == part)), "no secret is sent");
            for part in bytes.chunks(cut) {
                if results[to] == Ok(Step::More) {
                    results[to] = sides[to].input(part);
                }
            }
        }
        let [caller, callee] = results;
        (caller, callee)
    }

    #[test]
    fn the_same_secret_opens() {
        for cut in [1, 5, 1000] {
            let done = Ok(Step::Done { role: 3, node: 77, rest: Vec::new() });
            assert_eq!(shake(b"secret", b"secret", cut), (done.clone(), done));
        }
    }

    #[test]
    fn another_secret_does_not_on_either_side() {
        let (caller, callee) = shake(b"secret", b"Secret", 1000);
        assert!(caller.unwrap_err().to_string().contains("secret is not that"));
        // The caller has sent nothing more, so the callee still waits.
        assert_eq!(callee, Ok(Step::More));
        let mut callee = Handshake::callee(b"secret");
        assert!(!callee.has_greeted());
        callee.input(&Handshake::caller(b"x", 0, 1).unwrap().output()).unwrap();
        assert!(callee.has_greeted());
        assert!(callee.input(&[0; MAC]).unwrap_err().to_string().contains("secret is not that"));
    }

    #[test]
    fn a_recorded_handshake_is_worth_nothing() {
        let (mut caller, mut callee) = (Handshake::caller(b"s", 0, 1).unwrap(), Handshake::callee(b"s"));
        let hello = caller.output();
        callee.input(&hello).unwrap();
        caller.input(&callee.output()).unwrap();
        let proof = caller.output();
        let mut again = Handshake::callee(b"s");
        again.input(&hello).unwrap();
        assert!(again.input(&proof).is_err());
        assert!(matches!(callee.input(&proof), Ok(Step::Done { .. })));
    }

    #[test]
    fn what_follows_is_handed_on() {
        let (mut caller, mut callee) = (Handshake::caller(b"s", 0, 1).unwrap(), Handshake::callee(b"s"));
        callee.input(&caller.output()).unwrap();
        caller.input(&callee.output()).unwrap();
        let mut bytes = caller.output();
        bytes.extend(b"first words");
        assert_eq!(callee.input(&bytes), Ok(Step::Done { role: 0, node: 1, rest: b"first words".to_vec() }));
        assert!(callee.input(b"x").is_err());
    }

    proptest! {
        #[test]
        fn junk_is_refused(bytes: Vec<u8>, prefix in prop_oneof![Just(0usize), Just(4), Just(HELLO)]) {
            let mut callee = Handshake::callee(b"s");
            let mut all = Handshake::caller(b"x", 0, 1).unwrap().output();
            all.truncate(prefix);
            all.extend(bytes);
            let done = matches!(callee.input(&all), Ok(Step::Done { .. }));
            prop_assert!(!done);
        }
    }
}
