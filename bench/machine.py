"""What a run of the benchmark was made on and with."""
import ctypes
import ctypes.util
import datetime
import importlib.metadata
import os
import platform
import subprocess

from common import ROOT, cores, output_of


def cpu():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "unknown CPU")


def openblas():
    """Version and the kernels it chose, as the library says: "OpenBLAS 0.3.21 ... Zen MAX_THREADS=64"."""
    library = ctypes.CDLL(ctypes.util.find_library("openblas"))
    library.openblas_get_config.restype = ctypes.c_char_p
    words = library.openblas_get_config().decode().split()
    return "%s %s for %s" % (words[0], words[1], words[-2])


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def commit():
    said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return said.stdout.strip() or "no commit"


def facts(build):
    return {"cpu": cpu(), "cores": cores(), "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": platform.freedesktop_os_release()["PRETTY_NAME"], "kernel": platform.release(),
            "neap": output_of([os.path.join(build, "neap"), "--version"]).split("\n")[0],
            "openblas": openblas(), "python": platform.python_version(), "numpy": version_of("numpy"),
            "torch": version_of("torch"), "igraph": version_of("igraph"),
            "gensim": version_of("gensim"), "numba": version_of("numba"), "date": datetime.date.today().isoformat()}
