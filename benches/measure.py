"""What the benchmarks share: CPU time of a process, the peer, and the section of the document each one writes.

Every figure is the CPU time (user and system) of a whole process, so that a noisy machine disturbs it little; peak memory is
that of the process. DuckDB's figures leave out its start.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

THREADS = 2

DUCKDB = """
import json, resource, sys, duckdb
sql, threads = sys.argv[1], sys.argv[2]
con = duckdb.connect()
con.execute(f"SET threads = {threads}")
con.execute("SET enable_progress_bar = false")
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
before = cpu()
rows = con.execute(sql).fetchall()
print(json.dumps({"cpu": cpu() - before, "rows": len(rows), "first": [str(v) for v in rows[0]], "version": duckdb.__version__}))
"""


def measured(command, quiet=True):
    """Runs a command; its CPU seconds, wall seconds, peak memory in MiB and what it printed."""
    import time

    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(f"exit code {code}: {' '.join(map(str, command))}")
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - started,
        "peak": usage.ru_maxrss / 1024,
        "printed": printed.decode(),
    }


def best(times, run):
    """The run that took least CPU out of several."""
    return min((run() for _ in range(times)), key=lambda result: result["cpu"])


def duckdb(sql):
    result = measured([sys.executable, "-c", DUCKDB, sql, str(THREADS)], quiet=False)
    inner = json.loads(result["printed"])
    return {**result, **inner}


def machine():
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"


def arguments(**defaults):
    """BIN_FOLDER WORK_FOLDER [--out FILE], and an option for each default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", default=default)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    return args


def write_section(path, name, text):
    """Replaces one section of the document, or adds it at the end; the other benchmarks' stay as they are."""
    print(text)
    if path is None:
        return
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    whole = path.read_text() if path.exists() else "# Benchmarks\n\nWritten by `make bench`, each section by a run of its own.\n"
    section = f"{start}\n{text.strip()}\n\n{end}"
    if start in whole:
        before, rest = whole.split(start, 1)
        whole = before + section + rest.split(end, 1)[1]
    else:
        whole = f"{whole.rstrip()}\n\n{section}"
    path.write_text(whole)
