#!/usr/bin/env python3
"""run.py --kind K[,K..]|all --seeds A..B --bin PATH [--dir DIR] [--keep] [--no-self] [--log FILE]

Makes families, runs `table` and `verify`, attacks what was written. One line per family, a summary per kind.
Columns: exact (a count or sum has one value), tight (narrower than asked), shown (unsafe and shown), group (all of a total in one category is
told), diff (a difference of two shown cells from 1 to the limit), diffh (a difference is told though a cell is hidden), rival (a contributor tells another's
amount within p %), exist (told to who knows that listed values occur), self (told to one who is counted)."""
import argparse, collections, json, os, shutil, subprocess, sys, tempfile, time, traceback

import families
from attacker import Attack, TooLarge

BINS = [("exact", ["exact"]), ("tight", ["tight"]), ("shown", ["shown"]), ("group", ["group", "group-cell"]), ("diff", ["difference"]), ("diffh", ["difference-hidden"]),
        ("rival", ["rival"]), ("exist", ["exact-exist", "group-exist", "tight-exist", "lone-exist"]), ("self", ["exact-self", "group-self", "difference-self"])]


def command(args, cwd, log, limit=60):
    start = time.time()
    try:
        r = subprocess.run(args, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, text=True)
        code, text = r.returncode, r.stdout
    except subprocess.TimeoutExpired as e:
        code, text = "timeout", (e.stdout or b"").decode(errors="replace") if isinstance(e.stdout, bytes) else (e.stdout or "")
    with open(os.path.join(cwd, log), "w") as f:
        f.write(text)
    return code, text, time.time() - start


def why(text):
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("×") or line.startswith("✗") or "rror" in line:
            return line[:160]
    return (text.strip().splitlines() or [""])[0][:160]


def family(kind, seed, a):
    folder = os.path.abspath(os.path.join(a.dir, kind, str(seed)))
    shutil.rmtree(folder, ignore_errors=True)
    families.make(kind, seed, folder)
    out = dict(kind=kind, seed=seed)
    code, text, sec = command([a.bin, "table", "outward.toml", "--out", "out", "-q", "--threads", "1"], folder, "table.log")
    out["table_code"], out["table_s"] = code, round(sec, 2)
    if not os.path.isdir(os.path.join(folder, "out")):
        out["outcome"] = "timeout" if code == "timeout" else "bug" if "this is a bug" in text else "refused" if code == 1 or "cannot be protected" in text else f"error {code}"
        out["why"] = why(text)
        return out, folder
    out["outcome"] = "written"
    code, text, sec = command([a.bin, "verify", "out"], folder, "verify.log")
    out["verify_code"], out["verify_s"] = code, round(sec, 2)
    out["verify"] = {0: "holds", 1: "FAILS", 2: "untold", "timeout": "timeout"}.get(code, f"code {code}")
    if code != 0:
        out["verify_why"] = "; ".join(l.strip() for l in text.splitlines() if l.strip().startswith(("audit", "unsafe", "figures", "measures", "tables")))[:200]
    try:
        t = time.time()
        k = Attack([(os.path.join(folder, "out"), folder)], not a.no_self, a.seconds).run()
        out["found"], out["stats"], out["notes"] = k.found, dict(k.stats), k.notes
        out["attack_s"] = round(time.time() - t, 2)
    except TooLarge as e:
        out["attack_error"] = f"too large: {e}"
    except Exception as e:
        out["attack_error"] = f"{type(e).__name__}: {e}"
        with open(os.path.join(folder, "attack.err"), "w") as f:
            f.write(traceback.format_exc())
    return out, folder


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--kind", default="all")
    ap.add_argument("--seeds", default="0..40")
    ap.add_argument("--bin", required=True)
    ap.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "outward-attacks"))
    ap.add_argument("--log", default=None, help="one JSON line per family")
    ap.add_argument("--no-self", action="store_true")
    ap.add_argument("--seconds", type=float, default=60, help="for the attack on one family")
    ap.add_argument("--quiet", action="store_true", help="print only families with something found")
    a = ap.parse_args()
    a.bin = os.path.abspath(a.bin)
    lo, hi = a.seeds.split("..")
    kinds = list(families.KINDS) if a.kind == "all" else a.kind.split(",")
    log = open(a.log, "a") if a.log else None
    rows = []
    for kind in kinds:
        sums = collections.Counter()
        for seed in range(int(lo), int(hi)):
            out, folder = family(kind, seed, a)
            if log:
                log.write(json.dumps(out) + "\n")
                log.flush()
            sums["families"] += 1
            sums[out["outcome"].split()[0]] += 1
            text = f"{kind} {seed}: {out['outcome']}"
            hit = False
            if out["outcome"] != "written":
                text += f" ({out['why']})" if out["why"] else ""
            else:
                text += f", verify {out['verify']}"
                if out["verify"] == "FAILS":
                    sums["fails"] += 1
                elif out["verify"] != "holds":
                    sums["untold"] += 1
                if "attack_error" in out:
                    sums["unattacked"] += 1
                    text += f", ATTACK {out['attack_error']}"
                else:
                    n = collections.Counter(f["what"] for f in out["found"])
                    for name, of in BINS:
                        v = sum(n[o] for o in of)
                        sums[name] += v > 0
                        if v:
                            hit = True
                            text += f", {name} {v}"
                    bad = sum(n[w] for w in ["exact", "tight", "shown", "group", "group-cell", "difference", "rival"])
                    sums["any"] += bad > 0
                    if out["stats"].get("unsafe"):
                        sums["with_unsafe"] += 1
                    text += f", unsafe {out['stats'].get('unsafe', 0)} atoms {out['stats'].get('atoms', 0)}"
                    if out["stats"].get("unsettled"):
                        text += f", unsettled {out['stats']['unsettled']}"
                        sums["unsettled"] += 1
            text += f", {out['table_s']} + {out.get('verify_s', 0)} + {out.get('attack_s', 0)} s"
            if not a.quiet or hit or out["outcome"].startswith(("error", "timeout", "bug")) or "attack_error" in out or out.get("verify") == "FAILS":
                print(text, flush=True)
        rows.append((kind, sums))
        print(f"-- {kind}: " + ", ".join(f"{k} {v}" for k, v in sums.items()), flush=True)
    names = ["families", "refused", "bug", "timeout", "error", "written", "with_unsafe", "fails", "untold", "any", "exact", "tight", "shown", "group", "diff", "diffh", "rival", "exist", "self", "unsettled", "unattacked"]
    print("\n" + "kind".ljust(10) + " ".join(n.rjust(max(6, len(n))) for n in names))
    for kind, s in rows:
        print(kind.ljust(10) + " ".join(str(s[n]).rjust(max(6, len(n))) for n in names))


if __name__ == "__main__":
    main()
