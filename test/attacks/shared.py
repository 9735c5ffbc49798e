# SPDX-License-Identifier: BSD-3-Clause
"""Folders in which anybody may write, and root or another user who recovers archives there."""
import os
import shutil
import signal
import subprocess
import time

from harness import NOBODY, await_word, becoming, case, check, main, need, need_root

SOURCE = "privileged.c"
VICTIM = "the victim's own words\n"


def killed(lab, user, **how):
    """An unfinished archive of that user, in a folder in which everybody may write."""
    folder = lab.folder()
    os.chmod(folder, 0o1777)

    def kill(pid):
        await_word(folder)
        os.kill(pid, signal.SIGKILL)
    lab.run([lab.build(SOURCE, "gcc"), "waits"], folder=folder, before=becoming(user), during=kill, **how)
    left = lab.unfinished(folder)
    check(len(left) == 1, os.listdir(folder))
    return folder, left[0]


def victim(folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(VICTIM)
    os.chmod(path, 0o600)
    return path


def unharmed(path, how):
    check(os.path.exists(path), how, ": the victim's file is gone")
    with open(path) as file:
        check(file.read() == VICTIM, how, ": the victim's file was overwritten")


def recover(lab, what, *options, user=0):
    return subprocess.run([lab.epk, "recover", *options, what], env=lab.environment(), capture_output=True, timeout=60,
                          preexec_fn=becoming(user) if user else None)


@case
def links_that_were_planted(lab):
    need_root()
    for place in ("arenas/%s", "traces", "traces/000", "traces/000/0.elg", "communication.csv", "manifest.json",
                  "summary.cubex", "epik.conf", "defs.epk", "maps.epk", "arenas/x.arena"):
        folder, unfinished = killed(lab, NOBODY, EPK_TRACE="all")
        home = lab.folder()
        os.chmod(home, 0o700)
        name = os.path.basename(place) if "%" not in place else "epik.x.arena"
        path = victim(home, "epik.x.arena" if place.startswith("arenas") else name.replace("%s", "x"))
        link = os.path.join(unfinished, place.replace("%s", "epik.x.arena"))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if os.path.isdir(link):
            shutil.rmtree(link)
        os.symlink(home if place in ("traces", "traces/000") else path, link)
        for root, folders, files in os.walk(unfinished):
            for each in folders + files:
                os.lchown(os.path.join(root, each), NOBODY, NOBODY)
        before = sorted(os.listdir(home))
        done = recover(lab, unfinished)
        unharmed(path, place)
        check(sorted(os.listdir(home)) == before, place, "left", os.listdir(home), done.stderr)
        for left in os.listdir(folder):
            check(os.lstat(os.path.join(folder, left)).st_uid == NOBODY, place, left, "belongs to root")


@case
def archives_of_others(lab):
    need_root()
    folder, unfinished = killed(lab, NOBODY)
    done = recover(lab, unfinished, user=1234)
    check(done.returncode == 1 and b"--yes-it-is-theirs" in done.stderr, done.returncode, done.stderr)
    check(os.path.exists(unfinished), "it is gone")
    done = recover(lab, unfinished)
    check(done.returncode == 0, done.stderr)
    archive = lab.archives(folder, count=1)[0]
    check(archive.visits("leaf") == 10, archive.visits("leaf"))
    check(os.stat(archive.path).st_uid == NOBODY, "it belongs to root")
    folder, unfinished = killed(lab, NOBODY)
    done = recover(lab, unfinished, "--yes-it-is-theirs")
    check(done.returncode == 0 and lab.archives(folder, count=1)[0].visits("leaf") == 10, done.stderr)


def in_container(words):
    """The words, with process numbers of their own and another name of the host."""
    inside = "hostname elsewhere; mount -t proc proc /proc; exec \"$@\""
    return ["unshare", "--pid", "--fork", "--kill-child", "--uts", "--mount", "sh", "-c", inside, "sh", *words]


def need_containers():
    need_root()
    need(subprocess.run(in_container(["true"]), capture_output=True).returncode == 0, "no containers here")


@case
def a_program_in_a_container(lab):
    need_containers()
    guest = lab.build(SOURCE, "gcc")
    found = []

    def look(pid):
        await_word(folder)
        found.append(recover(lab, folder))
        os.kill(pid, signal.SIGKILL)
    folder = lab.folder()
    words = ["env", "LD_PRELOAD=" + lab.sanitizer.preload(lab.library), guest, "waits"]
    lab.run(in_container(words), preload=False, folder=folder, during=look)
    check(found[0].returncode == 1 and b"is still running" in found[0].stderr, found[0].stderr)
    end = time.time() + 30  # its other processes die after the one that was killed
    while True:
        done = recover(lab, folder)
        if b"is still running" not in done.stderr or time.time() > end:
            break
        time.sleep(0.05)
    check(done.returncode == 0, "of a container that is gone:", done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)


def recover_in_container(lab, *words):
    return subprocess.run(in_container([lab.epk, "recover", *words]), env=lab.environment(), capture_output=True)


@case
def a_recovery_in_a_container(lab):
    need_containers()
    folder = lab.folder()
    system = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True).stdout.strip()
    need(system != b"overlayfs", "a file system whose files stay locked while they are mapped")
    found = []

    def look(pid):
        await_word(folder)
        found.append(recover_in_container(lab, folder))
        os.kill(pid, signal.SIGKILL)
    lab.run([lab.build(SOURCE, "gcc"), "waits"], folder=folder, during=look)
    check(found[0].returncode == 1 and b"is still running" in found[0].stderr, found[0].stderr)
    done = recover_in_container(lab, folder)
    check(done.returncode == 0, done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)


