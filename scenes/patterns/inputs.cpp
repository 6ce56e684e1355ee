// scenes/patterns/inputs.cpp: values, gather indices and bins, each from a stream of its own.
#include "scenes/patterns/inputs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "scenes/parallel.h"
#include "scenes/patterns/shapes.h"
#include "scenes/random.h"

namespace warpscope::patterns {
namespace {

constexpr std::int64_t kSmallestPiece = 16384;
constexpr std::int64_t kQuadGroup = 4 * kLanes;  // indices that a warp of gather_in_flight takes
enum Stream : std::uint32_t { kValues = 11, kStays, kAnywhere, kBins };

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

std::int64_t distinct(std::array<std::int32_t, kLanes>& values, std::int64_t count) {
  const auto end = values.begin() + count;
  std::sort(values.begin(), end);
  return std::unique(values.begin(), end) - values.begin();
}

// Distinct values of first[0], first[step] … of at most 32 of `count`, mapped by `shift`.
std::int64_t distinct_in_warp(std::span<const std::int32_t> values, std::int64_t first,
                              std::int64_t step, int shift) {
  std::array<std::int32_t, kLanes> seen{};
  std::int64_t count = 0;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t at = first + lane * step;
    if (at >= static_cast<std::int64_t>(values.size())) break;
    seen[static_cast<std::size_t>(count++)] = values[static_cast<std::size_t>(at)] >> shift;
  }
  return distinct(seen, count);
}

constexpr int kSectorShift = 3;  // eight f32 share a sector, and x begins at one

}  // namespace

Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const std::int64_t count = input_elements(axes);
  HostArray x(ElementType::f32, count);
  const std::span<float> values = x.as<float>();
  const RandomStream stream(seed_of(axes), kValues);
  constexpr std::int64_t kWords = 4;  // of one block of random bits
  parallel_for(
      ceil_divide(count, kWords), kSmallestPiece, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
          const auto words = stream.words(static_cast<std::uint64_t>(block));
          for (std::int64_t i = block * kWords; i < std::min((block + 1) * kWords, count); ++i) {
            const std::uint32_t word = words[static_cast<std::size_t>(i % kWords)];
            values[static_cast<std::size_t>(i)] = static_cast<float>(word >> 8) * 0x1.0p-23f - 1.0f;
          }
        }
      });
  inputs["x"] = std::move(x);
  facts["elements"] = static_cast<double>(count);
  return {};
}

Result<void> generate_index(const Configuration& axes, Inputs& inputs, Facts& facts) {
  inputs.erase("index");
  for (const char* fact : {"gather_sectors", "quad_sectors", "distinct_sectors"}) facts.erase(fact);
  if (!op_is(axes, "gather")) return {};
  const std::int64_t n = axes.integer("n");
  const double locality = axes.real("locality");
  HostArray array(ElementType::i32, n);
  const std::span<std::int32_t> index = array.as<std::int32_t>();
  const RandomStream stays(seed_of(axes), kStays), anywhere(seed_of(axes), kAnywhere);
  std::vector<std::atomic<bool>> named(
      static_cast<std::size_t>(ceil_divide(n * kValueBytes, kSectorBytes)));
  std::atomic<std::int64_t> gather_sectors = 0, quad_sectors = 0;
  parallel_for(
      ceil_divide(n, kQuadGroup), kSmallestPiece / kQuadGroup,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * kQuadGroup; i < std::min(end * kQuadGroup, n); ++i) {
          const auto at = static_cast<std::uint64_t>(i);
          const std::uint64_t from =
              stays.uniform(at) < locality ? at : anywhere.below(at, static_cast<std::uint64_t>(n));
          index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(from);
          named[static_cast<std::size_t>(from >> kSectorShift)].store(true,
                                                                      std::memory_order_relaxed);
        }
        std::int64_t by_one = 0, by_four = 0;
        for (std::int64_t group = begin; group < end; ++group) {
          for (std::int64_t part = 0; part < 4; ++part) {
            const std::int64_t first = group * kQuadGroup;
            by_one += distinct_in_warp(index, first + part * kLanes, 1, kSectorShift);
            by_four += distinct_in_warp(index, first + part, 4, kSectorShift);
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
  const std::int64_t contention = axes.integer("contention");
  HostArray array(ElementType::i32, n), counts(ElementType::i32, bins);
  const std::span<std::int32_t> key = array.as<std::int32_t>();
  const RandomStream stream(seed_of(axes), kBins);
  std::atomic<std::int64_t> warp_bins = 0;
  parallel_for(
      ceil_divide(n, kLanes), kSmallestPiece / kLanes, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t sum = 0;
        for (std::int64_t warp = begin; warp < end; ++warp) {
          for (std::int64_t i = warp * kLanes; i < std::min((warp + 1) * kLanes, n); ++i) {
            const std::int64_t group = warp * kLanes + i % kLanes / contention;
            key[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(
                stream.below(static_cast<std::uint64_t>(group), static_cast<std::uint64_t>(bins)));
          }
          sum += distinct_in_warp(key, warp * kLanes, 1, 0);
        }
        warp_bins += sum;
      });
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
