# SPDX-License-Identifier: BSD-3-Clause
"""The machine under a benchmark: its processor, whether its processors share a core, and whether other programs use
it."""

import contextlib
import os
import pathlib
import resource
import subprocess
import time

# More CPU time of others than this share of one processor disturbs a run; so does a probe that is slower by this share.
MOST_OTHERS = 0.15
MOST_SLOW = 0.15
SHARED = 1.15  # a busy neighbour on the same core costs at least this factor
MICROARCHITECTURES = {  # vendor, family: the usual name
    ("AuthenticAMD", 23): "Zen 1 or 2", ("AuthenticAMD", 25): "Zen 3 or 4", ("AuthenticAMD", 26): "Zen 5",
}


def facts():
    """The kernel's description of the first processor."""
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    vendor = fields.get("vendor_id", fields.get("CPU implementer", "unknown vendor"))
    family = f"{vendor} family {fields.get('cpu family', '?')} model {fields.get('model', '?')}"
    name = MICROARCHITECTURES.get((vendor, int(fields.get("cpu family", 0))))
    siblings = pathlib.Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    shared = siblings.read_text().strip() if siblings.exists() else "0"
    return {"model": fields.get("model name", "unknown processor"), "family": family + (f" ({name})" if name else ""),
            "processors": os.cpu_count(), "virtual": "hypervisor" in fields.get("flags", ""),
            "siblings_of_cpu0": shared}


def fields_of(text):
    return {key: float(value) for key, _, value in (word.partition("=") for word in text.split())}


def seconds_of_all():
    """CPU seconds that all processes have used so far, and those that the hypervisor gave to other machines."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    tick = os.sysconf("SC_CLK_TCK")
    user, nice, system, _, _, irq, softirq, steal = (int(word) / tick for word in words[:8])
    return user + nice + system + irq + softirq + steal


def seconds_of_own():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Machine:
    def __init__(self, probe):
        self.probe = str(probe)
        self.fastest = None  # of the probe's pieces, ever
        self.hog = None

    def _time(self, ms, cpu=None):
        pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
        done = subprocess.run([self.probe, "time", str(ms)], capture_output=True, text=True, check=True,
                              preexec_fn=pin)
        return fields_of(done.stdout)

    @contextlib.contextmanager
    def busy(self, cpu):
        """Keeps the processor busy meanwhile."""
        with subprocess.Popen([self.probe, "busy", str(cpu)], stdin=subprocess.PIPE) as hog:
            self.hog = hog.pid
            try:
                yield
            finally:
                self.hog = None
                hog.stdin.close()
                hog.wait()

    def slowdown(self, cpu, neighbour):
        """How much longer work on `cpu` takes while `neighbour` is busy; the most of three pairs. The fastest pieces
        are compared, since others can only make some of them slower."""
        factors = []
        for _ in range(3):
            alone = self._time(150, cpu)["fastest_ns"]
            with self.busy(neighbour):
                time.sleep(0.02)
                factors.append(self._time(150, cpu)["fastest_ns"] / alone)
        return max(factors)

    def state(self):
        """Whether the machine is quiet now: pieces of work that took longer than others, CPU time of others."""
        with self.watch() as watch:
            probed = self._time(400)
        self.fastest = min(self.fastest or probed["fastest_ns"], probed["fastest_ns"])
        slower = probed["middle_ns"] / self.fastest - 1
        return {"slow": probed["slow"], "slower": slower, "others": watch.others,
                "quiet": probed["slow"] <= MOST_SLOW and slower <= MOST_SLOW and watch.others <= MOST_OTHERS}

    def watch(self):
        return Watch(self.hog)


class Watch:
    """The part of one processor that others used while this was open."""

    def __init__(self, hog=None):
        self.hog = hog
        self.others = 0.0

    def _own(self):
        own = seconds_of_own()
        if self.hog is not None:
            words = pathlib.Path(f"/proc/{self.hog}/stat").read_text().rpartition(")")[2].split()
            own += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        return own

    def __enter__(self):
        self.began, self.all, self.own = time.monotonic(), seconds_of_all(), self._own()
        return self

    def __exit__(self, *_):
        wall = time.monotonic() - self.began
        # The kernel counts ticks of 10 ms, so short runs tell little.
        unknown = 2 / os.sysconf("SC_CLK_TCK")
        theirs = seconds_of_all() - self.all - (self._own() - self.own) - unknown
        self.others = max(0.0, theirs / wall) if wall > 0 else 0.0

    @property
    def disturbed(self):
        return self.others > MOST_OTHERS


def percent(value):
    return f"{100 * value:.0f} %"


def said_of(state):
    words = f"{percent(state['slow'])} of the probe's pieces took a tenth longer than the fastest, others used " \
            f"{percent(state['others'])} of a processor"
    return ("quiet" if state["quiet"] else "NOT quiet") + f": {words}"


def said_of_sharing(factor):
    if factor is None:
        return "one processor: no neighbour"
    verdict = "share a core" if factor >= SHARED else "do not share a core"
    return f"processors 0 and 1 {verdict}: work on one takes {factor:.2f} times as long while the other is busy"

