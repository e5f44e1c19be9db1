"""Writes the C++ source of PageFiles(), with the content of all files of the web page.

    python3 embed.py OUTPUT.cc FOLDER [NAME=FILE]...

FOLDER/index.html gets the path "/". Each other file of FOLDER but .md, and each NAME, gets a path below "/page/".
"""

import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml", ".json": "application/json", ".vrp": "text/plain; charset=utf-8"}
LITERAL_BYTES = 8000  # compilers limit the length of one literal


def literals_of(content, file):
    """Returns raw literals that are concatenated to `content` of `file`. Cuts only between characters."""
    text = content.decode("utf-8")
    if ')page"' in text:
        raise SystemExit(f'embed.py: {file}: contains )page", which ends a C++ literal; change the file')
    return "\n".join(f'R"page({text[at:at + LITERAL_BYTES]})page"' for at in range(0, max(1, len(text)), LITERAL_BYTES))


def row_of(path, file):
    content = file.read_bytes()
    if file.suffix not in TYPES:
        raise SystemExit(f"embed.py: {file}: no content type for {file.suffix!r}; add it to TYPES")
    etag = hashlib.sha256(content).hexdigest()[:32]
    return f'{{"{path}", "{TYPES[file.suffix]}", "\\"{etag}\\"", {{{literals_of(content, file)}, {len(content)}}}}}'


def main():
    output, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = {f"/page/{file.relative_to(folder).as_posix()}": file for file in folder.rglob("*") if file.is_file() and file.suffix != ".md"}
    files["/"] = files.pop("/page/index.html")
    for named in sys.argv[3:]:
        name, file = named.split("=", 1)
        files[f"/page/{name}"] = pathlib.Path(file)
    rows = ",\n".join(row_of(path, file) for path, file in sorted(files.items()))
    output.write_text('#include "server/http/page/page_files.h"\n\nnamespace vrp {\n\nstd::span<const PageFile> PageFiles() {\n'
                      f"  static constexpr PageFile kFiles[] = {{\n{rows}}};\n  return kFiles;\n}}\n\n}}  // namespace vrp\n",
                      encoding="utf-8")


if __name__ == "__main__":
    main()
