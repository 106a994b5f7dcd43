use super::*;
use proptest::prelude::*;

#[test]
fn sizes_of_the_standard() {
    let good = [
        ("0", 0),
        ("20", 20),
        ("20k", 20 << 10),
        ("20K", 20 << 10),
        ("20kk", 20 << 10),
        ("20kx", 20 << 10),
        ("3.1M", 3_250_586),
        (".5g", 512 << 20),
        (".5m", 512 << 10),
        ("1t", 1 << 40),
        ("5.", 5),
        ("0.1", 1),
        ("64G", 64 << 30),
        ("00012", 12),
    ];
    for (text, bytes) in good {
        assert_eq!(parse_size(text), Some(bytes), "{text}");
    }
    let bad = "|.|k|-1|+1|1e3|0x10| 1|1 k|inf|nan|12Q|1,5|99999999t|18446744073709551616|ten|1..5|é";
    for text in bad.split('|') {
        assert_eq!(parse_size(text), None, "{text}");
    }
}

proptest! {
    /// The result is never below the true product and less than a byte above it.
    #[test]
    fn fractions_round_up(n in 0u64..1000, frac in 0u64..1000, shift in 0u32..4) {
        let text = format!("{n}.{frac:03}{}", ["", "k", "m", "g"][shift as usize]);
        let exact_thousandths = u128::from(n * 1000 + frac) << (10 * shift);
        let got = u128::from(parse_size(&text).unwrap()) * 1000;
        prop_assert!(got >= exact_thousandths && got < exact_thousandths + 1000);
    }
}

proptest! {
    /// Any value of any setting is accepted, or reported in one line; then the default is in force.
    #[test]
    fn fuzz_settings(number in 0usize..64, text in prop_oneof![
        "[0-9.]{0,9}[kmgtKMGT]{0,2}", "[a-z:,]{0,30}", "(reduce|scan|barrier):[a-z,:-]{0,20}", any::<String>()
    ]) {
        let lines = Env::load(|_| None).0.lines();
        let line = &lines[number % lines.len()];
        let name = line.split(' ').next().unwrap();
        let (env, bad) = Env::load(|asked| (asked == name).then(|| text.clone()));
        match bad {
            None => prop_assert_eq!(env.lines().len(), lines.len()),
            Some(bad) => {
                prop_assert_eq!(env.lines(), lines.clone(), "the default");
                let text_of_it = bad.to_string();
                prop_assert!(text_of_it.starts_with(name) && !text_of_it.contains('\n'), "{}", text_of_it);
            }
        }
    }
}

#[test]
fn new_names_win_and_junk_is_named() {
    let get = |name: &str| match name {
        "SHMEM_SYMMETRIC_SIZE" => Some("2k".to_owned()),
        "SMA_SYMMETRIC_SIZE" => Some("junk".to_owned()),
        "SMA_DEBUG" => Some(String::new()),
        _ => None,
    };
    let (env, bad) = Env::load(get);
    assert_eq!((env.heap, env.debug, env.info, bad), (Size(2048), true, false, None));
    let (env, _) = Env::load(|name| (name == "XT_SYMMETRIC_HEAP_SIZE").then(|| "3k".to_owned()));
    assert_eq!(env.heap, Size(3072), "a name of another library");
    let (env, bad) = Env::load(|name| (name == "OSHMPI_STATICS").then(|| "maybe".to_owned()));
    assert_eq!(env.statics, Statics::Remap, "the default");
    let text = bad.unwrap().to_string();
    assert_eq!(text, "OSHMPI_STATICS is set to \"maybe\": expected remap or cma");
}

#[test]
fn flags_are_enabled_by_all_but_four_words() {
    let debug = |value: &str| Env::load(|name| (name == "SHMEM_DEBUG").then(|| value.to_owned())).0.debug;
    assert_eq!(["1", "", "yes", "2", "00"].map(debug), [true; 5]);
    assert_eq!(["0", "no", "off", "False", "OFF"].map(debug), [false; 5]);
}

