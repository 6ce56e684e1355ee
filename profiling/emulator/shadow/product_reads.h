// profiling/emulator/shadow/product_reads.h: products of warpgroups that read shared memory beside
// their warps, until one of them has waited.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profiling/emulator/shadow/vector_clocks.h"

namespace warpscope {

class ProductReads {
 public:
  struct Product {
    std::array<std::uint32_t, 4> waited{};  // by warp: its clock when it had waited, 0: it has not
    int first_warp = 0;
    std::uint32_t source = 0;
    std::vector<std::uint16_t> before;  // of other warpgroups, that read some of the same words
  };

  void clear() { products_.clear(); }
  // Then numbers begin anew, and no record may keep one.
  bool is_full() const;
  std::uint32_t begin(int first_warp, std::uint32_t source);
  // The warp has waited for it.
  void end(const VectorClocks& clocks, std::uint32_t product, int warp);

  // A product reads what another one has read: a write there waits for both.
  void read_after(std::uint32_t product, std::uint16_t last);
  // The first among a product and those of other warpgroups that read before it which, as far as
  // the warp knows, nobody has waited for; null: there is none.
  const Product* unfinished(const VectorClocks& clocks, std::uint16_t product, int warp) const;

 private:
  std::vector<Product> products_;
};

}  // namespace warpscope
