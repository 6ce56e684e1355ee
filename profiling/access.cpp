// profiling/access.cpp: what warp requests cost by the rules measured on an H200.
#include "profiling/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "profiling/metric.h"

namespace warpscope {
namespace {

using Addresses = std::array<std::uint64_t, warp_lanes>;
constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;

bool is_matrix(AccessKind kind) {
  return kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
}

// The active lanes' addresses in a line: base + (lane − first) · stride.
struct Pattern {
  bool regular = false;     // the form above holds for every active lane
  bool contiguous = false;  // the active lanes follow one another
  int first = 0, lanes = 0;
  std::uint64_t base = 0;   // of the first active lane
  std::int64_t stride = 0;  // bytes from one lane to the next
};

// Bounds inside which the closed forms cannot wrap around.
constexpr std::uint64_t kHighestBase = 1ULL << 62;
constexpr std::int64_t kWidestStride = 1LL << 40;

Pattern classify(const WarpRequest& request) {
  Pattern p;
  const std::uint32_t active = request.active;
  if (active == 0) return p;
  p.first = std::countr_zero(active);
  p.lanes = std::popcount(active);
  p.base = request.addresses[static_cast<std::size_t>(p.first)];
  const std::uint32_t others = active & (active - 1);
  if (others != 0) {
    const int second = std::countr_zero(others), apart = second - p.first;
    const auto step =
        static_cast<std::int64_t>(request.addresses[static_cast<std::size_t>(second)] - p.base);
    if (step % apart != 0) return p;
    p.stride = step / apart;
  }
  std::uint64_t off = 0;  // the bits in which any active lane leaves the line
  std::uint64_t expected =
      p.base - static_cast<std::uint64_t>(p.first) * static_cast<std::uint64_t>(p.stride);
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint64_t taken = 0 - static_cast<std::uint64_t>((active >> lane) & 1U);
    off |= (request.addresses[lane] ^ expected) & taken;
    expected += static_cast<std::uint64_t>(p.stride);
  }
  p.contiguous = (active >> p.first) == (p.lanes == warp_lanes ? kAllLanes : (1U << p.lanes) - 1);
  p.regular =
      off == 0 && p.base < kHighestBase && p.stride > -kWidestStride && p.stride < kWidestStride;
  if (p.regular && p.stride < 0) {
    const std::uint64_t below =
        static_cast<std::uint64_t>(-p.stride) * static_cast<std::uint64_t>(warp_lanes);
    p.regular = p.base >= below;
  }
  return p;
}

std::uint64_t last_byte(std::uint64_t address, int width) {
  const std::uint64_t last = address + static_cast<std::uint64_t>(width - 1);
  return last < address ? ~0ULL : last;  // the end of the address space
}

// Distinct values of `unit`-byte blocks in [low, high].
std::int64_t blocks(std::uint64_t low, std::uint64_t high, std::int64_t unit) {
  const auto u = static_cast<std::uint64_t>(unit);
  return static_cast<std::int64_t>(high / u - low / u + 1);
}

struct Interval {
  std::uint64_t low = 0, high = 0;  // both touched
};

// The active lanes' bytes by rising address.
struct Sorted {
  std::array<Interval, warp_lanes> intervals;
  int count = 0;
};

Sorted sorted(const WarpRequest& request, int width, std::uint32_t lanes) {
  Sorted s;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t a = request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    s.intervals[static_cast<std::size_t>(s.count++)] = {a, last_byte(a, width)};
  }
  std::sort(s.intervals.begin(), s.intervals.begin() + s.count,
            [](const Interval& a, const Interval& b) { return a.low < b.low; });
  return s;
}

std::int64_t distinct_bytes(const Sorted& s) {
  std::int64_t bytes = 0;
  std::uint64_t next = 0;  // the first byte not yet counted
  for (int i = 0; i < s.count; ++i) {
    const Interval& part = s.intervals[static_cast<std::size_t>(i)];
    const std::uint64_t low = i == 0 ? part.low : std::max(part.low, next);
    if (low <= part.high) bytes += static_cast<std::int64_t>(part.high - low) + 1;
    next = part.high + 1;
    if (next == 0) break;
  }
  return bytes;
}

