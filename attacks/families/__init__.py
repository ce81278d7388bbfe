"""Random families of tables by kind and seed: the same seed gives the same family."""
import random

from .answers import answers, coarse, linked
from .earlier import earlier
from .family import Family
from .overlapping import overlapping
from .people import condition, follows, given, hierarchy, lone, weights
from .rings import bigring, ring, sparsering
from .sums import dominated, sums

KINDS = {kind.__name__: kind for kind in [ring, hierarchy, condition, answers, linked, sums, dominated, weights, given, follows, lone, coarse, earlier, overlapping,
                                           bigring, sparsering]}


def make(kind, seed, folder):
    """Writes a family. Returns the folder of every release's spec, the earliest first."""
    family = Family(random.Random(f"{kind}-{seed}"))
    return family.write(folder, KINDS[kind](family))
