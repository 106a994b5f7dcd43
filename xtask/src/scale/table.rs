//! The table, from 16 to 10,000 nodes.

use super::{Recorded, layout_name};
use bench_scale::rows::{NODES, PER_NODE, ROWS};
use bench_scale::{Layout, Model};

pub(super) fn print(now: &Recorded) {
    println!("us by the model, nodes of {PER_NODE} PEs (lower bound)\n");
    let layouts = NODES.map(|nodes| Layout::blocks(nodes, PER_NODE));
    let heads = NODES.map(|nodes| format!("{} PEs", grouped(u64::from(nodes * PER_NODE))));
    println!("| call | {} |\n|---|---|---|---|---|---|", heads.join(" | "));
    for row in &ROWS {
        let cell = |layout: &Layout| {
            let bound = row.bound(&Model::CLUSTER, layout);
            let now =
                now.get(&(row.name.to_owned(), layout_name(layout.nodes()))).map_or("?".into(), |now| time(now.us));
            format!("{now} ({})", time(bound))
        };
        println!("| {} | {} |", row.name, layouts.each_ref().map(cell).join(" | "));
    }
    println!(
        "\nmost messages a member sends / most it receives between two completions / bytes over a node's border and"
    );
    println!("the fewest possible\n\n| call | {} |\n|---|---|---|---|---|---|", heads.join(" | "));
    for row in &ROWS {
        let cell = |layout: &Layout| match now.get(&(row.name.to_owned(), layout_name(layout.nodes()))) {
            Some(n) => format!("{} / {} / {} of {}", n.messages, n.in_degree, grouped(n.border), grouped(n.optimum)),
            None => "?".into(),
        };
        println!("| {} | {} |", row.name, layouts.each_ref().map(cell).join(" | "));
    }
}

/// Microseconds with two significant digits or none behind the point.
fn time(us: f64) -> String {
    if us < 10.0 { format!("{us:.1}") } else { grouped(us.round() as u64) }
}

/// 1048576 as 1,048,576.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(1048576)], ["0", "999", "1,000", "1,048,576"]);
        assert_eq!([time(1.26), time(640000.4)], ["1.3", "640,000"]);
    }
}