// Distinct blocks of `unit` bytes that the intervals touch.
std::int64_t distinct_blocks(const Sorted& s, std::int64_t unit) {
  const auto u = static_cast<std::uint64_t>(unit);
  std::int64_t count = 0;
  std::uint64_t next = 0;  // the first block not yet counted
  for (int i = 0; i < s.count; ++i) {
    const Interval& part = s.intervals[static_cast<std::size_t>(i)];
    const std::uint64_t low = std::max(part.low / u, next), high = part.high / u;
    if (low <= high) count += static_cast<std::int64_t>(high - low) + 1;
    next = std::max(next, high + 1);
  }
  return count;
}

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::reduction || kind == AccessKind::atomic;
}

// Sectors of an atomic: lanes on one address are served one after another, and each pass touches
// the sectors of the addresses that still have a lane. So a sector counts as often as the most
// lanes that share one of its addresses.
std::int64_t atomic_sectors(const Sorted& s) {
  constexpr auto kSector = static_cast<std::uint64_t>(sector_bytes);
  struct Count {
    std::uint64_t sector = 0;
    std::int64_t passes = 0;
  };
  std::array<Count, 2 * warp_lanes> counts;
  std::size_t used = 0;
  for (int i = 0; i < s.count;) {
    const Interval& part = s.intervals[static_cast<std::size_t>(i)];
    int end = i;
    while (end < s.count && s.intervals[static_cast<std::size_t>(end)].low == part.low) ++end;
    for (std::uint64_t sector = part.low / kSector; sector <= part.high / kSector; ++sector) {
      std::size_t at = used;
      while (at > 0 && counts[at - 1].sector > sector) --at;
      if (at > 0 && counts[at - 1].sector == sector) {
        counts[at - 1].passes = std::max<std::int64_t>(counts[at - 1].passes, end - i);
      } else {
        std::copy_backward(counts.begin() + static_cast<std::ptrdiff_t>(at),
                           counts.begin() + static_cast<std::ptrdiff_t>(used),
                           counts.begin() + static_cast<std::ptrdiff_t>(used) + 1);
        counts[at] = {sector, end - i};
        ++used;
      }
    }
    i = end;
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < used; ++i) sum += counts[i].passes;
  return sum;
}

AccessTotals counted(const WarpRequest& request, int width) {
  AccessTotals t;
  t.requests = request.active != 0 ? 1 : 0;
  t.lanes = std::popcount(request.active);
  t.lane_bytes = t.lanes * width;
  return t;
}

bool aligned(const Pattern& p, int width) {
  return std::has_single_bit(static_cast<unsigned>(width)) &&
         p.base % static_cast<std::uint64_t>(width) == 0 && p.stride % width == 0;
}

// Up to 32 distinct numbers, in so many slots that two rarely want the same.
class LaneSet {
 public:
  bool insert(std::uint64_t key) {
    // Multiplicative hashing: Knuth, "The Art of Computer Programming", volume 3, section 6.4.
    std::uint64_t slot = key * 0x9E3779B97F4A7C15ULL >> 56;
    for (; (used_[slot / 64] >> slot % 64 & 1U) != 0; slot = (slot + 1) % kSlots) {
      if (keys_[slot] == key) return false;
    }
    used_[slot / 64] |= 1ULL << slot % 64;
    keys_[slot] = key;
    ++size_;
    return true;
  }
  std::int64_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kSlots = 256;
  std::array<std::uint64_t, kSlots> keys_;
  std::array<std::uint64_t, kSlots / 64> used_{};
  std::int64_t size_ = 0;
};

// Whether every active lane's address is a multiple of a width that is a power of two, so that its
// bytes lie in one sector and in one line.
bool all_aligned(const WarpRequest& request, int width) {
  std::uint64_t bits = 0;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1)
    bits |= request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
  return width <= sector_bytes && std::has_single_bit(static_cast<unsigned>(width)) &&
         (bits & static_cast<std::uint64_t>(width - 1)) == 0;
}

