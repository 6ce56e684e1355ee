// scenes/host/paged_bytes.h: bytes that are made a page at a time, when somebody first asks for
// them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

// A range of addresses that takes memory for the pages that were asked for, so that one traced
// block of a workload of gigabytes needs kilobytes.
//
//   PagedBytes bytes(count, [](std::int64_t first, std::span<std::byte> page) { … });
//   bytes.make(offset, width);  // from any thread; then data()[offset] … may be read and written

namespace warpscope {

class PagedBytes {
 public:
  static constexpr std::int64_t page_bytes = 1 << 14;
  // Writes a page, whose first byte is `first` of all. Called once for each page, by whichever
  // thread asked first, for several pages at a time.
  using Fill = std::function<void(std::int64_t first, std::span<std::byte> page)>;

  PagedBytes() = default;  // of no bytes
  // Throws std::bad_alloc where there are not enough addresses.
  PagedBytes(std::int64_t bytes, Fill fill);
  PagedBytes(const PagedBytes& other);  // with the pages that are there, and the same Fill
  PagedBytes& operator=(const PagedBytes& other);
  PagedBytes(PagedBytes&&) noexcept = default;
  PagedBytes& operator=(PagedBytes&&) noexcept = default;
  ~PagedBytes() = default;

  std::byte* data() const { return body_ ? body_->data : nullptr; }
  std::int64_t size() const { return body_ ? body_->bytes : 0; }
  // Makes the pages that hold these bytes, where they are not there yet.
  void make(std::int64_t offset, std::int64_t width) const {
    if (width <= 0) return;
    const std::int64_t last = (offset + width - 1) / page_bytes;
    for (std::int64_t page = offset / page_bytes; page <= last; ++page) {
      if (body_->states[static_cast<std::size_t>(page)].load(std::memory_order_acquire) != made) {
        make_page(page);
      }
    }
  }
  void make_all() const;  // on several threads
  bool whole() const {
    return !body_ || body_->made_pages.load(std::memory_order_acquire) == body_->pages;
  }
  std::int64_t made_bytes() const;  // by whole pages
  // All bytes become what `fill` writes, again a page at a time, at the same addresses. Not while
  // another thread reads.
  void refill(Fill fill);

 private:
  static constexpr std::uint8_t absent = 0, being_made = 1, made = 2;
  struct Body {
    Body(std::int64_t size, Fill function);
    ~Body();
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    std::byte* data = nullptr;
    std::int64_t bytes = 0, pages = 0;
    Fill fill;
    std::unique_ptr<std::atomic<std::uint8_t>[]> states;
    std::atomic<std::int64_t> made_pages{0};
  };
  void make_page(std::int64_t page) const;
  std::unique_ptr<Body> body_;
};

}  // namespace warpscope
