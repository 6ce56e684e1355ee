# tests/benchmarks/matrices/places.py: columns of the entries of each row: near the diagonal, popular, on a grid, in blocks.
"""rows_of(structure, lengths, random) yields the columns of each row in ascending order.

`random` is a random.Random. Only its method random() is used, whose numbers are the same in every version
of Python.
"""
import itertools
import math


def below(random, count):
    return int(random.random() * count)


def shuffled(values, random):
    for i in range(len(values) - 1, 0, -1):
        j = below(random, i + 1)
        values[i], values[j] = values[j], values[i]
    return values


def add_drawn(columns, wanted, first, count, random):
    """Adds columns of [first, first + count) until there are `wanted`, or all of these are taken."""
    if 2 * (wanted - len(columns)) > count:  # so many that drawing would mostly repeat
        free = shuffled([c for c in range(first, first + count) if c not in columns], random)
        columns.update(free[:wanted - len(columns)])
        return
    while len(columns) < wanted:
        columns.add(first + int(random.random() * count))


class Popular:
    """Columns of which few are frequent; the most frequent one has about `most` entries."""

    def __init__(self, columns, used, most, entries):
        self.columns, self.used = columns, used
        # The share of the first of `used` columns under u^power is used^(-1/power).
        share = min(0.999, most / max(1, entries))
        self.power = max(1.0, math.log(used) / -math.log(share))
        self.stride = max(1, int(columns * 0.618))  # frequent columns are not neighbours
        while math.gcd(self.stride, columns) != 1:
            self.stride += 1

    def add(self, columns, wanted, random):
        tries = 8 * (wanted - len(columns)) + 32
        while len(columns) < wanted and tries:
            rank = int(self.used * random.random() ** self.power)
            columns.add(rank * self.stride % self.columns)
            tries -= 1
        if len(columns) < wanted and self.used >= wanted:
            rank = below(random, self.used)
            while len(columns) < wanted:
                columns.add(rank * self.stride % self.columns)
                rank = (rank + 1) % self.used
        add_drawn(columns, wanted, 0, self.columns, random)


def drawn(structure, lengths, random):
    """`uniform`, `popular` and `near`; a share of `near` may be popular or anywhere."""
    places, rows, columns = structure["places"], structure["rows"], structure["columns"]
    share, reach = places.get("share", 0), places.get("reach", 0)
    popular = None
    if "most" in places:
        popular = Popular(columns, columns - places.get("unused", 0), places["most"],
                          structure["entries"] * (1 - share))
    for row, length in enumerate(lengths):
        chosen = set()
        if share and length:
            close = min(length, int(length * share + random.random()))
            count = min(columns, max(2 * reach + 1, 2 * close))
            centre = row * columns // rows
            first = min(max(0, centre - count // 2), columns - count)
            if close:
                chosen.add(centre)
            add_drawn(chosen, close, first, count, random)
        if popular:
            popular.add(chosen, length, random)
        else:
            add_drawn(chosen, length, 0, columns, random)
        yield sorted(chosen)


def in_groups(structure, lengths, random):
    """`near` with a `side`: that many rows share whole groups of as many columns, as in finite elements."""
    places, side = structure["places"], structure["places"]["side"]
    nodes, reach = structure["columns"] // side, structure["places"]["reach"] // side
    if places["share"] != 1 or structure["rows"] != structure["columns"] or structure["rows"] % side:
        raise ValueError("groups need a square matrix of whole groups, with all entries near the diagonal")
    for group in range(structure["rows"] // side):
        own = lengths[group * side:(group + 1) * side]
        wanted = -(-max(own) // side)
        count = min(nodes, max(2 * reach + 1, 2 * wanted))
        chosen = {group} if wanted else set()
        add_drawn(chosen, wanted, min(max(0, group - count // 2), nodes - count), count, random)
        columns = [node * side + i for node in sorted(chosen) for i in range(side)]
        for length in own:
            yield columns[:length]


def grid(structure):
    places = structure["places"]
    sides, triangle = places["sides"], places.get("triangle", False)
    inside = lambda i, j: 0 <= i < sides[0] and 0 <= j < sides[1] and (not triangle or i + j < sides[0])
    start, total = [], 0  # of the points of a line, in ascending order of i
    for i in range(sides[0]):
        start.append(total)
        total += sides[1] - i if triangle else sides[1]
    for i in range(sides[0]):
        for j in range(sides[1] - i if triangle else sides[1]):
            around = ((i + di, j + dj) for di, dj in places["neighbours"])
            yield sorted(start[a] + b for a, b in around if inside(a, b))


def wilson(structure):
    """The hopping term of Wilson fermions: 4 spins × 3 colours on a periodic lattice of four dimensions.

    In space, a spin meets itself and one other spin of both neighbours; in time, itself of one neighbour.
    """
    side = structure["places"]["side"]
    other = ((3, 2, 1, 0), (3, 2, 1, 0), (2, 3, 0, 1))
    index = lambda site: ((site[0] * side + site[1]) * side + site[2]) * side + site[3]
    for site in itertools.product(range(side), repeat=4):
        for spin in range(4):
            pairs = []
            for axis in range(4):
                for step in (1, -1):
                    moved = list(site)
                    moved[axis] = (moved[axis] + step) % side
                    if axis < 3:
                        pairs += [(index(moved), spin), (index(moved), other[axis][spin])]
                    elif (step == 1) == (spin < 2):
                        pairs.append((index(moved), spin))
            columns = sorted(12 * at + 3 * s + colour for at, s in pairs for colour in range(3))
            for _ in range(3):
                yield columns


def window(structure):
    tokens, reach = structure["rows"], structure["places"]["reach"]
    yield list(range(tokens))  # of the global token
    for row in range(1, tokens):
        first = max(0, row - reach)
        yield ([0] if first else []) + list(range(first, min(tokens, row + reach + 1)))


def blocks(structure, random):
    side, tokens = structure["places"]["side"], structure["rows"]
    count = tokens // side
    for row in range(count):
        if row in (0, count - 1):
            chosen = set(range(count))
        else:
            chosen = {0, row - 1, row, row + 1, count - 1}
            add_drawn(chosen, len(chosen) + structure["places"]["drawn"], 0, count, random)
        columns = [block * side + i for block in sorted(chosen) for i in range(side)]
        for _ in range(side):
            yield columns


def rows_of(structure, lengths, random):
    places = structure["places"]
    shape = places["shape"]
    if shape == "grid":
        return grid(structure)
    if shape == "wilson":
        return wilson(structure)
    if shape == "window":
        return window(structure)
    if shape == "blocks":
        return blocks(structure, random)
    return (in_groups if "side" in places else drawn)(structure, lengths, random)