// Aligned lanes in any order, without sorting. Needs all_aligned.
void count_aligned_global(const WarpRequest& request, int width, AccessTotals& t) {
  LaneSet addresses, sectors, lines;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t a = request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!addresses.insert(a)) continue;
    sectors.insert(a / static_cast<std::uint64_t>(sector_bytes));
    lines.insert(a / static_cast<std::uint64_t>(line_bytes));
  }
  t.unique_bytes = addresses.size() * width;
  t.sectors = sectors.size();
  t.lines = lines.size();
}

// Distinct bytes of a regular pattern whose lanes follow one another, or are all at one address.
std::int64_t regular_bytes(const Pattern& p, int width) {
  const std::int64_t apart = std::abs(p.stride);
  return (p.lanes - 1) * std::min<std::int64_t>(apart, width) + width;
}

// Fills sectors, lines and bytes where a closed form holds. Needs a regular pattern.
bool global_by_formula(const Pattern& p, int width, AccessKind kind, AccessTotals& t) {
  const std::int64_t apart = std::abs(p.stride);
  const bool one_address = apart == 0 || p.lanes == 1;
  if (!one_address && !p.contiguous) return false;
  const std::int64_t reach = one_address ? 0 : apart * (p.lanes - 1);
  const std::uint64_t low =
      p.stride < 0 && !one_address ? p.base - static_cast<std::uint64_t>(reach) : p.base;
  const std::uint64_t high =
      low + static_cast<std::uint64_t>(reach) + static_cast<std::uint64_t>(width - 1);
  if (apart > width && !one_address) {
    // Lanes with gaps between: each in one sector when aligned.
    if (!aligned(p, width)) return false;
    const std::uint64_t first_of_last = low + static_cast<std::uint64_t>(reach);
    t.sectors = apart >= sector_bytes ? p.lanes : blocks(low, first_of_last, sector_bytes);
    t.lines = apart >= line_bytes ? p.lanes : blocks(low, first_of_last, line_bytes);
    t.unique_bytes = p.lanes * static_cast<std::int64_t>(width);
    return true;
  }
  t.unique_bytes = one_address ? width : regular_bytes(p, width);
  t.sectors = blocks(low, high, sector_bytes);
  t.lines = blocks(low, high, line_bytes);
  if (is_atomic(kind) && one_address) t.sectors *= p.lanes;
  return true;
}

// Lanes that one wavefront can serve without conflict go together: 32 of up to 4 bytes, 16 of 8,
// 8 of 16.
int group_lanes(int width) { return width <= 4 ? 32 : width <= 8 ? 16 : 8; }

// Whether every active lane has its address in common with the lane at `distance`.
bool shares_with_neighbour(const WarpRequest& request, int distance) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if (((request.active >> lane) & 1U) == 0) continue;
    const int other = lane ^ distance;
    if (((request.active >> other) & 1U) == 0 ||
        request.addresses[static_cast<std::size_t>(lane)] !=
            request.addresses[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

bool all_at_one_address(const WarpRequest& request) {
  const std::uint64_t first =
      request.addresses[static_cast<std::size_t>(std::countr_zero(request.active) % warp_lanes)];
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    if (request.addresses[static_cast<std::size_t>(std::countr_zero(rest))] != first) return false;
  }
  return true;
}

int lanes_a_group(const WarpRequest& request, int width, AccessKind kind) {
  const int lanes = group_lanes(width);
  if (width != 16 || is_matrix(kind) || request.active == 0) return lanes;
  const bool paired = shares_with_neighbour(request, 1) || shares_with_neighbour(request, 2) ||
                      all_at_one_address(request);
  return paired ? 2 * lanes : lanes;
}

std::uint32_t group_mask(int lanes, int group) {
  return lanes == warp_lanes ? kAllLanes : ((1U << lanes) - 1) << (group * lanes);
}

// Wavefronts of one group: the most distinct words in one bank.
std::int64_t group_wavefronts(const WarpRequest& request, int width, std::uint32_t mask) {
  const Sorted s = sorted(request, width, request.active & mask);
  std::array<std::int64_t, shared_banks> words{};
  std::uint64_t next = 0;
  for (int i = 0; i < s.count; ++i) {
    const Interval& part = s.intervals[static_cast<std::size_t>(i)];
    constexpr auto kWord = static_cast<std::uint64_t>(bank_bytes);
    for (std::uint64_t word = std::max(part.low / kWord, next); word <= part.high / kWord; ++word) {
      ++words[word % shared_banks];
      next = word + 1;
    }
  }
  return *std::max_element(words.begin(), words.end());
}

void add_group(AccessTotals& t, std::int64_t wavefronts) {
  t.wavefronts += wavefronts;
  t.ideal_wavefronts += wavefronts > 0 ? 1 : 0;
  t.worst_ways = std::max(t.worst_ways, wavefronts);
}

// Wavefronts of one group of aligned lanes: as many as lanes with distinct places meet in one slot
// of the group's banks.
std::int64_t count_aligned_group(const WarpRequest& request, int width, std::uint32_t mask) {
  const auto place_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(width, bank_bytes));
  const auto slots = static_cast<std::uint64_t>(group_lanes(width));
  std::array<std::int64_t, shared_banks> met{};
  LaneSet places;
  for (std::uint32_t rest = request.active & mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t place =
        request.addresses[static_cast<std::size_t>(std::countr_zero(rest))] / place_bytes;
    if (places.insert(place)) ++met[place % slots];
  }
  return *std::max_element(met.begin(), met.end());
}

