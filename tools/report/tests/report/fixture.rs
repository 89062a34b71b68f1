//! A small replay directory, as the replay writes it, for the tests to read and to spoil.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with a good replay in it. It goes away with the value.
pub struct Fixture {
    dir: TempDir,
}

/// What a run of the binary said.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

const RUNS: [(&str, &str); 3] = [("scheduled-1000", "stl"), ("inline-1000", "stl"), ("steady", "queuecore")];
const SECONDS: u32 = 40;

impl Fixture {
    /// The three runs of the goals, pre-filled.
    pub fn new() -> Self {
        let fixture = Fixture { dir: tempfile::tempdir().unwrap() };
        fixture.write("summary.json", &summary(&["prefilled"]).to_string());
        fixture.write_tables(&["prefilled"]);
        fixture
    }

    /// The same from both starts.
    pub fn with_both_starts() -> Self {
        let fixture = Fixture::new();
        fixture.write("summary.json", &summary(&["prefilled", "cold"]).to_string());
        fixture.write_tables(&["prefilled", "cold"]);
        fixture
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        std::fs::write(self.file(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// Changes the summary.
    pub fn edit_summary(&self, edit: impl FnOnce(&mut Value)) {
        let mut summary: Value = serde_json::from_str(&self.read("summary.json")).unwrap();
        edit(&mut summary);
        self.write("summary.json", &summary.to_string());
    }

    /// Replaces one text in one file, which has to be there.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, &text.replacen(from, to, 1));
    }

    /// Runs the binary here; `target/bench` of the checkout is out of its sight.
    pub fn run(&self, arguments: &[&str]) -> Said {
        let run = Command::new(env!("CARGO_BIN_EXE_queuecore-report"))
            .args(arguments)
            .current_dir(self.path())
            .output();
        let Output { status, stdout, stderr } = run.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
    }

    /// The page of this directory.
    pub fn page(&self) -> String {
        let said = self.run(&["page", "."]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        self.read("report.html")
    }

    fn write_tables(&self, starts: &[&str]) {
        let mut series = "run,policy,engine,start,t_s,history,ideal,bytes,backlog,put_latency_p50_us,put_latency_p99_us,\
                          put_latency_max_us,put_history_p50_us,put_history_p999_us,put_history_max_us,gc_pause_max_us,\
                          collected,nacks\n"
            .to_owned();
        let mut curves = "run,policy,engine,start,metric,percentile,value_us,count\n".to_owned();
        let mut pauses = "run,policy,engine,start,t_s,kind,count,max_us,total_us\n".to_owned();
        for start in starts {
            for (policy, engine) in RUNS {
                let key = format!("{policy}/{engine},{policy},{engine},{start}");
                for second in 1..=SECONDS {
                    let history = if policy == "steady" { 6000 } else { 6000 + second * 40 };
                    let gc = if second % 5 == 0 { "44.5" } else { "nan" };
                    let latency = if second == 7 { "nan" } else { "120.5" };
                    writeln!(
                        series,
                        "{key},{second}.000,{history},6000,{},{},80,{latency},200,0.3,1.5,40.25,{gc},0,0",
                        history * 30,
                        second % 3
                    )
                    .unwrap();
                    if second % 5 == 0 {
                        writeln!(pauses, "{key},{second}.000,event,2,44.5,60").unwrap();
                    }
                }
                for metric in ["put_latency", "put_history", "gc_pause"] {
                    for (percentile, value) in
                        [("0", 1.0), ("50", 2.0), ("99", 9.0), ("99.9", 30.0), ("100", 70.0)]
                    {
                        writeln!(curves, "{key},{metric},{percentile},{value},100000").unwrap();
                    }
                }
            }
        }
        self.write("timeseries.csv", &series);
        self.write("percentiles.csv", &curves);
        self.write("gc_pauses.csv", &pauses);
    }
}

fn summary(starts: &[&str]) -> Value {
    let rows = starts.iter().flat_map(|start| RUNS.iter().map(|run| row(run, start)));
    json!({
        "format": 1,
        "command": "queuecore-replay --find-capacity",
        "interrupted": false,
        "config": {
            "preset": "incident", "as_specified": true, "clock": "virtual", "cost": "measured", "passes": 3,
            "rate_per_s": 100000, "capacity_per_s": 100000, "window_s": 60, "duration_s": 40, "stall_at_s": [10],
            "stall_s": 0.1, "ack_delay_ms": 10, "gc_interval_s": 5, "queue_limit": 500000, "ttl_s": 0,
            "ack_outage_s": null, "idle_gc": false, "trace": null, "sample_ms": 1000
        },
        "calibration": { "standin_ns_per_message": 512.3, "other_work_ns": 9487.7 },
        "rows": rows.collect::<Vec<Value>>(),
        "capacity": [],
        "goals": [
            { "name": "peak_ratio_steady", "op": "<=", "limit": 1.02, "value": 1.002 },
            { "name": "backlog_drain_s", "op": "<=", "limit": 10, "value": 3.3 }
        ],
        "machine": { "cpu": "Some CPU", "cores": "2" }
    })
}

fn row((policy, engine): &(&str, &str), start: &str) -> Value {
    let steady = *policy == "steady";
    json!({
        "run": format!("{policy}/{engine}"), "policy": policy, "engine": engine, "start": start,
        "interrupted": false, "ideal_history": 6000, "peak_history": if steady { 6000 } else { 7600 },
        "end_history": 7600, "peak_ratio": if steady { 1.002 } else { 4.505 }, "growth_per_s": 40.0,
        "growing_at_end": !steady, "puts": 4000000, "nacks": 0,
        "backlog_drain_s": if steady { json!(3.3) } else { Value::Null }, "backlog_peak": 10000, "backlog_end": 2,
        "worst_pause_us": 11.2, "put_p999_us": 0.9, "put_latency_p99_us": 120.5, "history_ns_per_message": 240.0,
        "peak_bytes": 187000000, "bytes_per_ideal_entry": 31.17,
        "allocations": {
            "bytes": 186547658, "bytes_delta": -1000, "peak_bytes": 186999268, "peak_delta": 0,
            "allocations": 3063, "allocations_delta": 63, "deallocations": 20, "deallocations_delta": 20
        }
    })
}
