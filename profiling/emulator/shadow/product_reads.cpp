// profiling/emulator/shadow/product_reads.cpp: products of warpgroups that read shared memory
// beside their warps, until one of them has waited.
#include "profiling/emulator/shadow/product_reads.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::size_t kMostProducts = 0xffff;  // a record keeps 16 bits of the number

bool is_over(const VectorClocks& clocks, const ProductReads::Product& p, int warp) {
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t waited = p.waited[static_cast<std::size_t>(k)];
    if (waited != 0 && waited <= clocks.known(warp, p.first_warp + k)) return true;
  }
  return false;
}

}  // namespace

bool ProductReads::is_full() const { return products_.size() >= kMostProducts; }

std::uint32_t ProductReads::begin(int first_warp, std::uint32_t source) {
  products_.emplace_back();
  products_.back().first_warp = first_warp;
  products_.back().source = source;
  return static_cast<std::uint32_t>(products_.size()) - 1;
}

void ProductReads::end(const VectorClocks& clocks, std::uint32_t product, int warp) {
  if (product >= products_.size()) return;  // forgotten since
  std::uint32_t& waited = products_[product].waited[static_cast<std::size_t>(warp & 3)];
  if (waited == 0) waited = clocks.now(warp);
}

void ProductReads::read_after(std::uint32_t product, std::uint16_t last) {
  Product& p = products_[product];
  const auto add = [&](std::uint16_t other) {
    if (products_[other].first_warp == p.first_warp) return;
    if (std::find(p.before.begin(), p.before.end(), other) == p.before.end()) {
      p.before.push_back(other);
    }
  };
  add(last);
  for (const std::uint16_t other : products_[last].before) add(other);
}

const ProductReads::Product* ProductReads::unfinished(const VectorClocks& clocks,
                                                      std::uint16_t product, int warp) const {
  if (!is_over(clocks, products_[product], warp)) return &products_[product];
  for (const std::uint16_t other : products_[product].before) {
    if (!is_over(clocks, products_[other], warp)) return &products_[other];
  }
  return nullptr;
}

}  // namespace warpscope
