// scenes/patterns/inputs.cpp: values, gather indices and bins, each from a stream of its own.
#include "scenes/patterns/inputs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "scenes/host/parallel.h"
#include "scenes/host/random.h"
#include "scenes/patterns/shapes.h"

namespace warpscope::patterns {
namespace {

constexpr std::int64_t kSmallestPiece = 16384;
// Indices that a warp of gather_in_flight takes.
constexpr std::int64_t kQuadGroup = std::int64_t{4} * kWarpLanes;
enum Stream : std::uint32_t { kValues = 11, kStays, kAnywhere, kBins };

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

std::int64_t distinct(std::array<std::int32_t, kWarpLanes>& values, std::int64_t count) {
  const auto end = values.begin() + count;
  std::sort(values.begin(), end);
  return std::unique(values.begin(), end) - values.begin();
}

// Distinct values of first[0], first[step] … of at most 32 of `count`, mapped by `shift`.
std::int64_t distinct_in_warp(std::span<const std::int32_t> values, std::int64_t first,
                              std::int64_t step, int shift) {
  std::array<std::int32_t, kWarpLanes> seen{};
  std::int64_t count = 0;
  for (std::int64_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::int64_t at = first + lane * step;
    if (at >= static_cast<std::int64_t>(values.size())) break;
    seen[static_cast<std::size_t>(count++)] = values[static_cast<std::size_t>(at)] >> shift;
  }
  return distinct(seen, count);
}

constexpr int kSectorShift = 3;  // eight f32 share a sector, and x begins at one

void make_values(const Configuration& axes, std::int64_t first, std::span<float> values) {
  const RandomStream stream(seed_of(axes), kValues);
  constexpr std::int64_t kWords = 4;  // of one block of random bits
  std::array<std::uint32_t, kWords> words{};
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::int64_t i = first + static_cast<std::int64_t>(e);
    if (e == 0 || i % kWords == 0) words = stream.words(static_cast<std::uint64_t>(i / kWords));
    const std::uint32_t word = words[static_cast<std::size_t>(i % kWords)];
    values[e] = static_cast<float>(word >> 8) * 0x1.0p-23f - 1.0f;
  }
}

void make_index(const Configuration& axes, std::int64_t first, std::span<std::int32_t> index) {
  const double locality = axes.real("locality");
  const auto n = static_cast<std::uint64_t>(axes.integer("n"));
  const RandomStream stays(seed_of(axes), kStays), anywhere(seed_of(axes), kAnywhere);
  for (std::size_t e = 0; e < index.size(); ++e) {
    const auto at = static_cast<std::uint64_t>(first) + e;
    index[e] = static_cast<std::int32_t>(stays.uniform(at) < locality ? at : anywhere.below(at, n));
  }
}

// The bin that `contention` neighbours of a group of 32 share.
class Bins {
 public:
  explicit Bins(const Configuration& axes)
      : stream_(seed_of(axes), kBins),
        bins_(static_cast<std::uint64_t>(axes.integer("bins"))),
        contention_(axes.integer("contention")) {}
  std::int32_t of(std::int64_t i) const {
    const std::int64_t group = i / kWarpLanes * kWarpLanes + i % kWarpLanes / contention_;
    return static_cast<std::int32_t>(stream_.below(static_cast<std::uint64_t>(group), bins_));
  }

 private:
  RandomStream stream_;
  std::uint64_t bins_;
  std::int64_t contention_;
};

void make_keys(const Configuration& axes, std::int64_t first, std::span<std::int32_t> key) {
  const Bins bins(axes);
  for (std::size_t e = 0; e < key.size(); ++e)
    key[e] = bins.of(first + static_cast<std::int64_t>(e));
}

// One pass over all keys for these bins.
void make_bin_counts(const Configuration& axes, std::int64_t first,
                     std::span<std::int32_t> counts) {
  const Bins bins(axes);
  std::fill(counts.begin(), counts.end(), 0);
  for (std::int64_t i = 0; i < axes.integer("n"); ++i) {
    const std::int64_t bin = bins.of(i) - first;
    if (bin >= 0 && bin < static_cast<std::int64_t>(counts.size()))
      ++counts[static_cast<std::size_t>(bin)];
  }
}

}  // namespace

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  if (array == "x") return make_values(w.axes, first, elements_in<float>(bytes));
  const std::span<std::int32_t> elements = elements_in<std::int32_t>(bytes);
  if (array == "index") return make_index(w.axes, first, elements);
  if (array == "key") return make_keys(w.axes, first, elements);
  make_bin_counts(w.axes, first, elements);
}

Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const std::int64_t count = input_elements(axes);
  inputs["x"] = HostArray::whole(ElementType::f32, count,
                                 [&axes](std::int64_t first, std::span<std::byte> bytes) {
                                   make_values(axes, first, elements_in<float>(bytes));
                                 });
  facts["elements"] = static_cast<double>(count);
  return {};
}

