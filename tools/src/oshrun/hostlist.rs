//! Compressed lists of host names in Slurm's notation: `node[001-004,007],rack[1-2]n[1-8],gpu12`.

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The most hosts of a list, far above the largest machines. A longer list is taken for a typing error, and refused
/// before it uses up memory. A smaller limit could refuse a real machine.
pub const MOST_HOSTS: usize = 1 << 18;

/// The most bytes of a host's name: the limit of the DNS. A longer item is refused.
const LONGEST: usize = 255;

/// The most digits of a number in a name. A `u64` holds 18 digits. A longer run of digits counts as text.
const DIGITS: usize = 18;

/// A part of an item: the text before a bracket, and the ranges inside the bracket.
struct Part<'a> {
    text: &'a str,
    ranges: Vec<Range>,
}

impl Part<'_> {
    /// The number of its numbers, if it can be told.
    fn count(&self) -> Option<u64> {
        self.ranges.iter().try_fold(0u64, |sum, r| sum.checked_add(r.last - r.first + 1))
    }
}

/// The parts of an item, and the text behind the last bracket.
type Item<'a> = (Vec<Part<'a>>, &'a str);

/// Consecutive numbers, with leading zeros up to `width` digits.
struct Range {
    first: u64,
    last: u64,
    width: usize,
}

/// The names that a list stands for, in its order. Of several brackets in a name the last one varies fastest.
///
/// Cost: linear in the text and in the names. The names are counted before the first one is made.
pub fn expand(list: &str) -> Result<Vec<String>> {
    let items: Vec<Item> = items(list)?.into_iter().map(item).collect::<Result<_>>()?;
    let count = |(parts, _): &Item| parts.iter().try_fold(1u64, |product, p| product.checked_mul(p.count()?));
    let total = items.iter().try_fold(0u64, |sum, item| sum.checked_add(count(item)?));
    let total = total.filter(|&n| n <= MOST_HOSTS as u64);
    let total = total.ok_or_else(|| anyhow!("it stands for more than {MOST_HOSTS} hosts"))?;
    let mut names = Vec::with_capacity(total as usize);
    for (parts, end) in &items {
        product(parts, end, &mut String::new(), &mut names)?;
    }
    Ok(names)
}

/// The names of a job's nodes, kept as a list, which does not grow with names that differ in their last number only.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Names {
    pub count: u32,
    /// A list of `count` names, or the one name of all nodes.
    list: String,
}

impl Names {
    pub fn of(names: &[String]) -> Names {
        let same = names.iter().all(|n| *n == names[0]);
        Names { count: names.len() as u32, list: compress(if same { &names[..1] } else { names }) }
    }

    /// The name of a node. Cost: as that of all names.
    pub fn get(&self, node: u32) -> String {
        self.all().ok().and_then(|mut all| all.get_mut(node as usize).map(std::mem::take)).unwrap_or_default()
    }

    /// All names. Cost: linear in them.
    pub fn all(&self) -> Result<Vec<String>> {
        let mut names = expand(&self.list)?;
        if let [only] = &names[..] {
            names = vec![only.clone(); self.count as usize];
        }
        Ok(names)
    }
}

/// The items of a list. Commas inside brackets separate nothing.
pub fn items(list: &str) -> Result<Vec<&str>> {
    let (mut all, mut start, mut open) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '[' if open => bail!("a bracket is opened inside a bracket"),
            ']' if !open => bail!("a bracket is closed that was not opened"),
            '[' | ']' => open = c == '[',
            ',' if !open => {
                all.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if open {
        bail!("a bracket is not closed");
    }
    all.push(&list[start..]);
    Ok(all)
}

fn item(text: &str) -> Result<Item<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, behind)) = rest.split_once('[') {
        let (inside, behind) = behind.split_once(']').ok_or_else(|| anyhow!("a bracket is not closed"))?;
        parts.push(Part { text: before, ranges: inside.split(',').map(range).collect::<Result<_>>()? });
        rest = behind;
    }
    let mut texts = parts.iter().map(|p| p.text).chain([rest]);
    if text.is_empty() || text.starts_with('-') || !texts.all(|t| t.chars().all(is_plain) && t.len() <= LONGEST) {
        bail!("\"{}\" is not the name of a host", shortened(text));
    }
    Ok((parts, rest))
}

/// Whether `c` may stand in a host's name or address, or in a user's name before it.
pub fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-:@%".contains(c)
}

