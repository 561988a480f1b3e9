#!/bin/bash
# SIGTERM ends a training soon, also in the middle of a step that takes minutes; what would take long is said before.
. "$(dirname "$0")/lib/common.bash"

# Starts a training, ends it with SIGTERM once it has worked for a while, and expects it to work for little longer: by the
# clock of the process, since others may keep the machine busy.
interrupted()
{
    rm -f model model.checkpoint
    python3 - "$NEAP" train "$@" -o model <<'END' || fail "train $*"
import os, resource, signal, subprocess, sys, time

def spent(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

signal.signal(signal.SIGTERM, signal.SIG_DFL)
run = subprocess.Popen(sys.argv[1:], stdout=open("out", "w"), stderr=open("err", "w"))
start = time.monotonic()
while "training" not in open("err").read() and time.monotonic() < start + 60:
    time.sleep(0.05)
begun = spent(run.pid)
while spent(run.pid) < begun + 0.7 and run.poll() is None and time.monotonic() < start + 60:
    time.sleep(0.05)
before = spent(run.pid)
run.terminate()
code = run.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
after = used.ru_utime + used.ru_stime - before
assert code == 130, f"exit code {code}"
assert after < 8, f"{after:.1f} s of work until the end"
END
    [[ ! -e model ]] || fail 'a model was written'
}

# Every node with every other: an epoch, which is one step, would take a minute.
printf '%%%%MatrixMarket matrix coordinate pattern general\n40000 40000 3\n1 2\n2 3\n3 4\n' >wide.mtx
interrupted wide.mtx --method attentivewalk -t 2
says err 'compares all 40,000 nodes with each other: 80 epochs will take about'
says err 'interrupted'

# That it is a matter of memory as well is said before it starts, where there is a limit.
expect 3 "$NEAP" train wide.mtx --method attentivewalk -o model --memory 100M
says err 'the limit is 100 MiB'

# Two hubs that are neighbours: one pair of nodes with 64 million pairs of neighbours, four of them a step.
leaves=8000
awk -v n=$leaves 'BEGIN { for (i = 0; i < n; i++) print "a b" i "\nc d" i; print "a c" }' >hubs.txt
interrupted hubs.txt --method gap --no-mask --neighbors 65536 --batch 1048576 --dim 512 --optimizer adagrad --valid 0 -t 1
interrupted hubs.txt --method gap --no-mask --neighbors 65536 --batch 1048576 --dim 512 --optimizer adagrad --valid 0 --undirected -t 2

# Interrupted in its first step, a training has a checkpoint of its start.
[[ -e model.checkpoint ]] || fail 'there is no checkpoint'
expect 0 "$NEAP" check model.checkpoint
