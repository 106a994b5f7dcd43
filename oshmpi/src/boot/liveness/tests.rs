//! Neighbours, as threads.

use super::*;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

fn endpoint(pe: u32) -> Endpoint {
    let addresses = vec!["10.1.2.3:44".parse().unwrap(), "[fd00::1]:44".parse().unwrap()];
    Endpoint { pe, secret: [7; 16], addresses, host: format!("host{pe}") }
}

#[test]
fn the_last_neighbour_is_before_the_first() {
    let found = |pes: &[u32], me| {
        neighbours(pes.iter().map(|&pe| endpoint(pe)).collect(), me).map(|(before, behind)| (before.pe, behind.pe))
    };
    assert_eq!(found(&[0, 2, 5], 0), Some((5, 2)));
    assert_eq!(found(&[0, 2, 5], 2), Some((0, 5)));
    assert_eq!(found(&[0, 2, 5], 5), Some((2, 0)));
    assert_eq!(found(&[0, 4], 4), Some((0, 0)));
    assert_eq!(found(&[0], 0), None);
    assert_eq!(found(&[0, 4], 1), None, "who leads nobody has no neighbours");
}

/// A listener and its endpoint, on this machine's own address.
fn listener() -> (Listener, Endpoint) {
    let listener = Listener::open(1, tcp::SILENCE).unwrap();
    let port = listener.listener.local_addr().unwrap().port();
    let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
    let endpoint = Endpoint { addresses: vec![here], ..listener.endpoint() };
    (listener, endpoint)
}

/// Has a listener take connections. The neighbours that come are given.
fn accepting(listener: Listener) -> Receiver<(TcpStream, Vec<u8>)> {
    let (met, neighbours) = channel();
    let watch = move |stream, rest: &[u8]| met.send((stream, rest.to_vec())).unwrap_or_default();
    thread::spawn(move || listener.serve(Duration::from_secs(60), watch));
    neighbours
}

/// Checks that the neighbour is accepted, although others may have connected before.
fn neighbour_comes_in(endpoint: &Endpoint, inside: &Receiver<(TcpStream, Vec<u8>)>) {
    let mut outside = endpoint.connect(tcp::SILENCE).unwrap();
    outside.write_all(b"x").unwrap();
    let (mut stream, mut rest) = inside.recv().unwrap();
    if rest.is_empty() {
        rest.push(0);
        stream.read_exact(&mut rest).unwrap();
    }
    assert_eq!(rest, b"x");
}

#[test]
fn only_who_knows_the_secret_comes_in() {
    let (listener, endpoint) = listener();
    let inside = accepting(listener);
    let stranger = Endpoint { secret: [0; 16], ..endpoint.clone() };
    assert!(stranger.connect(tcp::SILENCE).is_none());
    neighbour_comes_in(&endpoint, &inside);
}

/// Connections that send nothing do not keep the neighbour out.
#[test]
fn silent_strangers_are_not_waited_for() {
    let (listener, endpoint) = listener();
    let inside = accepting(listener);
    let _strangers: Vec<_> = (0..STRANGERS - 1).map(|_| TcpStream::connect(endpoint.addresses[0]).unwrap()).collect();
    neighbour_comes_in(&endpoint, &inside);
}

/// A connection that a listener drops after the challenge is that of no neighbour.
#[test]
fn who_is_not_welcome_has_no_neighbour() {
    let (listener, endpoint) = listener();
    let dropping = thread::spawn(move || {
        let mut stream = listener.listener.accept().unwrap().0;
        shake(&mut stream, Handshake::callee(&listener.secret), TO_GREET).unwrap();
    });
    assert!(endpoint.connect(tcp::SILENCE).is_none());
    dropping.join().unwrap();
}

/// The port is closed if the neighbour has not come in time.
#[test]
fn a_neighbour_that_does_not_come_is_waited_for_no_longer() {
    let (listener, _) = listener();
    let _stranger = TcpStream::connect(listener.listener.local_addr().unwrap()).ok();
    listener.serve(Duration::from_millis(100), |_, _| unreachable!("nobody knows the secret"));
}

/// A connection that is closed before the end of the handshake is not taken for the neighbour.
#[test]
fn who_does_not_stay_is_no_neighbour() {
    let (listener, endpoint) = listener();
    let hello = Handshake::caller(&endpoint.secret, NEIGHBOUR, 1).unwrap().output();
    for printed in [&[][..], &hello[..5], &hello[..], &[0; 16]] {
        let mut stream = TcpStream::connect(endpoint.addresses[0]).unwrap();
        stream.write_all(printed).unwrap();
    }
    neighbour_comes_in(&endpoint, &accepting(listener));
}

/// Another program that listens at that address is not taken for the neighbour.
#[test]
fn a_stranger_is_no_neighbour() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let there = Endpoint { addresses: vec![listener.local_addr().unwrap()], ..endpoint(1) };
    let stranger = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"220 this is a mail server, ready to take what you have to send to anybody");
    });
    assert!(there.connect(tcp::SILENCE).is_none());
    stranger.join().unwrap();
}

#[test]
fn who_has_taken_leave_may_go() {
    for (printed, end) in [
        (&b""[..], End::Gone),
        (&[CLEAN_EXIT][..], End::InGoodOrder),
        (&[CLEAN_EXIT, BACK][..], End::Gone),
        (&[CLEAN_EXIT, BACK, CLEAN_EXIT][..], End::InGoodOrder),
    ] {
        let (listener, endpoint) = listener();
        let inside = accepting(listener);
        let mut outside = endpoint.connect(tcp::SILENCE).unwrap();
        outside.write_all(printed).unwrap();
        drop(outside);
        let (stream, rest) = inside.recv().unwrap();
        assert_eq!(until_end(stream, &rest, Duration::from_secs(30)), end);
    }
}

/// Something on the way closes idle connections: a neighbour that answers a new one is alive.
#[test]
fn a_connection_that_is_closed_is_no_death() {
    let (listener, endpoint) = listener();
    let inside = accepting(listener);
    let inside = thread::spawn(move || {
        for word in [&b""[..], &b""[..], &[CLEAN_EXIT][..]] {
            inside.recv().unwrap().0.write_all(word).unwrap();
        }
    });
    let stream = endpoint.connect(tcp::SILENCE).unwrap();
    assert_eq!(endpoint.until_end(stream, tcp::SILENCE), End::InGoodOrder);
    inside.join().unwrap();
}

/// One that answers no new one is not.
#[test]
fn who_answers_no_new_connection_has_ended() {
    let (listener, endpoint) = listener();
    let inside = thread::spawn(move || drop(greeted(listener.listener.accept().unwrap().0, &listener.secret)));
    let stream = endpoint.connect(tcp::SILENCE).unwrap();
    inside.join().unwrap();
    assert_eq!(endpoint.until_end(stream, tcp::SILENCE), End::Gone);
}
