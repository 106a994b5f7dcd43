use super::*;
use crate::mangled::mangled;
use proptest::prelude::*;

fn messages(bytes: &[u8]) -> Vec<Incoming> {
    let mut splitter = Splitter::default();
    splitter.push(bytes);
    std::iter::from_fn(|| splitter.take().unwrap()).collect()
}

fn line(text: &str) -> Request {
    request_from_line(text.as_bytes()).unwrap()
}

#[test]
fn the_words_of_mpich_and_of_its_launcher() {
    // Recorded from an unmodified MPICH 4.0.2 program, so these strings must not change.
    let exchange: &[(&str, Request, Reply, &str)] = &[
        (
            "cmd=init pmi_version=1 pmi_subversion=1\n",
            Request::Init { version: 1, subversion: 1 },
            Reply::Init { version: 1, subversion: 1, rc: 0 },
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n",
        ),
        (
            "cmd=get_maxes\n",
            Request::Maxes,
            Reply::Maxes { space: KVSNAME_MAX, key: KEY_MAX, value: VALUE_MAX },
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n",
        ),
        ("cmd=get_appnum\n", Request::Appnum, Reply::Appnum(0), "cmd=appnum appnum=0\n"),
        (
            "cmd=get_my_kvsname\n",
            Request::SpaceName,
            Reply::SpaceName(b"job_9514".to_vec()),
            "cmd=my_kvsname kvsname=job_9514\n",
        ),
        ("cmd=get_universe_size\n", Request::Universe, Reply::Universe(-1), "cmd=universe_size size=-1\n"),
        (
            "cmd=get kvsname=job_9514 key=PMI_process_mapping\n",
            Request::Get {
                space: b"job_9514".to_vec(),
                key: b"PMI_process_mapping".to_vec(),
                source: None,
                wait: false,
            },
            Reply::Get(Some(b"(vector,(0,1,2))".to_vec())),
            "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n",
        ),
        (
            "cmd=put kvsname=job_9514 key=-bcast-1-0 value=2F64\n",
            Request::Put(Put {
                space: b"job_9514".to_vec(),
                key: b"-bcast-1-0".to_vec(),
                value: b"2F64".to_vec(),
                here: false,
            }),
            Reply::Put(Ok(())),
            "cmd=put_result rc=0 msg=success\n",
        ),
        ("cmd=barrier_in\n", Request::Fence, Reply::Fence, "cmd=barrier_out\n"),
        ("cmd=finalize\n", Request::Finalize, Reply::Finalize, "cmd=finalize_ack\n"),
    ];
    for (asked, request, reply, answered) in exchange {
        assert_eq!(line(asked), *request);
        assert_eq!(request_to_line(request).unwrap(), asked.as_bytes());
        assert_eq!(reply_to_line(reply).unwrap(), answered.as_bytes());
        assert_eq!(reply_from_line(answered.as_bytes()).unwrap(), *reply);
    }
    assert_eq!(line("cmd=abort exitcode=7\n"), Request::Abort { code: 7, message: Vec::new() });
}

#[test]
fn a_value_runs_to_the_end_of_the_line() {
    let Request::Put(put) = line("cmd=put kvsname=n key=k value=YQ a=b \n") else { panic!() };
    assert_eq!(put.value, b"YQ a=b ");
    let value = |text: &str| match reply_from_line(text.as_bytes()).unwrap() {
        Reply::Get(Some(value)) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value("cmd=get_result rc=0 msg=success value=YQ  \n"), b"YQ  ");
    assert_eq!(value("cmd=get_result rc=0 value=YQ found=TRUE\n"), b"YQ");
    assert_eq!(reply_from_line(b"cmd=get_result rc=1 value=NOTFOUND\n").unwrap(), Reply::Get(None));
    assert_eq!(reply_from_line(b"cmd=get_result rc=1\n").unwrap(), Reply::Get(None));
}