fn range(text: &str) -> Result<Range> {
    let wrong = || anyhow!("\"{}\" is no range of numbers", shortened(text));
    let number = |t: &str| {
        let digits = !t.is_empty() && t.len() <= DIGITS && t.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| t.parse::<u64>().ok()).flatten().ok_or_else(wrong)
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(from)?, number(to)?);
    // `1-010` is ambiguous: it is not clear whether 1 has leading zeros too.
    if last < first || to.starts_with('0') && to.len() != from.len() {
        return Err(wrong());
    }
    Ok(Range { first, last, width: from.len() })
}

/// Adds the names that begin with `name`. The depth is bounded by the length of a name: each bracket makes one
/// character or more.
fn product(parts: &[Part], end: &str, name: &mut String, names: &mut Vec<String>) -> Result<()> {
    let length = name.len();
    if length + end.len() > LONGEST {
        bail!("a name has more than {LONGEST} characters");
    }
    match parts.split_first() {
        None => names.push(format!("{name}{end}")),
        Some((part, behind)) => {
            for r in &part.ranges {
                for number in r.first..=r.last {
                    name.push_str(part.text);
                    name.push_str(&padded(number, r.width));
                    product(behind, end, name, names)?;
                    name.truncate(length);
                }
            }
        }
    }
    Ok(())
}

fn padded(number: u64, width: usize) -> String {
    format!("{number:0width$}")
}

/// Names that differ in their last number: what stands before it, the first and the last number of each range, and what
/// stands behind.
struct Run<'a> {
    before: &'a str,
    ranges: Vec<(&'a str, &'a str)>,
    behind: &'a str,
}

/// A list that stands for exactly these names, in this order. Neighbours that differ in their last number share an
/// item.
pub fn compress<S: AsRef<str>>(names: &[S]) -> String {
    let mut runs: Vec<Run> = Vec::new();
    for name in names {
        let (before, number, behind) = at_last_number(name.as_ref());
        match runs.last_mut() {
            Some(run) if (run.before, run.behind) == (before, behind) && !number.is_empty() => {
                match run.ranges.last_mut() {
                    Some((first, last)) if follows(number, last, first.len()) => *last = number,
                    _ => run.ranges.push((number, number)),
                }
            }
            _ => runs.push(Run { before, ranges: vec![(number, number)], behind }),
        }
    }
    let range = |&(a, b): &(&str, &str)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    let item = |Run { before, ranges, behind }: &Run| match &ranges[..] {
        [(first, last)] if first == last => format!("{before}{first}{behind}"),
        _ => format!("{before}[{}]{behind}", ranges.iter().map(range).collect::<Vec<_>>().join(",")),
    };
    runs.iter().map(item).collect::<Vec<_>>().join(",")
}

