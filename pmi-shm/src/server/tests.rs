//! Jobs of several nodes in one process: the bytes that launchers would carry are carried here.

use super::*;
use crate::wire::{self, Incoming, Put, Reply, Request, Splitter};
use std::collections::{HashMap, VecDeque};

/// All servers of a job and the wires between them.
pub(super) struct Job {
    pub(super) servers: Vec<Server>,
    /// Undelivered bytes between servers: to whom, on which connection.
    wires: VecDeque<(u32, Conn, Vec<u8>)>,
    /// Replies that a process has not read, per connection.
    mail: HashMap<Conn, Splitter>,
    active: Vec<Conn>,
    events: Vec<(u32, Event)>,
    pub(super) closed: Vec<(u32, Conn)>,
}

impl Job {
    pub(super) fn new(servers: NodeMap, arity: u32) -> Job {
        let spec = |node| Spec {
            name: "job".to_owned(),
            told: servers.clone(),
            servers: servers.clone(),
            node,
            arity,
            universe: Some(servers.size()),
            programs: vec![0],
            share: true,
        };
        let all: Vec<Server> = (0..servers.nodes()).map(|n| Server::new(spec(n)).unwrap()).collect();
        let mut job = Job {
            servers: all,
            wires: VecDeque::new(),
            mail: HashMap::new(),
            active: Vec::new(),
            events: Vec::new(),
            closed: Vec::new(),
        };
        for n in 0..job.servers.len() as u32 {
            if let Some(parent) = job.servers[n as usize].parent() {
                job.servers[n as usize].connected(Conn::Parent);
                job.servers[parent as usize].connected(Conn::Child(n));
            }
        }
        job.deliver();
        job
    }

    pub(super) fn server_of(&self, conn: Conn) -> u32 {
        match conn {
            Conn::Rank(r) | Conn::Own(r) => self.servers[0].spec.servers.node_of(r),
            _ => panic!("not a process"),
        }
    }

    fn collect(&mut self) {
        for n in 0..self.servers.len() as u32 {
            while let Some(out) = self.servers[n as usize].output() {
                match out {
                    Output::Send(Conn::Parent, bytes) => {
                        let parent = self.servers[n as usize].parent().unwrap();
                        self.wires.push_back((parent, Conn::Child(n), bytes));
                    }
                    Output::Send(Conn::Child(to), bytes) => self.wires.push_back((to, Conn::Parent, bytes)),
                    Output::Send(conn, bytes) => self.mail.entry(conn).or_default().push(&bytes),
                    Output::Close(conn) => self.closed.push((n, conn)),
                    Output::Event(Event::Active(conn)) => self.active.push(conn),
                    Output::Event(event) => self.events.push((n, event)),
                }
            }
        }
    }

    /// Delivers everything; in odd pieces, as sockets do.
    pub(super) fn deliver(&mut self) {
        self.collect();
        while let Some((to, conn, bytes)) = self.wires.pop_front() {
            for part in bytes.chunks(7) {
                self.servers[to as usize].input(conn, part);
            }
            self.collect();
        }
    }

    pub(super) fn send(&mut self, conn: Conn, bytes: &[u8]) {
        let server = self.server_of(conn);
        self.servers[server as usize].input(conn, bytes);
        self.deliver();
    }

    pub(super) fn ask(&mut self, conn: Conn, request: &Request) {
        // Frames on the own channel, lines on the other where they will do.
        let line = if matches!(conn, Conn::Rank(_)) { wire::request_to_line(request) } else { None };
        let bytes = line.or_else(|| wire::request_to_frame(request)).unwrap();
        self.send(conn, &bytes);
    }

    pub(super) fn answer(&mut self, conn: Conn) -> Option<Reply> {
        match self.mail.get_mut(&conn)?.take().unwrap()? {
            Incoming::Line(line) => Some(wire::reply_from_line(&line).unwrap()),
            Incoming::Frame(frame) => Some(wire::reply_from_frame(&frame).unwrap()),
        }
    }

    pub(super) fn call(&mut self, conn: Conn, request: &Request) -> Reply {
        self.ask(conn, request);
        self.answer(conn).unwrap_or_else(|| panic!("{conn:?}: no answer to {request:?}"))
    }