#[test]
fn agreed_settings_are_numbers_for_peers_and_words_for_people() {
    let (env, _) = Env::load(|name| (name == "OSHMPI_TRANSPORT").then(|| "rma".to_owned()));
    let transport = AGREED.iter().position(|setting| setting.name == "OSHMPI_TRANSPORT").unwrap();
    let number = env.agreed()[transport];
    assert_eq!((AGREED[transport].show)(number), "rma");
    assert_eq!((AGREED[transport].show)(99), "99", "a word that another version has");
    assert_eq!((AGREED[0].show)(env.agreed()[0]), "536870912 bytes");
}

fn site(text: &str) -> Site {
    Site::parse("/opt/etc/oshmpi.conf".into(), text)
}

#[test]
fn the_environment_wins_over_the_sites_file() {
    let site = site("# for all\n\n  OSHMPI_TRANSPORT = rma \nSHMEM_SYMMETRIC_SIZE=2k\nOSHMPI_WAIT=nap\n");
    assert_eq!(site.wrong, [""; 0]);
    let (env, bad) = Env::read(|_| None, &site);
    assert_eq!((env.transport, env.heap, env.wait, bad), (TransportBy::Rma, Size(2048), WaitBy::Nap, None));
    let told = "/opt/etc/oshmpi.conf: SHMEM_SYMMETRIC_SIZE=2k, OSHMPI_TRANSPORT=rma, OSHMPI_WAIT=nap";
    assert_eq!(env.lines().last().unwrap(), told);
    // By another name of the setting, too.
    let get = |name: &str| match name {
        "SMA_SYMMETRIC_SIZE" => Some("3k".to_owned()),
        "OSHMPI_TRANSPORT" => Some("mpi".to_owned()),
        _ => None,
    };
    let (env, _) = Env::read(get, &site);
    assert_eq!((env.transport, env.heap), (TransportBy::Mpi, Size(3072)));
    assert_eq!(env.lines().last().unwrap(), "/opt/etc/oshmpi.conf: OSHMPI_WAIT=nap");
}

#[test]
fn wrong_lines_of_the_sites_file_are_told_with_their_numbers() {
    let site = site("OSHMPI_TRANSPORT=tcp\nnonsense\nOSHMPI_WAIT=nap\n = 1\nOSHMPI_WAIT=spin\nOSHMPI_ROUT=mpi\nA=b");
    let (env, bad) = Env::read(|_| None, &site);
    let text = bad.unwrap().to_string();
    let wanted = "OSHMPI_TRANSPORT is set to \"tcp\" by /opt/etc/oshmpi.conf:1: expected auto, ucx, ofi, mpi or rma";
    assert_eq!((text.as_str(), env.transport, env.wait), (wanted, TransportBy::Auto, WaitBy::Nap));
    let told = unknown::lines_of_site(&site, NAMES);
    let expected = [
        "2: \"nonsense\": expected NAME=VALUE, or # and a comment",
        "4: \"= 1\": expected NAME=VALUE, or # and a comment",
        "5: OSHMPI_WAIT is set in line 3 already: expected once",
        "6: OSHMPI_ROUT is no setting and does nothing; osh_info lists the settings",
        "7: A is no setting and does nothing; osh_info lists the settings",
    ];
    assert_eq!(told, expected.map(|line| format!("/opt/etc/oshmpi.conf:{line}")));
    // Who sets it in the environment is not told of the file's.
    let (_, bad) = Env::read(|name| (name == "OSHMPI_TRANSPORT").then(|| "ucx".to_owned()), &site);
    assert_eq!(bad, None);
}

#[test]
fn a_site_without_a_file_sets_nothing() {
    let site = Site::of_prefix("/nonexistent".as_ref());
    assert!(site.lines.is_empty() && site.wrong.is_empty());
    let wrong = Site::of_prefix("/dev/null".as_ref()).wrong;
    assert!(wrong.is_empty(), "{wrong:?}");
}

proptest! {
    /// Any bytes of a file are settings, comments, or lines that are complained of.
    #[test]
    fn fuzz_site(text in any::<String>()) {
        let site = site(&text);
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')).count();
        prop_assert_eq!(site.lines.len() + site.wrong.len(), lines);
        prop_assert!(site.wrong.iter().all(|line| !line.contains('\n')));
    }
}