#[test]
fn no_line_that_a_client_cannot_read() {
    let fits = LINE_MAX - "cmd=get_result rc=0 msg=success value=\n".len();
    assert_eq!(reply_to_line(&Reply::Get(Some(vec![b'x'; fits]))).unwrap().len(), LINE_MAX);
    assert_eq!(reply_to_line(&Reply::Get(Some(vec![b'x'; fits + 1]))), None);
    assert!(VALUE_MAX.is_multiple_of(2), "MPICH cuts values wrongly when the limit is odd");
}

#[test]
fn slurms_library_and_its_server() {
    let asked =
        b"cmd=init pmi_version=2 pmi_subversion=0\n56    cmd=fullinit;pmijobid=osh_1778;pmirank=0;threaded=FALSE;\
        45    cmd=kvs-put;key=k-0;value=val=0;;semi;;;;x y;";
    let got = messages(asked);
    let [Incoming::Line(init), Incoming::Frame(full), Incoming::Frame(put)] = &got[..] else { panic!("{got:?}") };
    assert_eq!(request_from_line(init).unwrap(), Request::Init { version: 2, subversion: 0 });
    let (full, _) = request_from_frame(full).unwrap();
    assert_eq!(full, Request::FullInit);
    let (Request::Put(put), None) = request_from_frame(put).unwrap() else { panic!() };
    assert_eq!((put.key.as_slice(), put.value.as_slice()), (&b"k-0"[..], &b"val=0;semi;;x y"[..]));
    assert_eq!(
        reply_to_frame(&Reply::Get(Some(put.value)), None).unwrap(),
        b"62    cmd=kvs-get-response;rc=0;found=TRUE;value=val=0;;semi;;;;x y;"
    );
    // Hydra aligns the length to the right.
    assert_eq!(messages(b"    14cmd=kvs-fence;"), [Incoming::Frame(b"cmd=kvs-fence;".to_vec())]);
}

#[test]
fn junk_behind_frames_is_dropped_once_the_client_is_known() {
    let mut bytes = b"62    cmd=fullinit;pmijobid=osh_2486;pmirank=0;threaded=FALSE;\0\0\0\0\0\0".to_vec();
    bytes.extend(b"42    cmd=info-getjobattr;key=hasNameServ;;appin");
    let got = messages(&bytes);
    let Incoming::Frame(attr) = &got[1] else { panic!() };
    assert_eq!(request_from_frame(attr).unwrap().0, Request::JobAttr { key: b"hasNameServ".to_vec() });
    // A correct client whose message ends like that loses no bytes.
    let got = messages(b"56    cmd=fullinit;pmijobid=osh_2486;pmirank=0;threaded=FALSE;19    cmd=kvs-get;key=ab;");
    assert_eq!(got[1], Incoming::Frame(b"cmd=kvs-get;key=ab;".to_vec()));
}

#[test]
fn the_token_of_a_thread_goes_back() {
    for asked in [&b"cmd=job-getid;thrid=0x55aa;"[..], b"cmd=job-getid;x=y;thrid=0x55aa;"] {
        let (request, thrid) = request_from_frame(asked).unwrap();
        assert_eq!(request, Request::JobId);
        let answer = reply_to_frame(&Reply::JobId(b"j".to_vec()), thrid.as_deref()).unwrap();
        assert!(answer.ends_with(b"cmd=job-getid-response;thrid=0x55aa;rc=0;jobid=j;"));
    }
}

#[test]
fn what_is_no_pmi_is_refused_at_once() {
    for bytes in [&b"GET / HTTP/1.1\r\n"[..], b"\x16\x03\x01", b"cxd=init\n", b"12x4  cmd=", b"999999cmd=x;"] {
        let mut splitter = Splitter::default();
        splitter.push(bytes);
        assert!(splitter.take().is_err(), "{}", bytes.escape_ascii());
    }
    let mut splitter = Splitter::default();
    splitter.push(b"cmd=");
    splitter.push(&vec![b'a'; MESSAGE_MAX]);
    assert!(splitter.take().is_err(), "a line without an end");
}

