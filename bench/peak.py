#!/usr/bin/python3
"""Peak memory of a command, as JSON with what it printed. In a small process of its own, because Linux counts the
memory of whoever starts a command as the command's.

    bench/peak.py [--interrupt WORDS SECONDS] COMMAND...

--interrupt: SIGTERM so many seconds after the command has said these words on standard error. (It ends neap as Ctrl-C
does; SIGINT itself is ignored by what runs in the background of a shell.)"""
import json
import os
import signal
import subprocess
import sys
import time


def wait_for(words, stream):
    seen = b""
    while words not in seen:
        more = stream.read1(4096)
        if not more:
            return
        seen = seen[-len(words):] + more


def main():
    command, interrupt = sys.argv[1:], None
    if command[0] == "--interrupt":
        interrupt, command = (command[1].encode(), float(command[2])), command[3:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE if interrupt else subprocess.DEVNULL)
    if interrupt:
        wait_for(interrupt[0], process.stderr)
        time.sleep(interrupt[1])
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
    said = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    print(json.dumps({"code": os.waitstatus_to_exitcode(status), "peak": usage.ru_maxrss * 1024, "said": said}))


if __name__ == "__main__":
    main()
