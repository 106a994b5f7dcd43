//! The trace: Chrome's JSON, which ui.perfetto.dev and chrome://tracing show. A process per PE, a track per thread.
//! Only long calls are in it: the recorder keeps up to 4,096 of each thread. Times are from the end of a PE's
//! shmem_init; clocks of different hosts are not compared.

use super::parts::Job;
use super::sites::Sites;
use serde_json::{Value, json};

pub fn json(job: &Job, sites: &Sites) -> String {
    let mut events: Vec<Value> = Vec::new();
    for pe in &job.pes {
        let name = format!("PE {} on {}", pe.number, pe.host);
        events.push(json!({"ph": "M", "name": "process_name", "pid": pe.number, "args": {"name": name}}));
        events.push(json!({
            "ph": "M", "name": "process_sort_index", "pid": pe.number, "args": {"sort_index": pe.number}
        }));
        for e in &pe.events {
            let mut args = json!({"site": sites.name(&e.place)});
            if e.bytes > 0 {
                args["bytes"] = e.bytes.into();
            }
            if let Some(peer) = e.peer {
                args["pe"] = peer.into();
            }
            // Microseconds.
            let (at, duration) = (e.begin / 1e3, e.ns / 1e3);
            events.push(json!({
                "ph": "X", "name": e.routine, "cat": super::page::class_name(e.class), "pid": pe.number,
                "tid": e.thread, "ts": at, "dur": duration, "args": args
            }));
        }
    }
    json!({"displayTimeUnit": "ns", "traceEvents": events}).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::parts::{parse, tests::text};
    use super::*;

    #[test]
    fn calls_are_complete_events_in_microseconds() {
        let job = Job { pes: vec![parse(&text(0, 2)).unwrap(), parse(&text(1, 2)).unwrap()], damaged: Vec::new() };
        let trace: Value = serde_json::from_str(&json(&job, &Sites::default())).unwrap();
        let calls: Vec<&Value> = trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X").collect();
        assert_eq!(calls.len(), 2);
        assert_eq!((&calls[1]["pid"], &calls[1]["ts"], &calls[1]["dur"]), (&json!(1), &json!(2.0), &json!(50.0)));
        assert_eq!(calls[0]["cat"], "barrier");
    }
}
