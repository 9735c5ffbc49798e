# SPDX-License-Identifier: BSD-3-Clause
"""Checks the book in docs/: every link leads somewhere, pages are in the order of the contents, pictures exist and are used."""
import pathlib
import re
import subprocess
import xml.etree.ElementTree

CONTENTS = pathlib.Path("docs/README.md")
MOST = 0.5  # at least this share of the pages has a picture

LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda code: "`" + "x" * (len(code.group(0)) - 2) + "`", text)


def anchors(text):
    """The names that GitHub gives to headings."""
    found = set()
    for heading in re.findall(r"^#{1,6} (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower(), flags=re.U).replace(" ", "-")
        found.add(name)
    return found


def title(text):
    return re.search(r"^# (.*)$", text, re.M).group(1)


def book(root):
    """The pages in the order of the contents, each once."""
    pages = []
    for _, target in LINK.findall((root / CONTENTS).read_text(encoding="utf-8")):
        page = CONTENTS.parent / target
        if target.endswith(".md") and page.parent == CONTENTS.parent and page not in pages:
            pages.append(page)
    return pages


def navigation(root, pages, at):
    """The last line of a page."""
    def link(page, words):
        return f"[{words.format(title((root / page).read_text(encoding='utf-8')))}]({page.name})"
    parts = [link(pages[at - 1], "← {}")] if at > 0 else []
    parts.append("[contents](README.md)")
    parts += [link(pages[at + 1], "{} →")] if at + 1 < len(pages) else []
    return " · ".join(parts)


def check_links(root, page, text, files):
    folders = {parent for file in files for parent in file.parents}
    for _, target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = page if name == "" else pathlib.Path(page.parent, name)
        parts = []
        for part in file.parts:
            if part == ".." and parts:
                parts.pop()
            else:
                parts.append(part)
        file = pathlib.Path(*parts)
        if file not in files and file not in folders:
            yield f"{page}: no such file: {target}"
        elif anchor and anchor not in anchors((root / file).read_text(encoding="utf-8")):
            yield f"{page}: no such heading: {target}"


def installed(root, files):
    """The files that `./dev install` puts beside the pages."""
    patterns = []
    for words in re.findall(r"^ *(?:install -m 644|cp -r) (.+) \"\$prefix/share/doc/epik/[^\"]*\"$",
                            (root / "dev").read_text(encoding="utf-8"), re.M):
        patterns += words.split()
    return {file for file in files
            if any(file.match(p) and len(file.parts) == len(pathlib.Path(p).parts) or pathlib.Path(p) in file.parents
                   for p in patterns)}


def check_pictures(root, files, texts):
    used = {page.parent / target for page, text in texts.items() for mark, target in LINK.findall(text) if mark}
    for picture in sorted(file for file in files if file.parent.name == "pictures" and file.suffix in (".svg", ".png")):
        if picture not in used:
            yield f"{picture}: no page shows it"
        if picture.suffix == ".svg":
            try:
                xml.etree.ElementTree.parse(root / picture)
            except xml.etree.ElementTree.ParseError as error:
                yield f"{picture}: {error}"


def check(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout
    files = {pathlib.Path(line) for line in listed.splitlines() if (root / line).exists()}
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files if file.suffix == ".md"}
    for page, text in sorted(texts.items()):
        yield from check_links(root, page, text, files)
    there = installed(root, files)
    for page in sorted(there & set(texts)):
        for complaint in check_links(root, page, texts[page], there):
            yield complaint.replace("no such file", "not installed")
    yield from check_pictures(root, files, texts)
    pages = book(root)
    for page in sorted(file for file in texts if file.parent == CONTENTS.parent and file != CONTENTS):
        if page not in pages:
            yield f"{page}: not in the contents, {CONTENTS}"
    for at, page in enumerate(pages):
        if page not in texts:
            continue  # its link is reported already
        wanted = navigation(root, pages, at)
        if texts[page].rstrip("\n").split("\n")[-1] != wanted:
            yield f"{page}: the last line is not: {wanted}"
    shown = [page for page in pages if page in texts and re.search(r"!\[[^\]]*\]\(pictures/", texts[page])]
    if len(shown) < MOST * len(pages):
        yield f"{CONTENTS.parent}: {len(shown)} of {len(pages)} pages have a picture"
    for source in sorted(file for file in files if file.parts[0] == "tools" and file.suffix == ".cc"):
        for name in re.findall(r"docs/[a-z_]+\.md", (root / source).read_text(encoding="utf-8")):
            if pathlib.Path(name) not in files:
                yield f"{source}: no such page: {name}"
