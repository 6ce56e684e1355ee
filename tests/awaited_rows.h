// tests/awaited_rows.h: rows of cards and entries of journals that no recording answers yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

// A row by how it begins, or an entry of the journal by number, and the recipe of
// tests/benchmarks/record that answers it. Until then it shows a dash; after that it is taken from
// this list, which the tests of cards ask for.
struct AwaitedRow {
  const char *scene, *said;
  std::int64_t entry;  // 0: a row of the card
  const char* recipe;
};

inline const std::vector<AwaitedRow>& awaited_rows() {
  static const std::vector<AwaitedRow> all = {
      {"csrmm", "Transposed and with one weight", 0, "csrmm-rows"},
      {"csrmm", "Rows of over 256 entries", 0, "csrmm-rows"},
      {"csrmm", "Sorting the indices first", 0, "csrmm-rows"},
      {"csrmm", "SELL-C-sigma", 0, "csrmm-rows"},
      {"csrmm", "Tensor cores would pay", 0, "csrmm-rows"},
      {"csrmm", "Many small products", 0, "csrmm-rows"},
      {"csrmm", "", 8, "csrmm-rows"},
      {"csrmm", "", 9, "csrmm-rows"},
      {"autoencoder", "Compile-time unrolling", 0, "autoencoder"},
      {"autoencoder", "A reduction by shuffles", 0, "autoencoder"},
  };
  return all;
}

inline bool is_awaited(const std::string& scene, const std::string& said) {
  return std::any_of(awaited_rows().begin(), awaited_rows().end(), [&](const AwaitedRow& each) {
    return each.entry == 0 && scene == each.scene && said.starts_with(each.said);
  });
}
inline bool is_awaited(const std::string& scene, std::int64_t entry) {
  return std::any_of(awaited_rows().begin(), awaited_rows().end(), [&](const AwaitedRow& each) {
    return each.entry == entry && scene == each.scene;
  });
}

}  // namespace warpscope