@case
def a_recovery_in_a_container_without_locks(lab):
    need_containers()
    folder, _ = killed(lab, 0, EPK_INTERNAL_FILE_SYSTEM="0x6969")
    done = recover_in_container(lab, folder)
    check(done.returncode == 1 and b"cannot tell whether" in done.stderr and b"--dead" in done.stderr, done.stderr)
    done = recover_in_container(lab, "--dead", folder)
    check(done.returncode == 0, done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)


def on_another_machine(lab, *words, name="elsewhere", shm="shared"):
    """Runs the words where the host has another name and the kernel another boot."""
    boot = os.path.join(lab.folder(), "boot")
    with open(boot, "w") as file:
        file.write("11111111-2222-3333-4444-555555555555\n")
    inside = ("hostname \"$1\"; mount --bind \"$2\" /proc/sys/kernel/random/boot_id;"
              "test \"$3\" = shared || mount -t tmpfs none /dev/shm; shift 3; exec \"$@\"")
    return subprocess.run(["unshare", "--uts", "--mount", "sh", "-c", inside, "sh", name, boot, shm, *words],
                          env=lab.environment(), capture_output=True)


@case
def a_recovery_on_another_machine(lab):
    need_root()
    need(on_another_machine(lab, "true").returncode == 0, "no namespaces here")
    here = os.uname().nodename.encode()
    found = []

    def look(pid):
        await_word(folder)
        found.append(on_another_machine(lab, lab.epk, "recover", folder))
        os.kill(pid, signal.SIGKILL)
    # Here, other machines see no lock; the arena is in /dev/shm.
    folder = lab.folder()
    lab.run([lab.build(SOURCE, "gcc"), "waits"], folder=folder, during=look, EPK_INTERNAL_FILE_SYSTEM="0x6969")
    for done in found[0], on_another_machine(lab, lab.epk, "recover", folder):
        check(done.returncode == 1 and b"ran on host " + here in done.stderr and b"--dead" in done.stderr, done.stderr)
    done = on_another_machine(lab, lab.epk, "recover", folder, shm="its own")
    check(done.returncode == 1 and b"of host " + here + b" is in /dev/shm/epik." in done.stderr, done.stderr)
    done = on_another_machine(lab, lab.epk, "recover", "--dead", folder)
    check(done.returncode == 0, done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)
    # The machine was started anew.
    folder, _ = killed(lab, 0, EPK_INTERNAL_FILE_SYSTEM="0x6969")
    done = on_another_machine(lab, lab.epk, "recover", folder, name=here.decode())
    check(done.returncode == 0, done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)


@case
def pipes_for_arenas(lab):
    folder = lab.folder()
    unfinished = os.path.join(folder, "epik_x.4711.unfinished")
    os.makedirs(os.path.join(unfinished, "arenas"))
    os.mkfifo(os.path.join(unfinished, "arenas", "h.4711.arena"))
    os.mkfifo(os.path.join(unfinished, "arenas", "h.4711.elg"))
    for words in (("recover",), ("top", "--once"), ("control",), ("report",), ("print",), ("info",), ("analyze",),
                  ("convert", "--to", "folded"), ("monitor", "--once")):
        try:
            subprocess.run([lab.epk, *words, unfinished], env=lab.environment(), capture_output=True, timeout=30,
                           stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            check(False, "epk", *words, "waits for a pipe's writer")


@case
def what_holds_nothing(lab):
    folder = lab.folder()
    unfinished = os.path.join(folder, "epik_x.4711.unfinished")
    os.makedirs(os.path.join(unfinished, "arenas"))
    said = lab.recover(unfinished)
    check("removed" in said and os.listdir(folder) == [], said, os.listdir(folder))


if __name__ == "__main__":
    main(__file__)