bool shared_by_formula(const WarpRequest& request, const Pattern& p, int width, AccessKind kind,
                       AccessTotals& t) {
  const std::int64_t apart = std::abs(p.stride);
  const bool one_address = apart == 0 || p.lanes == 1;
  if (!aligned(p, width) || width > 16 || (!one_address && !p.contiguous)) return false;
  int lanes = group_lanes(width);
  if (one_address && width == 16 && !is_matrix(kind)) lanes *= 2;
  if (!one_address && width < bank_bytes && apart >= bank_bytes && apart % bank_bytes != 0)
    return false;
  // A lane takes one slot of as many as a group has lanes; lanes meet in a slot when their distance
  // is a multiple of slots / gcd(stride, slots).
  const std::int64_t slots = group_lanes(width);
  const std::int64_t slot_bytes = std::max<std::int64_t>(width, bank_bytes);
  const std::int64_t spread =
      apart >= slot_bytes ? slots / std::gcd(apart / slot_bytes, slots) : slots;
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const int members = std::popcount(request.active & group_mask(lanes, group));
    if (members == 0) continue;
    const bool distinct = !one_address && apart >= slot_bytes;
    add_group(t, distinct ? (members + spread - 1) / spread : 1);
  }
  t.unique_bytes = one_address ? width : regular_bytes(p, width);
  return true;
}

std::string lanes_text(const WarpRequest& request, int width) {
  const int lanes = std::popcount(request.active);
  if (lanes == warp_lanes) return fmt::format("32 lanes × {} B", width);
  return fmt::format("{} of 32 lanes × {} B", lanes, width);
}

std::string count_text(std::int64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// Whether the one lane of the request stands for all that took part.
bool is_merged(const WarpRequest& request, const AccessSite& site) {
  return site.merged && std::popcount(request.active) == 1;
}
constexpr const char* kMerged = ": the compiler has the warp add its lanes up, and one lane goes";

std::string describe_shared(const WarpRequest& request, const AccessSite& site) {
  const AccessTotals t = shared_cost(request, site.width_bytes, site.kind);
  const std::string start =
      lanes_text(request, site.width_bytes) + " → " + count_text(t.wavefronts, "wavefront");
  if (is_merged(request, site)) return start + kMerged;
  if (t.wavefronts <= t.ideal_wavefronts)
    return start + (all_at_one_address(request) && t.lanes > 1 ? ": a broadcast, no bank conflict"
                                                               : ": no bank conflict");
  // The banks that take the most passes, in the worst group.
  std::array<std::int64_t, shared_banks> passes{};
  const int lanes = lanes_a_group(request, site.width_bytes, site.kind);
  std::vector<int> worst;
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    WarpRequest part = request;
    part.active &= group_mask(lanes, group);
    passes.fill(0);
    const Sorted s = sorted(part, site.width_bytes, part.active);
    std::uint64_t next = 0;
    for (int i = 0; i < s.count; ++i) {
      const Interval& bytes = s.intervals[static_cast<std::size_t>(i)];
      for (std::uint64_t word = std::max(bytes.low / 4, next); word <= bytes.high / 4; ++word) {
        ++passes[word % shared_banks];
        next = word + 1;
      }
    }
    for (int bank = 0; bank < shared_banks; ++bank) {
      if (passes[static_cast<std::size_t>(bank)] == t.worst_ways) worst.push_back(bank);
    }
  }
  std::sort(worst.begin(), worst.end());
  worst.erase(std::unique(worst.begin(), worst.end()), worst.end());
  std::string banks;
  constexpr std::size_t kMostNamed = 8;
  for (std::size_t i = 0; i < std::min(worst.size(), kMostNamed); ++i)
    banks += (i == 0 ? "" : ", ") + std::to_string(worst[i]);
  if (worst.size() == shared_banks) {
    banks = "all banks";
  } else {
    banks = (worst.size() == 1 ? "bank " : "banks ") + banks;
    if (worst.size() > kMostNamed) banks += fmt::format(" and {} more", worst.size() - kMostNamed);
  }
  return start + fmt::format(" where {} would do ({}-way conflict on {})", t.ideal_wavefronts,
                             t.worst_ways, banks);
}

}  // namespace

