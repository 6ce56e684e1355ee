// scenes/esmm/tables.cpp: the article's tables of its two kernels, beside what they are here.
#include "scenes/esmm/tables.h"

#include <string>

#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/tiles.h"

namespace warpscope::esmm {
namespace {

constexpr const char* kCurrent = "a_skip.kernel.a_skip.";
constexpr const char* kTransposed = "transposed_b.kernel.bt_tile.";

std::string figure(const std::string& expression) { return "{" + expression + "}"; }
std::string figure(const char* kernel, const char* id) { return figure(kernel + std::string(id)); }

ArticleTable summary() {
  const std::string fine = "ab_fine@b_bit_columns=8.kernel.ab_fine.inst.lanes";
  const std::string full = " full sectors per request, in ";
  return {
      "Summary comparison: current (32×64) and B-transpose (64×32)",
      "What the article says, and what its kernels do here: A-pattern skip and the transposed-B "
      "tile. Sectors, lines and wavefronts per request are emulated; the other figures are "
      "counters of the product's kernel.",
      {"aspect", "current, article", "B-transpose, article", "current, here", "B-transpose, here"},
      {{"A loading", "Poor (stride K)", "Poor (stride K): same", "16" + full + "16 lines",
        "16" + full + "16 lines: same"},
       {"B loading", "Excellent (consecutive)", "Poor (stride K): worse", "16" + full + "4 lines",
        "16" + full + "16 lines: worse by lines, with " + figure(kTransposed, "l1.sectors_load") +
            " sectors loaded in all, compared with " +
            figure("k_major_b.kernel.k_major.l1.sectors_load") + " for B as stored"},
       {"B sparsity check", "Divergent", "Warp-uniform",
        figure(fine) + " active lanes of 32 with a byte for eight columns (ab_fine)",
        figure(kTransposed, "inst.lanes") + " active lanes of 32"},
       {"Shared memory, B access", "Different addresses", "Broadcast",
        "1 wavefront, two different words", "8 wavefronts, 32 different words"},
       {"Shared memory, A access", "Similar", "Similar", "1 wavefront, 16 different words",
        "1 wavefront, a broadcast"},
       {"C writing", "Poor (stride N)", "Excellent (consecutive)",
        figure(kCurrent, "l1.sectors_per_request_store") +
            " sectors per request, half used: " + figure(kCurrent, "l1.sectors_store"),
        figure(kTransposed, "l1.sectors_per_request_store") +
            " full sectors per request: " + figure(kTransposed, "l1.sectors_store")}}};
}

std::string floats(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " float" : " floats");
}

ArticleTable register_pressure() {
  const Tile current = own_tile("a_skip"), transposed = own_tile("transposed_b");
  const auto rows = [](const Tile& t) { return t.wmiter() * t.tm; };
  const auto columns = [](const Tile& t) { return t.wniter * t.tn; };
  const auto all = [&](const Tile& t) { return rows(t) + columns(t) + rows(t) * columns(t); };
  const auto bytes = [&](const Tile& t) {
    return floats(all(t)) + ", " + std::to_string(all(t) * kValueBytes) + " bytes";
  };
  const auto threads = [](const char* kernel) {
    return "{" + std::string(kernel) + "occupancy.achieved / 100 % * 2048}";
  };
  return {"Register pressure, per thread",
          "Arrays: counted from the tiles, as in the article. Registers: of the compiler. Threads: "
          "the achieved occupancy of 2048.",
          {"what", "current (A-pattern skip)", "B-transpose (transposed-B tile)"},
          {{"regM, WMITER·TM", floats(rows(current)), floats(rows(transposed))},
           {"regN, WNITER·TN", floats(columns(current)), floats(columns(transposed))},
           {"threadResults", floats(rows(current) * columns(current)),
            floats(rows(transposed) * columns(transposed))},
           {"total", bytes(current), bytes(transposed)},
           {"registers, article", "about 40", "about 52"},
           {"registers, here", "{a_skip.registers}",
            "{transposed_b.registers}; limited for two blocks {transposed_b_capped.registers}"},
           {"threads per multiprocessor, article", "1638", "1260"},
           {"threads per multiprocessor, here", threads(kCurrent), threads(kTransposed)}}};
}

}  // namespace

std::vector<ArticleTable> article_tables() { return {summary(), register_pressure()}; }

}  // namespace warpscope::esmm
