"""What the rows of the benchmark share: how a row looks, and the program, graphs and C drivers it measures with."""
import dataclasses
import functools
import json
import os
import subprocess
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIBRARIES = ("openblas", "zlib", "libzstd", "jansson", "libutf8proc")


@dataclasses.dataclass(frozen=True)
class Goal:
    bound: str  # "at least" or "at most"
    value: float

    def met(self, value):
        return value >= self.value if self.bound == "at least" else value <= self.value


@dataclasses.dataclass
class Result:
    value: float
    facts: dict = dataclasses.field(default_factory=dict)  # the numbers behind it
    points: list = dataclasses.field(default_factory=list)  # (who, graph, edges, seconds an epoch), for the chart
    why: str = ""  # what stands in the way; said where the goal is missed


@dataclasses.dataclass(frozen=True)
class Row:
    name: str  # what `bench/run NAME` calls it
    work: str
    measure: str
    unit: str  # a key of words.UNITS
    goal: typing.Optional[Goal]
    run: typing.Callable  # takes a Bench, gives a Result


class NotRun(Exception):
    """Why a row cannot be measured here."""


class Bench:
    """One run of the benchmark. What several rows need is made once. quick: small and short, to see that it works."""

    def __init__(self, build, folder, quick=False, core=None):
        """core: what OpenBLAS is to take the CPU for where its sgemm is measured."""
        self.build, self.folder, self.quick = os.path.abspath(build), folder, quick
        self.env = os.environ | ({"OPENBLAS_CORETYPE": core} if core else {})
        self.program = os.path.join(self.build, "neap")

    def path(self, name):
        return os.path.join(self.folder, name)

    def short(self, amount):
        """Seconds, nodes or edges: of a quick run a part."""
        return type(amount)(amount / 20) if self.quick else amount

    def neap(self, *words):
        """The JSON that the program prints."""
        return json.loads(output_of([self.program, *map(str, words), "--json", "-q"], self.env))

    def paper_graph(self, name):
        """A graph of the paper, or the bundled one."""
        if name == "debian":
            return os.path.join(ROOT, "data", "debian.tsv.gz")
        data = os.environ.get("NEAP_DATA")
        if not data:
            raise NotRun("needs NEAP_DATA, the folder of the paper's graphs")
        path = os.path.join(data, name, "graph.txt")
        if not os.path.exists(path):
            raise NotRun("needs %s/graph.txt in NEAP_DATA" % name)
        return path

    @functools.lru_cache(maxsize=None)
    def generated(self, *words):
        words = [self.short(word) if isinstance(word, int) and word >= 1000 else word for word in words]
        path = self.path("-".join(map(str, words)).replace("--", "") + ".safetensors")
        self.neap("generate", *words, "-o", path)
        return path

    @functools.lru_cache(maxsize=None)
    def driver(self, name):
        """bench/NAME.c, linked with the library; it may look inside."""
        path = self.path(name)
        libraries = output_of(["pkg-config", "--libs", *LIBRARIES]).split()
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-o", path,
                        os.path.join(HERE, name + ".c"), "-I" + os.path.join(ROOT, "include"),
                        "-I" + os.path.join(ROOT, "src"), os.path.join(self.build, "libneap.a"), *libraries,
                        "-pthread", "-lm"], check=True)
        return path

    def drive(self, name, *words):
        """The JSON that a driver prints."""
        return json.loads(output_of([self.driver(name), *map(str, words)], self.env))


def cores():
    return len(os.sched_getaffinity(0))


def output_of(command, env=None):
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError("%s ended with %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()[-300:]))
    return done.stdout


def peak_of(command, interrupt=()):
    """Runs a command; its output, and the peak memory of its process in bytes. interrupt: see peak.py."""
    command = [str(word) for word in ([*command] if not interrupt else ["--interrupt", *interrupt, *command])]
    done = json.loads(output_of([sys.executable, os.path.join(HERE, "peak.py"), *command]))
    if done["code"] != (130 if interrupt else 0):
        raise RuntimeError("%s ended with %d" % (" ".join(command), done["code"]))
    return done["said"], done["peak"]


def where_time_goes(bench):
    """The largest stages of a measurement of `neap bench`, in words."""
    total = sum(stage["seconds"] for stage in bench["stages"])
    largest = sorted(bench["stages"], key=lambda stage: -stage["seconds"])[:3]
    shares = ", ".join("%s %.0f %%" % (stage["name"], 100 * stage["seconds"] / total) for stage in largest)
    return "%.0f %% of peak; of the time %s" % (100 * bench["share_of_peak"], shares)
