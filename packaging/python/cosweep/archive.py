"""Files from anywhere: ZIP archives are judged before anything is unpacked, XML before it is read, and what they name has
to be where they are."""

import contextlib
import errno
import math
import stat
import zipfile
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

MOST_ENTRIES, DEEPEST = 10_000, 32  # files and folders of an archive, folders in each other
MOST_BYTES = 1 << 30                # unpacked, of a file and all that is within it
MOST_RATIO, SMALL = 200, 64 << 20   # of what is unpacked to the archive, unless it is small
MOST_XML, DEEPEST_XML = 64 << 20, 200


class Refused(ValueError):
    """What is wrong with a file, which the message names."""


def inside(folder, source, label):
    """The path of what a description in a folder names; it is a file in that folder."""
    try:
        path, root = (Path(folder) / source).resolve(), Path(folder).resolve()
        here, there = path.is_file(), root in path.parents
    except (OSError, ValueError, RuntimeError):  # too long, zeros in it, links in circles
        here, there = False, True
    if not there:
        raise Refused(f"{label}: {source}: is outside; want a file in the same archive or folder")
    if not here:
        raise Refused(f"{label}: no file {source}")
    return path


def number(text, what):
    """A number of a file; raises Refused, which says what it should be the number of."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise Refused(f"{what}: \"{str(text)[:80]}\" is no number")
    return value


class Room:
    """The bytes that may still be unpacked."""

    def __init__(self):
        self.left = MOST_BYTES

    def take(self, size, label):
        self.left -= size
        if self.left < 0:
            raise Refused(f"{label}: unpacks to more than {MOST_BYTES >> 30} GiB")


class Archive:
    """An open ZIP archive whose entries are what they seem; a context, whose end closes it."""

    def __init__(self, path):
        self.label = Path(path).name
        self.file = open(path, "rb")
        try:
            with self.damage():
                self.zip = zipfile.ZipFile(self.file)
                self.entries = {str(PurePosixPath(info.filename)): info for info in self.zip.infolist()}
                self._judge(self.file.seek(0, 2))
        except BaseException:
            self.file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    @contextlib.contextmanager
    def damage(self):
        """Whatever damaged bytes raise becomes an error that names the file."""
        try:
            yield
        except (Refused, MemoryError):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES):
                raise
            raise Refused(f"{self.label}: is damaged: {error or type(error).__name__}") from error

    def _judge(self, size):
        infos = self.zip.infolist()
        if len(infos) > MOST_ENTRIES:
            raise Refused(f"{self.label}: has {len(infos)} entries; want at most {MOST_ENTRIES}")
        if len(self.entries) < len(infos):
            twice = next(info for info in infos if self.entries[str(PurePosixPath(info.filename))] is not info)
            raise Refused(f"{self.label}: has \"{twice.filename}\" twice")
        if sum(info.compress_size for info in infos) > size:
            raise Refused(f"{self.label}: is damaged: its entries overlap")
        if min((info.header_offset for info in infos), default=0) > 0:  # an archive within one that is cut off
            raise Refused(f"{self.label}: is damaged: something stands before its first entry")
        for info in infos:
            if stat.S_ISLNK(info.external_attr >> 16):
                self._refuse(info, "is a symbolic link")
            if info.flag_bits & 1:
                self._refuse(info, "is encrypted")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                self._refuse(info, "is packed in an unusual way; want stored or deflated")

    def _refuse(self, info, why):
        raise Refused(f"{self.label}: \"{info.filename}\" {why}")

    def _judge_path(self, info):
        name, parts = info.filename, PurePosixPath(info.filename).parts
        if name[:1] == "/" or ":" in name or "\\" in name or ".." in parts or not parts:
            self._refuse(info, "is no path in the archive")
        if len(parts) > DEEPEST:
            self._refuse(info, f"is {len(parts) - 1} folders deep; want less than {DEEPEST}")

    def open(self, name):
        return self.zip.open(self.entries[name])

    def unpack(self, folder, room, left_out=()):
        """All files but those in folders that are left out. `room`: what it is taken from."""
        chosen = [info for name, info in self.entries.items() if not name.startswith(left_out)]
        for info in chosen:
            self._judge_path(info)
        size, packed = sum(info.file_size for info in chosen), self.file.seek(0, 2)
        room.take(size, self.label)
        if size > max(SMALL, MOST_RATIO * packed):
            raise Refused(f"{self.label}: unpacks to {size / packed:.0f} times its size; want at most {MOST_RATIO}")
        with self.damage():
            for info in chosen:
                self.zip.extract(info, folder)


class _Builder(ElementTree.TreeBuilder):
    """Without document types, which can stand for anything, and without endless depth."""

    depth = 0

    def start(self, tag, attributes):
        self.depth += 1
        if self.depth > DEEPEST_XML:
            raise Refused(f"has more than {DEEPEST_XML} elements in each other")
        return super().start(tag, attributes)

    def end(self, tag):
        self.depth -= 1
        return super().end(tag)

    def doctype(self, *_):
        raise Refused("has a document type")


def read_xml(path, label):
    """The root of an XML file."""
    size = Path(path).stat().st_size
    if size > MOST_XML:
        raise Refused(f"{label}: has {size / (1 << 20):.1f} MiB; want at most {MOST_XML >> 20}")
    try:
        return ElementTree.parse(path, ElementTree.XMLParser(target=_Builder())).getroot()
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # LookupError: of its encoding
        raise Refused(f"{label}: {error}") from error
