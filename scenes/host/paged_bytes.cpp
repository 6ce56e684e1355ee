// scenes/host/paged_bytes.cpp: bytes that are made a page at a time, when somebody first asks for
// them.
#include "scenes/host/paged_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "scenes/host/parallel.h"

namespace warpscope {

PagedBytes::Body::Body(std::int64_t size, Fill function)
    : bytes(size), pages((size + page_bytes - 1) / page_bytes), fill(std::move(function)) {
  states = std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(pages));
  if (bytes == 0) return;
  // Not counted against what the machine can promise: most of it is never touched.
  void* const range = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  // A touched page of ours must not take one of two megabytes. A kernel without them is fine.
  ::madvise(range, static_cast<std::size_t>(bytes), MADV_NOHUGEPAGE);
  data = static_cast<std::byte*>(range);
}

PagedBytes::Body::~Body() {
  if (data != nullptr) ::munmap(data, static_cast<std::size_t>(bytes));
}

PagedBytes::PagedBytes(std::int64_t bytes, Fill fill)
    : body_(std::make_unique<Body>(bytes, std::move(fill))) {}

PagedBytes::PagedBytes(const PagedBytes& other) {
  if (!other.body_) return;
  body_ = std::make_unique<Body>(other.body_->bytes, other.body_->fill);
  for (std::int64_t page = 0; page < body_->pages; ++page) {
    const auto at = static_cast<std::size_t>(page);
    if (other.body_->states[at].load(std::memory_order_acquire) != made) continue;
    const std::int64_t first = page * page_bytes;
    std::memcpy(body_->data + first, other.body_->data + first,
                static_cast<std::size_t>(std::min(page_bytes, body_->bytes - first)));
    body_->states[at].store(made, std::memory_order_relaxed);
    body_->made_pages.fetch_add(1, std::memory_order_relaxed);
  }
}

PagedBytes& PagedBytes::operator=(const PagedBytes& other) {
  PagedBytes copy(other);
  std::swap(body_, copy.body_);
  return *this;
}

void PagedBytes::make_page(std::int64_t page) const {
  std::atomic<std::uint8_t>& state = body_->states[static_cast<std::size_t>(page)];
  while (true) {
    std::uint8_t seen = absent;
    if (state.compare_exchange_strong(seen, being_made, std::memory_order_acquire)) break;
    if (seen == made) return;
    state.wait(being_made, std::memory_order_acquire);
  }
  const std::int64_t first = page * page_bytes;
  const auto count = static_cast<std::size_t>(std::min(page_bytes, body_->bytes - first));
  try {
    body_->fill(first, {body_->data + first, count});
  } catch (...) {  // there is no memory left: another thread may try
    state.store(absent, std::memory_order_release);
    state.notify_all();
    throw;
  }
  state.store(made, std::memory_order_release);
  body_->made_pages.fetch_add(1, std::memory_order_release);
  state.notify_all();
}

void PagedBytes::make_all() const {
  if (whole()) return;
  parallel_for(body_->pages, 1, [this](std::int64_t begin, std::int64_t end) {
    make(begin * page_bytes, std::min(end * page_bytes, body_->bytes) - begin * page_bytes);
  });
}

std::int64_t PagedBytes::made_bytes() const {
  return body_ ? std::min(body_->bytes,
                          body_->made_pages.load(std::memory_order_acquire) * page_bytes)
               : 0;
}

void PagedBytes::refill(Fill fill) {
  if (!body_) return;
  body_->fill = std::move(fill);
  for (std::int64_t page = 0; page < body_->pages; ++page)
    body_->states[static_cast<std::size_t>(page)].store(absent, std::memory_order_relaxed);
  body_->made_pages.store(0, std::memory_order_release);
  // The addresses stay, their memory is given back.
  if (body_->data != nullptr)
    ::madvise(body_->data, static_cast<std::size_t>(body_->bytes), MADV_DONTNEED);
}

}  // namespace warpscope
