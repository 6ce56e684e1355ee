# tests/benchmarks/matrices/lengths.py: lengths of rows with a given minimum, maximum, mean and standard deviation.
"""fitted_lengths(rows, entries, facts) returns them in ascending order; their sum is `entries`.

The shape `bell` is a normal distribution, and `tail` a lognormal one above the minimum; both end at the
maximum. Lengths are quantiles, not draws, so the statistics are met closely even with few rows.
"""
import math
import statistics

# If there are more rows, this many at each end are fitted one by one, and the others in bins.
LONGEST, SHORTEST, BINS = 300, 50, 400


def ranks(count):
    """(rank, how many rows it stands for), for the fit."""
    if count <= LONGEST + SHORTEST + BINS:
        return [(rank, 1) for rank in range(count)]
    middle = count - LONGEST - SHORTEST
    chosen = [(rank, 1) for rank in range(SHORTEST)]
    for b in range(BINS):
        first, last = middle * b // BINS, middle * (b + 1) // BINS
        chosen.append((SHORTEST + (first + last) // 2, last - first))
    return chosen + [(rank, 1) for rank in range(count - LONGEST, count)]


class Shape:
    """A distribution between two lengths, with a parameter for its mean and one for its width."""

    def __init__(self, name, shortest, longest):
        self.tail, self.shortest, self.longest = name == "tail", shortest, longest

    def lengths(self, normals, place, width):
        low, high = self.shortest, self.longest
        if self.tail:
            exact = [low + place * math.exp(width * normal) for normal in normals]
        else:
            exact = [place + width * normal for normal in normals]
        return [low if x < low else high if x > high else round(x) for x in exact]

    def moments(self, quantiles, place, width):
        normals, weights = quantiles
        lengths, count = self.lengths(normals, place, width), sum(weights)
        mean = sum(w * x for w, x in zip(weights, lengths)) / count
        squares = sum(w * x * x for w, x in zip(weights, lengths)) / count
        return mean, math.sqrt(max(0.0, squares - mean * mean))

    def place_for(self, quantiles, mean, width):
        """The parameter with this mean, by bisection; for a tail in steps of equal ratio."""
        if self.tail:
            low, high = 1e-12, float(self.longest)
        else:
            low, high = self.shortest - 8.0 * width - 1, self.longest + 8.0 * width + 1
        for _ in range(40):
            middle = math.sqrt(low * high) if self.tail else (low + high) / 2
            if self.moments(quantiles, middle, width)[0] < mean:
                low = middle
            else:
                high = middle
        return high

    def fit(self, quantiles, mean, deviation):
        low, high = 0.0, 8.0 if self.tail else 8.0 * (self.longest - self.shortest + 1)
        for _ in range(22):
            width = (low + high) / 2
            if self.moments(quantiles, self.place_for(quantiles, mean, width), width)[1] < deviation:
                low = width
            else:
                high = width
        return self.place_for(quantiles, mean, high), high


def spread_difference(lengths, missing, shortest, longest):
    """Adds what is missing to the sum, or removes what is too much, one entry per row in turn."""
    step = 1 if missing > 0 else -1
    # A stride that visits every row; neighbours in the order differ little, so this spreads evenly.
    stride = max(1, int(len(lengths) * 0.618))
    while math.gcd(stride, len(lengths)) != 1:
        stride += 1
    at, idle = 0, 0
    while missing:
        if shortest <= lengths[at] + step <= longest:
            lengths[at] += step
            missing -= step
            idle = 0
        else:
            idle += 1
            if idle > len(lengths):
                raise ValueError("no lengths between the minimum and the maximum have this sum")
        at = (at + stride) % len(lengths)


def fitted_lengths(rows, entries, facts):
    if facts["shape"] == "equal":
        if entries % rows:
            raise ValueError(f"{entries} entries are not the same number in each of {rows} rows")
        return [entries // rows] * rows
    shortest, longest, empty = facts["min"], facts["max"], facts.get("empty", 0)
    # One row has the minimum and one the maximum; the others get the rest of both sums.
    count = rows - empty - 2
    rest = entries - shortest - longest
    mean = rest / count
    squares = rows * (facts["sd"] ** 2 + (entries / rows) ** 2) - shortest**2 - longest**2
    variance = squares / count - mean * mean
    if variance < 0:
        raise ValueError(f"one row of {longest} entries alone has a larger deviation than {facts['sd']}")
    normal = statistics.NormalDist().inv_cdf
    chosen = ranks(count)
    quantiles = [normal((rank + 0.5) / count) for rank, _ in chosen], [weight for _, weight in chosen]
    shape = Shape(facts["shape"], shortest, longest)
    place, width = shape.fit(quantiles, mean, math.sqrt(variance))
    lengths = shape.lengths([normal((rank + 0.5) / count) for rank in range(count)], place, width)
    spread_difference(lengths, rest - sum(lengths), shortest, longest)
    return [0] * empty + sorted([shortest] + lengths + [longest])