Result<void> generate_index(const Configuration& axes, Inputs& inputs, Facts& facts) {
  inputs.erase("index");
  for (const char* fact : {"gather_sectors", "quad_sectors", "distinct_sectors"}) facts.erase(fact);
  if (!op_is(axes, "gather")) return {};
  const std::int64_t n = axes.integer("n");
  HostArray array(ElementType::i32, n);
  const std::span<std::int32_t> index = array.as<std::int32_t>();
  std::vector<std::atomic<bool>> named(
      static_cast<std::size_t>(ceil_divide(n * kValueBytes, kSectorBytes)));
  std::atomic<std::int64_t> gather_sectors = 0, quad_sectors = 0;
  parallel_for(ceil_divide(n, kQuadGroup), kSmallestPiece / kQuadGroup,
               [&](std::int64_t begin, std::int64_t end) {
                 const std::int64_t from = begin * kQuadGroup, to = std::min(end * kQuadGroup, n);
                 const std::span<std::int32_t> part = index.subspan(
                     static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
                 make_index(axes, from, part);
                 for (const std::int32_t element : part) {
                   named[static_cast<std::size_t>(element >> kSectorShift)].store(
                       true, std::memory_order_relaxed);
                 }
                 std::int64_t by_one = 0, by_four = 0;
                 for (std::int64_t group = begin; group < end; ++group) {
                   for (std::int64_t part_of = 0; part_of < 4; ++part_of) {
                     const std::int64_t first = group * kQuadGroup;
                     by_one +=
                         distinct_in_warp(index, first + part_of * kWarpLanes, 1, kSectorShift);
                     by_four += distinct_in_warp(index, first + part_of, 4, kSectorShift);
                   }
                 }
                 gather_sectors += by_one;
                 quad_sectors += by_four;
               });
  facts["gather_sectors"] = static_cast<double>(gather_sectors.load());
  facts["quad_sectors"] = static_cast<double>(quad_sectors.load());
  facts["distinct_sectors"] = static_cast<double>(std::count_if(
      named.begin(), named.end(), [](const std::atomic<bool>& sector) { return sector.load(); }));
  inputs["index"] = std::move(array);
  return {};
}

Result<void> generate_keys(const Configuration& axes, Inputs& inputs, Facts& facts) {
  inputs.erase("key");
  inputs.erase("bin_counts");
  for (const char* fact : {"warp_bins", "busiest_bin"}) facts.erase(fact);
  if (!op_is(axes, "atomics")) return {};
  const std::int64_t n = axes.integer("n"), bins = axes.integer("bins");
  HostArray array(ElementType::i32, n), counts(ElementType::i32, bins);
  const std::span<std::int32_t> key = array.as<std::int32_t>();
  std::atomic<std::int64_t> warp_bins = 0;
  parallel_for(
      ceil_divide(n, kWarpLanes), kSmallestPiece / kWarpLanes,
      [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t from = begin * kWarpLanes, to = std::min(end * kWarpLanes, n);
        make_keys(axes, from,
                  key.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
        std::int64_t sum = 0;
        for (std::int64_t warp = begin; warp < end; ++warp) {
          sum += distinct_in_warp(key, warp * kWarpLanes, 1, 0);
        }
        warp_bins += sum;
      });
  // The keys are there: counting them costs less than drawing them again, as make_bin_counts does.
  const std::span<std::int32_t> count = counts.as<std::int32_t>();
  for (const std::int32_t bin : key) ++count[static_cast<std::size_t>(bin)];
  facts["warp_bins"] = static_cast<double>(warp_bins.load());
  facts["busiest_bin"] =
      static_cast<double>(count.empty() ? 0 : *std::max_element(count.begin(), count.end()));
  inputs["key"] = std::move(array);
  inputs["bin_counts"] = std::move(counts);
  return {};
}

}  // namespace warpscope::patterns
