// profiling/emulator/warpgroups/shadow_products.cpp: shared memory that products of warpgroups
// read.
#include <algorithm>

#include "profiling/emulator/state/shadow.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostProducts = 0xffff;  // a record keeps 16 bits of the number

}  // namespace

void SharedShadow::forget_products() {
  products_.clear();
  for (std::vector<Record>* list : {&records_, &splits_}) {
    for (Record& r : *list) r.flags &= static_cast<std::uint8_t>(~kProductRead);
  }
}

std::uint32_t SharedShadow::begin_product(int first_warp, std::uint32_t source) {
  if (products_.size() >= kMostProducts) forget_products();
  products_.emplace_back();
  products_.back().first_warp = first_warp;
  products_.back().source = source;
  return static_cast<std::uint32_t>(products_.size()) - 1;
}

void SharedShadow::end_product(std::uint32_t product, int warp) {
  if (product >= products_.size()) return;  // forgotten since
  std::uint32_t& waited = products_[product].waited[static_cast<std::size_t>(warp & 3)];
  if (waited == 0) waited = known_[warp][warp];
}

bool SharedShadow::product_is_over(std::uint32_t product, int warp) const {
  const Product& p = products_[product];
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t waited = p.waited[static_cast<std::size_t>(k)];
    if (waited != 0 && waited <= known_[warp][p.first_warp + k]) return true;
  }
  return false;
}

bool SharedShadow::product_is_over(const Record& r, int warp) {
  const Product& last = products_[r.copy_lane];
  const auto is_over = [&](std::uint32_t product) {
    if (product_is_over(product, warp)) return true;
    product_source_ = products_[product].source;
    other_warp_ = products_[product].first_warp;
    other_lane_ = 0;
    other_barrier_ = -1;
    return false;
  };
  return is_over(r.copy_lane) && std::all_of(last.before.begin(), last.before.end(), is_over);
}

SharedFinding SharedShadow::read_product_record(Record& r, std::uint32_t product, int warp,
                                                unsigned bytes) {
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  const bool copied = (r.flags & kCopy) != 0;
  if (copied && !copy_arrived(r, warp)) return SharedFinding::not_waited;
  const bool bulk = (r.flags & kBulkCopy) != 0;
  if (bulk && !bulk_is_seen(r, warp)) return SharedFinding::not_waited;
  if (!races_) return finding;
  // A source of a bulk copy stays one: its record has room for one reader.
  const bool source = (r.flags & kCopySource) != 0;
  const bool read_before = (r.flags & kProductRead) != 0;
  if (!bulk && r.write != 0) {
    const int writer = static_cast<int>(r.write >> 5 & 31);
    const std::uint32_t clock = r.write >> kClockShift;
    if (writer != warp && clock > known_[warp][writer]) {
      other_warp_ = writer;
      other_lane_ = static_cast<int>(r.write & 31);
      other_barrier_ = -1;
      finding = SharedFinding::race;
    } else if (!copied && !read_before && clock > proxied_[writer]) {
      // Kept for those who write: cp.async needs no such fence.
      other_warp_ = writer;
      other_lane_ = static_cast<int>(r.write & 31);
      other_barrier_ = -1;
      finding = SharedFinding::not_fenced;
    }
  }
  if (read_before && r.copy_lane != product) {
    Product& p = products_[product];
    const Product& last = products_[r.copy_lane];
    const auto add = [&](std::uint16_t other) {
      if (products_[other].first_warp == p.first_warp) return;
      if (std::find(p.before.begin(), p.before.end(), other) == p.before.end()) {
        p.before.push_back(other);
      }
    };
    add(r.copy_lane);
    for (const std::uint16_t other : last.before) add(other);
  }
  if (source) return finding;
  r.flags |= kProductRead;
  r.copy_lane = static_cast<std::uint16_t>(product);
  return finding;
}

SharedFinding SharedShadow::read_for_product(std::uint32_t product, int warp, std::int64_t offset,
                                             int width) {
  return for_records(offset, width, [&](Record& r, unsigned bytes) {
    return read_product_record(r, product, warp, bytes);
  });
}

}  // namespace warpscope
