"""What a run of the benchmark was made on and with."""
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys

from common import ROOT, cores, output_of


def cpu():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "unknown CPU")


def flags():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":", 1)[1].split() for line in info if line.startswith("flags")), [])


ASK = """import ctypes, ctypes.util
library = ctypes.CDLL(ctypes.util.find_library("openblas"))
library.openblas_get_config.restype = ctypes.c_char_p
print(library.openblas_get_config().decode())"""


def openblas(env=None):
    """Version and the CPU that it works for, as it says: "OpenBLAS 0.3.21 ... Zen MAX_THREADS=64". It is asked in a
    process of its own, because it settles that when it is loaded."""
    said = subprocess.run([sys.executable, "-c", ASK], check=True, capture_output=True, text=True, env=env).stdout.split()
    return said[1], said[-2]


def left_alone():
    """The environment, but nobody tells OpenBLAS what CPU this is."""
    return {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}


KNOWS_AVX2 = ("Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids")


def best_core():
    """What OpenBLAS should take this CPU for. It knows only those that are older than itself, and takes others for very
    old ones; whom we compare with shall not suffer from that."""
    own = openblas()[1]
    if own in KNOWS_AVX2 or "avx2" not in flags():
        return own
    return "SkylakeX" if "avx512vl" in flags() else "Haswell"


def avx2_core():
    """The same for sgemm as a yardstick of our own kernels, which have AVX2 and no more."""
    own = best_core()
    return "Haswell" if own in KNOWS_AVX2[3:] else own


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def commit():
    said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return said.stdout.strip() or "no commit"


def facts(build):
    version, core = openblas()
    return {"cpu": cpu(), "cores": cores(), "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": platform.freedesktop_os_release()["PRETTY_NAME"], "kernel": platform.release(),
            "neap": output_of([os.path.join(build, "neap"), "--version"]).split("\n")[0],
            "openblas": version, "core": core, "core_by_itself": openblas(left_alone())[1], "core_of_sgemm": avx2_core(),
            "python": platform.python_version(), "numpy": version_of("numpy"),
            "torch": version_of("torch"), "igraph": version_of("igraph"),
            "gensim": version_of("gensim"), "numba": version_of("numba"), "sklearn": version_of("scikit-learn"),
            "date": datetime.date.today().isoformat()}
