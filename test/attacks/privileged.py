# SPDX-License-Identifier: BSD-3-Clause
"""Programs with rights that their caller lacks, and programs that leave the world in which EPIK was installed."""
import os
import shutil
import stat
import subprocess

from harness import NOBODY, as_nobody, case, check, left_out, main, need, need_root

SOURCE = "privileged.c"


def is_root():
    return os.geteuid() == 0 or left_out("only root can")


def evil(lab, folder, *flags, name="evil.so"):
    """A library, or with no `-shared` a program, that leaves a mark in the folder; and the mark's path."""
    mark = os.path.join(folder, "mark")
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    source = os.path.join(lab.here, "programs", "evil.c")
    subprocess.run(["gcc", *(flags or ("-shared", "-fPIC")), '-DMARK="%s"' % mark, source, "-o", path], check=True)
    return path, mark


def everything_asked_for(lab, folder):
    """The variables that an attacker sets for a program with rights: own code, a file that only root may write, names
    of files."""
    library, mark = evil(lab, folder)
    secret = os.path.join(lab.folder(), "secret")
    with open(secret, "w") as file:
        file.write("root's own words\n")
    os.chmod(secret, 0o600)
    asked = {"EPK_METRIC_PLUGINS": library, "EPK_METRICS": "evil::x", "EPK_INTERNAL_RUN": secret, "EPK_CONF": secret,
             "EPK_FILTER": secret, "EPK_COSTS": secret, "EPK_METRICS_SPEC": secret, "EPK_VERBOSE": "3", "EPK_GDIR": folder}
    return asked, mark, secret


def nothing_happened(outcome, mark, secret, folder):
    check(outcome.err == b"", "it says", outcome.err)
    check(not os.path.exists(mark), "the attacker's library was loaded")
    with open(secret) as file:
        text = file.read()
    check(text == "root's own words\n", "the file has become", text)
    check([name for name in os.listdir(folder) if name.startswith("epik_")] == [], os.listdir(folder))


def attack(lab, guest, words, **how):
    folder = lab.folder()
    asked, mark, secret = everything_asked_for(lab, folder)
    outcome = lab.run([guest, *words], preload=False, folder=folder, **how, **asked)
    nothing_happened(outcome, mark, secret, folder)
    check(outcome.status == 0, words, outcome.status)
    return outcome


def privileged_copy(lab, give_rights):
    """The guest, linked, in a place of its own and with rights."""
    guest = os.path.join(lab.folder(), "guest")
    shutil.copy(lab.build(SOURCE, "gcc", linked=True), guest)
    give_rights(guest)
    return guest


def set_user_id(path):
    os.chmod(path, 0o755 | stat.S_ISUID)


def set_group_id(path):
    os.chmod(path, 0o755 | stat.S_ISGID)


def file_capabilities(path):
    os.chmod(path, 0o755)
    subprocess.run(["setcap", "cap_net_bind_service+ep", path], check=True)


@case
def programs_that_are_given_rights(lab):
    lab.needs_no_sanitizer("nothing is loaded in front of a program that is given rights")
    need_root()
    for give in set_user_id, set_group_id, file_capabilities:
        if give is file_capabilities and shutil.which("setcap") is None:
            left_out("setcap is not installed")
            continue
        outcome = attack(lab, privileged_copy(lab, give), ["started_with_rights"], before=as_nobody)
        if outcome.out == b"secure 0\n":
            left_out("%s is without effect here" % give.__name__)
    # Without rights EPIK obeys all of it, so the attack is a real one.
    guest = privileged_copy(lab, lambda path: os.chmod(path, 0o755))
    folder = lab.folder()
    asked, mark, _ = everything_asked_for(lab, folder)
    lab.run([guest, "started_with_rights"], preload=False, folder=folder, before=as_nobody, **asked)
    check(os.path.exists(mark), "the attacker's library is not loaded even by a program of his own")


@case
def programs_that_are_nobodys_to_look_into(lab):
    guest = lab.build(SOURCE, "gcc", linked=True)
    attack(lab, guest, ["not_dumpable"])
    if is_root():
        attack(lab, guest, ["other_effective_user"])


# ---- another world