#[test]
fn mappings() {
    let node = |map: &NodeMap| (0..map.size()).map(|r| map.node_of(r)).collect::<Vec<_>>();
    let read = |text: &str, n| NodeMap::parse(text, n).unwrap();
    assert_eq!(node(&read("(vector,(0,2,2))", 4)), [0, 0, 1, 1]);
    assert_eq!(node(&read("(vector, (0,2,1))", 5)), [0, 1, 0, 1, 0]);
    assert_eq!(node(&read("(vector,(0,1,1))", 3)), [0, 0, 0]);
    assert_eq!(node(&read("(vector,(0,1,3),(1,2,1))", 5)), [0, 0, 0, 1, 2]);
    assert_eq!(NodeMap::of([0, 0, 1, 1]).to_text(), "(vector,(0,2,2))");
    assert_eq!(NodeMap::of([0, 1, 2, 0, 1, 2, 0]), NodeMap::cyclic(7, 3));
    assert_eq!(NodeMap::of([0, 0, 1, 1, 2, 2, 0, 0, 1]).to_text(), "(vector,(0,3,2))");
    assert_eq!(NodeMap::of([0, 1, 0, 1, 2]).to_text(), "(vector,(0,2,1),(0,3,1))");
    assert_eq!(NodeMap::one_node(7).to_text(), "(vector,(0,1,7))");
    assert_eq!(NodeMap::cyclic(6, 3).ranks_on(1), [1, 4]);
    assert_eq!(NodeMap::blocks_of(5, 2).nodes(), 3);
    assert_eq!(read("(vector,(0,2,1),(5,1,3))", 7).ranks_on(0), [0, 5]);
    assert_eq!(read("(vector,(0,2,1),(5,1,3))", 2).nodes(), 2);
    let large = NodeMap::blocks_of(1_000_000, 16);
    assert_eq!((large.nodes(), large.node_of(999_999)), (62_500, 62_499));
    assert_eq!(large.ranks_on(62_499), (999_984..1_000_000).collect::<Vec<_>>());
    for wrong in ["", "(vector)", "(vector,(0,0,1))", "(vector,(0,1))", "(matrix,(0,1,1))", "(vector,(4294967295,2,1))"]
    {
        assert!(NodeMap::parse(wrong, 4).is_err(), "{wrong}");
    }
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    "[a-zA-Z0-9_.:-]{1,64}".prop_map(String::into_bytes)
}

/// Texts that PMI-1 can carry: without newline and NUL.
fn text() -> impl Strategy<Value = Vec<u8>> {
    "[ -~]{0,200}".prop_map(String::into_bytes)
}

fn request_v1() -> impl Strategy<Value = Request> {
    prop_oneof![
        (0..9u32, 0..9u32).prop_map(|(version, subversion)| Request::Init { version, subversion }),
        (key(), key(), text()).prop_map(|(space, key, value)| Request::Put(Put { space, key, value, here: false })),
        (key(), key()).prop_map(|(space, key)| Request::Get { space, key, source: None, wait: false }),
        (any::<i32>(), text()).prop_map(|(code, message)| Request::Abort { code, message }),
        Just(Request::Fence),
    ]
}

fn request_v2() -> impl Strategy<Value = Request> {
    let bytes = || any::<Vec<u8>>();
    prop_oneof![
        (bytes(), bytes(), any::<bool>()).prop_map(|(key, value, here)| Request::Put(Put {
            key,
            value,
            here,
            ..Put::default()
        })),
        (bytes(), bytes(), any::<Option<u32>>(), any::<bool>()).prop_map(|(space, key, source, wait)| Request::Get {
            space,
            key,
            source,
            wait
        }),
        (any::<i32>(), bytes()).prop_map(|(code, message)| Request::Abort { code, message }),
        (bytes(), bytes()).prop_map(|(head, rows)| Request::Table { head, rows }),
        Just(Request::Fence),
        Just(Request::Finalize),
    ]
}

fn reply_v2() -> impl Strategy<Value = Reply> {
    prop_oneof![
        proptest::option::of(any::<Vec<u8>>()).prop_map(Reply::Get),
        "[a-z ;=]{0,20}".prop_map(|why| Reply::Put(Err(why))),
        Just(Reply::Put(Ok(()))),
        Just(Reply::Fence),
        Just(Reply::Finalize),
    ]
}

