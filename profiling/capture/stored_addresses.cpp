// profiling/capture/stored_addresses.cpp: addresses that captured memory holds.
#include "profiling/capture/stored_addresses.h"

#include <algorithm>
#include <cstring>

namespace warpscope {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t), kNumbers = 3;
constexpr std::string_view kTable = "_addresses", kExpected = ".expected",
                           kExpectedTable = "_expected_addresses";

}  // namespace

std::vector<StoredAddress> stored_addresses(const Capture& capture, std::size_t memory,
                                            std::string_view bytes) {
  struct Range {
    std::uint64_t from = 0, to = 0;
    std::uint32_t memory = 0;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    const CapturedMemory& m = capture.memory[i];
    ranges.push_back({m.address, m.address + m.bytes, static_cast<std::uint32_t>(i)});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.from < b.from; });
  std::vector<StoredAddress> found;
  if (ranges.empty()) return found;
  const std::uint64_t low = ranges.front().from, own = capture.memory[memory].address;
  for (std::size_t at = (kWord - own % kWord) % kWord; at + kWord <= bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    if (word < low || word == 0) continue;
    auto range = std::upper_bound(ranges.begin(), ranges.end(), word,
                                  [](std::uint64_t w, const Range& r) { return w < r.from; });
    if (range == ranges.begin()) continue;
    --range;
    if (word >= range->to) continue;
    found.push_back({static_cast<std::int64_t>(at), range->memory,
                     static_cast<std::int64_t>(word - range->from)});
  }
  return found;
}

std::string address_table_of(const std::string& buffer) {
  if (!buffer.ends_with(kExpected)) return buffer + std::string(kTable);
  return buffer.substr(0, buffer.size() - kExpected.size()) + std::string(kExpectedTable);
}

// FNV-1a of 64 bits, without the sign.
std::int64_t address_target_of(const std::string& buffer) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : buffer) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(hash >> 1);
}

std::vector<std::int64_t> address_table(const std::vector<StoredAddress>& addresses,
                                        const std::vector<std::string>& buffer_of_memory) {
  std::vector<std::int64_t> targets, table;
  for (const std::string& buffer : buffer_of_memory) targets.push_back(address_target_of(buffer));
  table.reserve(kNumbers * addresses.size());
  for (const StoredAddress& address : addresses)
    table.insert(table.end(), {address.at, targets[address.memory], address.offset});
  return table;
}

std::map<std::string, std::string> address_holders(const std::vector<BufferSpec>& buffers) {
  std::map<std::string, std::string> holders;
  for (const BufferSpec& holder : buffers) {
    const std::string table = address_table_of(holder.name);
    const bool has = std::any_of(buffers.begin(), buffers.end(), [&](const BufferSpec& spec) {
      return spec.name == table && spec.type == ElementType::i64;
    });
    if (has) holders[holder.name] = table;
  }
  return holders;
}

void place_addresses(std::span<const std::int64_t> table,
                     const std::map<std::int64_t, std::uint64_t>& addresses,
                     std::span<std::byte> bytes) {
  for (std::size_t i = 0; i + kNumbers <= table.size(); i += kNumbers) {
    const std::int64_t at = table[i];
    const auto target = addresses.find(table[i + 1]);
    if (at < 0 || static_cast<std::uint64_t>(at) + kWord > bytes.size() ||
        target == addresses.end())
      continue;
    const std::uint64_t address = target->second + static_cast<std::uint64_t>(table[i + 2]);
    std::memcpy(bytes.data() + at, &address, kWord);
  }
}

}  // namespace warpscope