/// A name before, in and behind the last number of its first label.
fn at_last_number(name: &str) -> (&str, &str, &str) {
    let label = name.split('.').next().unwrap_or_default();
    let end = label.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let start = label[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    if end - start <= DIGITS { (&name[..start], &name[start..end], &name[end..]) } else { (name, "", "") }
}

/// Whether a number is the next one after `last` in a range whose numbers have at least `width` digits.
fn follows(number: &str, last: &str, width: usize) -> bool {
    let value = |t: &str| t.parse::<u64>().ok();
    value(last).is_some_and(|v| padded(v + 1, width) == number)
}

/// The text, shortened so that a message with it fits on one line.
pub fn shortened(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 120;
    let (shown, dots) = text.char_indices().nth(SHOWN).map_or((text, ""), |(at, _)| (&text[..at], "..."));
    if dots.is_empty() && !shown.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    // What a file holds must not control the terminal.
    let plain = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    Cow::Owned(shown.chars().map(plain).collect::<String>() + dots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Instant;

    #[test]
    fn lists_as_slurm_writes_them() {
        for (list, names) in [
            ("node[001-004,007],gpu12", "node001 node002 node003 node004 node007 gpu12"),
            ("host1", "host1"),
            ("n[9-11]", "n9 n10 n11"),
            ("n[09-11]", "n09 n10 n11"),
            ("n[099-101]", "n099 n100 n101"),
            ("r1n[1-2]-ib,r2n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib"),
            ("a2b[0-1]c.d1-e,x", "a2b0c.d1-e a2b1c.d1-e x"),
            ("[1-3]", "1 2 3"),
        ] {
            let expanded = expand(list).unwrap();
            assert_eq!(expanded.join(" "), names);
            assert_eq!(compress(&expanded), list);
        }
        assert_eq!(expand("r[1-2]n[1-2]").unwrap(), ["r1n1", "r1n2", "r2n1", "r2n2"]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (list, says) in [
            ("node[1-", "not closed"),
            ("node1]", "not opened"),
            ("node[1-[2]]", "inside a bracket"),
            ("", "\"\" is not the name"),
            ("a,,b", "\"\" is not the name"),
            ("a b", "\"a b\" is not"),
            ("-a", "\"-a\" is not"),
            ("a;reboot", "not the name"),
            ("node[]", "\"\" is no range"),
            ("node[1,]", "\"\" is no range"),
            ("node[4-1]", "\"4-1\" is no range"),
            ("node[1-010]", "\"1-010\""),
            ("node[x]", "\"x\""),
            ("node[1-2-3]", "\"1-2-3\""),
            ("node[0-10/2]", "\"0-10/2\""),
            ("node[99999999999999999999]", "no range"),
        ] {
            let said = expand(list).unwrap_err().to_string();
            assert!(said.contains(says), "{list}: {said}");
        }
        let said = expand(&format!("{}[1-10]", "x".repeat(300))).unwrap_err().to_string();
        assert!(said.len() < 200, "{said}");
    }

    /// Lists that would need too much memory or time. They are refused before any name is made.
    #[test]
    fn the_expansion_is_bounded() {
        let start = Instant::now();
        let many = vec!["a[1-9999]"; 100].join(",");
        let deep = "[1-9]".repeat(40);
        for list in ["node[1-4000000000]", "node[0-999999999999999999]", "a[1-1000]b[1-1000]", &many, &deep] {
            let said = expand(list).unwrap_err().to_string();
            assert!(said.contains(&format!("more than {MOST_HOSTS} hosts")), "{said}");
        }
        let long = format!("{0}[1-9]{0}[1-9]", "x".repeat(200));
        let nested = format!("a{}", "[1]".repeat(100_000));
        for list in [&long, &nested] {
            assert!(expand(list).unwrap_err().to_string().contains("255 characters"));
        }
        assert!(start.elapsed().as_secs() < 5);
        assert_eq!(expand(&format!("n[1-{MOST_HOSTS}]")).unwrap().len(), MOST_HOSTS);
    }

    #[test]
    fn ten_thousand_names_are_few_bytes() {
        let list = "node[00001-10000]";
        let names = expand(list).unwrap();
        assert_eq!((names.len(), compress(&names).as_str()), (10_000, list));
        // The hosts of a machine with racks, and without every tenth.
        assert!(compress(&expand("r[01-50]c[0-3]n[01-50]-ib").unwrap()).len() < 200 * 20);
        let holes: Vec<&String> = names.iter().filter(|n| !n.ends_with('0')).collect();
        assert!(compress(&holes).len() < 13 * 1_000 + 10, "{}", compress(&holes).len());
    }

    proptest! {
        #[test]
        fn what_is_compressed_expands_to_itself(names in prop::collection::vec(name(), 1..60)) {
            let list = compress(&names);
            prop_assert_eq!(expand(&list).unwrap(), &names[..], "{}", list);
            prop_assert!(list.len() <= names.join(",").len() + 2 * names.len());
            let kept = Names::of(&names);
            prop_assert_eq!(kept.get(kept.count - 1), names[names.len() - 1].clone());
            prop_assert_eq!(kept.all().unwrap(), names);
        }

        #[test]
        fn lists_keep_their_meaning(list in prop::collection::vec(bracketed(), 1..5)) {
            let names = expand(&list.join(",")).unwrap();
            prop_assert_eq!(expand(&compress(&names)).unwrap(), names);
        }

        #[test]
        fn nonsense_makes_no_panic(text in "[a-c0-2,\\[\\]-]{0,24}") {
            let _ = expand(&text);
        }
    }

    /// Names of few letters and numbers, so that neighbours often differ in one number.
    fn name() -> impl Strategy<Value = String> {
        ("[ab]{0,1}", "0{0,2}[0-9]{1,2}", "[.c]{0,1}", "[0-3]{0,2}").prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"))
    }

    fn bracketed() -> impl Strategy<Value = String> {
        ("[ab]", 0..12u32, 0..12u32, 1..4usize, 0..3u32, "[x.]{0,1}").prop_map(|(a, first, more, width, last, end)| {
            format!("{a}[{first:0width$}-{:0width$}]-[0-{last}]{end}", first + more)
        })
    }
}