/// All messages of a stream that arrives in two parts.
fn through_splitter(bytes: &[u8], cut: usize) -> Vec<Incoming> {
    let cut = cut % (bytes.len() + 1);
    let mut splitter = Splitter::default();
    splitter.push(&bytes[..cut]);
    let mut got: Vec<_> = std::iter::from_fn(|| splitter.take().unwrap()).collect();
    splitter.push(&bytes[cut..]);
    got.extend(std::iter::from_fn(|| splitter.take().unwrap()));
    assert_eq!(splitter.pending(), 0);
    got
}

/// The messages of a stream up to its end or to the first error.
fn messages_until_error(parts: [&[u8]; 2]) -> (Vec<Incoming>, bool) {
    let (mut splitter, mut got) = (Splitter::default(), Vec::new());
    for part in parts {
        splitter.push(part);
        loop {
            match splitter.take() {
                Ok(Some(message)) => got.push(message),
                Ok(None) => break,
                Err(_) => return (got, true),
            }
        }
    }
    (got, false)
}

/// Where a stream is cut makes no difference, and no message in it makes a parser panic.
fn read_in_two(stream: &[u8], cut: usize) -> Result<(), proptest::test_runner::TestCaseError> {
    let (got, failed) = messages_until_error([stream, &[]]);
    let (first, second) = stream.split_at(cut % (stream.len() + 1));
    prop_assert_eq!(messages_until_error([first, second]), (got.clone(), failed));
    for message in got {
        let request = match &message {
            Incoming::Line(line) => {
                let _ = reply_from_line(line);
                request_from_line(line)
            }
            Incoming::Frame(frame) => {
                let _ = reply_from_frame(frame);
                request_from_frame(frame).map(|(request, _)| request)
            }
        };
        if let Ok(request) = request {
            let _ = (request_to_line(&request), request_to_frame(&request));
        }
    }
    Ok(())
}