    fn put(&mut self, conn: Conn, key: &str, value: &str) {
        let put = Put { space: b"job".to_vec(), key: key.into(), value: value.into(), here: false };
        assert_eq!(self.call(conn, &Request::Put(put)), Reply::Put(Ok(())));
    }

    /// Puts a value that stays on the rank's node.
    fn put_here(&mut self, rank: u32, key: &str, value: &str) {
        let put = Put { space: Vec::new(), key: key.into(), value: value.into(), here: true };
        assert_eq!(self.call(Conn::Own(rank), &Request::Put(put)), Reply::Put(Ok(())));
    }

    /// What the server answers to a request of PMI-2 that no client of this crate sends.
    fn frame(&mut self, conn: Conn, text: &str) -> Option<String> {
        self.send(conn, format!("{:<6}{text}", text.len()).as_bytes());
        match self.mail.get_mut(&conn)?.take().unwrap()? {
            Incoming::Frame(frame) => Some(String::from_utf8(frame).unwrap()),
            line => panic!("{line:?}"),
        }
    }

    pub(super) fn get(&mut self, conn: Conn, key: &str) -> Option<String> {
        match self.call(conn, &get(key, false)) {
            Reply::Get(value) => value.map(|v| String::from_utf8(v).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    fn fence(&mut self, ranks: std::ops::Range<u32>, side: fn(u32) -> Conn) {
        for r in ranks.clone() {
            self.ask(side(r), &Request::Fence);
        }
        for r in ranks {
            assert_eq!(self.answer(side(r)), Some(Reply::Fence), "rank {r}");
        }
    }

    fn sent(&self) -> u64 {
        self.servers.iter().map(|n| n.stats().sent).sum()
    }
}

fn get(key: &str, wait: bool) -> Request {
    Request::Get { space: b"job".to_vec(), key: key.into(), source: None, wait }
}

fn text(value: &str) -> Option<Reply> {
    Some(Reply::Get(Some(value.into())))
}

#[test]
fn puts_are_everywhere_after_the_fence() {
    for (map, arity) in [
        (NodeMap::one_node(3), 2),
        (NodeMap::blocks_of(7, 1), 2),
        (NodeMap::blocks_of(9, 2), 3),
        (NodeMap::cyclic(8, 3), 1),
    ] {
        let n = map.size();
        let mut job = Job::new(map, arity);
        for round in 0..3 {
            for r in 0..n {
                job.put(Conn::Rank(r), &format!("k{r}"), &format!("v{r}.{round}"));
                job.put(Conn::Rank(r), "same", &format!("{r}.{round}"));
            }
            job.fence(0..n, Conn::Rank);
            let winner = job.get(Conn::Rank(0), "same").unwrap();
            assert!(winner.ends_with(&format!(".{round}")));
            for r in 0..n {
                for of in 0..n {
                    assert_eq!(job.get(Conn::Rank(r), &format!("k{of}")), Some(format!("v{of}.{round}")));
                }
                assert_eq!(job.get(Conn::Rank(r), "same"), Some(winner.clone()), "all nodes agree");
            }
        }
        assert_eq!(job.get(Conn::Rank(0), "never"), None);
        assert!(job.events.is_empty(), "{:?}", job.events);
    }
}

/// Non-blocking fences invite processes to put between the begin and the end of a fence.
#[test]
fn a_put_after_the_begin_of_a_fence_travels_with_the_next_one() {
    let mut job = Job::new(NodeMap::blocks_of(2, 1), 2);
    let (ahead, late) = (Conn::Rank(1), Conn::Rank(0));
    job.put(ahead, "k", "first");
    job.ask(ahead, &Request::Fence);
    job.put(ahead, "k", "second");
    job.put(ahead, "other", "x");
    job.ask(late, &Request::Fence);
    for conn in [ahead, late] {
        assert_eq!(job.answer(conn), Some(Reply::Fence));
    }
    assert_eq!([ahead, late].map(|conn| job.get(conn, "k").unwrap()), ["first", "first"]);
    job.fence(0..2, Conn::Rank);
    assert_eq!(job.get(late, "k").as_deref(), Some("second"));
    assert_eq!(job.get(late, "other").as_deref(), Some("x"));
}

#[test]
fn a_fence_waits_for_everybody_and_for_its_own_side() {
    let mut job = Job::new(NodeMap::blocks_of(4, 2), 2);
    for r in 0..3 {
        job.ask(Conn::Rank(r), &Request::Fence);
    }
    job.ask(Conn::Own(3), &Request::Fence);
    for r in 0..4 {
        assert_eq!((job.answer(Conn::Rank(r)), job.answer(Conn::Own(r))), (None, None));
    }
    job.ask(Conn::Rank(3), &Request::Fence);
    for r in 0..4 {
        assert_eq!(job.answer(Conn::Rank(r)), Some(Reply::Fence));
    }
    assert_eq!(job.answer(Conn::Own(3)), None);
}

fn get_from(rank: u32, key: &str, wait: bool) -> Request {
    Request::Get { space: vec![], key: key.into(), source: Some(rank), wait }
}

#[test]
fn a_waiting_get_is_answered_by_the_put() {
    let mut job = Job::new(NodeMap::blocks_of(8, 2), 2);
    // Rank 7 will put it, far from rank 0 in the tree.
    for r in [0, 1, 6] {
        job.ask(Conn::Own(r), &get_from(7, "card", true));
        assert_eq!(job.answer(Conn::Own(r)), None);
    }
    let asked = job.sent();
    assert!(asked > 0);
    assert_eq!(job.get(Conn::Own(1), "other"), None, "others are served meanwhile");
    job.put_here(7, "card", "x");
    for r in [0, 1, 6] {
        assert_eq!(job.answer(Conn::Own(r)), text("x"));
    }
    // Each node on the way has sent one question and got one answer: ranks 0 and 1 share a question.
    assert_eq!(job.sent(), 2 * asked);
    // Later readers of the node find the copy without a message.
    let before = job.sent();
    assert_eq!(job.get(Conn::Own(0), "card"), Some("x".to_owned()));
    assert_eq!(job.sent(), before);
}

/// A put sends nothing, a Get one message to each server on the way and one back.
#[test]
fn a_key_stays_where_its_rank_is() {
    let mut job = Job::new(NodeMap::blocks_of(16, 2), 2);
    // Nodes 3 and 6 are the ends of a path over nodes 1, 0 and 2.
    let before = job.sent();
    job.put_here(12, "other", "y");
    assert_eq!(job.sent(), before, "nothing is sent");
    assert_eq!(job.call(Conn::Own(7), &get_from(12, "other", false)), text("y").unwrap());
    assert_eq!(job.sent(), before + 8);
    assert_eq!(job.call(Conn::Own(13), &get_from(12, "other", true)), text("y").unwrap());
    assert_eq!(job.call(Conn::Own(6), &get_from(12, "never", false)), Reply::Get(None));

    // A later value after the fence; a key that travels with the fence; a rank that does not exist.
    job.put_here(12, "other", "new");
    job.put(Conn::Own(12), "dense", "d");
    job.fence(0..16, Conn::Own);
    for rank in 0..16 {
        for (key, value) in [("other", "new"), ("dense", "d")] {
            assert_eq!(job.call(Conn::Own(rank), &get_from(12, key, true)), text(value).unwrap(), "{key} at {rank}");
        }
        assert_eq!(job.call(Conn::Own(rank), &get_from(99, "dense", false)), text("d").unwrap());
    }
    assert!(job.events.is_empty(), "{:?}", job.events);
}

#[test]
fn a_staged_value_serves_a_waiting_get_on_its_node() {
    let mut job = Job::new(NodeMap::one_node(2), 2);
    job.ask(Conn::Own(0), &get("k", true));
    job.put(Conn::Own(1), "k", "v");
    assert_eq!(job.answer(Conn::Own(0)), text("v"));
}

#[test]
fn an_exchange_moves_bytes_once_up_and_once_down() {
    for (arity, among) in [(2, vec![]), (1, vec![]), (2, vec![3, 5]), (3, vec![0, 6]), (2, vec![4]), (6, vec![1, 2, 6])]
    {
        let mut job = Job::new(NodeMap::blocks_of(14, 2), arity);
        let takes_part = |n: u32| among.is_empty() || among.contains(&n);
        for round in 0..2 {
            let sent = job.sent();
            let parts: Vec<u32> = (0..7).filter(|&n| takes_part(n)).collect();
            for &n in parts.iter().rev() {
                assert!(job.events.is_empty(), "complete before everybody has entered");
                job.servers[n as usize].exchange(b"key".to_vec(), &among, vec![n as u8; 100]).unwrap();
                job.deliver();
            }
            let mut events = std::mem::take(&mut job.events);
            events.sort_by_key(|e| e.0);
            assert_eq!(events.iter().map(|e| e.0).collect::<Vec<_>>(), parts);
            let data = |e: &Event| match e {
                Event::Exchanged { key, data } if key == b"key" => data.clone(),
                other => panic!("{other:?}"),
            };
            let first = data(&events[0].1);
            let mut seen: Vec<u32> = first.chunks(100).map(|c| c[0].into()).collect();
            seen.sort_unstable();
            assert_eq!(seen, parts, "each server's bytes once");
            assert!(events.iter().all(|e| data(&e.1) == first), "the same everywhere");
            // The links that lead from the root to who takes part, each used twice.
            let links = (1..7).filter(|&n| {
                let tree = &job.servers[n].tree;
                parts.iter().any(|&p| tree.towards(p).is_none_or(|next| Some(next) != tree.parent()))
            });
            let messages = 2 * links.count() as u64;
            assert_eq!(job.sent() - sent, messages, "round {round} of {among:?}");
        }
    }
}

#[test]
fn an_exchange_is_entered_once_and_by_those_it_names() {
    let mut job = Job::new(NodeMap::blocks_of(6, 2), 2);
    assert!(job.servers[0].exchange(b"k".to_vec(), &[1, 2], Vec::new()).is_err());
    assert!(job.servers[0].exchange(b"k".to_vec(), &[0, 3], Vec::new()).is_err());
    job.servers[0].exchange(b"k".to_vec(), &[], Vec::new()).unwrap();
    assert!(job.servers[0].exchange(b"k".to_vec(), &[], Vec::new()).is_err());
}

#[test]
fn messages_find_their_way() {
    let mut job = Job::new(NodeMap::blocks_of(14, 2), 2);
    for (from, to) in [(3, 6), (6, 3), (0, 5), (4, 0), (2, 2)] {
        job.servers[from as usize].send_message(to, vec![from as u8, to as u8]);
        job.deliver();
        let expected = (to, Event::Message { from, data: vec![from as u8, to as u8] });
        assert_eq!(std::mem::take(&mut job.events), [expected]);
    }
}

#[test]
fn attributes_of_a_node_stay_there() {
    let mut job = Job::new(NodeMap::blocks_of(4, 2), 2);
    let (none, first) = ("rc=0;found=FALSE;", "rc=0;found=TRUE;value=first;");
    let ask = |job: &mut Job, rank| job.frame(Conn::Own(rank), "cmd=info-getnodeattr;key=file;wait=FALSE;").unwrap();
    assert!(ask(&mut job, 0).ends_with(none));
    assert_eq!(job.frame(Conn::Own(0), "cmd=info-getnodeattr;key=file;wait=TRUE;"), None);
    for value in ["first", "second"] {
        let put = format!("cmd=info-putnodeattr;key=file;value={value};");
        assert!(job.frame(Conn::Own(1), &put).unwrap().ends_with("rc=0;"));
    }
    let Some(Ok(Some(Incoming::Frame(woken)))) = job.mail.get_mut(&Conn::Own(0)).map(Splitter::take) else { panic!() };
    assert!(woken.ends_with(first.as_bytes()));
    assert!(ask(&mut job, 1).ends_with(first) && ask(&mut job, 2).ends_with(none));
}

#[test]
fn an_end_without_goodbye_is_a_loss() {
    let mut job = Job::new(NodeMap::one_node(3), 2);
    job.call(Conn::Rank(0), &Request::Maxes);
    job.call(Conn::Rank(1), &Request::Maxes);
    assert_eq!(job.call(Conn::Rank(1), &Request::Finalize), Reply::Finalize);
    for r in 0..3 {
        job.servers[0].closed(Conn::Rank(r));
        job.servers[0].closed(Conn::Own(r));
        job.servers[0].closed(Conn::Rank(r));
    }
    job.deliver();
    let expected = [(0, Event::Finalized(Conn::Rank(1))), (0, Event::Lost(Conn::Rank(0)))];
    assert_eq!(job.events, expected, "rank 2 has never spoken");
}

#[test]
fn who_comes_again_after_a_goodbye_is_active_again() {
    let mut job = Job::new(NodeMap::one_node(1), 2);
    for _ in 0..2 {
        job.call(Conn::Rank(0), &Request::Maxes);
        job.call(Conn::Rank(0), &Request::Maxes);
        job.call(Conn::Rank(0), &Request::Finalize);
    }
    assert_eq!(job.active, [Conn::Rank(0), Conn::Rank(0)]);
}

#[test]
fn a_value_that_no_message_can_carry_is_not_sent() {
    // Every byte of it is doubled on its way.
    for (len, fits) in [(wire::MESSAGE_MAX / 2 - 100, true), (wire::MESSAGE_MAX / 2, false)] {
        let put = Request::Put(Put { key: b"k".to_vec(), value: vec![b';'; len], ..Put::default() });
        assert_eq!(wire::request_to_frame(&put).is_some(), fits);
    }
}

#[test]
fn an_abort_is_told_with_its_words() {
    let mut job = Job::new(NodeMap::one_node(2), 2);
    job.send(Conn::Rank(1), b"cmd=abort exitcode=7\n");
    job.send(Conn::Own(0), b"31    cmd=abort;isworld=TRUE;msg=bye;");
    let abort = |rank, code, message: &str| (0, Event::Abort { rank, code, message: message.to_owned() });
    assert_eq!(job.events, [abort(1, 7, ""), abort(0, 1, "bye")]);
}

#[test]
fn a_table_is_passed_on() {
    let mut job = Job::new(NodeMap::one_node(2), 2);
    let request = Request::Table { head: b"a; b".to_vec(), rows: b"1\twaits\n".to_vec() };
    job.send(Conn::Own(1), &wire::request_to_frame(&request).unwrap());
    assert_eq!(job.events, [(0, Event::Table { head: "a; b".to_owned(), rows: "1\twaits\n".to_owned() })]);
    assert!(job.answer(Conn::Own(1)).is_none());
}

/// A thread of its own may be telling the table while the rank says goodbye.
#[test]
fn a_table_after_the_goodbye_makes_no_loss_of_the_end() {
    let mut job = Job::new(NodeMap::one_node(1), 2);
    job.get(Conn::Own(0), "file");
    job.call(Conn::Own(0), &Request::Finalize);
    let table = Request::Table { head: b"a; b".to_vec(), rows: Vec::new() };
    job.send(Conn::Own(0), &wire::request_to_frame(&table).unwrap());
    job.servers[0].closed(Conn::Own(0));
    job.deliver();
    let table = Event::Table { head: "a; b".to_owned(), rows: String::new() };
    assert_eq!(job.events, [(0, Event::Finalized(Conn::Own(0))), (0, table)]);
}

#[test]
fn what_cannot_be_had_is_refused_politely() {
    let mut job = Job::new(NodeMap::one_node(1), 2);
    job.send(Conn::Rank(0), b"mcmd=spawn\nnprocs=1\nexecname=a\nendcmd\n");
    assert_eq!(job.answer(Conn::Rank(0)), Some(Reply::Unknown(b"spawn".to_vec())));
    // Two programs of one call: one answer, and the next one is to the next request.
    for block in 1..=2 {
        let block = format!("mcmd=spawn\nnprocs=1\nexecname=a\ntotspawns=2\nspawnssofar={block}\nendcmd\n");
        job.send(Conn::Rank(0), block.as_bytes());
    }
    assert_eq!(job.answer(Conn::Rank(0)), Some(Reply::Unknown(b"spawn".to_vec())));
    assert!(matches!(job.call(Conn::Rank(0), &Request::Universe), Reply::Universe(_)));
    job.send(Conn::Rank(0), b"cmd=create_kvs\n");
    assert_eq!(job.answer(Conn::Rank(0)), Some(Reply::Unknown(b"create_kvs".to_vec())));
    // Longer than a line can carry, and a byte that no line can hold: not found by PMI-1, whole by PMI-2.
    job.put_here(0, "long", &"x".repeat(5000));
    job.put_here(0, "odd", "a\nb");
    for key in ["long", "odd"] {
        assert_eq!(job.get(Conn::Rank(0), key), None);
        assert!(job.get(Conn::Own(0), key).is_some());
    }
    // The longest value that a put's frame can carry, and the longest whose reply is sure to be a frame too.
    for (spare, fits) in [(25, false), (128, true)] {
        let value = vec![b'v'; wire::MESSAGE_MAX - spare];
        let put = Request::Put(Put { key: b"l".to_vec(), value, ..Put::default() });
        assert_eq!(job.call(Conn::Own(0), &put) == Reply::Put(Ok(())), fits);
        assert_eq!(job.get(Conn::Own(0), "l").is_some(), fits);
    }
    assert!(job.events.is_empty() && job.closed.is_empty(), "{:?}", job.events);
}

#[test]
fn the_first_answers_are_those_mpich_knows() {
    let mut job = Job::new(NodeMap::blocks_of(4, 2), 2);
    job.send(Conn::Rank(3), b"cmd=init pmi_version=1 pmi_subversion=1\ncmd=get kvsname=job key=PMI_process_mapping\n");
    assert_eq!(job.answer(Conn::Rank(3)), Some(Reply::Init { version: 1, subversion: 1, rc: 0 }));
    assert_eq!(job.answer(Conn::Rank(3)), text("(vector,(0,2,2))"));
    let reply = job.frame(Conn::Own(2), "cmd=fullinit;pmijobid=job;pmirank=2;threaded=FALSE;").unwrap();
    assert!(reply.contains(";rank=2;size=4;appnum=0;"), "{reply}");
    let fds = ChildFds { pmi: 5, own: 6, shared: Some(7) };
    let env: HashMap<_, _> = job.servers[1].environment(3, &fds).into_iter().collect();
    for (name, value) in [("PMI_FD", "5"), ("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("MPI_LOCALRANKID", "1")] {
        assert_eq!(env[name], value, "{name}");
    }
    assert!(!env.contains_key("PMI_VERSION"), "it makes MPICH drop the mapping");
    assert!(env["OSHRUN_SHM"].starts_with("7:") && env["OSHRUN_FD"] == "6");
}

#[test]
fn a_mapping_that_no_message_can_carry_is_not_found() {
    // Runs of changing lengths on changing nodes: a block for each.
    let runs = (0..120_000u32).flat_map(|i| std::iter::repeat_n((i % 1009) * (i % 1013) % 1000, 1 + i as usize % 7));
    let told = NodeMap::of(runs);
    assert!(told.to_text().len() > crate::kvs::VALUE_MAX);
    let (servers, name) = (NodeMap::blocks_of(told.size(), 1), "job".to_owned());
    let spec = Spec { name, told, servers, node: 0, arity: 2, universe: None, programs: vec![0], share: true };
    let mut job = Job::new(NodeMap::one_node(1), 2);
    job.servers = vec![Server::new(spec).unwrap()];
    let reply = job.frame(Conn::Own(0), "cmd=info-getjobattr;key=PMI_process_mapping;").unwrap();
    assert!(reply.ends_with("found=FALSE;"), "{reply}");
    assert_eq!(job.servers[0].store.count(), 0);
}

#[test]
fn servers_that_know_each_other_wrongly_are_cut_off() {
    let mut job = Job::new(NodeMap::blocks_of(4, 1), 2);
    job.servers[0].connected(Conn::Child(3));
    job.servers[0].input(Conn::Child(1), &[5, 0, 0, 0, 99, 1, 2, 3, 4]);
    let get = super::channel::Message::Get { key: b"k".to_vec(), wait: true, source: 3 };
    job.servers[3].input(Conn::Parent, &crate::frame::encode(&get));
    job.collect();
    assert_eq!(job.closed, [(0, Conn::Child(3)), (0, Conn::Child(1))]);
    assert!(job.events.iter().all(|(n, e)| *n == 0 && matches!(e, Event::ProtocolError { .. })), "{:?}", job.events);
}

#[test]
fn a_fence_comes_down_with_whole_pairs() {
    use super::channel::{Key, Members, Message, Side};
    let mut job = Job::new(NodeMap::blocks_of(2, 1), 2);
    job.ask(Conn::Own(1), &Request::Fence);
    let down = Message::ExchangeDown { key: Key::Fence(Side::Own, 0), members: Members(Vec::new()), data: vec![9] };
    job.servers[1].input(Conn::Parent, &crate::frame::encode(&down));
    job.collect();
    assert_eq!(job.closed, [(1, Conn::Parent)]);
    assert_eq!(job.answer(Conn::Own(1)), None);
}