const char* to_text(Space space) {
  constexpr const char* kNames[] = {"global", "shared", "local", "constant"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* to_text(AccessKind kind) {
  constexpr const char* kNames[] = {"load",       "store",       "atomic",       "reduction",
                                    "async copy", "matrix load", "matrix store", "bulk copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

AccessTotals& AccessTotals::operator+=(const AccessTotals& other) {
  requests += other.requests;
  lanes += other.lanes;
  lane_bytes += other.lane_bytes;
  unique_bytes += other.unique_bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  lines += other.lines;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  worst_ways = std::max(worst_ways, other.worst_ways);
  return *this;
}

double AccessTotals::sector_efficiency() const {
  return sectors == 0
             ? 1.0
             : static_cast<double>(unique_bytes) / static_cast<double>(sector_bytes * sectors);
}

double AccessTotals::sectors_per_request() const {
  return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests);
}

AccessTotals global_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t = counted(request, width_bytes);
  if (request.active == 0) return t;
  const Pattern pattern = classify(request);
  if (kind == AccessKind::bulk_copy) {
    t.requests = t.lanes;
    t.lane_bytes = t.unique_bytes = request.bulk.bytes;
    t.sectors = request.bulk.sectors;
    t.lines = request.bulk.lines;
  } else if (pattern.regular && global_by_formula(pattern, width_bytes, kind, t)) {
    // Counted.
  } else if (!is_atomic(kind) && all_aligned(request, width_bytes)) {
    count_aligned_global(request, width_bytes, t);
  } else {
    const Sorted s = sorted(request, width_bytes, request.active);
    t.unique_bytes = distinct_bytes(s);
    t.sectors = is_atomic(kind) ? atomic_sectors(s) : distinct_blocks(s, sector_bytes);
    t.lines = distinct_blocks(s, line_bytes);
  }
  t.ideal_sectors = (t.unique_bytes + sector_bytes - 1) / sector_bytes;
  return t;
}

AccessTotals shared_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t = counted(request, width_bytes);
  if (request.active == 0) return t;
  const Pattern pattern = classify(request);
  if (pattern.regular && shared_by_formula(request, pattern, width_bytes, kind, t)) return t;
  const bool aligned_lanes = width_bytes <= 16 && all_aligned(request, width_bytes);
  const int lanes = lanes_a_group(request, width_bytes, kind);
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const std::uint32_t mask = group_mask(lanes, group);
    add_group(t, aligned_lanes ? count_aligned_group(request, width_bytes, mask)
                               : group_wavefronts(request, width_bytes, mask));
  }
  if (aligned_lanes) {
    LaneSet addresses;
    for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1)
      addresses.insert(request.addresses[static_cast<std::size_t>(std::countr_zero(rest))]);
    t.unique_bytes = addresses.size() * width_bytes;
  } else {
    t.unique_bytes = distinct_bytes(sorted(request, width_bytes, request.active));
  }
  return t;
}

