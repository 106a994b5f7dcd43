//! Who may join: both ends of a connection prove that they know the job's secret, without sending it.
//!
//! ```text
//! caller -> callee   "OSHR" version role node(4) nonce(16)
//! callee -> caller   nonce(16) mac(32)      mac over "callee" and all that was said so far
//! caller -> callee   mac(32)                mac over "caller" and all that was said so far
//! ```
//! The mac is HMAC-SHA-256 under the secret. Both nonces go into both macs, so nothing can be replayed; the two words
//! keep one side's proof from serving as the other's. What follows on the connection is not encrypted.

use crate::job::Error;
use hmac::{Hmac, Mac};
use sha2::Sha256;

const MAGIC: &[u8; 4] = b"OSHR";
const VERSION: u8 = 1;
const NONCE: usize = 16;
const MAC: usize = 32;
const HELLO: usize = 4 + 1 + 1 + 4 + NONCE;

/// One side of the greeting on a fresh connection.
pub struct Handshake {
    secret: Vec<u8>,
    /// What both sides have said, in order: what the macs cover.
    said: Vec<u8>,
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

/// How far a greeting has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send [`Handshake::output`] and read on.
    More,
    /// The peer is one of ours. Send [`Handshake::output`]; `rest` are the first bytes of what follows.
    Done { role: u8, node: u32, rest: Vec<u8> },
}

impl Handshake {
    /// The side that has connected. `role` is a number of the launcher's own, for connections of several kinds; `node`
    /// says who is calling.
    pub fn caller(secret: &[u8], role: u8, node: u32) -> Result<Handshake, Error> {
        let mut hello = MAGIC.to_vec();
        hello.extend([VERSION, role]);
        hello.extend(node.to_le_bytes());
        hello.extend(nonce()?);
        Ok(Handshake {
            secret: secret.to_vec(),
            said: hello.clone(),
            received: Vec::new(),
            to_send: hello,
            state: State::AwaitChallenge,
            role,
            node,
        })
    }

    /// The side that was connected to.
    pub fn callee(secret: &[u8]) -> Handshake {
        Handshake {
            secret: secret.to_vec(),
            said: Vec::new(),
            received: Vec::new(),
            to_send: Vec::new(),
            state: State::AwaitHello,
            role: 0,
            node: 0,
        }
    }

    /// What is to be sent now; empty when it is the other's turn.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.to_send)
    }

    /// Takes what has arrived. An error: close the connection, the other side is not of this job.
    pub fn input(&mut self, bytes: &[u8]) -> Result<Step, Error> {
        self.received.extend_from_slice(bytes);
        loop {
            let need = match self.state {
                State::AwaitHello => HELLO,
                State::AwaitChallenge => NONCE + MAC,
                State::AwaitProof => MAC,
                State::Over => return Err(refused("it goes on after the greeting")),
            };
            // A stranger is turned away at the first wrong byte, not when enough have come.
            if self.state == State::AwaitHello && !MAGIC.starts_with(&self.received[..self.received.len().min(4)]) {
                return Err(refused("it does not greet as a server of ours"));
            }
            if self.received.len() < need {
                return Ok(Step::More);
            }
            let part: Vec<u8> = self.received.drain(..need).collect();
            match self.state {
                State::AwaitHello => self.hello(&part)?,
                State::AwaitChallenge => {
                    let (nonce, proof) = part.split_at(NONCE);
                    self.said.extend_from_slice(nonce);
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
            return Err(refused(&format!("it speaks version {}, we speak {VERSION}", hello[4])));
        }
        self.role = hello[5];
        self.node = u32::from_le_bytes([hello[6], hello[7], hello[8], hello[9]]);
        self.said = hello.to_vec();
        let nonce = nonce()?;
        self.said.extend(nonce);
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
        mac.update(&self.said);
        mac
    }

    fn check(&self, side: &[u8], proof: &[u8]) -> Result<(), Error> {
        // verify_slice takes the same time whatever differs.
        self.mac(side).verify_slice(proof).map_err(|_| refused("its secret is not that of this job"))
    }
}

fn refused(why: &str) -> Error {
    Error(format!("a connection was refused: {why}"))
}

fn nonce() -> Result<[u8; NONCE], Error> {
    let mut nonce = [0; NONCE];
    // SAFETY: pointer and length are those of a live array.
    let n = unsafe { libc::getrandom(nonce.as_mut_ptr().cast(), NONCE, 0) };
    if usize::try_from(n) != Ok(NONCE) {
        return Err(Error(format!("no random numbers: {}", std::io::Error::last_os_error())));
    }
    Ok(nonce)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs both sides, `cut` bytes at a time; the results of caller and callee.
    fn greet(a: &[u8], b: &[u8], cut: usize) -> (Result<Step, Error>, Result<Step, Error>) {
        let mut sides = [Handshake::caller(a, 3, 77).unwrap(), Handshake::callee(b)];
        let mut results = [Ok(Step::More), Ok(Step::More)];
        for turn in 0..4 {
            let (from, to) = (turn % 2, 1 - turn % 2);
            for part in sides[from].output().chunks(cut) {
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
            assert_eq!(greet(b"secret", b"secret", cut), (done.clone(), done));
        }
    }

    #[test]
    fn another_secret_does_not_on_either_side() {
        let (caller, callee) = greet(b"secret", b"Secret", 1000);
        assert!(caller.unwrap_err().0.contains("secret is not that"));
        // The caller said nothing more, so the callee still waits.
        assert_eq!(callee, Ok(Step::More));
        let mut callee = Handshake::callee(b"secret");
        callee.input(&Handshake::caller(b"x", 0, 1).unwrap().output()).unwrap();
        assert!(callee.input(&[0; MAC]).unwrap_err().0.contains("secret is not that"));
    }

    #[test]
    fn a_recorded_greeting_is_worth_nothing() {
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