def jail(lab):
    """A folder that looks like the root of a machine on which somebody else has installed EPIK."""
    folder = lab.folder()
    prefix = folder + lab.prefix
    for name in "lib/libepk_archive.so", "lib/libelf.so.1":
        evil(lab, folder, name=prefix[len(folder) + 1:] + "/" + name)
    evil(lab, folder, "-static", name=prefix[len(folder) + 1:] + "/bin/epk")
    for place in "lib/x86_64-linux-gnu", "lib64", "usr/lib/x86_64-linux-gnu":
        evil(lab, folder, name=place + "/libelf.so.1")
    return folder


@case
def a_jail_with_libraries_of_ours(lab):
    need_root()
    for ending in "locked_up", "locked_up_and_killed_by_itself":
        for preload in True, False:
            folder = jail(lab)
            guest = lab.build(SOURCE, "gcc", linked=not preload)
            outcome = lab.run([guest, ending], preload=preload, folder=folder)
            check(outcome.status == 0, outcome.status, outcome.err)
            check(not os.path.exists(folder + "/mark"), ending, "code from the jail was run")
            archive = lab.recovered(folder)
            check(archive.visits("leaf") == 20, archive.visits("leaf"))


@case
def mounts_that_hide_the_installation(lab):
    need_root()
    other = os.path.join(lab.folder(), "lib")
    _, mark = evil(lab, other, name="libepk_archive.so")
    guest = lab.build(SOURCE, "gcc", linked=True)
    outcome = lab.run([guest, "mounts_over", os.path.join(lab.prefix, "lib"), other], preload=False)
    need(outcome.status != 256, "nothing can be mounted here")
    check(outcome.status == 0, outcome.status, outcome.err)
    check(not os.path.exists(mark), "the library that was mounted there was loaded")
    check(lab.recovered(outcome.folder).visits("leaf") == 20)


@case
def a_relative_name_of_the_library(lab):
    folder = lab.folder()
    shutil.copytree(os.path.join(lab.prefix, "lib"), os.path.join(folder, "lib"))
    elsewhere = lab.folder()
    _, mark = evil(lab, elsewhere, name="lib/libepk_archive.so")
    guest = lab.build(SOURCE, "gcc")
    outcome = lab.run([guest, "changes_folder", elsewhere], preload=False, folder=folder, LD_PRELOAD="lib/libepk.so")
    check(outcome.status == 0, outcome.status, outcome.err)
    check(not os.path.exists(elsewhere + "/lib/mark") and not os.path.exists(mark), "a library of elsewhere was loaded")
    check(lab.archives(folder, count=1)[0].visits("leaf") == 20)


# ---- configurations and plug-ins that lie about


@case
def a_configuration_that_somebody_left(lab):
    need_root()
    guest = lab.build(SOURCE, "gcc")
    for owner, mode, used in (0, 0o644, True), (NOBODY, 0o644, False), (0, 0o666, False):
        folder = lab.folder()
        library, mark = evil(lab, folder)
        conf = os.path.join(folder, "EPIK.CONF")
        with open(conf, "w") as file:
            file.write("EPK_METRIC_PLUGINS = %s\nEPK_METRICS = evil::x\n" % library)
        os.chmod(conf, mode)
        os.chown(conf, owner, owner)
        outcome = lab.run([guest, "started_with_rights"], folder=folder)
        check(os.path.exists(mark) == used, owner, oct(mode), outcome.said())
        check(used or any("EPIK.CONF" in line and "EPK_CONF" in line for line in outcome.said()), outcome.said())


@case
def a_plug_in_without_a_folder(lab):
    guest = lab.build(SOURCE, "gcc")
    folder, elsewhere = lab.folder(), lab.folder()
    _, mark = evil(lab, elsewhere)
    how = {"EPK_METRIC_PLUGINS": "evil.so", "EPK_METRICS": "evil::x", "LD_LIBRARY_PATH": elsewhere}
    lab.run([guest, "started_with_rights"], folder=folder, **how)
    check(not os.path.exists(mark), "a plug-in was looked for where libraries are")
    # A relative name means the folder in which the program was started.
    _, mark = evil(lab, folder)
    lab.run([guest, "started_with_rights"], folder=folder, **how)
    check(os.path.exists(mark), "a plug-in beside the program is not found")


if __name__ == "__main__":
    main(__file__)
