// SPDX-License-Identifier: BSD-3-Clause
// The page of `epk monitor --web`: it loads nothing from other sites, and shows every object of ShowJson that comes.
#ifndef EPIK_TOOLS_MONITOR_PAGE_H_
#define EPIK_TOOLS_MONITOR_PAGE_H_

namespace epik::monitor {

inline constexpr char kPage[] = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>epk monitor</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --ink: #222; --faint: #777; --paper: #fff; --line: #ddd; --mark: #b3541e }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --faint: #999; --paper: #181818; --line: #333; --mark: #e8945a } }
body { font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2em auto; max-width: 72em; padding: 0 1em }
h1 { font-size: 1.3em; margin: 0 } p { color: var(--faint); margin: .2em 0 1em }
dl { display: flex; flex-wrap: wrap; gap: 1em 3em; margin: 1em 0 } dt { color: var(--faint) } dd { font-size: 1.8em; margin: 0; white-space: nowrap; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100%; margin: 1em 0 2em } th { text-align: left; font-weight: normal; color: var(--faint) }
td, th { padding: .2em .8em .2em 0; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top }
h2 { font-size: 1em; margin: 1.5em 0 0 } table { margin-top: .3em }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.path { white-space: normal; overflow-wrap: anywhere; min-width: 16em }
@media (max-width: 60em) { table { display: block; overflow-x: auto } }
.mark { color: var(--mark); font-weight: 600 }
</style></head><body>
<h1 id="title">epk monitor</h1><p id="state">waiting for the first figures</p>
<dl><div><dt>balance</dt><dd id="balance">-</dd></div><div><dt>waiting in collectives</dt><dd id="waited">-</dd></div>
<div><dt>notes overwritten unread</dt><dd id="discarded">-</dd></div>
<div id="progress" hidden><dt>progress</dt><dd id="rate">-</dd></div><div id="end" hidden><dt>left</dt><dd id="remaining">-</dd></div></dl>
<div id="still" hidden><h2>Who stands still</h2>
<table id="standing"><thead><tr><th>now</th><th class="n">for</th><th>call path</th></tr></thead><tbody></tbody></table></div>
<h2>Who comes last</h2>
<table id="arrivals"><thead><tr><th>last</th><th class="n">times</th><th class="n">share</th><th class="n">late by</th><th>communicator</th><th>call path</th></tr></thead><tbody></tbody></table>
<div id="tree" hidden><h2>Links of the tree</h2>
<table id="links"><thead><tr><th>link</th><th class="n">there and back</th><th class="n">median</th><th class="n">behind the first</th><th class="n">last</th><th>communicator</th><th>call path</th></tr></thead><tbody></tbody></table></div>
<h2>What calls wait</h2>
<table id="statistics"><thead><tr><th>thread</th><th class="n">calls</th><th class="n">mean wait</th><th class="n">median</th><th class="n">mean call</th><th>call path</th></tr></thead><tbody></tbody></table>
<script>
const at = id => document.getElementById(id);
const digits = x => x.toFixed(Math.abs(x) >= 100 ? 0 : Math.abs(x) >= 10 ? 1 : 2);
function time(s) {
  const [unit, name] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([least]) => Math.abs(s) >= least) || [1e-9, "ns"];
  return s === 0 ? "0 s" : digits(s / unit) + " " + name;
}
// Without the template arguments and parameters of long names: "main > solve<…>(…) > MPI_Bcast".
function hollow(path, open, close) {
  let out = "", depth = 0;
  for (let i = 0; i < path.length; ++i) {
    const bracket = !/operator[(<-]?$/.test(path.slice(Math.max(i - 9, 0), i));
    if (path[i] === open && bracket && depth++ === 0) out += open + (path[i + 1] === close ? "" : "…");
    else {
      if (path[i] === close && bracket && depth > 0) --depth;
      if (depth === 0) out += path[i];
    }
  }
  return depth === 0 ? out : path;
}
const short = path => path.length <= 100 ? path : hollow(hollow(path, "(", ")"), "<", ">");
const percent = x => (100 * x).toFixed(1) + " %";
function fill(id, rows) {
  const body = at(id).tBodies[0];
  body.replaceChildren(...rows.map(cells => {
    const row = document.createElement("tr");
    cells.forEach(([text, kind]) => { const td = row.insertCell(); td.textContent = kind === "path" ? short(text) : text; td.className = kind || ""; if (kind === "path") td.title = text; });
    return row;
  }));
}
const events = new EventSource("events" + location.search);
events.onmessage = message => {
  const m = JSON.parse(message.data);
  if (m.ended) { at("state").textContent = "the job has ended"; events.close(); return; }
  at("title").textContent = document.title = m.program;
  at("state").textContent = m.processes + (m.processes === 1 ? " process, running " : " processes, running ") + time(m.time_s) + (m.missing ? "; " + m.missing : "");
  at("balance").textContent = m.balance === null ? "-" : percent(m.balance);
  at("waited").textContent = m.waited_share === null ? "-" : percent(m.waited_share);
  at("discarded").textContent = m.discarded;
  const steps = m.progress;
  at("progress").hidden = !steps;
  at("end").hidden = !steps || !steps.total;
  if (steps) {
    at("rate").textContent = (steps.total ? percent(steps.visits / steps.total) + ", " : "") +
      (steps.visits_per_s === null ? "-" : digits(steps.visits_per_s) + "/s");
    at("remaining").textContent = typeof steps.remaining_s === "number" ? time(steps.remaining_s) : "-";
  }
  const still = m.standing;
  at("still").hidden = !still;
  const place = (r, one, many) => [[(r.ranks === 1 ? "rank " + r.rank + one : r.ranks + " ranks" + many), one === " is elsewhere" ? "mark" : ""],
    [time(r.for_s), "n"], [r.callpath, "path"]];
  fill("standing", !still ? [] : still.calls.map(r => place(r, " stands still", " stand still"))
    .concat(still.others.map(r => place(r, " is elsewhere", " are elsewhere"))));
  fill("arrivals", m.last_arrivals.slice(0, 50).map(a => [["rank " + a.rank, a.share >= 0.5 ? "mark" : ""], [a.count, "n"],
    [percent(a.share), "n"], [time(a.late_s), "n"], [a.comm], [a.callpath, "path"]]));
  at("tree").hidden = m.links.length === 0;
  const latency = l => l.latency === null ? -1 : l.latency.mean_s;
  fill("links", m.links.sort((a, b) => latency(b) - latency(a)).slice(0, 50).map(l => [[l.child + " to " + l.parent],
    [l.latency ? time(l.latency.mean_s) : "-", "n"], [l.latency ? time(l.latency.median_s) : "-", "n"],
    [time(l.behind.mean_s), "n"], [l.last, "n"], [l.comm], [l.callpath, "path"]]));
  const all = s => s.arrival_wait.mean_s * s.count;
  fill("statistics", m.statistics.sort((a, b) => all(b) - all(a)).slice(0, 50).map(s => [[s.rank + ":" + s.thread], [s.count, "n"],
    [time(s.arrival_wait.mean_s), "n"], [time(s.arrival_wait.median_s), "n"], [time(s.total.mean_s), "n"], [s.callpath, "path"]]));
};
events.onerror = () => { at("state").textContent = "the monitor has ended"; };
</script></body></html>
)html";

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_PAGE_H_
