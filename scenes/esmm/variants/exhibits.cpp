// scenes/esmm/variants/exhibits.cpp: rungs that compute something wrong, to see why.
#include "scenes/esmm/variants/exhibits.h"

#include <algorithm>
#include <string>
#include <utility>

#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/steps.h"
#include "scenes/esmm/variants/variants.h"

namespace warpscope::esmm {
namespace {

using Fault = std::optional<std::string>;

// How many of the groups `first` … `first + count` of A have the bit of k.
std::int64_t having(const Pattern& a, std::int64_t first, std::int64_t count, std::int64_t k) {
  std::int64_t sum = 0;
  for (std::int64_t g = first; g < std::min(a.groups, first + count); ++g)
    sum += a.at(g, k / kByteSteps) >> (k % kByteSteps) & 1;
  return sum;
}

// Sets of `count` groups and blocks of eight k in which some groups have the byte 0 and others not.
std::int64_t mixed_blocks(const Pattern& a, std::int64_t count) {
  std::int64_t mixed = 0;
  for (std::int64_t first = 0; first < a.groups; first += count) {
    const std::int64_t end = std::min(a.groups, first + count);
    for (std::int64_t block = 0; block < a.k_blocks; ++block) {
      std::int64_t zeros = 0;
      for (std::int64_t g = first; g < end; ++g) zeros += a.at(g, block) == 0 ? 1 : 0;
      mixed += zeros > 0 && zeros < end - first ? 1 : 0;
    }
  }
  return mixed;
}

std::string counted(double count, const char* what) {
  return std::to_string(static_cast<std::int64_t>(count)) + " " + what;
}

Fault where_more_than_none(const Workload& w, const char* fact, const char* what) {
  const double count = w.fact(fact);
  if (count == 0) return std::nullopt;
  return counted(count, what);
}

Variant exhibit(std::string name, std::string label, std::string sentence, std::string look_at,
                std::function<Steps(const Workload&)> steps,
                std::function<Fault(const Workload&)> fault) {
  Variant v = esmm_variant(std::move(name), std::move(label), "lesson", std::move(sentence),
                           std::move(look_at), std::move(steps));
  v.applies = shows_broken;
  v.constraints = fixed_tile_constraints(v.name);
  v.scratch = a_pattern_scratch;
  v.expected_fault = std::move(fault);
  return v;
}

Variant mistake(std::string name, std::string label, int number, std::string sentence,
                std::string look_at, std::function<Fault(const Workload&)> fault) {
  const auto steps = [name, number](const Workload& w) { return broken_steps(w, name, number); };
  return exhibit(std::move(name), std::move(label), std::move(sentence), std::move(look_at), steps,
                 std::move(fault));
}

}  // namespace

bool rows_are_alike(const Configuration& axes) {
  const std::string& zeros = axes.text("a_zeros");
  return zeros == "column_pattern" || zeros == "zero_k_blocks";
}

Result<void> measure_exhibits(const Configuration& axes, Inputs&, Facts& facts) {
  for (const char* fact : {"list_misses", "mixed_blocks", "staged_misses", "has_products"})
    facts.erase(fact);
  if (!shows_broken(axes)) return {};
  constexpr std::int64_t kTimes = kGroup / 8, kStaged = 8, kRowsOfBlock = 128;
  const Result<Pattern> finest_a = pattern_of(operand_a(axes)),
                        finest_b = pattern_of(operand_b(axes));
  if (!finest_a) return tl::unexpected(finest_a.error());
  if (!finest_b) return tl::unexpected(finest_b.error());
  const Pattern a = joined(*finest_a, kTimes);
  const std::vector<std::int64_t> of_b = groups_with(*finest_b);
  bool has_products = false;
  std::int64_t list_misses = 0, staged_misses = 0;
  for (std::int64_t k = 0; k < a.k_blocks * kByteSteps; ++k) {
    if (of_b[static_cast<std::size_t>(k)] == 0 || a.groups == 0) continue;
    has_products = has_products || having(a, 0, a.groups, k) > 0;
    list_misses += having(a, 0, 1, k) == 0 && having(a, 0, a.groups, k) > 0 ? 1 : 0;
    for (std::int64_t first = 0; first < a.groups; first += kStaged) {
      const std::int64_t count = having(a, first, kStaged, k);
      staged_misses += count > 0 && count < std::min(kStaged, a.groups - first) ? 1 : 0;
    }
  }
  facts["has_products"] = has_products ? 1 : 0;
  facts["list_misses"] = static_cast<double>(list_misses);
  facts["staged_misses"] = static_cast<double>(staged_misses);
  facts["mixed_blocks"] = static_cast<double>(mixed_blocks(a, kRowsOfBlock / kGroup));
  return {};
}

std::vector<Variant> exhibits() {
  const auto always = [](const char* why) {
    return [why](const Workload&) -> Fault { return why; };
  };
  std::vector<Variant> all = {
      mistake(
          "skip_before_barrier", "skip before a barrier (faulty)", 1,
          "Wrong on purpose, like the published kernels: a warp whose byte is 0 goes on to the "
          "next k without waiting at the block's barrier.",
          "The emulator names the barrier that not all warps reach. If the bytes of a block "
          "agree, as in a column pattern, nothing shows.",
          [](const Workload& w) {
            return where_more_than_none(
                w, "mixed_blocks",
                "times a warp goes on while others of its block wait for its share of the loads");
          }),
      exhibit(
          "shared_pattern_tile", "shared pattern tile (faulty)",
          "Wrong on purpose: eight warps that build masks stage their row groups in the same tile.",
          "The emulator names the race. Bits of eight groups mix. If all rows have the same "
          "pattern, nothing shows.",
          shared_pattern_tile_steps,
          [](const Workload& w) {
            return where_more_than_none(
                w, "staged_misses",
                "k are set for some groups of a tile and not for others: mask bytes lack them");
          }),
      mistake(
          "stride_of_128", "row stride of 128 (faulty)", 2,
          "Wrong on purpose, as the article prints it: 256 threads load two quads per row, 128 "
          "rows, into a tile of 64.",
          "The emulator names the writes that race in the tile of B. The published kernel has BM = "
          "128.",
          [](const Workload& w) -> Fault {
            if (w.fact("has_products") == 0) return std::nullopt;
            return "half of the loaded rows are outside the tile and overwrite the next k and B";
          }),
      mistake("half_of_the_rows", "WMITER = 4 (faulty)", 3,
              "Wrong on purpose: the first published mapping with one column per lane. Sub-tiles "
              "have 16 rows, of which every lane computes the first eight.",
              "Eight of every 16 rows of C stay unwritten. With WMITER = 8 they are written.",
              always("eight of every 16 rows belong to no lane")),
      mistake("byte_loop", "loop in a byte (faulty)", 4,
              "Goes on forever: the published copy loop counts columns in a signed byte, where 0 + "
              "128 is −128.",
              "The emulator names the loop and its line. On a GPU the engine's time limit ends it.",
              always("a signed byte cannot hold 128: the loop never ends")),
  };
  return all;
}

}  // namespace warpscope::esmm