/// Streams of PMI-1 as clients send them.
fn lines() -> Vec<Vec<u8>> {
    let all = [
        "cmd=init pmi_version=1 pmi_subversion=1\ncmd=get_maxes\ncmd=get_appnum\ncmd=get_my_kvsname\n",
        "cmd=put kvsname=job key=card-1 value=of 1\ncmd=barrier_in\n",
        "cmd=get kvsname=job key=PMI_process_mapping\ncmd=getbyidx kvsname=job idx=0\n",
        "cmd=get kvsname=job key=k\ncmd=finalize\n",
        "cmd=abort exitcode=7\n",
        "mcmd=spawn\nnprocs=1\nexecname=x\ntotspawns=1\nspawnssofar=1\nendcmd\ncmd=finalize\n",
        "cmd=get_result rc=0 msg=success value=a value\n",
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n",
    ];
    all.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Streams of PMI-2 as clients send them.
fn frames() -> Vec<Vec<u8>> {
    let all = [
        "cmd=fullinit;pmijobid=osh_1778;pmirank=0;threaded=FALSE;",
        "cmd=fullinit;pmijobid=osh_1778;pmirank=0;threaded=TRUE;xxxxxx",
        "cmd=job-getid;",
        "cmd=kvs-put;key=a;value=b;;c;",
        "cmd=kvs-get;jobid=job;srcid=-1;key=a;",
        "cmd=info-getjobattr;key=PMI_process_mapping;",
        "cmd=info-getnodeattr;key=x;wait=TRUE;",
        "cmd=kvs-fence;thrid=0x7f;",
        "cmd=abort;isworld=TRUE;msg=no;",
        "cmd=finalize;",
        "cmd=kvs-get-response;rc=0;found=TRUE;value=x;",
    ];
    let framed = all.map(|text| format!("{:<6}{text}", text.len()).into_bytes());
    framed.iter().flat_map(|one| [one.clone(), [one.as_slice(), &framed[3]].concat()]).collect()
}

proptest! {
    #[test]
    fn lines_come_back_whole(requests in proptest::collection::vec(request_v1(), 1..5), cut: usize) {
        let bytes: Vec<u8> = requests.iter().flat_map(|r| request_to_line(r).unwrap()).collect();
        let got: Vec<_> = through_splitter(&bytes, cut).into_iter().map(|m| match m {
            Incoming::Line(line) => request_from_line(&line).unwrap(),
            Incoming::Frame(_) => panic!("a frame"),
        }).collect();
        prop_assert_eq!(got, requests);
    }

    #[test]
    fn frames_come_back_whole(requests in proptest::collection::vec(request_v2(), 1..5), cut: usize) {
        let bytes: Vec<u8> = requests.iter().flat_map(|r| request_to_frame(r).unwrap()).collect();
        let got: Vec<_> = through_splitter(&bytes, cut).into_iter().map(|m| match m {
            Incoming::Frame(frame) => request_from_frame(&frame).unwrap().0,
            Incoming::Line(_) => panic!("a line"),
        }).collect();
        prop_assert_eq!(got, requests);
    }

    #[test]
    fn replies_come_back_whole(reply in reply_v2(), thrid in proptest::option::of("[0-9a-fx]{1,8}")) {
        let frame = reply_to_frame(&reply, thrid.as_deref().map(str::as_bytes)).unwrap();
        prop_assert_eq!(reply_from_frame(&frame[6..]).unwrap(), reply);
    }

    #[test]
    fn values_come_back_over_lines(value in text()) {
        prop_assume!(!value.ends_with(b" found=TRUE"));
        let line = reply_to_line(&Reply::Get(Some(value.clone()))).unwrap();
        prop_assert_eq!(reply_from_line(&line).unwrap(), Reply::Get(Some(value)));
    }

    #[test]
    fn fuzz_pmi1(stream in mangled(lines()), cut: usize) {
        read_in_two(&stream, cut)?;
    }

    #[test]
    fn fuzz_pmi2(stream in mangled(frames()), cut: usize) {
        read_in_two(&stream, cut)?;
    }

    #[test]
    fn junk_never_panics(bytes: Vec<u8>, prefix in prop_oneof![Just(""), Just("cmd="), Just("cmd=put "), Just("mcmd="),
            Just("30    cmd=kvs-put;"), Just("40    cmd=fullinit;threaded=TRUE;")], cut: usize) {
        let all = [prefix.as_bytes(), &bytes].concat();
        read_in_two(&all, cut)?;
        let _ = NodeMap::parse(&String::from_utf8_lossy(&all), 9);
    }

    #[test]
    fn any_placement_is_kept(nodes in proptest::collection::vec(0..6u32, 1..60)) {
        let map = NodeMap::of(nodes.iter().copied());
        let read = NodeMap::parse(&map.to_text(), map.size()).unwrap();
        for (rank, node) in (0..).zip(&nodes) {
            prop_assert_eq!(read.node_of(rank), *node);
        }
        prop_assert!(map.iter().eq(nodes.iter().copied()));
        prop_assert_eq!(map.nodes(), 1 + nodes.iter().max().unwrap());
        for node in 0..map.nodes() {
            let ranks: Vec<u32> = (0..).zip(&nodes).filter(|(_, n)| **n == node).map(|(r, _)| r).collect();
            prop_assert_eq!(map.ranks_on(node), ranks);
        }
    }

    /// The text of a regular placement does not grow with nodes and rounds, but for the digits of its numbers.
    #[test]
    fn regular_placements_are_short(nodes in 1..2000u32, per_node in 1..5u32, rounds in 1..4u32, cut in 0..2000u32) {
        let round = (0..nodes).flat_map(|node| std::iter::repeat_n(node, per_node as usize));
        let all = nodes * per_node * rounds;
        let size = all - cut % all;
        let placed: Vec<u32> = round.cycle().take(size as usize).collect();
        let map = NodeMap::of(placed.iter().copied());
        prop_assert!(map.iter().eq(placed.iter().copied()));
        // One block, and one more for a last node with fewer ranks.
        prop_assert!(map.to_text().len() <= "(vector,(0,2000,4),(2000,1,4))".len(), "{}", map.to_text());
    }
}
