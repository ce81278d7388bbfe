"""Makes one random family with the binary, verifies it and attacks what was written."""
import os, resource, shutil, subprocess, time, traceback
from dataclasses import dataclass

import families
from attacker import Attack, TooLarge


@dataclass
class Options:
    outward: str  # the binary
    folder: str
    own_record: bool = True
    told_of_earlier: bool = True  # whether `table` is told of earlier releases
    seconds: float = 60  # for the attack on one family


def command(args, cwd, log, limit=60):
    """Runs a command. Returns its exit code or "timeout", what it printed, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(args, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        code, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as e:
        code, text = "timeout", e.stdout or b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = text.decode(errors="replace")
    with open(os.path.join(cwd, log), "w") as f:
        f.write(text)
    return code, text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_reason(text):
    lines = [line.strip() for line in text.splitlines()]
    marked = [line for line in lines if line.startswith(("×", "✗")) or "rror" in line]
    return (marked or lines or [""])[0][:160]


def why_none(code, text):
    """Why nothing was written."""
    if code == "timeout":
        return "timeout"
    if "this is a bug" in text:
        return "bug"
    return "refused" if code == 1 or "cannot be protected" in text else f"error {code}"


def make_release(spec, earlier, options, out):
    """Makes and verifies the bundle `out` beside a spec. Returns whether it was written."""
    told = [x for bundle in earlier if options.told_of_earlier for x in ("--earlier", os.path.relpath(bundle, spec))]
    code, text, cpu = command([options.outward, "table", "outward.toml", "--out", "out", "-q", "--threads", "1", *told], spec, "table.log")
    out["table_cpu"] += cpu
    if not os.path.isdir(os.path.join(spec, "out")):
        out["outcome"], out["why"] = why_none(code, text), first_reason(text)
        return False
    code, text, cpu = command([options.outward, "verify", "out"], spec, "verify.log")
    out["verify_cpu"] += cpu
    if code != 0:
        out["verify"] = {1: "FAILS", 2: "untold"}.get(code, str(code))
        out["verify_why"] = "; ".join(l.strip() for l in text.splitlines() if l.strip().startswith(("audit", "unsafe", "figures", "measures", "tables")))[:200]
    return True


def attack_family(kind, seed, options):
    """Everything about one family, as a value that can be written as JSON. Releases that were written before one was refused are attacked too."""
    folder = os.path.abspath(os.path.join(options.folder, kind, str(seed)))
    shutil.rmtree(folder, ignore_errors=True)
    out = dict(kind=kind, seed=seed, outcome="released", verify="holds", table_cpu=0.0, verify_cpu=0.0, found=[], stats={}, notes=[])
    written = []
    for spec in families.make(kind, seed, folder):
        if not make_release(spec, [bundle for bundle, _ in written], options, out):
            break
        written.append((os.path.join(spec, "out"), spec))
    if written:
        start = time.process_time()
        try:
            attack = Attack(written, options.own_record, options.seconds).run()
            out["found"], out["stats"], out["notes"] = attack.found, dict(attack.stats), attack.notes
        except TooLarge as e:
            out["not_attacked"] = f"too large: {e}"
        except Exception as e:  # a family that cannot be attacked is told, and the others go on
            out["not_attacked"] = f"{type(e).__name__}: {e}"
            with open(os.path.join(folder, "attack.err"), "w") as f:
                f.write(traceback.format_exc())
        out["attack_cpu"] = time.process_time() - start
    return out