std::vector<Wavefront> wavefronts(const WarpRequest& request, int width_bytes, AccessKind kind) {
  std::vector<Wavefront> list;
  const int lanes = lanes_a_group(request, width_bytes, kind);
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const std::size_t start = list.size();
    const std::uint32_t members = request.active & group_mask(lanes, group);
    for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
      const std::uint64_t end = last_byte(address, width_bytes) / 4;
      for (std::uint64_t word = address / 4; word <= end; ++word) {
        const auto bank = static_cast<std::size_t>(word % shared_banks);
        std::size_t at = start;  // the group's first wavefront whose bank is idle or has this word
        while (at < list.size() && list[at].word[bank] != -1 &&
               list[at].word[bank] != static_cast<std::int64_t>(word))
          ++at;
        if (at == list.size()) list.emplace_back().word.fill(-1);
        list[at].word[bank] = static_cast<std::int64_t>(word);
        list[at].lanes[bank] |= 1U << lane;
      }
    }
  }
  return list;
}

int TouchedLine::used_bytes() const {
  int bytes = 0;
  for (const std::uint8_t word : word_bytes) bytes += std::popcount(static_cast<unsigned>(word));
  return bytes;
}

std::vector<TouchedLine> touched_lines(const WarpRequest& request, int width_bytes) {
  std::vector<TouchedLine> lines;
  constexpr auto kLine = static_cast<std::uint64_t>(line_bytes);
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = request.addresses[static_cast<std::size_t>(lane)];
    const std::uint64_t bytes = last_byte(first, width_bytes) - first + 1;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const std::uint64_t byte = first + i, address = byte / kLine * kLine;
      auto at = std::lower_bound(
          lines.begin(), lines.end(), address,
          [](const TouchedLine& line, std::uint64_t value) { return line.address < value; });
      if (at == lines.end() || at->address != address) {
        at = lines.insert(at, TouchedLine{});
        at->address = address;
      }
      const auto word = static_cast<std::size_t>(byte % kLine / 4);
      at->word_lanes[word] |= 1U << lane;
      at->word_bytes[word] = static_cast<std::uint8_t>(at->word_bytes[word] | 1U << byte % 4);
      at->sectors = static_cast<std::uint8_t>(at->sectors | 1U << word / 8);
    }
  }
  return lines;
}

std::string describe(const WarpRequest& request, const AccessSite& site) {
  if (request.active == 0) return "no lane takes part: no request";
  if (site.space == Space::shared) return describe_shared(request, site);
  if (site.kind == AccessKind::bulk_copy) {
    const BulkCost& b = request.bulk;
    return count_text(std::popcount(request.active), "lane") +
           fmt::format(" in bulk: {} B → ", b.bytes) + count_text(b.sectors, "sector") + " in " +
           count_text(b.lines, "line");
  }
  const std::string start = lanes_text(request, site.width_bytes);
  if (site.space == Space::constant) {
    Addresses a = request.addresses;
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      if ((request.active >> lane & 1U) != 0) a[count++] = request.addresses[lane];
    }
    std::sort(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count));
    const std::int64_t distinct = end - a.begin();
    return start + (distinct == 1 ? " → 1 address: the constant cache serves it in one pass"
                                  : fmt::format(" → {} addresses: the constant cache serves one at "
                                                "a time",
                                                distinct));
  }
  const AccessTotals t = global_cost(request, site.width_bytes, site.kind);
  const std::string cost =
      start + " → " + count_text(t.sectors, "sector") + " in " + count_text(t.lines, "line");
  if (is_merged(request, site)) return cost + kMerged;
  const std::int64_t touched = global_cost(request, site.width_bytes, AccessKind::load).sectors;
  if (t.sectors > touched) {
    const std::string passes = touched == 1 ? fmt::format(", {} times", t.sectors) : std::string();
    return cost + ": lanes that share an address are served one after another" + passes;
  }
  if (t.lanes > 1 && all_at_one_address(request)) return cost + ": a broadcast, all at one address";
  if (t.sectors <= t.ideal_sectors) return cost + ": ideal";
  return cost + fmt::format(" where {} would do: {} of the bytes fetched are used", t.ideal_sectors,
                            format_value(t.sector_efficiency(), "ratio"));
}

}  // namespace warpscope
