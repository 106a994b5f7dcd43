//! Servers that are told nonsense by their clients and by their neighbours.

use super::channel::{Key, Members, Message, Side};
use super::tests::Job;
use super::*;
use crate::mangled::{inputs, mangled};
use crate::pairs;
use proptest::prelude::*;

/// What a client may say: sound requests, pieces of them, junk.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let sound = [
        "cmd=init pmi_version=1 pmi_subversion=1\n",
        "cmd=init pmi_version=2 pmi_subversion=0\n",
        "cmd=put kvsname=job key=k value=v\n",
        "cmd=get kvsname=job key=k wait=TRUE\n",
        "cmd=barrier_in\n",
        "cmd=finalize\n",
        "cmd=abort exitcode=x\n",
        "mcmd=spawn\nendcmd\n",
        "56    cmd=fullinit;pmijobid=osh_1778;pmirank=0;threaded=FALSE;",
        "62    cmd=fullinit;pmijobid=osh_1778;pmirank=0;threaded=FALSE;xxxxxx",
        "33    cmd=kvs-put;key=a@9;hint=DIRECT;value=;",
        "14    cmd=kvs-fence;",
        "25    cmd=kvs-get;srcid=-7;key=;",
    ];
    prop_oneof![
        4 => proptest::sample::select(sound.to_vec()).prop_map(|s| s.as_bytes().to_vec()),
        1 => any::<Vec<u8>>(),
        1 => "[a-z=;\n 0-9]{0,30}".prop_map(String::into_bytes),
    ]
}

/// One message of each kind, as servers send them.
fn tree_frames() -> Vec<Vec<u8>> {
    let (key, value) = (|| b"key@1".to_vec(), || b"value".to_vec());
    let (fence, pairs) = (|number| Key::Fence(Side::Pmi, number), || pairs::encode([("k", b"v".as_slice())]));
    let members = || Members(vec![0, 1]);
    let all = [
        Message::ExchangeUp { key: fence(0), members: Members(Vec::new()), data: pairs() },
        Message::ExchangeDown { key: fence(0), members: Members(Vec::new()), data: pairs() },
        Message::ExchangeUp { key: fence(1), members: Members(Vec::new()), data: value() },
        Message::Get { key: key(), wait: true, source: 1 },
        Message::Get { key: key(), wait: true, source: 99 },
        Message::GetReply { key: key(), wait: false, source: 1, value: Some(value()) },
        Message::ExchangeUp { key: Key::Own(key()), members: members(), data: value() },
        Message::ExchangeDown { key: Key::Own(key()), members: members(), data: value() },
        Message::Direct { to: 2, from: 1, data: value() },
        Message::Direct { to: 99, from: 1, data: value() },
    ];
    all.iter().map(crate::frame::encode).collect()
}

proptest! {
    #![proptest_config(inputs(200))]

    #[test]
    fn fuzz_clients_cannot_bring_a_server_down(
        answered in proptest::collection::vec((0..4u32, any::<bool>(), noise()), 0..25),
        gone in proptest::collection::vec(0..4u32, 0..3),
    ) {
        let mut job = Job::new(NodeMap::blocks_of(5, 2), 2);
        for (rank, own, bytes) in answered {
            job.send(if own { Conn::Own(rank) } else { Conn::Rank(rank) }, &bytes);
        }
        for rank in gone {
            let server = job.server_of(Conn::Rank(rank));
            job.servers[server as usize].closed(Conn::Rank(rank));
        }
        job.deliver();
        // Rank 4 has said nothing wrong and is served.
        prop_assert!(job.get(Conn::Own(4), "PMI_process_mapping").is_some());
        prop_assert!(!job.closed.iter().any(|(_, c)| matches!(c, Conn::Parent | Conn::Child(_))));
    }

    #[test]
    fn fuzz_tree_frames(parts in proptest::collection::vec((any::<bool>(), mangled(tree_frames())), 1..5)) {
        let mut job = Job::new(NodeMap::blocks_of(3, 1), 2);
        for (below, bytes) in parts {
            match below {
                true => job.servers[0].input(Conn::Child(1), &bytes),
                false => job.servers[2].input(Conn::Parent, &bytes),
            }
        }
        job.deliver();
        prop_assert!(job.get(Conn::Own(0), "PMI_process_mapping").is_some());
    }

    #[test]
    fn fuzz_neighbours_cannot_bring_a_server_down(
        parts in proptest::collection::vec((0..15u8, any::<Vec<u8>>()), 1..9)
    ) {
        let mut job = Job::new(NodeMap::blocks_of(3, 1), 2);
        for (kind, bytes) in parts {
            let mut message = ((bytes.len() + 1) as u32).to_le_bytes().to_vec();
            message.push(kind);
            message.extend(bytes);
            job.servers[0].input(Conn::Child(1), &message);
            job.servers[2].input(Conn::Parent, &message);
        }
        job.deliver();
        prop_assert!(job.get(Conn::Own(0), "PMI_process_mapping").is_some());
    }
}
